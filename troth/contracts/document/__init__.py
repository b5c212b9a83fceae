"""The document: every key of the language as checked data, parts and defaults merged in, nothing compiled yet."""
