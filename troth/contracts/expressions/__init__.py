"""Expressions: Jinja's syntax as closures, with absent and unknown."""
