"""The command line: parse, wire the real parts together, print."""
