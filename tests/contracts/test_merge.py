"""Parts, `defaults` and traits: one merge rule."""

import pytest

from troth.contracts.document.merge import inherit, join_parts, merge
from troth.contracts.yaml_files.placed import Map
from troth.contracts.yaml_files.reader import read_text
from troth.errors import Place, Problem, Problems


def read(text: str, file: str = "f.yaml") -> Map:
    problems = Problems()
    source = read_text(text, file, problems)
    assert problems.items == []
    assert source.root is not None
    return source.root


def merged(base: str, over: str) -> Map:
    return merge(read(base, "base.yaml"), read(over, "over.yaml"))


@pytest.mark.parametrize(
    ("base", "over", "result"),
    [
        ("{a: 1, b: 2}", "{b: 3, c: 4}", {"a": 1, "b": 3, "c": 4}),
        ("{a: {b: 1, c: {d: 2}}}", "{a: {c: {e: 3}}}", {"a": {"b": 1, "c": {"d": 2, "e": 3}}}),
        ("{a: [1, 2]}", "{a: [3]}", {"a": [3]}),
        ("{a: {b: 1}}", "{a: x}", {"a": "x"}),
        ("{a: x}", "{a: {b: 1}}", {"a": {"b": 1}}),
        ("{a: 1, b: 2}", "{a: null}", {"b": 2}),
        ("{a: {b: 1, c: 2}}", "{a: {b: null}}", {"a": {"c": 2}}),
        ("{a: 1}", "{b: null}", {"a": 1, "b": None}),
        # A matcher is one thing
        ("{a: {$integer: {min: 1}}}", "{a: {$integer: {max: 9}}}", {"a": {"$integer": {"max": 9}}}),
        ("{a: {$integer: {}, default: 1}}", "{a: {$string: {}}}", {"a": {"$string": {}}}),
        ("{a: {$integer: {}}}", "{a: {b: 1}}", {"a": {"b": 1}}),
        ("{a: {b: 1}}", "{a: {$select: c, size: 2}}", {"a": {"$select": "c", "size": 2}}),
        ("{a: {$$x: 1}}", "{a: {b: 2}}", {"a": {"$$x": 1, "b": 2}}),
        # A field is one field, optional or not
        ("{a?: $string}", "{a: $integer}", {"a": "$integer"}),
        ("{a: $string}", "{a?: $integer}", {"a?": "$integer"}),
        ("{a?: {b: 1}}", "{a: {c: 2}}", {"a": {"b": 1, "c": 2}}),
        ("{a?: 1, b: 2}", "{a: null}", {"b": 2}),
    ],
)
def test_merge(base: str, over: str, result: dict[str, object]) -> None:
    """Mappings merge, lists and scalars replace, null removes; matchers are never half merged."""
    assert merged(base, over) == result


def test_order_is_that_of_the_base() -> None:
    """What was there first stays first, and what is new follows."""
    assert list(merged("{a?: 1, b: 2, c: 3}", "{d: 4, a: 5, b: 6}")) == ["a", "b", "c", "d"]


def test_places_are_those_of_what_won() -> None:
    """Each entry is shown where it was written."""
    result = merged("a: 1\nb: {c: 1}\n", "\nb: {d: 2}\n")

    assert result.place("a") == Place("base.yaml", 1, 4)
    assert result.key_place("b") == Place("over.yaml", 2, 1)
    assert result["b"].place("c") == Place("base.yaml", 2, 8)
    assert result["b"].place("d") == Place("over.yaml", 2, 8)


def test_merge_changes_neither_side() -> None:
    """Traits are merged into many operations."""
    base, over = read("{a: {b: 1}}"), read("{a: {c: 2}}")
    merge(base, over)

    assert (base, over) == ({"a": {"b": 1}}, {"a": {"c": 2}})


# defaults, traits, operation

SHARED = """
defaults:
  let: {x: query.x}
  request: {headers: {H?: $string}}
  responses:
    unauthorized: {when: not auth.ok, status: 401}
    invalid: {when: mismatch, status: 400, json: {a: 1}}
traits:
  paged:
    let: {x: query.y, size: query.size}
    responses:
      too_far: {when: page.far, status: 400}
      invalid: {status: 422}
  quiet:
    let: {x: query.z}
    responses: {unauthorized: null}
operations:
"""


def inherited(operation: str) -> tuple[Map, frozenset[str], list[Problem]]:
    problems = Problems()
    result = inherit(read(f"{SHARED}  op: {operation}\n"), problems)
    return result.root["operations"]["op"], result.names["op"], problems.items


def test_defaults_lie_beneath_everything() -> None:
    """An operation that says nothing has what `defaults` say."""
    operation, names, _ = inherited("{request: {method: GET}}")

    assert operation["request"] == {"method": "GET", "headers": {"H?": "$string"}}
    assert operation["let"] == {"x": "query.x"}
    assert list(operation["responses"]) == ["unauthorized", "invalid"]
    assert names == {"unauthorized", "invalid"}


def test_traits_are_merged_in_the_order_of_use() -> None:
    """The last trait wins over the earlier, both win over `defaults`, the operation over all."""
    operation, names, _ = inherited("{use: [paged, quiet], let: {size: query.n}, responses: {ok: {status: 200}}}")

    assert operation["let"] == {"x": "query.z", "size": "query.n"}
    assert operation["responses"]["invalid"] == {"when": "mismatch", "status": 422, "json": {"a": 1}}
    assert list(operation["responses"]) == ["invalid", "too_far", "ok"]
    assert names == {"invalid", "too_far"}


def test_use_in_the_other_order() -> None:
    """Order matters."""
    operation, _, _ = inherited("{use: [quiet, paged]}")

    assert operation["let"]["x"] == "query.y"


def test_own_response_replaces_an_inherited_one_and_stands_where_it_is_written() -> None:
    """That is how `404 before 400` is said; nothing of the inherited one is left."""
    operation, names, _ = inherited(
        "{responses: {missing: {when: not x, status: 404}, invalid: {when: mismatch, status: 409}, ok: {status: 200}}}"
    )

    assert list(operation["responses"]) == ["unauthorized", "missing", "invalid", "ok"]
    assert operation["responses"]["invalid"] == {"when": "mismatch", "status": 409}
    assert names == {"unauthorized"}


def test_null_removes_an_inherited_response() -> None:
    """Not every operation can answer what most can."""
    operation, names, problems = inherited("{responses: {invalid: null, ok: {status: 200}}}")

    assert list(operation["responses"]) == ["unauthorized", "ok"]
    assert (names, problems) == ({"unauthorized"}, [])


def test_null_where_nothing_is_inherited() -> None:
    """A slip of the finger would remove nothing, in silence."""
    _, _, problems = inherited("{responses: {invalidd: null, ok: {status: 200}}}")

    assert [(p.code, p.fix) for p in problems] == [("E036", "Did you mean 'invalid'?")]


def test_unknown_trait() -> None:
    """A name that leads nowhere, with the nearest one."""
    _, _, problems = inherited("{use: [pagd]}")

    assert [(p.code, p.found, p.fix) for p in problems] == [("E065", "'pagd'", "Did you mean 'paged'?")]


# Parts


def joined(*texts: str) -> tuple[Map, list[Problem]]:
    problems = Problems()
    root, *parts = (read(text, f"{number}.yaml") for number, text in enumerate(texts))
    return join_parts(root, parts, problems), problems.items


def test_parts_share_out_the_sections() -> None:
    """Names of a section may come from several files."""
    root, problems = joined(
        "troth: 1\ntypes: {A: $string}\n", "types: {B: $string}\noperations: {x: 1}\n", "operations: {y: 2}\n"
    )

    assert root == {"troth": 1, "types": {"A": "$string", "B": "$string"}, "operations": {"x": 1, "y": 2}}
    assert problems == []


def test_a_name_defined_twice_shows_both_places() -> None:
    """Which one counts would depend on the order of files."""
    _, problems = joined("types: {A: $string}\n", "types:\n  A: $integer\n")

    (problem,) = problems
    assert (problem.code, problem.place) == ("E054", Place("1.yaml", 2, 3))
    assert "first at 0.yaml:1:9" in problem.found


@pytest.mark.parametrize(
    ("first", "second", "twice"),
    [
        ("defaults: {let: {a: x}}", "defaults: {let: {b: y}, headers: {H: z}}", None),
        ("defaults: {let: {a: x}}", "defaults: {let: {a: y}}", "'a'"),
        ("defaults: {headers: {H: x}}", "defaults: {headers: {H: {$string: {}}}}", "'H'"),
        ("codecs: {form: {nesting: dots}}", "codecs: {form: {lists: empty}}", None),
        ("title: a", "title: a", "'title'"),
        ("operations: {a: {request: {}}}", "operations: {a: {let: {}}}", "'a'"),
    ],
)
def test_what_parts_may_share(first: str, second: str, twice: str | None) -> None:
    """`defaults` may be spread over files, one operation may not."""
    _, problems = joined(first, second)

    assert [problem.found.split(" again")[0] for problem in problems] == ([twice] if twice else [])


@pytest.mark.parametrize("key", ["troth: 1", "provider: x", "parts: [a.yaml]", "extends: pack:x"])
def test_what_only_the_contract_file_may_say(key: str) -> None:
    """A part is no contract of its own, and has no parts."""
    _, problems = joined("troth: 1\n", f"{key}\ntypes: {{A: $string}}\n")

    assert [(problem.code, problem.place) for problem in problems] == [("E055", Place("1.yaml", 1, 1))]
