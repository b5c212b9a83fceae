# Needs Python 3.11 or newer and make; everything else is installed into .venv from requirements.lock.
# `make help` lists the targets.

SHELL := /bin/sh
BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest
WORKERS ?= 2
# The tests start many processes; without compiled modules each would compile the package again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help .venv demo test test-long selftest selftest-costs selftest-short check format bench docs snippets lock lowest build clean

help:  ## list the targets
	@sed -n 's/^\([a-z.-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 14

.venv:  ## make the environment with every extra, or bring it up to date
	@sh tools/venv.sh

demo: .venv  ## simulator against a stand-in Stripe: the verdict and the report
	@$(BIN)/python tools/demo.py

test: .venv  ## every test but the long ones
	$(PYTEST) -n $(WORKERS) --dist loadgroup -m "not long" -rs

test-long: .venv  ## the tests that take minutes
	$(PYTEST) -n $(WORKERS) -m long --timeout 3600

selftest: .venv  ## plant known drifts, noise and faults in a twin, and count what Troth says (minutes)
	PYTHONPATH=tools $(BIN)/python -m selftest

selftest-costs: .venv  ## how the weights of explanations decide what planted drifts are called (minutes)
	PYTHONPATH=tools $(BIN)/python -m selftest.costs troth-selftest/costs.json

selftest-short: .venv  ## the same, a selection of it
	PYTHONPATH=tools $(BIN)/python -m selftest --short

check: .venv  ## format, lint, types, layers, sizes, snippets, lock
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python tools/size_lint.py
	$(BIN)/python tools/inline_snippets.py --check
	$(BIN)/python tools/lock.py --check

format: .venv  ## format, and fix what can be fixed
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

bench: .venv  ## measure the simulator beside nginx and pytest-httpserver, and the runner beside httpx
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks runner

docs: .venv  ## build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

snippets: .venv  ## write the examples on pages anew from their files
	$(BIN)/python tools/inline_snippets.py

lock: .venv  ## resolve every dependency again and write requirements.lock
	$(BIN)/python tools/lock.py

lowest: .venv  ## a short part of the tests with the lowest versions that pyproject.toml allows
	@sh tools/lowest.sh

build: .venv  ## sdist and wheel into dist/
	$(BIN)/uv build --quiet --no-build-isolation --python $(BIN)/python

clean:  ## remove what the other targets made
	rm -rf .venv .cache dist site troth-report troth-selftest .troth .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
