"""The contract language: document, matchers, expressions, model, loader, lint, packs. No network, no printing."""
