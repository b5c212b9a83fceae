"""The ways in which APIs write the path of a field."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troth.contracts.expressions.path_forms import brackets, dotted, pointer, segments


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("", []),
        ("$", []),
        ("/", [""]),
        ("a", ["a"]),
        ("a.b.0", ["a", "b", "0"]),
        ("a[b][0]", ["a", "b", "0"]),
        ("a[]", ["a", ""]),
        ("/a/b~1c/0", ["a", "b/c", "0"]),
        ("/a~01", ["a~1"]),
        ("$.a.b[0]", ["a", "b", "0"]),
        ("$['a b'][\"c.d\"]", ["a b", "c.d"]),
        ("$id.x", ["$id", "x"]),
    ],
)
def test_every_form_is_read(path, parts):
    assert segments(path) == parts


@pytest.mark.parametrize("path", ["a..b", "a.", "a[b", "a]b", 5, None])
def test_what_is_no_path(path):
    with pytest.raises(ValueError, match="not the path"):
        segments(path)


NAMES = st.lists(st.text("abcXYZ_0123-", min_size=1), min_size=1, max_size=5)


@given(NAMES)
def test_every_form_leads_back(names):
    """dotted, brackets and pointer of the same names are read as these names."""
    path = ".".join(names)
    assert segments(dotted(path)) == names
    assert segments(brackets(path)) == names
    assert segments(pointer(path)) == names


def test_forms():
    assert (dotted("$.a[0]"), brackets("/a/0"), pointer("a[0]")) == ("a.0", "a[0]", "/a/0")
    assert (dotted(""), brackets(""), pointer("")) == ("", "", "")
