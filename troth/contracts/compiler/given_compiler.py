"""`given`: records that a scenario finds on its target, each under a name for its steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from troth.contracts.compiler.scenario_names import Visible
from troth.contracts.contract import Collection
from troth.contracts.expressions.said import Said, compile_said
from troth.contracts.given import Given
from troth.contracts.matcher import Out
from troth.contracts.nodes.base import BAD, NOTHING, Reading
from troth.contracts.suggest import did_you_mean
from troth.contracts.values import ABSENT
from troth.contracts.yaml_files.placed import Map
from troth.errors import Place, Problems

__all__ = ["compile_given"]


def compile_given(
    raw: Map, collections: Mapping[str, Collection], names: Visible, problems: Problems
) -> tuple[Given, ...]:
    """Every record in ``raw`` (name to collection to fields); each name is then one of ``names``."""
    return tuple(_all(raw, collections, names, problems))


def _all(raw: Map, collections: Mapping[str, Collection], names: Visible, problems: Problems) -> Iterator[Given]:
    for name, said in raw.items():
        ((where, record),) = said.items()
        collection = collections.get(where)
        if collection is None:
            fix = did_you_mean(where, collections, "collections")
            problems.add("E064", said.key_place(where), "a known collection", repr(where), fix)
        else:
            values = _values(record, collection, problems)
            names.check(expression for value in values.values() for expression in value.expressions)
            if collection.key not in record:
                fix = "Write the key by which the target knows it"
                problems.add("E168", said.place(where), f"the key {collection.key!r} of a given record", "none", fix)
            yield Given(name, where, values)
        names.keep(name, raw.key_place(name), frozenset(record))


def _values(record: Map, collection: Collection, problems: Problems) -> dict[str, Said]:
    values: dict[str, Said] = {}
    for field, value in record.items():
        values[field] = compile_said(value, record.place(field), problems)
        node = collection.node(field)
        if node is None:
            known = [*(collection.shape.by_name if collection.shape is not None else ()), *collection.hidden]
            if collection.shape is not None:
                hint = did_you_mean(field, known, "fields")
                problems.add("E168", record.key_place(field), f"a field of {collection.name}", repr(field), hint)
        elif values[field].constant:
            _fits(node, values[field], field, record.place(field), problems)
    return values


def _fits(node: Any, said: Said, field: str, place: Place, problems: Problems) -> None:
    """A constant must fit the field's type; of the others, only the run knows."""
    value, out = said.run(None), Out()  # type: ignore[arg-type]
    described = node.inner if node.name == "encoded" else node
    if value is not ABSENT and (described.fit(value, field, Reading(out, None), NOTHING) is BAD or out.mismatches):
        want = next((found.want for found in out.mismatches if found.want), node.name)
        problems.add("E168", place, f"a given record whose {field} fits ({want})", repr(value))
