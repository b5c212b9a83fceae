"""Edits of YAML texts: what they change, and that they change nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from troth.contracts.document.folder import PACKS
from troth.contracts.repair.emit import Unwritable, flow, literal
from troth.contracts.repair.yaml_text import NoEdit, Splice, YamlText, applied
from troth.contracts.yaml_files.placed import Map, Seq
from troth.contracts.yaml_files.reader import read_text
from troth.errors import Place, Problems

FILE = "contract.yaml"
DOCUMENT = """\
# Ours.
types:
  Order:      # one
    id: $string
    state: {$enum: [open,   shipped]}   # wanted

    tags:
      $array: $string
      size: 0..2
    # why?
    note?: 'x'
  Empty: {}
steps:
  - call: a
    with: {n: 1}
  - call: b
text: >-
  folded
  on
last: 1   # end
"""


def root_of(text: str) -> Map:
    """The text as the contract's reader reads it."""
    problems = Problems()
    root = read_text(text, FILE, problems).root
    assert problems.items == []
    assert root is not None
    return root


def edited(edit: Callable[[YamlText, Map], Any], text: str = DOCUMENT) -> str:
    """The text after an edit; what comes out can be read again."""
    made = edit(YamlText(FILE, text), root_of(text))
    after = applied(text, [made] if isinstance(made, Splice) else made)
    root_of(after)
    return after


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (lambda text, root: text.replaced(root["types"]["Order"].place("id"), "$uuid"), "id: $string", "id: $uuid"),
        (
            lambda text, root: text.replaced(root["types"]["Order"].place("tags"), {"$array": "$any"}),
            "      $array: $string\n      size: 0..2\n",
            "      {$array: $any}\n",
        ),
        (lambda text, root: text.replaced(root.place("text"), "one"), ">-\n  folded\n  on\n", "one\n"),
        (lambda text, root: text.renamed(root["types"]["Order"].key_place("note?"), "note"), "note?:", "note:"),
        (
            lambda text, root: text.with_entry(root["types"].place("Order"), "x", {"$string": {}}),
            "    note?: 'x'\n",
            "    note?: 'x'\n    x: {$string: {}}\n",
        ),
        (
            lambda text, root: text.with_entry(root["types"]["Order"].place("state"), "changes", "once"),
            "shipped]}   # wanted",
            "shipped], changes: once}   # wanted",
        ),
        (lambda text, root: text.with_entry(root["types"].place("Empty"), "a", "$any"), "{}", "{a: $any}"),
        (
            lambda text, root: text.with_items(root["types"]["Order"]["state"].place("$enum"), ["lost", "3"]),
            "shipped]",
            'shipped, lost, "3"]',
        ),
        (
            lambda text, root: text.with_items(root.place("steps"), [{"wait": "1s"}]),
            "  - call: b\n",
            "  - call: b\n  - {wait: 1s}\n",
        ),
        (
            lambda text, root: text.without_entry(root["types"]["Order"].key_place("state")),
            "    state: {$enum: [open,   shipped]}   # wanted\n",
            "",
        ),
        (
            lambda text, root: text.without_entry(root["types"]["Order"].key_place("tags")),
            "    tags:\n      $array: $string\n      size: 0..2\n",
            "",
        ),
        (
            lambda text, root: text.without_entry(root["steps"][0].key_place("call")),
            "  - call: a\n    with: {n: 1}\n",
            "  - with: {n: 1}\n",
        ),
        (lambda text, root: text.without_entry(root["steps"][0]["with"].key_place("n")), "{n: 1}", "{}"),
        (
            lambda text, root: text.wrapped(root["types"]["Order"].place("state"), "$nullable", {"default": None}),
            "{$enum: [open,   shipped]}",
            "{$nullable: {$enum: [open,   shipped]}, default: null}",
        ),
        (
            lambda text, root: text.wrapped(root["types"]["Order"].place("tags"), "$nullable"),
            "      $array: $string\n      size: 0..2\n",
            "      $nullable:\n        $array: $string\n        size: 0..2\n",
        ),
        (lambda text, root: text.with_entry(root.at, "more", 1), "# end\n", "# end\nmore: 1\n"),
    ],
)
def test_an_edit_changes_its_place_and_nothing_else(edit: Callable[[YamlText, Map], Any], old: str, new: str) -> None:
    assert DOCUMENT.count(old) == 1
    assert edited(edit) == DOCUMENT.replace(old, new)


@pytest.mark.parametrize(
    "text", [DOCUMENT.replace("\n", "\r\n"), DOCUMENT.rstrip("\n"), DOCUMENT.replace("# one", "# öäü 🙂")]
)
def test_line_ends_and_wide_characters_stay(text: str) -> None:
    """A new line ends as the others do, and a file without a last one gets none behind it."""
    after = edited(lambda yaml, root: yaml.with_entry(root.at, "more", 1), text)
    newline = "\r\n" if "\r\n" in text else "\n"

    assert after == (f"{text}more: 1{newline}" if text.endswith("\n") else f"{text}{newline}more: 1")


def test_a_line_that_would_become_too_long_is_broken_inside_its_braces() -> None:
    """Where a person would break it."""
    members = ", ".join(f"state_{number:02d}" for number in range(9))
    text = f"a: {{$enum: [{members}]}}   # all\n"
    after = edited(lambda yaml, root: yaml.with_items(root["a"].place("$enum"), ["one_that_is_quite_long"]), text)

    assert after == f"a: {{$enum: [{members},\n            one_that_is_quite_long]}}   # all\n"


def test_places_that_nothing_is_written_at_are_refused() -> None:
    text = YamlText(FILE, DOCUMENT)

    with pytest.raises(NoEdit):
        text.replaced(Place(FILE, 1, 1), 1)
    with pytest.raises(NoEdit):
        text.with_items(root_of(DOCUMENT)["types"].place("Empty"), [1])
    with pytest.raises(NoEdit):
        applied("abcdef", [Splice(FILE, 0, 3, "x"), Splice(FILE, 2, 4, "y")])


def entries(value: Any) -> Iterator[tuple[Map, str]]:
    """Every entry of a document."""
    if isinstance(value, Map):
        for key in value:
            yield value, key
            yield from entries(value[key])
    elif isinstance(value, Seq):
        for item in value:
            yield from entries(item)


@pytest.mark.parametrize("file", sorted((PACKS / "stripe").rglob("*.yaml")), ids=lambda path: path.stem)
def test_every_value_of_a_real_contract_can_be_replaced_by_itself(file: Path) -> None:
    """The text is found whole, whatever style it is written in: putting it back gives the same bytes."""
    text = file.read_text()
    yaml = YamlText(str(file), text)
    for number, (owner, key) in enumerate(entries(root_of(text))):
        place = owner.place(key)
        splice, name = yaml.replaced(place, 0), yaml.renamed(owner.key_place(key), "x")
        assert text[name.start : name.end].strip("\"'") == key
        if number % 25 == 0:  # reading all again for each of them would take minutes
            after = root_of(applied(text, [splice]))
            assert 0 in [value[other] for value, other in entries(after) if value.place(other) == place]


@pytest.mark.parametrize(
    "value",
    [
        "x",
        "",
        " x",
        "a b",
        "no: no",
        "no",
        "On",
        "true",
        "null",
        "12",
        "1e3",
        "0123",
        "-",
        "#",
        "a#b",
        "ö",
        "[x]",
        "a,b",
        "\u2028",
        "'",
        '"',
        "$x",
        "2026-10-01",
        1,
        -2,
        0.5,
        True,
        None,
        ["DONE"],
        {"a b": ["x", {}]},
    ],
)
def test_a_literal_is_read_back_as_what_it_was(value: Any) -> None:
    """In braces, where most can go wrong; ``$x`` is doubled, for it would be a matcher."""
    doubled = f"${value}" if isinstance(value, str) and value.startswith("$") else value

    assert root_of(f"a: {{b: {flow(literal(value))}, c: 1}}\n")["a"]["b"] == doubled


@pytest.mark.parametrize("value", ["{{ x }}", "a {b}", "[secret:pin:00ff]", float("inf"), 1e300, b"x"])
def test_what_has_no_literal_is_refused(value: Any) -> None:
    """Braces are expressions, and what stands for a secret is none."""
    with pytest.raises(Unwritable):
        literal(value)
