"""Which names an expression of a scenario may use where it stands, and which new ones an author may give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import Any

from troth.contracts.expressions.expression import Expression, check_names
from troth.contracts.suggest import did_you_mean
from troth.errors import Place, Problems
from troth.frozen import frozen

__all__ = ["CALLED", "RESERVED", "Visible"]

CALLED = frozenset({"this", "reply", "method", "path", "query", "headers", "cookies", "body", "raw"})
"""Names that the call just made gives: its reply, and its request."""
ALWAYS = frozenset({"data", "now", "secrets", "target", "unique"})
CONSTANTS = frozenset({"absent", "none", "true", "false"})
RESERVED = (
    CALLED
    | ALWAYS
    | CONSTANTS
    | frozenset(
        {
            "auth",
            "case",
            "event",
            "here",
            "it",
            "loop",
            "maybe",
            "mismatch",
            "operation",
            "parts",
            "piece",
            "quota",
            "state",
            "version",
            "whole",
            "wire",
        }
    )
)
"""Names of the language, which no author may give to something else."""

_MEMBERS: Mapping[str, frozenset[str]] = {
    "reply": frozenset({"status", "headers", "body"}),
    "target": frozenset({"name", "url"}),
}


@frozen
class Visible:
    """The names at one point of a scenario.

    ``kept`` maps an author's name to the names below it (those of a part), or None when anything may stand below.
    ``columns`` are the fields of every case's row. ``parameters`` collects, in a part, the names that it does not make
    itself: whoever includes it must give them.
    """

    problems: Problems
    data: Mapping[str, Any]
    secrets: Iterable[str] = ()
    kept: dict[str, frozenset[str] | None] = field(default_factory=dict)
    columns: frozenset[str] | None = None
    parameters: dict[str, Place] | None = None
    called: bool = False

    def after_call(self) -> Visible:
        """The same names, and those of a call just made. What is kept through either is kept in both."""
        return replace(self, called=True)

    def check(self, expressions: Iterable[Expression]) -> None:
        """Report every name in ``expressions`` that stands for nothing here."""
        for expression in expressions:
            strangers = sorted(expression.names - self.known())
            for name in strangers:
                self._check_name(name, expression)
            for path in sorted(expression.reads):
                self._check_path(path, expression)

    def _check_name(self, name: str, expression: Expression) -> None:
        if name in RESERVED:
            self.problems.add("E356", expression.place, "names that exist here", repr(name), _why_not(name))
        elif self.parameters is not None:
            self.parameters.setdefault(name, expression.place)
        else:
            check_names(expression, self.known() | (expression.names - {name}), expression.place, self.problems)

    def _check_path(self, path: tuple[str, ...], expression: Expression) -> None:
        if len(path) < 2:
            return
        below = self._below(path[0])
        if below is not None and path[1] not in below:
            asked, hint = f"a name that exists in {path[0]!r}", did_you_mean(path[1], below)
            self.problems.add("E356", expression.place, asked, ".".join(path[:2]), hint)

    def known(self) -> frozenset[str]:
        """Every name that an expression may use here."""
        columns = frozenset() if self.columns is None else (self.columns - RESERVED) | {"case"}
        return ALWAYS | CONSTANTS | self.kept.keys() | columns | (CALLED if self.called else frozenset())

    def _below(self, name: str) -> frozenset[str] | None:
        """The names that may stand below ``name``; None when any may."""
        if name in self.kept:
            return self.kept[name]
        if name == "case" and self.columns:
            return self.columns | {"key"}
        if name == "data":
            return frozenset(self.data)
        if name == "secrets":
            return frozenset(self.secrets)
        return _MEMBERS.get(name)

    def keep(self, name: str, place: Place, below: frozenset[str] | None = None) -> None:
        """Let ``name`` exist from now on, unless it is reserved or already in use."""
        taken = self.kept.keys() | ((self.columns or frozenset()) - RESERVED)
        if name in RESERVED:
            fix = "Choose another name"
            self.problems.add("E357", place, "a name that the language does not use itself", repr(name), fix)
        elif not name.isidentifier():
            fix = "Letters, digits and underscores, no digit first"
            self.problems.add("E357", place, "a name that expressions can read", repr(name), fix)
        elif name in taken:
            fix = "Choose another name; what it stands for could not be told apart"
            self.problems.add("E357", place, "each name once in a scenario", f"{name!r} twice", fix)
        else:
            self.kept[name] = below


def _why_not(name: str) -> str:
    if name in CALLED:
        return f"{name!r} exists after a call: in keep, expect, check and repeat"
    if name == "case":
        return "This scenario has no `cases`"
    if name == "state":
        return "Scenarios see what the target answers, not the model's state: keep what you need from a reply"
    return f"{name!r} has no meaning in scenarios"
