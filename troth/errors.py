"""Every error that Troth raises on purpose, in one tree.

TrothError                     anything below; has ``code``, ``asked``, ``found``, ``fix``
├── ContractError              the contract (or project file) cannot be used; carries every Problem at once
├── UsageError                 the command or call makes no sense (exit 4)
├── MissingExtra               an optional part is not installed; prints the install command (exit 4)
├── RefusedCredential          a secret is outside its ``allow`` pattern, or none is stated (exit 4)
├── CannotCheck                the check could not be made: says nothing about drift (exit 6)
│   ├── Unreachable            no answer: refused, timed out, closed, TLS, DNS
│   ├── Unauthorized           401/403, or credentials missing
│   └── Exhausted              rate, quota, credit or budget used up
└── Broken                     Troth's own fault (exit 3)

"Cannot check" and "broken" are different branches on purpose.
Each error says what was asked, what was found and what to do, and its code is never renumbered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

__all__ = [
    "Broken",
    "CannotCheck",
    "ContractError",
    "Exhausted",
    "MissingExtra",
    "Place",
    "Problem",
    "Problems",
    "RefusedCredential",
    "TrothError",
    "Unauthorized",
    "Unreachable",
    "UsageError",
]


class Place(NamedTuple):
    """Where in a file: ``line`` and ``column`` count from 1; 0 means unknown."""

    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with (or doubtful in) a contract or settings file.

    ``code`` is ``E`` or ``W`` and three digits (W for lint warnings), listed in ``docs/errors.md``.
    ``asked`` says what the rule wants, ``found`` what stands there, ``fix`` what to do (may be empty).
    """

    code: str
    place: Place
    asked: str
    found: str
    fix: str = ""
    excerpt: str = ""
    """The source line with a caret under the column, when the source is at hand."""

    @property
    def warning(self) -> bool:
        return self.code.startswith("W")

    def __str__(self) -> str:
        text = f"{self.place}: {self.code} {self.asked}; found {self.found}"
        if self.fix:
            text += f". {self.fix}"
        return f"{text}\n{self.excerpt}" if self.excerpt else text


class TrothError(Exception):
    """Something that Troth says on purpose; never shown as a traceback."""

    exit_code = 3

    def __init__(self, code: str, asked: str, found: str, fix: str = "") -> None:
        self.code, self.asked, self.found, self.fix = code, asked, found, fix
        super().__init__(f"{code} {asked}; found {found}" + (f". {fix}" if fix else ""))


class ContractError(TrothError):
    """A contract or settings file that cannot be used; ``problems`` holds all of them."""

    exit_code = 4

    def __init__(self, problems: Sequence[Problem], draft: Any = None) -> None:
        self.problems = tuple(problems)
        self.draft = draft
        """What could be read all the same, for who looks for further problems; None where parts are missing."""
        first = self.problems[0]
        super().__init__(first.code, first.asked, first.found, first.fix)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


class UsageError(TrothError):
    """The command or the call makes no sense."""

    exit_code = 4


class MissingExtra(TrothError):
    """An optional part is not installed."""

    exit_code = 4

    def __init__(self, extra: str, what: str, module: str) -> None:
        super().__init__(
            "E901", f"{what} needs the package {module!r}", "it is not installed", f"Run: pip install 'troth[{extra}]'"
        )


class RefusedCredential(TrothError):
    """A secret that may not leave the machine."""

    exit_code = 4


class CannotCheck(TrothError):
    """The check could not be made; that is neither a pass nor drift."""

    exit_code = 6
    verdict = "unreachable"


class Unreachable(CannotCheck):
    """No usable answer came back."""


class Unauthorized(CannotCheck):
    """The provider did not accept the credentials, or there were none."""

    verdict = "unauthorized"


class Exhausted(CannotCheck):
    """A rate, quota, credit or budget was used up."""

    verdict = "exhausted"


@dataclass(slots=True)
class Problems:
    """Collects problems while a document is read, so that all are reported at once."""

    items: list[Problem] = field(default_factory=list)

    def add(self, code: str, place: Place, asked: str, found: str, fix: str = "") -> None:
        self.items.append(Problem(code, place, asked, found, fix))

    def raise_if_any(self) -> None:
        if any(not item.warning for item in self.items):
            raise ContractError([item for item in self.items if not item.warning])


class Broken(TrothError):
    """Troth's own fault."""
