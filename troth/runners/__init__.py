"""Run scenarios on targets, judge and compare what came back, store it, schedule it."""
