"""Which tests used which responses of a simulator, as sessions of pytest recorded it (``--troth-usage``).

A record is a small JSON file without values. Several shards write several files; those in the folder ``usage`` beside
the store are laid together, so that each finding can name the tests that rely on what it is about.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import uuid4

from troth.runners.finding import Finding

__all__ = ["MOST_TESTS", "Usage", "read_usage", "usage_beside", "with_tests", "write_usage"]

FORMAT = 1
MOST_TESTS = 50
"""Tests that a finding names."""
_LARGEST = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Usage:
    """``tests`` maps (provider, ``operation.response``) to the names of tests; ``notes`` say what could not be read."""

    tests: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def usage_beside(store: Path) -> Path:
    """The folder with the records that belong to the project of the store at ``store``."""
    return store.with_name("usage")


def write_usage(path: Path, used: Mapping[str, Iterable[tuple[str, str, str]]]) -> None:
    """Write the record of one session: test to provider, operation and response. Whole or not at all; OSError."""
    tests = {test: [list(each) for each in sorted(found)] for test, found in sorted(used.items()) if found}
    text = json.dumps({"format": FORMAT, "tests": tests}, ensure_ascii=False, indent=1) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.{uuid4().hex}")
    half.write_bytes(text.encode("utf-8", "replace"))
    half.replace(path)


def read_usage(folder: Path) -> Usage:
    """All records in a folder; what is none is told and passed over."""
    tests: dict[tuple[str, str], set[str]] = {}
    notes: list[str] = []
    for path in sorted(folder.rglob("*.json")) if folder.is_dir() else ():
        try:
            for test, provider, operation, response in _read(path):
                tests.setdefault((provider, f"{operation}.{response}"), set()).add(test)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            notes.append(f"the tests that {path.name} names are not known: {type(error).__name__}")
    return Usage({place: frozenset(found) for place, found in tests.items()}, tuple(notes))


def _read(path: Path) -> list[tuple[str, str, str, str]]:
    if path.stat().st_size > _LARGEST:
        raise ValueError("too large")
    data = json.loads(path.read_bytes())
    if data["format"] > FORMAT:
        raise ValueError("written by a newer Troth")
    return [
        (str(test), str(provider), str(operation), str(response))
        for test, found in data["tests"].items()
        for provider, operation, response in found
    ]


def with_tests(findings: Iterable[Finding], usage: Usage) -> tuple[Finding, ...]:
    """The findings with the tests that used one of the responses that showed them."""
    return tuple(replace(finding, tests=_tests(finding, usage)) for finding in findings)


def _tests(finding: Finding, usage: Usage) -> tuple[str, ...]:
    known = {name for (provider, name) in usage.tests if provider == finding.provider}
    names = finding.responses or tuple(name for name in known if name.rpartition(".")[0] == finding.operation)
    found = {test for name in names for test in usage.tests.get((finding.provider, name), ())}
    return tuple(sorted(found)[:MOST_TESTS])
