"""The nodes that structures are made of, under one roof."""

from troth.contracts.nodes.base import Node
from troth.contracts.nodes.shape import Field, Shape

__all__ = ["Field", "Node", "Shape"]
