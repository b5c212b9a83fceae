"""Matchers that are planned and not there yet: refused by name, so that nothing is ever passed over in silence."""

from __future__ import annotations

from troth.contracts.document.walk import matchers
from troth.contracts.yaml_files.placed import Map
from troth.errors import Problems

__all__ = ["check_matchers"]

_LATER = {"signed": "$signed", "split": "streams"}
_ELSEWHERE = frozenset({"data", "events", "quotas", "drift", "hooks", "openapi"})
"""Constants, and sections that are refused as a whole."""


def check_matchers(root: Map, problems: Problems) -> None:
    """A problem (E090) for every matcher of a feature to come."""
    for section, value in root.items():
        if section in _ELSEWHERE:
            continue
        for use in matchers(value, root.place(section)):
            feature = _LATER.get(use.name)
            if feature:
                problems.add(
                    "E090", use.place, f"not yet: {feature}", f"${use.name}", "It is planned; leave it out until then"
                )
