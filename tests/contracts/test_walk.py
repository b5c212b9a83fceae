"""Walks over matchers as they were read."""

from troth.contracts.document.walk import expressions, identifiers, matchers, texts
from troth.contracts.yaml_files.placed import Map
from troth.contracts.yaml_files.reader import read_text
from troth.errors import Place, Problems


def read(text: str) -> Map:
    source = read_text(text, "f", Problems())
    assert source.root is not None
    return source.root


def test_matchers_outermost_first() -> None:
    """Short and long forms, in lists and under modifiers."""
    root = read(
        "a: $string\nb: {$array: {$nullable: $T}, size: 1..2}\nc: [{d: $uuid}]\ne: {$T: {f: $id}, from: body}\n"
    )

    assert [use.name for use in matchers(root)] == ["string", "array", "nullable", "T", "uuid", "T", "id"]


def test_a_matcher_has_its_place_argument_and_modifiers() -> None:
    """The short form has no argument."""
    short, long = matchers(read("a: $string\nb: {$integer: {min: 1}, default: 2}\n"))

    assert (short.place, short.argument, short.modifiers) == (Place("f", 1, 4), None, {})
    assert (long.place, long.argument, long.modifiers["default"]) == (Place("f", 2, 5), {"min": 1}, 2)


def test_a_single_matcher_has_the_place_that_is_given() -> None:
    """The caller knows where it found the value."""
    (use,) = matchers("$string", Place("f", 3, 4))

    assert use.place == Place("f", 3, 4)


def test_what_is_no_matcher() -> None:
    """Escapes, literals of an enum, texts with a dollar."""
    assert [use.name for use in matchers(read("a: {$enum: [$x, $Y]}\nb: {$$x: 1}\nc: $$x\nd: $5 off\ne: a $x\n"))] == [
        "enum"
    ]


def test_texts() -> None:
    """Values at any depth, without keys and numbers."""
    assert list(texts(read("a: x\nb: [y, 1, {c: z}]\n"))) == ["x", "y", "z"]


def test_expressions_in_braces_and_bare() -> None:
    """Where only an expression can stand it needs no braces; elsewhere a text is a text."""
    root = read(
        "when: a\nstatus: 200\njson: {k: b, l: 'x {{ c }} {{ d }}'}\n"
        "let: {e: f, page: {$select: g, where: h, size: i}}\n"
        "effects: [{set: j, to: {k: '{{ l }}', m: n}}]\nbody: {$if: o, then: p, from: [q, r]}\nkeep: {s: t}\n"
    )

    assert {source.strip() for source in expressions(root)} == set("acdfhijloqrt")


def test_identifiers() -> None:
    """First names of paths; not members, not what stands in quotes."""
    assert identifiers("a.b == 'c d' and e(f.g) | default(\"h\") ~ i") == {"a", "and", "e", "f", "default", "i"}
