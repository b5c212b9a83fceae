"""From a request to the operation that it is meant for."""
