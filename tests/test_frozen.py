"""Frozen data types: equal and hashed by their fields, and shown with them."""

from __future__ import annotations

from dataclasses import field, fields, replace

from troth.frozen import frozen


@frozen
class _Place:
    file: str
    line: int = 1
    note: str = field(default="", compare=False, repr=False)


@frozen
class _Named:
    name: str

    def __repr__(self) -> str:
        return f"<{self.name}>"


def test_equal_by_fields() -> None:
    assert _Place("a", 2) == _Place("a", 2)
    assert _Place("a", 2) != _Place("a", 3)
    assert _Place("a", 2) != _Named("a")
    assert hash(_Place("a", 2)) == hash(_Place("a", 2))
    assert len({_Place("a"), _Place("a", 1), _Place("b")}) == 2


def test_fields_that_are_not_compared() -> None:
    assert _Place("a", note="x") == _Place("a", note="y")
    assert hash(_Place("a", note="x")) == hash(_Place("a", note="y"))


def test_shown_with_fields() -> None:
    assert repr(_Place("a", 2, "x")) == "_Place(file='a', line=2)"


def test_own_methods_stay() -> None:
    assert repr(_Named("a")) == "<a>"
    assert _Named("a") == _Named("a")


def test_tools_of_dataclasses() -> None:
    assert replace(_Place("a", 2), line=3) == _Place("a", 3)
    assert [item.name for item in fields(_Place)] == ["file", "line", "note"]


def test_no_other_attributes() -> None:
    assert not hasattr(_Place("a"), "__dict__")
