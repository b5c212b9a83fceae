"""Ideas about what a scenario itself expects: the old value or the old response, written in one of its steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from troth.contracts.json_path import segments
from troth.contracts.repair.matchers import is_literal
from troth.contracts.repair.places import Entry, entry_at
from troth.contracts.repair.proposal import Bench, Complaint, Idea
from troth.contracts.yaml_files.placed import Map, Seq

__all__ = ["EXPECTATIONS", "step_at"]

_NUMBER = re.compile(r"(\d+)(?:\.repeat\d+)?")


def step_at(root: Map, label: str, trail: str) -> Entry | None:
    """The step that a trail names (``2``, ``2.repeat4``, ``1.a paid intent.2``, ``cleanup.1``) in the scenario that a
    label names (its name, or ``name[case]``); None for what no step is (``undo.3``).
    """
    scenario = entry_at(root, "scenarios", label) or entry_at(root, "scenarios", label.partition("[")[0])
    return None if scenario is None else _step(root, scenario, trail)


def _step(root: Map, scenario: Entry, trail: str) -> Entry | None:
    section = "cleanup" if trail.startswith("cleanup.") else "steps"
    rest = trail.removeprefix("cleanup.")
    found = _NUMBER.match(rest)
    step = entry_at(scenario.raw, section, int(found[1]) - 1) if found else None
    if step is None or found is None or found.end() == len(rest):
        return step
    name = step.raw.get("include") if isinstance(step.raw, Map) else None
    part = entry_at(root, "scenarios", name) if isinstance(name, str) else None
    prefix = f"{found[1]}.{name}."
    return _step(root, part, rest.removeprefix(prefix)) if part is not None and rest.startswith(prefix) else None


def _expected(bench: Bench, complaint: Complaint) -> Iterator[Idea]:
    step = step_at(bench.root, complaint.scenario, complaint.trail)
    expect = entry_at(step.raw, "expect") if step is not None else None
    if expect is None or not complaint.seen:
        return
    entry = _demanded(expect, complaint.path)
    if entry is None or not (is_literal(entry.raw) or isinstance(entry.raw, Seq)):
        return
    words = f"let the scenario “{complaint.scenario}” expect what comes now"
    yield Idea("expect", words, partial(bench.said, entry, complaint.seen))


def _demanded(expect: Entry, path: str) -> Entry | None:
    """The part of ``expect`` that speaks of a path."""
    if path in ("response", "status"):
        return expect if not isinstance(expect.raw, Map) else entry_at(expect.raw, path)
    steps = segments(path)
    if steps is None:
        return None
    section = "json" if path.startswith("$") else path.partition(".")[0]
    return entry_at(expect.raw, section, *steps)


EXPECTATIONS: dict[str, Callable[[Bench, Complaint], Iterator[Idea]]] = {"expect": _expected}
"""By kind of finding."""
