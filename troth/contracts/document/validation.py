"""From what was read to a Document; where something is wrong, to one without it, so that the rest can be looked at."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from pydantic import ValidationError

from troth.contracts.document.document import LANGUAGE_VERSION, Document
from troth.contracts.document.document_base import Collector
from troth.contracts.document.document_problems import problems_of
from troth.contracts.yaml_files.placed import Map, Seq
from troth.errors import Problems

__all__ = ["Steps", "validated"]

Steps = tuple[str | int, ...]
"""Keys and indexes from the top of a document."""
_DEPTHS: Final = (4, 2, 1)
"""How much is taken out: a response or a step, an operation or a scenario, a section."""
_STAND_INS: Final = {"troth": LANGUAGE_VERSION, "provider": "nobody"}
"""Where one of these is missing, everything else can be looked at all the same."""


def validated(root: Map, problems: Problems) -> tuple[Document | None, list[Steps]]:
    """The document that ``root`` is, and the paths of what was taken out of it because it is wrong in itself.

    None where the rest is no document either. Every mistake goes to ``problems``.
    """
    try:
        return Document.model_validate(root, context=Collector(problems)), []
    except ValidationError as error:
        problems.items.extend(problems_of(error, root))
        wrong = [tuple(item["loc"]) for item in error.errors(include_url=False)]
    if "troth" in root and ("troth",) in wrong:
        return None, []  # in another language everything may mean something else
    for depth in _DEPTHS:
        paths = sorted({_written(root, loc)[:depth] for loc in wrong} - {()}, key=str)
        rest = _without(root, paths)
        for key, value in _STAND_INS.items():
            rest.setdefault(key, value)
        try:
            return Document.model_validate(rest, context=Collector(Problems())), paths
        except ValidationError:
            continue
    return None, []


def _written(root: Map, path: Iterable[Any]) -> Steps:
    """The steps of ``path`` that stand in the file, up to one that does not."""
    value: Any = root
    steps: list[str | int] = []
    for step in path:
        inside = isinstance(value, Map) and step in value
        if not inside and not (isinstance(value, Seq) and isinstance(step, int) and step < len(value)):
            break
        value = value[step]
        steps.append(step)
    return tuple(steps)


def _without(value: Any, paths: Iterable[Steps]) -> Any:
    """``value`` without what stands at ``paths``."""
    below: dict[str | int, list[Steps]] = {}
    for path in paths:
        below.setdefault(path[0], []).append(path[1:])
    gone = {step for step, rests in below.items() if () in rests}
    if isinstance(value, Seq):
        kept = Seq((), value.at)
        for index, item in enumerate(value):
            if index not in gone:
                kept.append(_without(item, below[index]) if index in below else item)
                kept.marks.append(value.marks[index])
        return kept
    result = Map((), value.at)
    for key, item in value.items():
        if key not in gone:
            result.with_entry(key, _without(item, below[key]) if key in below else item, value.marks.get(key))
    return result
