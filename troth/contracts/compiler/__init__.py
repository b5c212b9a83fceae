"""From a document to a contract: names resolved, matchers and expressions compiled, scenarios checked."""
