"""Every patch that may settle a complaint, the least first. Whether one does is for a replay to show."""

from __future__ import annotations

from collections.abc import Iterator

from troth.contracts.document.document import Document
from troth.contracts.repair.expectations import EXPECTATIONS, step_at
from troth.contracts.repair.fields import FIELDS, places
from troth.contracts.repair.places import demands, entry_at
from troth.contracts.repair.proposal import Bench, Complaint, Patch
from troth.contracts.repair.replies import REPLIES
from troth.errors import Place

__all__ = ["PATCHED", "patches", "written"]

_IDEAS = {**FIELDS, **REPLIES, **EXPECTATIONS}
PATCHED = frozenset(_IDEAS)
"""The kinds of findings that there are patches for."""


def patches(document: Document, complaint: Complaint) -> Iterator[Patch]:
    """Distinct patches of the document's texts; none where nothing can be thought of."""
    ideas = _IDEAS.get(complaint.kind)
    if ideas is None:
        return
    bench = Bench(document)
    seen: list[object] = []
    for idea in ideas(bench, complaint):
        patch = bench.patch(idea)
        if patch is not None and patch.texts not in seen:
            seen.append(patch.texts)
            yield patch


def written(document: Document, complaint: Complaint) -> Place:
    """Where in the contract a complaint is about something; the operation, or the contract as a whole, at the least."""
    bench = Bench(document)
    if complaint.kind == "expect":
        step = step_at(bench.root, complaint.scenario, complaint.trail)
        found = [step] if step is not None else []
    else:
        found = [*demands(bench.root, complaint.origin, complaint.responses), *places(bench, complaint)]
    entry = next(iter(found), None) or entry_at(bench.root, "operations", complaint.operation)
    return entry.key_place if entry is not None else Place(next(iter(document.sources), ""), 1, 1)
