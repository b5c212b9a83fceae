"""From the matcher of a body to its spelling on a wire."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from troth.contracts.codecs.spelling import PLAIN, Entry, Fields, Items, Members, Spelling
from troth.contracts.compiler.alternatives import alternatives
from troth.contracts.nodes.base import Node
from troth.contracts.nodes.items import ItemsNode
from troth.contracts.nodes.leaf import Ref
from troth.contracts.nodes.lists import ArrayNode, EachNode, MapNode, TupleNode
from troth.contracts.nodes.shape import Shape

__all__ = ["Spellings"]


class Spellings:
    """``names``: fields that have another name; ``maps``: fields whose maps are entries with these two names.

    ``unseen``: an empty list leaves nothing on the wire, so that in a reply a list that must be there is empty then.
    """

    def __init__(
        self,
        names: Mapping[str, str] = MappingProxyType({}),
        maps: Mapping[str, tuple[str, str]] = MappingProxyType({}),
        *,
        unseen: bool = False,
    ) -> None:
        self.names, self.maps, self.unseen = names, maps, unseen
        self._types: dict[str, Fields] = {}

    def of(self, node: Node, field: str = "") -> Spelling:
        """How a value of ``node``, which stands in ``field``, is spelled."""
        options = list(alternatives(node))
        shapes = [option for option in options if isinstance(option, Shape)]
        if shapes:
            return self._fields(shapes, node)
        for option in options:
            if isinstance(option, MapNode):
                entry = self.maps.get(field)
                inner = self.of(option.item)
                return Entry(*entry, inner) if entry is not None else Members(inner)
            if isinstance(option, ArrayNode | EachNode | ItemsNode):
                return Items(self.of(option.item))
            if isinstance(option, TupleNode):
                return Items(self.of(option.items[0]) if option.items else PLAIN)
        return PLAIN

    def _fields(self, shapes: list[Shape], node: Node) -> Fields:
        name = node.type if isinstance(node, Ref) else ""
        if name in self._types:
            return self._types[name]
        made = Fields()
        if name:
            self._types[name] = made
        for shape in shapes:
            for field in shape.fields:
                spelled = self.of(field.node, field.name)
                if spelled is not PLAIN or field.name not in made.spelled:
                    made.spelled[field.name] = spelled
                if self.unseen and not field.optional and isinstance(spelled, Items | Entry):
                    made.empty[field.name] = [] if isinstance(spelled, Items) else {}
                if self.names.get(field.name, field.name) != field.name:
                    made.names[field.name] = self.names[field.name]
        return made
