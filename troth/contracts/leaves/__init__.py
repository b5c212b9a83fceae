"""Leaf matchers: they recognise and generate one value that has no parts of its own."""

from troth.contracts.leaves.base import BaseLeaf, Fault, Leaf, same_json
from troth.contracts.leaves.binary import is_file
from troth.contracts.leaves.build import LEAF_NAMES, build_leaf

__all__ = ["LEAF_NAMES", "BaseLeaf", "Fault", "Leaf", "build_leaf", "is_file", "same_json"]
