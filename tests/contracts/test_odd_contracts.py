"""Odd contracts that are right: they load, their samples fit, and no reply, however wrong, is too much for a judge."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from fakes.talk import Talk, contract_of

from troth.contracts.exchange import Response
from troth.contracts.model.explore import Explored, Explorer
from troth.contracts.model.model import Model

STEPS = 40
WRONG = (None, True, 0, -1, 1.5, "", "x", [], {}, [None], {"id": {"id": 1}}, 10**30)
HEAD = """\
troth: 1
provider: p
types:
  Thing: {id: {$id: {prefix: t_, length: 8}}, name: $string, note?: $string}
state:
  things: {of: $Thing, key: id}
operations:
  create:
    request: {method: POST, path: /things, json: {name: $string, note?: $string}}
    responses:
      invalid: {when: mismatch, status: 400}
      created: {status: 201, json: {$Thing: {}, from: body}, effects: [put: things]}
"""


def reply(body: str, types: str = "", let: str = "{}", seeds: str = "[]") -> str:
    """A contract with one more operation, whose reply has this body."""
    head = HEAD.replace("types:\n", f"types:\n  {types}\n") if types else HEAD
    head = head.replace("key: id}", f"key: id, seeds: {seeds}}}")
    return f"""{head}  odd:
    request: {{method: POST, path: "/odd/{{id}}", query: {{n?: $integer}}, json: $any}}
    let: {let}
    responses:
      ok: {{status: 200, json: {body}}}
"""


def echo(type_name: str, types: str) -> str:
    """A contract with one more operation, which shows the type that it is sent."""
    head = HEAD.replace("types:\n", f"types:\n  {types}\n")
    return f"""{head}  odd:
    request: {{method: POST, path: /odd, json: ${type_name}}}
    responses:
      invalid: {{when: mismatch, status: 400}}
      ok: {{status: 200, json: {{${type_name}: {{}}, from: body}}}}
"""


def walk(text: str, seed: int = 0) -> Iterator[tuple[Model, Explored]]:
    """A judge and what it is to judge."""
    contract = contract_of(text)
    judge = Model(contract, world="open")
    for step in Explorer(contract, seed).walk(STEPS):
        if step.name is not None:
            yield judge, step


def findings(text: str) -> set[str]:
    """What a judge has against the samples."""
    return {
        f"{step.operation.name}.{step.name} {found.kind} {found.path}"
        for judge, step in walk(text)
        for found in judge.judge(step.request, step.response, step.when, step.operation.name).mismatches
    }


def changed(body: bytes, random: Random) -> bytes:
    """The JSON with one part dropped, or replaced by something wrong."""
    value = json.loads(body) if body else {}
    where, at = value, None
    while isinstance(where, dict | list) and where and (at is None or random.random() < 0.7):
        parent, at = where, random.choice(list(where) if isinstance(where, dict) else range(len(where)))
        where = parent[at]
    if at is None:
        return json.dumps(random.choice(WRONG)).encode()
    if random.random() < 0.25:
        del parent[at]
    else:
        parent[at] = random.choice(WRONG)
    return json.dumps(value).encode()


LIST = """\
  list:
    request: {method: GET, path: /things}
    let: {all: {$select: things, order: [name]}}
    responses:
      ok: {status: 200, json: {items: "{{ all.items }}", more: "{{ all.more }}"}}
  get:
    request: {method: GET, path: "/things/{id}"}
    let: {thing: state.things(path.id)}
    responses:
      missing: {when: not thing, status: 404}
      found: {status: 200, json: "{{ thing }}"}
"""


def moving(moves: str) -> str:
    """A contract whose records change by themselves."""
    head = HEAD.replace("note?: $string}\n", "n: {$integer: {}, default: 0, changes: freely}}\n", 1)
    return head.replace("key: id}", f"key: id, moves: {{{moves}}}}}") + LIST


def changing(effects: str) -> str:
    """A contract with an operation that has these effects."""
    return f"""{HEAD}{LIST}  change:
    request: {{method: POST, path: "/things/{{id}}", json: {{l: {{$array: $string}}}}}}
    let: {{thing: state.things(path.id), all: {{$select: things}}}}
    responses:
      invalid: {{when: mismatch, status: 400}}
      ok: {{status: 200, effects: [{effects}]}}
"""


RIGHT: dict[str, Any] = {
    "a type behind $nullable": reply("$Node", "Node: {v: $string, next: {$nullable: $Node}}"),
    "types behind each other's $nullable": reply(
        "$A", "A: {b: {$nullable: $B}}\n  B: {a: $C}\n  C: {b: {$nullable: $B}, a: {$nullable: $A}, n: {$nullable: $C}}"
    ),
    "a tree that is sent": echo(
        "Node", "Node: {v: $string, next?: $Node, kids: {$array: $Node}, up: {$nullable: $Node, default: null}}"
    ),
    "a deep structure": reply("{a: " * 40 + "$string" + "}" * 40),
    "anything": reply(
        "{time: {$any: {}, is: now}, rows: {$any: {}, is: all.items}, row: {$any: {}, is: thing},"
        " map: {$map: $any, is: thing}, sent: {$any: {}, is: body}}",
        let="{thing: state.things('t_00000000'), all: {$select: things}}",
        seeds="[{id: t_00000000, name: a}]",
    ),
    "a branch with a default": reply(
        "{a: {$case: query.n, of: {'1': $string}, else: $integer, default: 5},"
        " b: {$if: query.n, then: $any, default: x}}"
    ),
    "values in texts": reply(
        "{a: {$encoded: $integer, as: text}, j: {$encoded: {$encoded: {a: $integer}, as: json}, as: base64},"
        " f: {$encoded: {$array: $number, size: 2}, as: base64_f32}, b: {$encoded: $bytes, as: base64}}"
    ),
    "values in texts that are kept": HEAD.replace(
        "note?: $string}\n", "odd: {$encoded: {a: $integer}, as: json}}\n", 1
    ).replace("key: id", "key: id, seeds: [{id: t_00000000, name: a, odd: {a: 7}}]")
    + """  list:
    request: {method: GET, path: /things}
    let: {all: {$select: things}, first: state.things('t_00000000')}
    responses:
      ok: {status: 200, json: {items: "{{ all.items }}", first: "{{ first }}"}}
""",
    "a number as text": reply("none").replace("json: none", "text: {$integer: {min: 5}}"),
    "an empty form": reply("none").replace("json: none", "form: {a?: $string}"),
    "records that expire": moving("m: {when: 'true', takes: 5s..20s, effects: [{delete: it}]}"),
    "a move that repeats": moving("m: {when: 'true', takes: 1ms..1s, effects: [{set: it, to: {n: '{{ it.n + 1 }}'}}]}"),
    "a move that repeats at once": moving(
        "m: {when: 'true', takes: 0s..0s, effects: [{set: it, to: {n: '{{ it.n + 1 }}'}}]}"
    ),
    "moves to and fro": moving(
        "a: {when: it.n == 0, takes: 0s..1s, effects: [{set: it, to: {n: 1}}]},"
        " b: {when: it.n == 1, takes: 0s..1s, effects: [{set: it, to: {n: 0}}]}"
    ),
    "many moves at once": moving(
        ", ".join(f"m{i}: {{when: 'true', takes: 0s..60s, effects: [{{set: it, to: {{n: {i}}}}}]}}" for i in range(12))
    ),
    "changes of everything": changing("{set: state.things(one.id), each: all.items, as: one, to: {name: a}}"),
    "the end of everything": changing("{delete: state.things(one.id), each: all.items, as: one}"),
    "new names for everything": changing(
        "{put: things, each: all.items, as: one, value: {id: '{{ one.id }}', name: b}}"
    ),
    "keys that may be none": changing("{put: things, each: body.l, as: one, value: {id: '{{ one }}', name: c}}"),
    "a key that is no key": changing("{put: things, value: {id: '{{ path.id }}', name: c}}"),
    "a page of negative size": reply(
        "{l: '{{ all.items }}'}", let="{all: {$select: things, size: query.n, order: ['-name', note]}}"
    ),
    "a map that is not empty": reply(
        "{m: {$map: $integer, size: 2}, e: {$map: $integer, size: 1, keys: {$enum: [x, y]}}}"
    ),
    "alternatives that may be absent": reply(
        "{a: {$any_of: [{$if: query.n, then: 1}, 2]}, b: {$any_of: [{$optional: $string}, $integer]},"
        " c: {$nullable: {$optional: $string}}}"
    ),
    "types that are large only on paper": echo(
        "A20",
        "A0: {x?: $string}\n" + "".join(f"  A{i}: {{l?: $A{i - 1}, r?: $A{i - 1}}}\n" for i in range(1, 21)),
    ).replace("{$A20: {}, from: body}", "$A20"),
}


@pytest.mark.parametrize("case", RIGHT)
def test_samples_fit(case: str) -> None:
    """A judge who knows nothing has nothing against them."""
    assert findings(RIGHT[case]) == set()


@pytest.mark.parametrize("case", RIGHT)
def test_no_reply_is_too_much(case: str) -> None:
    """Whatever comes back is judged, without an exception."""
    random = Random(case)
    for judge, step in walk(RIGHT[case]):
        body = changed(step.response.body, random)
        wrong = Response(step.response.status, step.response.headers, body)
        judge.judge(step.request, wrong, step.when, step.operation.name)


def test_a_type_in_itself_is_copied_and_compared() -> None:
    """``from`` reaches as deep as what was sent."""
    text = echo("Node", "Node: {v: $string, next?: $Node, up: {$nullable: $Node, default: null}}")
    contract = contract_of(text)
    sent = {"v": "a", "next": {"v": "b", "up": {"v": "c", "up": None}}, "up": {"v": "d", "up": {"v": "e", "up": None}}}
    talk = Talk(contract)
    assert talk.call("odd", **{f"body__{name}": value for name, value in sent.items()}).mismatches == ()
    shown = json.loads(talk.reply.body)
    assert shown["next"]["up"]["v"] == "c"
    assert shown["up"]["up"]["v"] == "e"

    def other(body: dict[str, Any]) -> None:
        body["next"]["up"]["v"] = "x"

    found = talk.call("odd", other, **{f"body__{name}": value for name, value in sent.items()})
    assert [(item.kind, item.path) for item in found.mismatches] == [("value", "$.next")]


def test_a_case_is_chosen_by_what_is_not_a_text_too() -> None:
    """Keys of YAML are texts; the values that they stand for need not be."""
    text = reply(
        "{n: {$case: query.n, of: {'1': one, '2': two}, else: many},"
        " b: {$case: query.n > 1, of: {'true': more, 'false': less}},"
        " a: {$case: query.n, of: {'null': x}, else: {$case: data.none, of: {'null': nothing}}}}"
    ).replace("types:", "data: {none: null}\ntypes:", 1)
    talk = Talk(contract_of(text))
    for n, shown in (
        (1, ["one", "less", "nothing"]),
        (2, ["two", "more", "nothing"]),
        (3, ["many", "more", "nothing"]),
    ):
        assert talk.call("odd", path__id="x", query__n=n, body__a=1).mismatches == ()
        assert list(talk.body.values()) == shown


def test_what_stands_inside_of_a_text_is_known_by_its_value() -> None:
    """Expressions and state have the value; the wire has the text, encoded once."""
    text = (
        HEAD.replace("note?: $string}\n", "odd: {$encoded: {a: $integer}, as: json}}\n", 1).replace("body}", "body}", 1)
        + """  double:
    request: {method: POST, path: "/things/{id}"}
    let: {thing: state.things(path.id)}
    responses:
      missing: {when: not thing, status: 404}
      doubled:
        status: 200
        json: {n: {$integer: {}, is: thing.odd.a * 2}}
        effects: [{set: thing, to: {odd: "{{ {'a': thing.odd.a * 2} }}"}}]
"""
    ).replace("""{set: thing, to: {odd: "{{ {'a': thing.odd.a * 2} }}"}}""", "{set: thing, to: {name: doubled}}")
    talk = Talk(contract_of(text))
    assert talk.call("create", body__name="x").mismatches == ()
    wire = json.loads(talk.reply.body)["odd"]
    assert json.loads(wire) == talk.body["odd"]
    key, n = talk.body["id"], talk.body["odd"]["a"]
    assert talk.call("double", path__id=key).mismatches == ()
    assert talk.body == {"n": n * 2}


def test_arithmetic_on_what_has_another_form_is_undecided() -> None:
    """One finding, where the form is shown; what is worked out from it is not known, and nothing breaks."""
    text = """
troth: 1
provider: p
types: {Charge: {id: $uuid, amount: $integer, left: {$integer: {}, changes: freely}}}
state: {charges: {of: $Charge, key: id}}
operations:
  create:
    request: {method: POST, path: /charges, json: {amount: $integer}}
    responses:
      created: {status: 200, json: {$Charge: {left: "{{ body.amount }}"}, from: body}, effects: [put: charges]}
  spend:
    request: {method: POST, path: "/charges/{id}", json: {amount: $integer}}
    let: {charge: state.charges(path.id), rest: charge.left - body.amount}
    responses:
      missing: {when: not charge, status: 404}
      too_much: {when: rest < 0, status: 400}
      spent:
        status: 200
        json: {rest: {$integer: {}, is: rest}, twice: {$integer: {}, is: charge.left * 2 - body.amount}}
        effects: [{set: charge, to: {left: "{{ charge.left - body.amount }}"}}]
"""
    talk = Talk(contract_of(text))

    def retyped(body: dict[str, Any]) -> None:
        body["left"] = {"value": 5}

    created = talk.call("create", retyped, body__amount=5)
    assert [(item.kind, item.path) for item in created.mismatches] == [("type", "$.left")]
    key = talk.body["id"]
    spent = talk.call("spend", path__id=key, body__amount=2)
    assert (spent.response, spent.mismatches) == ("spent", ())
    assert spent.unjudged
    assert talk.call("spend", path__id=key, body__amount=9).mismatches == ()


def test_a_record_that_is_gone_too_early_or_too_late_is_found() -> None:
    """A move that deletes is a version like any other."""
    text = moving("m: {when: 'true', takes: 5s..20s, effects: [{delete: it}]}")

    def gone(body: dict[str, Any]) -> Response:
        return Response(404)

    talk = Talk(contract_of(text))
    talk.call("create", body__name="a")
    early = talk.call("get", gone, path__id=talk.body["id"])
    assert [item.kind for item in early.mismatches] == ["early"]

    talk = Talk(contract_of(text))
    talk.call("create", body__name="a")
    key, kept = talk.body["id"], talk.reply
    talk.now += 60
    assert talk.call("get", path__id=key).response == "missing"
    late = Talk(contract_of(text))
    late.call("create", body__name="a")
    late.now += 60
    found = late.call("get", lambda body: Response(200, kept.headers, kept.body), path__id=key)
    assert [item.kind for item in found.mismatches] == ["late"]
