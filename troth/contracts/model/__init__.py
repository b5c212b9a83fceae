"""The interpreter: predict, sample, compare, judge, commit."""
