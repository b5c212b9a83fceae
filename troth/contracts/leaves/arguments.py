"""Reading what an author wrote for a leaf matcher: the argument, and the modifiers beside it.

``{$string: {min: 3}}`` and ``{$string: {}, min: 3}`` mean the same. Every wrong key and value is reported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from troth.contracts.suggest import did_you_mean
from troth.contracts.yaml_files.placed import Map
from troth.errors import Place, Problems

__all__ = ["MOST_CHARACTERS", "Arguments", "shown"]

MOST_CHARACTERS = 1_000_000
"""The largest length that a contract may demand, so that no sample fills the memory."""

_SIZE = re.compile(r"(\d{1,15})\s?(B|kB|KB|MB|GB|KiB|MiB|GiB)", re.ASCII)
_BYTES = {"B": 1, "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


class Arguments:
    """The named arguments of one matcher. Readers give None for what is missing, and for what is wrong a problem too.

    ``said`` tells that the author says the value of samples (``default`` or ``is``).
    """

    def __init__(
        self, name: str, argument: Any, modifiers: Mapping[str, Any], place: Place, problems: Problems, *, said: bool
    ) -> None:
        self.name = name
        self.argument = argument
        self.place = place
        self.problems = problems
        self.said = said
        self._given: dict[str, tuple[Any, Place]] = {}
        self._before = len(problems.items)
        for source in (argument, modifiers):
            if isinstance(source, Mapping):
                self._collect(source)

    def _collect(self, source: Mapping[str, Any]) -> None:
        for key, value in source.items():
            here = source.place(key) if isinstance(source, Map) else self.place
            if key in self._given:
                self.problem("E252", f"{key!r} of ${self.name} once", "it twice", "Keep one of the two", here)
            self._given[key] = (value, here)

    @property
    def ok(self) -> bool:
        """Has everything that was read so far been right?"""
        return len(self.problems.items) == self._before

    def problem(self, code: str, asked: str, found: str, fix: str = "", place: Place | None = None) -> None:
        """Report something wrong with this matcher."""
        self.problems.add(code, place or self.place, asked, found, fix)

    def place_of(self, key: str) -> Place:
        """Where the value of ``key`` is written."""
        return self._given[key][1] if key in self._given else self.place

    def only(self, *known: str) -> None:
        """Report every argument that is not one of ``known``."""
        for key, (_, here) in self._given.items():
            if key not in known:
                asked = f"the arguments of ${self.name} ({', '.join(known)})" if known else f"${self.name} alone"
                fix = did_you_mean(key, known, "arguments") if known else f"${self.name} takes no arguments"
                self.problem("E250", asked, repr(key), fix, here)

    def no_scalar(self) -> None:
        """Report an argument that is neither missing nor a mapping."""
        if self.argument is not None and not isinstance(self.argument, Mapping):
            fix = f"Write {{${self.name}: {{}}}}, or ${self.name} alone"
            self.problem("E251", f"a mapping as the argument of ${self.name}", shown(self.argument), fix)

    def whole(self, key: str, most: int = MOST_CHARACTERS) -> int | None:
        """A whole number from 0 to ``most``."""
        value = self._get(key)
        if value is None or (type(value) is int and 0 <= value <= most):
            return value
        self._wrong(key, f"a whole number from 0 to {most}", value)
        return None

    def integer(self, key: str) -> int | None:
        """Any whole number."""
        value = self._get(key)
        if value is None or type(value) is int:
            return value
        self._wrong(key, "a whole number", value)
        return None

    def number(self, key: str) -> int | float | None:
        """A number."""
        value = self._get(key)
        if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
            return value
        self._wrong(key, "a number", value)
        return None

    def decimal(self, key: str) -> Decimal | None:
        """A number, or a text that spells one with its digits."""
        value = self._get(key)
        if value is None or type(value) in (int, float, str):
            try:
                number = None if value is None else Decimal(str(value))
            except InvalidOperation:
                number = Decimal("nan")
            if number is None or number.is_finite():
                return number
        self._wrong(key, "a number, or a text with its digits", value)
        return None

    def text(self, key: str) -> str | None:
        """A text."""
        value = self._get(key)
        if value is None or type(value) is str:
            return value
        self._wrong(key, "a text", value)
        return None

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A text or a list of texts."""
        value = self._get(key)
        if value is None:
            return None
        values = value if isinstance(value, list) else [value]
        if values and all(type(item) is str for item in values):
            return tuple(values)
        self._wrong(key, "a text or a list of texts", value)
        return None

    def mapping(self, key: str) -> Mapping[str, Any]:
        """A mapping; an empty one when there is none."""
        value = self._get(key)
        if value is None or isinstance(value, Mapping):
            return value or {}
        self._wrong(key, "a mapping", value)
        return {}

    def size(self, key: str) -> int | None:
        """A number of bytes: ``100``, ``100kB`` (1,000 bytes each), ``5MiB`` (2 to the 20th each)."""
        value = self._get(key)
        if value is None or (type(value) is int and value >= 0):
            return value
        found = _SIZE.fullmatch(value) if isinstance(value, str) else None
        if found:
            return int(found[1]) * _BYTES[found[2]]
        self._wrong(key, "a size in bytes, like 100, 100kB or 5MiB", value)
        return None

    def ordered(self, low: str, high: str, values: tuple[Any, Any]) -> None:
        """Report a lower bound above its upper one."""
        if values[0] is not None and values[1] is not None and values[0] > values[1]:
            asked = f"{low} of ${self.name} not above its {high}"
            self.problem("E252", asked, f"{low} {values[0]}, {high} {values[1]}", "", self.place_of(low))

    def _get(self, key: str) -> Any:
        return self._given[key][0] if key in self._given else None

    def _wrong(self, key: str, asked: str, value: Any) -> None:
        self.problem("E251", f"{asked} as {key!r} of ${self.name}", shown(value), "", self.place_of(key))


def shown(value: Any) -> str:
    """A value as an error message shows it: short, on one line."""
    text = "a mapping" if isinstance(value, Mapping) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
