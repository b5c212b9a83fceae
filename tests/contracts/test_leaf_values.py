"""What each leaf takes and refuses, and why."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from fakes.draw import SeededDraw

from troth.contracts.expressions.unknowns import Instant
from troth.contracts.leaves import Fault, Leaf, build_leaf
from troth.errors import Place, Problems

NOW = Instant(1_790_000_000.0, 1_790_000_000.0)


def leaf_of(name: str, argument: Any = None) -> Leaf:
    """The leaf, which must build without any problem."""
    problems = Problems()
    leaf = build_leaf(name, argument, {}, Place(), problems)
    assert leaf is not None, [str(problem) for problem in problems.items]
    return leaf


def kind_of(name: str, argument: Any, value: Any) -> str:
    """The kind of the fault, ``""`` for none."""
    fault = leaf_of(name, argument).fault(value)
    return "" if fault is None else fault.kind


@pytest.mark.parametrize(
    ("name", "argument", "value", "kind"),
    [
        ("string", None, "", ""),
        ("string", {"min": 2}, "a", "bounds"),
        ("string", {"max": 2}, "abc", "bounds"),
        ("string", {"max": 2}, "éé", ""),
        ("string", {"length": 3}, "ab", "bounds"),
        ("string", {"pattern": "[a-z]{3}"}, "usd", ""),
        ("string", {"pattern": "[a-z]{3}"}, "usdx", "format"),
        ("string", {"pattern": "[a-z]{3}"}, "xusd", "format"),
        ("string", {"pattern": "[a-z]{3}"}, "usd\n", "format"),
        ("string", {"pattern": r"\d+"}, "١٢", "format"),
        ("integer", {"min": 1, "max": 100}, 1, ""),
        ("integer", {"min": 1, "max": 100}, 0, "bounds"),
        ("integer", {"min": 1, "max": 100}, 101, "bounds"),
        ("integer", None, True, "type"),
        ("integer", None, 1.0, "type"),
        ("integer", None, "1", "type"),
        ("integer", None, None, "null"),
        ("number", None, 1, ""),
        ("number", None, 1.5, ""),
        ("number", None, Decimal("1.5"), ""),
        ("number", None, True, "type"),
        ("number", None, float("inf"), "type"),
        ("number", {"min": 0.5}, 0.25, "bounds"),
        ("number", {"max": 2}, 2.5, "bounds"),
        ("decimal", {"places": 2}, "10.00", ""),
        ("decimal", {"places": 2}, "10.0", "format"),
        ("decimal", {"places": 2}, "10", "format"),
        ("decimal", {"places": 2}, "10.000", "format"),
        ("decimal", {"places": 0}, "10", ""),
        ("decimal", {"places": 0}, "10.", "format"),
        ("decimal", None, "-0.125", ""),
        ("decimal", None, "+1", "format"),
        ("decimal", None, "1e3", "format"),
        ("decimal", None, "01.5", "format"),
        ("decimal", None, 10.0, "type"),
        ("decimal", {"min": "0.10"}, "0.09", "bounds"),
        ("decimal", {"max": 5}, "5.01", "bounds"),
        ("boolean", None, 0, "type"),
        ("boolean", None, "true", "type"),
        ("enum", ["a", 1, None], "a", ""),
        ("enum", ["a", 1, None], 1, ""),
        ("enum", ["a", 1, None], None, ""),
        ("enum", ["a", 1, None], "b", "enum"),
        ("enum", ["a", 1, None], 2, "enum"),
        ("enum", ["a", 1, None], True, "type"),
        ("enum", ["a", 1, None], 1.0, "type"),
        ("enum", ["a"], None, "null"),
        ("open_enum", ["a"], "b", ""),
        ("open_enum", ["a"], 1, "type"),
        ("open_enum", [1], 2, ""),
        ("open_enum", [1], "1", "type"),
        ("id", {"prefix": "ch_", "length": 24}, "ch_" + "a1" * 12, ""),
        ("id", {"prefix": "ch_", "length": 24}, "py_" + "a1" * 12, "format"),
        ("id", {"prefix": "ch_", "length": 24}, "ch_" + "a1" * 11, "format"),
        ("id", {"prefix": "ch_", "length": 24}, "ch_" + "a1" * 13, "format"),
        ("id", {"prefix": "ch_", "length": 2}, "ch_a-", "format"),
        ("id", {"prefix": "tr_"}, "tr_1", ""),
        ("id", {"prefix": "tr_"}, "tr_" + "x" * 90, ""),
        ("id", {"prefix": "tr_"}, "tr_", "format"),
        ("id", {"prefix": "SM", "length": 4, "alphabet": "hex"}, "SM09af", ""),
        ("id", {"prefix": "SM", "length": 4, "alphabet": "hex"}, "SM09aF", "format"),
        ("id", {"prefix": "a.c"}, "abc1", "format"),
        ("uuid", None, "123e4567-e89b-12d3-a456-426614174000", ""),
        ("uuid", None, "123E4567-E89B-12D3-A456-426614174000", ""),
        ("uuid", None, "123e4567e89b12d3a456426614174000", "format"),
        ("token", None, "x", ""),
        ("token", None, "", "bounds"),
        ("etag", None, '"abc"', ""),
        ("etag", None, 'W/"abc"', ""),
        ("etag", None, '""', ""),
        ("etag", None, "abc", "format"),
        ("etag", None, 'w/"abc"', "format"),
        ("etag", None, '"a"b"', "format"),
        ("url", None, "https://api.example:8443/v1?a=b#c", ""),
        ("url", None, "/2010-04-01/x.json", ""),
        ("url", None, "example.com/x", "format"),
        ("url", None, "https://", "format"),
        ("url", None, "https://x/a b", "format"),
        ("url", None, "https://[::1", "format"),
        ("url", {"path": "/a"}, "https://x/a?page=2", ""),
        ("url", {"path": "/a"}, "https://x/b", "format"),
        ("url", {"path": "/a", "query": {"page": 2}}, "/a?per=1&page=2", ""),
        ("url", {"path": "/a", "query": {"page": 2}}, "/a?page=3", "format"),
        ("url", {"host": "x.example"}, "https://X.example/a", ""),
        ("url", {"host": "x.example"}, "https://y.example/a", "format"),
        ("null", None, "", "type"),
        ("any", None, {"x": [1]}, ""),
        ("bytes", {"max": 3}, b"abc", ""),
        ("bytes", {"max": 3}, b"abcd", "bounds"),
        ("bytes", None, "abc", "type"),
        ("file", None, {"name": "a", "type": "b/c", "bytes": b""}, ""),
        ("file", None, {"name": "a", "type": "b/c"}, "type"),
        ("file", None, {"name": "a", "type": "b/c", "bytes": "text"}, "type"),
        ("file", {"max": "1kB"}, {"name": "a", "type": "b/c", "bytes": b"x" * 1000}, ""),
        ("file", {"max": "1kB"}, {"name": "a", "type": "b/c", "bytes": b"x" * 1001}, "bounds"),
        ("file", {"type": "image/*"}, {"name": "a", "type": "image/gif; x=y", "bytes": b""}, ""),
        ("file", {"type": "image/*"}, {"name": "a", "type": "imagery/gif", "bytes": b""}, "format"),
        ("file", {"name": "a.png"}, {"name": "b.png", "type": "b/c", "bytes": b""}, "format"),
    ],
)
def test_fault(name: str, argument: Any, value: Any, kind: str) -> None:
    """The kind of the fault, or none."""
    assert kind_of(name, argument, value) == kind


def test_too_large_a_file_is_a_matter_of_size() -> None:
    """Contracts ask ``mismatch.kind == 'size'``; any other fault has its kind as the reason."""
    fault = leaf_of("file", {"max": 2}).fault({"name": "a", "type": "b/c", "bytes": b"abc"})
    assert fault == Fault("bounds", "at most 2 bytes", "size")
    other = leaf_of("integer").fault("x")
    assert other is not None
    assert other.reason == "type"


@pytest.mark.parametrize(
    ("name", "argument", "text", "value"),
    [
        ("integer", None, "12", 12),
        ("integer", None, "-3", -3),
        ("integer", None, "1.0", "type"),
        ("integer", None, "+1", "type"),
        ("integer", None, "007", "type"),
        ("integer", None, " 1", "type"),
        ("integer", None, "١", "type"),
        ("integer", None, "", "type"),
        ("integer", None, "9" * 5000, "type"),
        ("number", None, "1.50", 1.5),
        ("number", None, "2", 2),
        ("number", None, "-1e3", -1000.0),
        ("number", None, "1e999", "type"),
        ("number", None, "nan", "type"),
        ("boolean", None, "true", True),
        ("boolean", None, "false", False),
        ("boolean", None, "True", "type"),
        ("boolean", None, "1", "type"),
        ("enum", ["a", "b"], "b", "b"),
        ("enum", ["a", "b"], "c", "enum"),
        ("enum", [1, 2], "2", 2),
        ("enum", [1, 2], "3", "enum"),
        ("enum", [1, 2], "x", "type"),
        ("enum", [True], "true", True),
        ("enum", ["a", None], "", None),
        ("open_enum", ["a"], "z", "z"),
        ("open_enum", [1], "7", 7),
        ("open_enum", [1], "x", "type"),
        ("timestamp", "unix", "1700000000", 1_700_000_000),
        ("timestamp", "unix", "now", "type"),
        ("timestamp", "date", "2026-10-01", "2026-10-01"),
        ("null", None, "", None),
        ("null", None, "null", "type"),
        ("string", None, "7", "7"),
        ("bytes", None, "é", "é".encode()),
        ("file", None, "not a file", "type"),
        ("file", None, "data:a/b;name=n;base64,AAA", "type"),
    ],
)
def test_decode(name: str, argument: Any, text: str, value: Any) -> None:
    """What a text spells; a text that does not decode is a fault of kind ``type`` (or ``enum``)."""
    decoded = leaf_of(name, argument).decode(text)
    if isinstance(decoded, Fault):
        assert decoded.kind == value
    else:
        assert (decoded, type(decoded)) == (value, type(value))


@pytest.mark.parametrize(
    ("argument", "value", "text"),
    [
        ({"places": 2}, 12, "12.00"),
        ({"places": 2}, 12.5, "12.50"),
        ({"places": 2}, Decimal("-0.1"), "-0.10"),
        ({"places": 2}, Decimal("1e3"), "1000.00"),
        ({"places": 2}, 12.345, "12.345"),
        ({"places": 0}, 7, "7"),
        (None, Decimal("1.50"), "1.50"),
        ({"places": 2}, True, True),
        ({"places": 2}, "12", "12"),
    ],
)
def test_decimals_express_numbers_exactly(argument: Any, value: Any, text: Any) -> None:
    """No digit is invented that changes the value, and none is lost: what does not fit is left to be found."""
    assert leaf_of("decimal", argument).express(value) == text


def test_decimals_are_equal_by_value() -> None:
    """Their form is for ``fault`` to judge."""
    leaf = leaf_of("decimal", {"places": 2})
    assert leaf.same(12, "12.00")
    assert leaf.same(Decimal("12.5"), "12.50")
    assert leaf.same("12.5", "12.50")
    assert not leaf.same(12, "12.01")
    assert not leaf.same("twelve", "12.00")
    assert not leaf.same(12, 12.5)


def test_numbers_are_equal_by_value_and_integers_by_type() -> None:
    """``$number`` takes either spelling; for ``$integer``, 1.0 is another thing."""
    assert leaf_of("number").same(1, 1.0)
    assert not leaf_of("number").same(True, 1)
    assert not leaf_of("integer").same(1.0, 1)


def test_a_url_may_be_demanded_without_its_host() -> None:
    """Targets have different hosts: a path, or a mapping, says what must be the same."""
    leaf = leaf_of("url")
    assert leaf.same("/v2/orders/1", "https://sandbox.example/v2/orders/1")
    assert leaf.same("/v2/orders/1?a=b", "https://sandbox.example/v2/orders/1?a=b")
    assert not leaf.same("/v2/orders/1", "https://sandbox.example/v2/orders/2")
    assert not leaf.same("/v2/orders/1", "https://sandbox.example/v2/orders/1?a=b")
    assert leaf.same({"path": "/s", "query": {"page": 2}}, "https://x/s?per=5&page=2")
    assert not leaf.same({"path": "/s", "query": {"page": 2}}, "https://x/s?page=1")
    assert leaf.express({"path": "/s", "query": {"page": 2, "all": True}}) == "/s?page=2&all=true"
    assert leaf.express({"path": "/s", "host": "x"}) == "https://x/s"
    assert not leaf.same("https://a/x", "https://b/x")


def test_samples_say_what_the_language_promises() -> None:
    """The smallest allowed, the first, false, null, empty; prose as the author wrote it."""
    draw = SeededDraw(3)

    def made(name: str, argument: Any = None) -> Any:
        return leaf_of(name, argument).make(draw, NOW)

    assert made("integer", {"min": 5}) == 5
    assert made("integer", {"max": 0}) == 0
    assert 1 <= made("integer") <= 9
    assert made("number", {"min": 0.5}) == 0.5
    assert made("number", {"max": 0.25}) == 0.25
    assert made("decimal", {"places": 2, "min": "0.1"}) == "0.10"
    assert made("enum", ["b", "a"]) == "b"
    assert made("boolean") is False
    assert made("null") is None
    assert made("any") is None
    assert made("bytes") == b""
    assert made("file") == {"name": "file", "type": "application/octet-stream", "bytes": b""}
    assert made("file", {"type": "image/*"})["type"] == "image/png"
    assert made("text", "Card declined.") == "Card declined."
    assert len(made("id", {"prefix": "tr_"})) == len("tr_") + 24
    assert made("uuid")[14] == "4"
    assert made("timestamp", "unix") == 1_790_000_000
    assert made("url", {"path": "/a", "query": {"n": 1}}) == "/a?n=1"


def test_a_step_can_send_a_file_of_a_size() -> None:
    """``{$file: {size: 100kB, name: a.png, type: image/png}}`` makes one, and recognises it."""
    leaf = leaf_of("file", {"size": "100kB", "name": "a.png", "type": "image/png"})
    made = leaf.make(SeededDraw(1), NOW)
    assert (made["name"], made["type"], len(made["bytes"])) == ("a.png", "image/png", 100_000)
    assert leaf.fault(made) is None
    shorter = leaf.fault({**made, "bytes": b""})
    assert shorter is not None
    assert shorter.reason == "size"


def test_generated_prose_fits_errors_as_well_as_successes() -> None:
    """A sample of ``$text`` says that it is one, and nothing of what happened."""
    leaf = leaf_of("text", None)
    said = {leaf.make(SeededDraw(seed), NOW) for seed in range(50)}

    assert len(said) > 1
    assert all("sample" in text for text in said)
