"""The YAML reader: every row of the table of hazards, places, limits. Both parsers must agree."""

from pathlib import Path

import pytest
import yaml

from troth.contracts.yaml_files.placed import Map, Seq, place_of
from troth.contracts.yaml_files.pure_yaml import PureLoader
from troth.contracts.yaml_files.reader import LIMITS, fastest_loader, read_file, read_text
from troth.errors import Place, Problem, Problems

LOADERS = [pytest.param(fastest_loader(), id="libyaml"), pytest.param(PureLoader, id="python")]
both = pytest.mark.parametrize("loader", LOADERS)


def read(text: str | bytes, loader: object = None, **limits: int) -> Map:
    """The value of a file without problems."""
    problems = Problems()
    source = read_text(text, "f.yaml", problems, loader=loader, limits=LIMITS._replace(**limits))
    assert [str(problem) for problem in problems.items] == []
    assert source.root is not None
    return source.root


def problems_in(text: str | bytes, loader: object = None, **limits: int) -> list[Problem]:
    """Everything that is wrong with a file."""
    problems = Problems()
    read_text(text, "f.yaml", problems, loader=loader, limits=LIMITS._replace(**limits))
    return problems.items


def the_problem(text: str | bytes, loader: object = None, **limits: int) -> Problem:
    """The one thing that is wrong with a file."""
    (problem,) = problems_in(text, loader, **limits)
    return problem


# The table of hazards: what is typed, the code, where the caret stands, and words that help.
HAZARDS = [
    # Expressions without quotes
    ("id: {{ path.id }}", "E011", 5, 'Quote it: "{{ path.id }}"'),
    ("with: {id: {{ x }}}", "E011", 12, 'Quote it: "{{ x }}"'),
    ("id: {{ f(a, b) }}", "E011", 5, 'Quote it: "{{ f(a, b) }}"'),
    ("a: {{ x[0] }}", "E011", 4, '"{{ x[0] }}"'),
    ("a: {{ x }}-b", "E011", 4, '"{{ x }}"'),
    ("x: [{{ x }}]", "E011", 5, '"{{ x }}"'),
    # Braces and brackets inside braces
    ("request: {method: GET, path: /v1/charges/{id}}", "E012", 42, "Quote the text"),
    ("json: {$stored: charges[path.id]}", "E012", 24, "Look-ups are calls: charges(key)"),
    ("x: {c: $.data[0].id}", "E012", 14, "(list | last)"),
    ("x: {expand: a or []}", "E012", 18, "Quote the text"),
    ("auth: {bearer: ${KEY}}", "E013", 17, "{env: KEY, default: x}"),
    ("auth: ${KEY}", "E013", 7, "{env: KEY, default: x}"),
    # Quotes
    ('when: "a" == body.b', "E014", 11, ">-"),
    ("when: 'a' in query.expand", "E014", 11, ">-"),
    ('x: {when: "a" == body.b}', "E014", 15, ">-"),
    ('- "a" == b', "E014", 7, ">-"),
    ('"a b"?: 1', "E014", 6, '"a b?"'),
    ('x: {"a b"?: 1}', "E014", 10, '"a b?"'),
    ('when: body.color == "a #fff"', "E015", 7, ">-"),
    ("when: body.color == 'a #fff'", "E015", 7, ">-"),
    # Braces read otherwise than they look
    ("x: {when: f(a, b)}", "E016", 11, "quote the whole expression"),
    ("x: [f(a, b)]", "E016", 5, "quote the whole expression"),
    ("x: {?a: 1}", "E017", 5, "`a?: x`"),
    ("x: {? a: 1}", "E017", 5, "`a?: x`"),
    ("? a", "E017", 1, "`a?: x`"),
    ("? a\n: b", "E017", 1, "`a?: x`"),
    ("x: {a:1}", "E018", 5, "a: 1"),
    ("x: {a?:1}", "E018", 5, "a?: 1"),
    ("x: {a:{b: 1}}", "E018", 6, "a space"),
    ('"a":1\nb: 2', "E018", 4, "a space"),
    ("a:1\nb: 2", "E018", 1, "a: 1"),
    # Nothing where a value should be
    ("a:\nb: 1", "E019", 1, "null"),
    ("x: {a: , b: 1}", "E019", 5, "null"),
    ("x: {a}", "E019", 5, "null"),
    ("x:\n  -\n  - a", "E019", 4, "null"),
    # What only looks like a number
    ("a: 0123", "E020", 4, 'Write "0123" for the text, or 123 for the number'),
    ("a: 1e3", "E020", 4, 'Write "1e3" for the text, or 1000 for the number'),
    ("a: 10.00", "E020", 4, 'Write "10.00" for the text, or 10.0 for the number'),
    ("a: 1.10", "E020", 4, 'Write "1.10" for the text, or 1.1 for the number'),
    ("a: .5", "E020", 4, 'Write ".5" for the text, or 0.5 for the number'),
    ("a: 1.", "E020", 4, 'Write "1." for the text, or 1.0 for the number'),
    ("a: 1_000", "E020", 4, 'Write "1_000" for the text, or 1000 for the number'),
    ("a: 0o17", "E020", 4, 'Write "0o17" for the text, or 15 for the number'),
    ("a: 0x1F", "E020", 4, 'Write "0x1F" for the text, or 31 for the number'),
    ("a: +1", "E020", 4, 'Write "+1" for the text, or 1 for the number'),
    ("a: -0.50", "E020", 4, 'Write "-0.50" for the text, or -0.5 for the number'),
    ("a: 1e999999", "E020", 4, 'Write "1e999999" for the text; no number is exact here'),
    ("a: 0.1234567890123456789", "E020", 4, "no number is exact here"),
    ("a: .inf", "E020", 4, 'Write ".inf" for the text'),
    ("a: 0b12", "E020", 4, 'Write "0b12" for the text'),
    # What only looks like a constant
    ("a: True", "E021", 4, 'Write true for the value, or "True" for the text'),
    ("a: FALSE", "E021", 4, 'Write false for the value, or "FALSE" for the text'),
    ("a: Null", "E021", 4, 'Write null for the value, or "Null" for the text'),
    ("a: ~", "E021", 4, 'Write null for the value, or "~" for the text'),
    # Anchors, aliases, merge keys, tags
    ("a: &x 1", "E022", 4, "`traits`"),
    ("a: &x {b: 1}", "E022", 4, "`traits`"),
    ("a: *x", "E022", 4, "`traits`"),
    ("<<: {a: 1}", "E022", 1, "`traits`"),
    ("a: *", "E022", 4, "Quote it"),
    ("a: !t 1", "E023", 4, "Quote"),
    ("a: !!str 1", "E023", 4, "Quote"),
    ("%YAML 1.2\n---\na: 1", "E023", 1, "%"),
    # Keys
    ("1: a", "E025", 1, 'Quote it: "1"'),
    ("true: a", "E025", 1, 'Quote it: "true"'),
    ("0123: a", "E025", 1, 'Quote it: "0123"'),
    ("x: {[a]: 1}", "E025", 5, ""),
    ("data: [DONE]", "E026", 7, 'Write "[DONE]" for the text, or ["DONE"] for a list'),
    ("@currency: x", "E027", 1, "`.name`"),
    ("a: %x", "E027", 4, "Quote it"),
    ("%x: 1", "E027", 1, "Quote it"),
    ("`x`: 1", "E027", 1, "Quote it"),
    ("charge: is kept: 1", "E028", 16, "Quote it"),
    ("x: {a: b c: d}", "E028", 11, "comma"),
]


@both
@pytest.mark.parametrize(("text", "code", "column", "help_"), HAZARDS, ids=[row[0] for row in HAZARDS])
def test_hazard(text: str, code: str, column: int, help_: str, loader: object) -> None:
    """Each hazard is one problem, at its column, with a remedy."""
    problem = the_problem(text, loader)

    assert (problem.code, problem.place.column) == (code, column)
    assert help_ in problem.fix


SYNTAX = [
    ("a:\n\tb: 1", "E007", (2, 1), "Indent with spaces"),
    ("a: 1\n\tb: 2", "E007", (2, 1), "Indent with spaces"),
    ("a:\n  b: 1\n c: 2", "E010", (3, 2), "Indent it like its neighbours"),
    ("a: b\n  c: d", "E010", (2, 4), "Indent it like its neighbours"),
    ("a: {b: 1", "E010", (1, 4), "Close it"),
    ("a: [1, 2", "E010", (1, 4), "Close it"),
    ('a: "abc', "E010", (1, 4), "Close the quote"),
    ('a: "\\d"', "E010", (1, 5), "single quotes"),
    ("a: {b: c}}", "E010", (1, 10), ""),
    ("a: [b]]", "E010", (1, 7), ""),
    ("a: ]", "E010", (1, 4), ""),
    ("a: - b", "E010", (1, 4), "[a, b]"),
    ("a: 1\nb", "E010", (2, 1), "`key: value`"),
    ("a: > b", "E010", (1, 6), "next line"),
    ("x: {a: b, , c: d}", "E010", (1, 11), "comma"),
    ("- a\nb: 1", "E010", (2, 1), "do not mix"),
    ("a: ?", "E017", (1, 4), "quote"),
    ("charge: is kept:\n  a: 1", "E028", (1, 16), "Quote it"),
    ('when: a\n  and b == "x #y"\n  or c', "E015", (1, 7), ">-"),
]


@both
@pytest.mark.parametrize(("text", "code", "at", "help_"), SYNTAX, ids=[row[0] for row in SYNTAX])
def test_syntax_error(text: str, code: str, at: tuple[int, int], help_: str, loader: object) -> None:
    """Text that is no YAML is one problem, where people look for it, in words for people."""
    problem = the_problem(text, loader)

    assert (problem.code, (problem.place.line, problem.place.column)) == (code, at)
    assert help_ in problem.fix


READ = [
    ("a: true", True),
    ("a: false", False),
    ("a: null", None),
    ("a: 0", 0),
    ("a: -12", -12),
    ("a: 1.5", 1.5),
    ("a: -0.25", -0.25),
    ("a: 1.0", 1.0),
    ("a: 2026-10-01", "2026-10-01"),
    ("a: 12:30:45", "12:30:45"),
    ("a: 1.2.3", "1.2.3"),
    ("a: 127.0.0.1", "127.0.0.1"),
    ("a: 1..10", "1..10"),
    ("a: 0s..60s", "0s..60s"),
    ("a: 1/4", "1/4"),
    ("a: 5MB", "5MB"),
    ("a: yes", "yes"),
    ("a: on", "on"),
    ("a: -title", "-title"),
    ("a: '0123'", "0123"),
    ('a: "True"', "True"),
    ('a: ""', ""),
    ("a: $string", "$string"),
    ("a: /v1/charges/{id}", "/v1/charges/{id}"),
    ("a: https://example.com/x#y", "https://example.com/x#y"),
    ("a: charges[0]", "charges[0]"),
    ("a: f(a, b)", "f(a, b)"),
    ("a: it's # a comment", "it's"),
    ('a: "x" # a comment', "x"),
    ('a: >-\n  body.color == "a #fff"\n  and b', 'body.color == "a #fff" and b'),
    ("a: |\n  x\n  y\n", "x\ny\n"),
    ("a: {}", {}),
    ("a: []", []),
    ("a: [put: charges]", [{"put": "charges"}]),
    ("a: {note?: $string, b?: {c?: 1}}", {"note?": "$string", "b?": {"c?": 1}}),
    ('a: {"b":1}', {"b": 1}),
    ("a: {b: f(x), c: (d)}", {"b": "f(x)", "c": "(d)"}),
    ("a: {b: what?, c: 1}", {"b": "what?", "c": 1}),
    ("# ? no key here\na: b # ? nor here", "b"),
    ('a: ["DONE"]', ["DONE"]),
    ("---\na: 1\n...\n", 1),
]


@both
@pytest.mark.parametrize(("text", "value"), READ, ids=[row[0] for row in READ])
def test_value(text: str, value: object, loader: object) -> None:
    """What cannot be misread is read, with its type."""
    found = read(text, loader)["a"]

    assert (found, type(found) in (Map, Seq) or type(found)) == (value, isinstance(value, dict | list) or type(value))


def test_both_parsers_read_the_examples_alike(contracts: Path) -> None:
    """The parser in Python is a full substitute for libyaml."""
    files = sorted(contracts.rglob("*.yaml"))

    assert len(files) >= 4
    for file in files:
        text = file.read_text(encoding="utf-8")
        fast, pure = read(text, fastest_loader()), read(text, PureLoader)
        assert fast == pure
        assert _places(fast) == _places(pure)


def _places(value: object) -> object:
    if isinstance(value, Map):
        return [(key, value.marks[key], _places(item)) for key, item in value.items()]
    if isinstance(value, Seq):
        return [value.marks, [_places(item) for item in value]]
    return None


def test_libyaml_is_used_where_it_is_there() -> None:
    """The slow parser is only for a PyYAML without libyaml."""
    expected = yaml.CSafeLoader if yaml.__with_libyaml__ else PureLoader

    assert fastest_loader() is expected


# Places


@both
def test_places_of_keys_and_values(loader: object) -> None:
    """Lines and columns count from 1, in characters, also after characters of several bytes."""
    root = read('é😀: {"ü": [x, {k: v}]}\nb:\n  - - 1\n', loader)

    assert root.key_place("b") == Place("f.yaml", 2, 1)
    assert root.place("b") == Place("f.yaml", 3, 3)
    assert root["é😀"].key_place("ü") == Place("f.yaml", 1, 6)
    assert root["é😀"]["ü"].place(1) == Place("f.yaml", 1, 15)
    assert place_of(root, ["é😀", "ü", 1, "k"]) == Place("f.yaml", 1, 19)
    assert place_of(root, ["b", 0, 0]) == Place("f.yaml", 3, 7)


def test_place_of_what_is_not_there_is_that_of_what_holds_it() -> None:
    """A path into a short form leads to the short form."""
    root = read("steps:\n  - expect: created\n")

    assert place_of(root, ["steps", 0, "expect", "response", 0]) == Place("f.yaml", 2, 13)
    assert root["steps"].place(7) == root["steps"].at
    assert root.place("nothing") == root.at == Place("f.yaml", 1, 1)


def test_duplicate_key_shows_both_places() -> None:
    """A key written twice would silently lose one of its values."""
    problem = the_problem("a: 1\nb: 2\na: 3\n")

    assert (problem.code, problem.place) == ("E024", Place("f.yaml", 3, 1))
    assert "first at f.yaml:1:1" in problem.found


def test_all_problems_of_a_file_at_once() -> None:
    """One run shows everything, in the order of the file."""
    found = problems_in("a: True\nb: 0123\nc: {d:1}\na: 1\ne: &x 1\n")

    assert [(problem.code, problem.place.line) for problem in found] == [
        ("E021", 1), ("E020", 2), ("E018", 3), ("E024", 4), ("E022", 5),
    ]  # fmt: skip


def test_a_syntax_error_hides_nothing_else() -> None:
    """It ends its entry: what is wrong above and below it is told as well."""
    found = problems_in("a: True\nb: {c: d[0]}\ne: ~\n")

    assert [(problem.code, problem.place.line) for problem in found] == [("E021", 1), ("E012", 2), ("E021", 3)]


def test_what_cannot_be_read_on_is_read_up_to_the_mistake() -> None:
    """Two syntax errors: the first is told, with what stands above it; the second may only follow from it."""
    found = problems_in("a: True\nb: {c: d[0]}\ne: {f: g[0]}\nh: ~\n")

    assert [(problem.code, problem.place.line) for problem in found] == [("E021", 1), ("E012", 2)]


# Files


FILES = [
    (b"", "E004", "an empty file"),
    (b"# only a comment\n", "E004", "an empty file"),
    (b"- a\n- b\n", "E005", "a list"),
    (b"just text", "E005", "'just text'"),
    (b"null", "E005", "null"),
    (b"a: 1\n---\nb: 2\n", "E006", "a second one"),
    (b"a: \xff", "E003", "0xff"),
    (b"\xef\xbb\xbfa: 1", "E003", "byte order mark"),
    ("a: 1".encode("utf-16"), "E003", "UTF-16"),
    (b"a: \x00", "E003", "U+0000"),
    ("a: \ufeffb".encode(), "E003", "U+FEFF"),
    ("a: \x1b[0m", "E003", "U+001B"),
    ("a: \ud800", "E003", "0xed"),
]


@both
@pytest.mark.parametrize(("content", "code", "found"), FILES)
def test_file_that_is_no_document(content: str | bytes, code: str, found: str, loader: object) -> None:
    """What is no UTF-8 text with one mapping is said to be just that."""
    problem = the_problem(content, loader)

    assert problem.code == code
    assert found in problem.found


def test_place_of_a_bad_byte() -> None:
    """Line and column, not a byte offset."""
    assert the_problem("é: 1\nö: ".encode() + b"\xff").place == Place("f.yaml", 2, 4)


def test_a_list_item_is_no_document_either() -> None:
    """Two documents in a file are refused whatever they hold."""
    assert [problem.code for problem in problems_in("- a\n---\n- b\n")] == ["E006", "E005"]


def test_missing_file(tmp_path: Path) -> None:
    """A path that leads nowhere is a problem with the system's own words."""
    problems = Problems()
    source = read_file(tmp_path / "no.yaml", problems)

    assert source.root is None
    assert (problems.items[0].code, problems.items[0].found) == ("E001", "No such file or directory")


def test_folder_in_place_of_a_file(tmp_path: Path) -> None:
    """Only ordinary files are read: a pipe would wait for ever."""
    problems = Problems()
    read_file(tmp_path, problems)

    assert (problems.items[0].code, problems.items[0].found) == ("E001", "no ordinary file")


# Limits


def test_size_limit(tmp_path: Path) -> None:
    """One byte too many is too many, and is not read."""
    file = tmp_path / "f.yaml"
    file.write_bytes(b"a: 1234567")
    problems = Problems()

    assert read_file(file, problems, limits=LIMITS._replace(size=10)).root == {"a": 1234567}
    assert read_file(file, problems, limits=LIMITS._replace(size=9)).root is None
    assert [problem.code for problem in problems.items] == ["E002"]


@both
def test_depth_limit(loader: object) -> None:
    """As deep as allowed is read, one more is not."""
    assert read("a: " + "[" * 3 + "]" * 3, loader, depth=4) == {"a": [[[]]]}
    assert the_problem("a: " + "[" * 4 + "]" * 4, loader, depth=4).code == "E002"


def test_node_limit() -> None:
    """Keys and values count."""
    assert len(read("a: [1, 2]\nb: 1", nodes=7)) == 2
    assert the_problem("a: [1, 2]\nb: 1", nodes=6).code == "E002"


def test_problem_limit() -> None:
    """A file that is wrong all over does not flood the screen."""
    found = problems_in("\n".join(f"k{n}: True" for n in range(50)), problems=10)

    assert [problem.code for problem in found] == ["E021"] * 10 + ["E002"]


@both
def test_billion_laughs(loader: object) -> None:
    """Aliases are refused, so nothing is ever expanded."""
    lines = ["a0: &a0 lol", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10))]

    assert {problem.code for problem in problems_in("\n".join(lines), loader)} == {"E022"}


def test_many_nested_brackets_are_cheap() -> None:
    """Four megabytes of brackets end at the depth limit, not in a crash."""
    assert the_problem("[" * 4_000_000).code == "E002"
    assert the_problem("a: " + "{a: " * 1_000_000).code == "E002"
    assert the_problem("- " * 2_000_000).code == "E002"
