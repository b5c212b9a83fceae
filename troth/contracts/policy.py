"""What a contract says of how much disagreements matter: ``drift.policy``, compiled.

A policy weighs what was found. It says nothing of requests and replies, so neither sample nor judge reads it.
"""

from __future__ import annotations

from troth.contracts.json_path import root_of, segments, written_segment
from troth.contracts.kinds import Severity
from troth.frozen import frozen

__all__ = ["FIXED", "PATH_ROOTS", "Policy", "Rule", "path_parts"]

FIXED = frozenset({"unobserved", "broken"})
"""Kinds that are no disagreement, and whose severity nobody sets."""
PATH_ROOTS = ("$", "status", "headers", "response")
"""With what the path of a finding about a reply begins."""


@frozen
class Rule:
    """One severity, and what it is for; what is not set holds for all."""

    severity: Severity
    kind: str | None = None
    operation: str | None = None
    path: tuple[str, ...] = ()
    """A place and what lies below it, as ``path_parts`` gives it."""

    def holds(self, kind: str, operation: str, path: tuple[str, ...]) -> bool:
        """Is the rule for such a disagreement?"""
        return self.kind in (None, kind) and self.operation in (None, operation) and path[: len(self.path)] == self.path

    @property
    def nearness(self) -> tuple[int, bool, bool]:
        """The nearest rule counts: the longest path, then the operation, then the kind."""
        return len(self.path), self.operation is not None, self.kind is not None


@frozen
class Policy:
    """All rules, the nearest first."""

    rules: tuple[Rule, ...] = ()

    @classmethod
    def of(cls, rules: list[Rule]) -> Policy:
        """In order."""
        return cls(tuple(sorted(rules, key=lambda rule: rule.nearness, reverse=True)))

    def severity(self, kind: str, operation: str, path: str, usual: Severity) -> Severity:
        """The severity of a disagreement at ``path`` of an operation; ``usual`` where no rule is for it."""
        if not self.rules or kind in FIXED:
            return usual
        parts = path_parts(path)
        return next((rule.severity for rule in self.rules if rule.holds(kind, operation, parts)), usual)


def path_parts(path: str) -> tuple[str, ...]:
    """The root of a path and its steps, without what varies from run to run; the path itself if it is none."""
    steps = segments(path)
    return (path,) if steps is None else (root_of(path), *map(written_segment, steps))
