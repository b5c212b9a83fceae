"""From what an author wrote to a leaf matcher."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from troth.contracts.leaves.arguments import Arguments
from troth.contracts.leaves.base import Leaf
from troth.contracts.leaves.binary import build_bytes, build_file
from troth.contracts.leaves.choices import build_any, build_boolean, build_enum, build_null, build_open_enum
from troth.contracts.leaves.ids import build_etag, build_id, build_token, build_uuid
from troth.contracts.leaves.numbers import build_decimal, build_integer, build_number
from troth.contracts.leaves.text import build_string, build_text
from troth.contracts.leaves.times import build_timestamp
from troth.contracts.leaves.urls import build_url
from troth.contracts.suggest import did_you_mean
from troth.errors import Place, Problems

__all__ = ["LEAF_NAMES", "build_leaf"]

_Builder: TypeAlias = Callable[[Arguments], Leaf | None]

_BUILDERS: Final[Mapping[str, _Builder]] = {
    "any": build_any,
    "boolean": build_boolean,
    "bytes": build_bytes,
    "decimal": build_decimal,
    "enum": build_enum,
    "etag": build_etag,
    "file": build_file,
    "id": build_id,
    "integer": build_integer,
    "null": build_null,
    "number": build_number,
    "open_enum": build_open_enum,
    "string": build_string,
    "text": build_text,
    "timestamp": build_timestamp,
    "token": build_token,
    "url": build_url,
    "uuid": build_uuid,
}

LEAF_NAMES: Final = tuple(_BUILDERS)
"""The names of all leaf matchers, without the dollar sign."""


def build_leaf(
    name: str,
    argument: Any,
    modifiers: Mapping[str, Any],
    place: Place,
    problems: Problems,
    *,
    said: bool = False,
) -> Leaf | None:
    """The leaf ``$name`` with its argument (None when there is none) and its own modifiers.

    ``said`` tells that the author says the value of samples (``default`` or ``is``), so that a pattern from which we
    cannot make a text is no problem. None when something is wrong; ``problems`` then has all of it (E250 to E258).
    """
    builder = _BUILDERS.get(name)
    if builder is None:
        fix = did_you_mean(name, _BUILDERS, "matchers")
        problems.add("E259", place, "the name of a matcher", f"${name}", fix)
        return None
    return builder(Arguments(name, argument, modifiers, place, problems, said=said))
