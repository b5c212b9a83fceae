"""What ``changes`` allows of what is known: by the field's own order, at any depth, as often as it says."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from fakes.talk import Talk, contract_of, kinds, put

from troth.contracts.exchange import Response

THINGS = """
troth: 1
provider: things
types:
  Place: {city: $string, street: $string}
  Count: {$integer: {}, changes: up}
  Thing: {id: {$id: {prefix: t_}}, MEMBER}
state: {things: {of: $Thing, key: id}}
operations:
  make:
    request: {method: POST, path: /t, json: {value?: $any}}
    responses: {made: {status: 201, json: {$Thing: {}, from: body}, effects: [put: things]}}
  get:
    request: {method: GET, path: "/t/{id}"}
    let: {thing: state.things(path.id)}
    responses: {missing: {when: not thing, status: 404}, found: {status: 200, json: "{{ thing }}"}}
  touch:
    request: {method: POST, path: "/t/{id}", json: {value: $any}}
    let: {thing: state.things(path.id)}
    responses:
      missing: {when: not thing, status: 404}
      touched: {status: 204, effects: [{set: thing, to: {value: "{{ body.value }}"}}]}
"""

GONE: Any = object()


def shown(id_: str, value: Any) -> Callable[[Any], Response]:
    """A reply that shows the thing with this value."""
    body = {"id": id_} if value is GONE else {"id": id_, "value": value}
    return lambda _: Response(200, ((b"Content-Type", b"application/json"),), json.dumps(body).encode())


def seen(member: str, *values: Any) -> list[str]:
    """What is found when a provider shows a thing of its own with these values, one look after the other."""
    talk = Talk(contract_of(THINGS.replace("MEMBER", member)))
    id_ = "t_" + "a" * 24
    found = []
    for value in values:
        found += kinds(talk.call("get", shown(id_, value), id=id_))
    return found


A, B, C = ({"city": city, "street": "s"} for city in "ABC")


@pytest.mark.parametrize(
    ("matcher", "before", "after"),
    [
        ("{$any_of: [$integer, $string], changes: freely}", 1, 2),
        ("{$any_of: [$integer, $string], changes: freely}", 1, "two"),
        ("{$any_of: [$null, $Place], changes: freely}", None, A),
        ("{$any_of: [$null, $Place], changes: freely}", A, None),
        ("{$any_of: [$integer, $Place], changes: freely}", A, B),
        ("{$open: {city: $string, street: $string}, changes: freely}", A, B),
        ("{$closed: {city: $string, street: $string}, changes: freely}", A, B),
        ("{$Place: {}, changes: freely}", A, B),
        ("{$nullable: $Place, changes: freely}", A, B),
        ("{$nullable: $Place, changes: freely}", A, None),
        ("{$nullable: $Place, changes: freely}", None, A),
        ("{$optional: $Place, changes: freely}", A, B),
        ("{$if: true, then: $integer, changes: freely}", 1, 2),
        ("{$case: method, of: {GET: $integer}, else: $integer, changes: freely}", 1, 2),
        ("{$array: $integer, changes: freely}", [1], [2]),
        ("{$map: $integer, changes: freely}", {"a": 1}, {"b": 1}),
        ("$Count", 1, 2),
        ("{$nullable: $Count}", 1, 2),
        ("{$nullable: {$integer: {}, changes: up}}", 1, 2),
        ("{$any_of: [$integer, $null], changes: up}", 1, 2),
    ],
)
def test_what_is_made_of_parts_may_change_where_it_says_so(matcher: str, before: Any, after: Any) -> None:
    assert seen(f"value: {matcher}", before, after) == []


@pytest.mark.parametrize(
    ("matcher", "before", "after"),
    [
        ("{$any_of: [$integer, $string]}", 1, 2),
        ("{$any_of: [$integer, $string]}", 1, "two"),
        ("{$any_of: [$null, $Place]}", None, A),
        ("{$any_of: [$null, $Place]}", A, None),
        ("{$any_of: [$integer, $Place]}", A, B),
        ("{$any_of: [$integer, $Place]}", A, 1),
        ("{$open: {city: $string, street: $string}}", A, B),
        ("$Place", A, B),
        ("{$nullable: $Place}", A, B),
        ("{$nullable: $Place}", A, None),
        ("{$nullable: $Place}", None, A),
        ("{$if: true, then: $integer}", 1, 2),
        ("{$array: $integer}", [1], [2]),
        ("{$map: $integer}", {"a": 1}, {"b": 1}),
    ],
)
def test_and_nowhere_else_and_that_is_one_finding(matcher: str, before: Any, after: Any) -> None:
    assert seen(f"value: {matcher}", before, after) == ["stored"]


def test_a_part_may_change_in_a_whole_that_may_not() -> None:
    place = "value: {city: {$string: {}, changes: freely}, street: $string}"

    assert seen(place, A, B) == []
    assert seen(place, A, {**A, "street": "t"}) == ["stored"]


DAY = "2025-01-01T00:00:00"


@pytest.mark.parametrize(
    ("matcher", "before", "after"),
    [
        ("$decimal", "9.5", "10.0"),
        ("{$timestamp: rfc3339}", f"{DAY}+02:00", f"{DAY}Z"),
        ("{$timestamp: rfc3339}", f"{DAY}Z", f"{DAY}.25Z"),
        ("{$timestamp: rfc2822}", "Wed, 01 Jan 2025 00:00:00 +0000", "Sat, 01 Feb 2025 00:00:00 +0000"),
        ("$string", "v9", "v10"),
        ("{$nullable: $integer}", None, 1),
        ("{$enum: [pending, done, archived]}", "pending", "done"),
    ],
)
def test_what_goes_up_goes_up_by_what_it_means(matcher: str, before: Any, after: Any) -> None:
    matcher = f"{{{matcher}: {{}}, changes: up}}" if matcher[0] == "$" else matcher[:-1] + ", changes: up}"

    assert seen(f"value: {matcher}", before, after) == []


@pytest.mark.parametrize(
    ("matcher", "before", "after"),
    [
        ("$decimal", "10.0", "9.5"),
        ("$integer", 2, 1),
        ("{$timestamp: rfc3339}", f"{DAY}Z", f"{DAY}+02:00"),
        ("{$timestamp: rfc2822}", "Sat, 01 Feb 2025 00:00:00 +0000", "Wed, 01 Jan 2025 00:00:00 +0000"),
        ("$string", "v2", "v1"),
        ("{$nullable: $integer}", 1, None),
    ],
)
def test_what_goes_down_is_found(matcher: str, before: Any, after: Any) -> None:
    matcher = f"{{{matcher}: {{}}, changes: up}}" if matcher[0] == "$" else matcher[:-1] + ", changes: up}"

    assert seen(f"value: {matcher}", before, after) == ["decreased"]


ONCE = "value: {$nullable: $string, changes: once}"


@pytest.mark.parametrize("values", [(None, "a", "a"), ("a", "b", "b"), ("a", None, None), ("a", "a", "b")])
def test_once_is_one_change_of_any_kind(values: tuple[Any, ...]) -> None:
    assert seen(ONCE, *values) == []


@pytest.mark.parametrize(
    "values", [(None, "a", "b"), ("a", "b", "a"), ("a", "b", "c"), ("a", None, "a"), (None, "a", None)]
)
def test_once_is_not_twice(values: tuple[Any, ...]) -> None:
    assert seen(ONCE, *values) == ["stored"]


def test_what_is_not_there_may_come_once_or_go_once() -> None:
    optional = "value?: {$string: {}, changes: once}"

    assert seen(optional, GONE, "a", "a") == []
    assert seen(optional, "a", GONE, GONE) == []
    assert seen(optional, GONE, "a", "b") == ["stored"]
    assert seen(optional, GONE, "a", GONE) == ["gone"]
    assert seen(optional, "a", GONE, "a") == ["appeared"]


def test_a_whole_changes_once_with_all_its_parts() -> None:
    assert seen("value: {$Place: {}, changes: once}", A, B, B) == []
    assert seen("value: {$Place: {}, changes: once}", A, B, C) == ["stored"]
    assert seen("value: {$Place: {}, changes: once}", A, B, {**B, "street": "t"}) == ["stored"]


def test_a_part_changes_once_whatever_other_parts_do() -> None:
    place = "value: {city: {$string: {}, changes: once}, street: {$string: {}, changes: once}}"

    assert seen(place, A, B, {**B, "street": "t"}) == []
    assert seen(place, A, B, C) == ["stored"]


def test_a_change_that_the_contract_makes_is_the_one_change() -> None:
    talk = Talk(contract_of(THINGS.replace("MEMBER", "value: {$string: {}, changes: once}")))
    talk.call("make", value="a")
    id_ = talk.body["id"]
    talk.call("touch", id=id_, value="b")

    assert talk.call("get", id=id_).mismatches == ()
    assert kinds(talk.call("get", put("value", "c"), id=id_)) == ["stored"]


COUNTS = """
troth: 1
provider: counts
types: {Count: {id: {$id: {prefix: c_}}, version: {$integer: {}, MODIFIER}}}
state: {counts: {of: $Count, key: id}}
operations:
  make:
    request: {method: POST, path: /c}
    responses: {made: {status: 201, json: {$Count: {version: 1}}, effects: [put: counts]}}
  turn:
    request: {method: POST, path: "/c/{id}"}
    let: {count: state.counts(path.id)}
    responses:
      missing: {when: not count, status: 404}
      turned: {status: 200, json: {$Count: {version: "{{ count.version + 1 }}"}, from: count}, effects: [put: counts]}
"""


@pytest.mark.parametrize(
    ("modifier", "version", "found"),
    [
        ("changes: up", 3, []),
        ("changes: freely", 1, []),
        ("changes: up", 1, ["value"]),
        ("changes: never", 3, ["value"]),
        ("changes: once", 3, ["value"]),
    ],
)
def test_what_is_worked_out_from_what_may_change_may_be_more(modifier: str, version: int, found: list[str]) -> None:
    """Somebody else may have turned it too, between our last look and now: then it is 3 where we expect 2."""
    talk = Talk(contract_of(COUNTS.replace("MODIFIER", modifier)))
    talk.call("make")

    assert kinds(talk.call("turn", put("version", version), id=talk.body["id"])) == found


def test_what_is_new_is_as_it_is_said() -> None:
    """Nothing can have changed it yet."""
    talk = Talk(contract_of(COUNTS.replace("MODIFIER", "changes: up")))

    assert kinds(talk.call("make", put("version", 2))) == ["value"]
