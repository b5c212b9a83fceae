"""Matchers that are planned and not there yet: refused by name, so that nothing is ever passed over in silence."""

from __future__ import annotations

from troth.contracts.document.walk import Named, matchers
from troth.contracts.yaml_files.placed import Map
from troth.errors import Problems

__all__ = ["check_matchers"]

_LATER = {"signed": "$signed", "split": "streams"}
_ELSEWHERE = frozenset({"data", "events", "quotas", "drift", "hooks", "openapi", "wires"})
"""Constants, and sections that are refused as a whole."""


def check_matchers(root: Map, problems: Problems) -> None:
    """A problem (E090) for every matcher of a feature to come."""
    for section, value in root.items():
        if section in _ELSEWHERE:
            continue
        for use in matchers(value, root.place(section)):
            feature = _feature(use)
            if feature:
                found = "as: xml" if use.name == "encoded" else f"${use.name}"
                problems.add("E090", use.place, f"not yet: {feature}", found, "It is planned; leave it out until then")


def _feature(use: Named) -> str | None:
    if use.name == "encoded" and use.modifiers.get("as") == "xml":
        return "XML"
    return _LATER.get(use.name)
