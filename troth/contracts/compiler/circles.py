"""Names that need each other in a circle: none of them can ever be worked out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from troth.contracts.select import Select

__all__ = ["circles", "names_in"]


def names_in(let: Any) -> frozenset[str]:
    """The names that the value of a ``let`` (an Expression or a Select) reads when it is worked out."""
    if not isinstance(let, Select):
        return frozenset(let.names)
    parts = [part for part in (let.where, let.size, let.after, let.at) if part is not None]
    parts += [expression for said in let.order for expression in said.expressions]
    return frozenset().union(*(part.names for part in parts))


def circles(lets: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Each circle once, as the way around it: ``("a", "b")`` where ``a`` needs ``b`` and ``b`` needs ``a``."""
    needs = {name: sorted(names_in(let) & lets.keys()) for name, let in lets.items()}
    done: set[str] = set()
    for start in needs:
        way: list[str] = []
        waiting = [iter([start])]
        while waiting:
            name = next(waiting[-1], None)
            if name is None:
                waiting.pop()
                if way:
                    done.add(way.pop())
            elif name in way:
                yield tuple(way[way.index(name) :])
            elif name not in done:
                way.append(name)
                waiting.append(iter(needs[name]))
