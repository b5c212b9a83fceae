"""Matchers in their places: each recognises and generates."""
