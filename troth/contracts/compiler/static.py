"""What can be said of an expression before anything runs: is it sure to be known, and which matcher describes it?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any

from troth.contracts.expressions.expression import Expression, check_names
from troth.contracts.nodes.base import Node
from troth.contracts.nodes.choice import Nullable
from troth.contracts.nodes.leaf import Ref
from troth.contracts.nodes.shape import Shape
from troth.contracts.select import Select
from troth.contracts.suggest import did_you_mean
from troth.errors import Place, Problems
from troth.frozen import frozen

__all__ = ["LANGUAGE_NAMES", "Names", "record_of"]

LANGUAGE_NAMES = frozenset(
    {
        "absent",
        "auth",
        "body",
        "cookies",
        "data",
        "false",
        "headers",
        "maybe",
        "method",
        "mismatch",
        "none",
        "now",
        "operation",
        "path",
        "query",
        "raw",
        "secrets",
        "state",
        "this",
        "true",
        "version",
        "wire",
    }
)
"""Names that every expression of an operation may use."""

_UNCERTAIN = frozenset({"it", "maybe", "now", "state"})
_SELECT_PARTS = frozenset({"items", "more", "total", "cursor"})


@frozen
class Names:
    """What an expression may use at one place, and what is known of it.

    ``lets`` maps the operation's own names to a compiled Expression or Select; ``shapes`` the carriers of the request.
    """

    extra: frozenset[str] = frozenset()
    lets: Mapping[str, Any] = field(default_factory=dict)
    shapes: Mapping[str, Node] = field(default_factory=dict)
    record: str = ""
    """The collection that ``it`` is a record of."""
    collection: Callable[[str], Node | None] = lambda name: None
    """A collection's type by its name."""
    collections: frozenset[str] = frozenset()
    hidden: Mapping[str, Mapping[str, Node]] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    secrets: frozenset[str] = frozenset()

    def with_names(self, *names: str) -> Names:
        """The same with more names."""
        return replace(self, extra=self.extra | set(names))

    @property
    def allowed(self) -> frozenset[str]:
        """Every root name."""
        return LANGUAGE_NAMES | self.extra | self.lets.keys() | ({"it"} if self.record else set())

    def uncertain(self, expression: Expression) -> bool:
        """May a judge be unable to know the value?"""
        return any(self._uncertain_name(name) for name in expression.names)

    def _uncertain_name(self, name: str) -> bool:
        if name in _UNCERTAIN:
            return True
        let = self.lets.get(name)
        if let is None:
            return False
        return isinstance(let, Select) or self.uncertain(let)

    def matcher_of(self, path: tuple[str, ...]) -> Node | None:
        """The matcher that describes a bare path to a record or one of its fields; None when none does."""
        collection = self.collection_of(path[0])
        if not collection:
            return None
        node = self.collection(collection)
        for name in path[1:]:
            shape = _shape(node)
            found = shape.by_name.get(name) if shape is not None else None
            node = found.node if found is not None else self.hidden.get(collection, {}).get(name)
            if node is None:
                return None
        return node

    def collection_of(self, name: str) -> str:
        """The collection whose record the name stands for; "" when it stands for none."""
        if name == "it":
            return self.record
        let = self.lets.get(name)
        return record_of(let) if let is not None and not isinstance(let, Select) else ""

    # Checks

    def check(self, expression: Expression, problems: Problems) -> bool:
        """Report every name and path in the expression that stands for nothing."""
        fine = check_names(expression, self.allowed, expression.place, problems)
        for path in sorted(expression.reads | {call[:2] for call in expression.calls}):
            fine = self._check_path(path, expression.place, problems) and fine
        return fine

    def _check_path(self, path: tuple[str, ...], place: Place, problems: Problems) -> bool:
        if len(path) < 2:
            return True
        root, name = path[0], path[1]
        known = self._below(root)
        if known is None or name in known:
            return True
        found = did_you_mean(name, known, f"fields of {root}")
        problems.add("E156", place, f"a name that exists in {root!r}", ".".join(path), found)
        return False

    def _below(self, root: str) -> frozenset[str] | None:
        """The names that may stand below ``root``; None when any may."""
        if root in ("path", "query", "body", "cookies"):
            shape = _shape(self.shapes.get(root))
            return frozenset(shape.by_name) if shape is not None and shape.unlisted != "open" else None
        if root == "state":
            return self.collections
        if root == "data":
            return frozenset(self.data)
        if root == "secrets":
            return self.secrets
        if root == "mismatch":
            return frozenset({"kind", "path", "in", "want", "observed"})
        if root == "auth":
            return frozenset({"ok"})
        if isinstance(self.lets.get(root), Select):
            return _SELECT_PARTS
        collection = self.collection_of(root)
        shape = _shape(self.collection(collection)) if collection else None
        if shape is None:
            return None
        return frozenset(shape.by_name) | self.hidden.get(collection, {}).keys()


def record_of(expression: Expression) -> str:
    """The collection of a bare ``state.C(key)``; "" for anything else."""
    calls = [call for call in expression.calls if call[:1] == ("state",) and len(call) == 2]
    source = expression.source.strip()
    if len(calls) == 1 and source.startswith(f"state.{calls[0][1]}(") and _closes_last(source):
        return calls[0][1]
    return ""


def _closes_last(source: str) -> bool:
    """Does the first parenthesis close at the very end?"""
    depth = 0
    for index, letter in enumerate(source):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and letter == ")":
            return index == len(source) - 1
    return False


def _shape(node: Node | None) -> Shape | None:
    while node is not None and not isinstance(node, Shape):
        if isinstance(node, Ref):
            node = node.target
        elif isinstance(node, Nullable):
            node = node.inner
        else:
            return None
    return node
