"""The fake: an HTTP server that executes a contract, its journal and its explanations."""
