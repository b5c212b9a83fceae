"""Small contracts that are wrong in one way each: the message has a code, says where, and says what was found."""

from __future__ import annotations

from pathlib import Path

import pytest

from troth.contracts.loader import load
from troth.errors import ContractError

HEAD = """\
troth: 1
provider: p
types:
  Other: {b: $integer}
  Thing: {id: {$id: {prefix: t_, length: 8}}, name: $string, note?: $string}
state:
  things: {of: $Thing, key: id}
operations:
  create:
    request: {method: POST, path: /things, json: {name: $string, note?: $string}}
    responses:
      created: {status: 201, json: {$Thing: {}, from: body}, effects: [put: things]}
  get:
    request: {method: GET, path: "/things/{id}"}
    let: {thing: state.things(path.id)}
    responses:
      missing: {when: not thing, status: 404}
      found: {status: 200, json: "{{ thing }}"}
"""
ODD = """\
  odd:
    request: {method: POST, path: "/odd/{id}", query: {a?: $string, n?: $integer}, json: {name?: $string}}
"""


def problems_of(tmp_path: Path, text: str) -> list[str]:
    """``CODE found`` of each problem; every one has a place in the file."""
    file = tmp_path / "contract.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ContractError) as caught:
        load(file)
    assert all(problem.place.line and problem.place.file for problem in caught.value.problems)
    return [f"{problem.code} {problem.found}" for problem in caught.value.problems]


def odd(let: str = "{}", response: str = "{status: 200}", more: str = "") -> str:
    """A good contract with one more operation."""
    return f"{HEAD}{ODD}    let: {let}\n    responses:\n      ok: {response}\n{more}"


def with_field(matcher: str) -> str:
    """A good contract with one more field in its type."""
    return HEAD.replace("name: $string, note", f"name: $string, odd: {matcher}, note", 1)


def with_types(*types: str) -> str:
    """A good contract with more types."""
    return HEAD.replace("types:\n", "types:\n" + "".join(f"  {line}\n" for line in types), 1)


def chain(length: int, *fields: str) -> list[str]:
    """Types of which each has the one before in every field."""
    return [
        "A0: {x: $string}",
        *(f"A{i}: {{{', '.join(f'{name}: $A{i - 1}' for name in fields)}}}" for i in range(1, length + 1)),
    ]


CASES = {
    # Names
    "a name that needs itself": (odd("{a: a + 1}"), "E179 'a' needs 'a'"),
    "names in a circle": (odd("{a: b, b: c or path.id, c: state.things(a)}"), "E179 'a' needs 'b' needs 'c' needs 'a'"),
    "a list that needs itself": (odd("{p: {$select: things, size: p.total}}"), "E179 'p' needs 'p'"),
    "two meanings of a name": (
        odd(
            response="{let: {x: path.id}, when: x == 'a', status: 200}",
            more="      no: {let: {x: query.a}, status: 201}\n",
        ),
        "E069 another one at",
    ),
    # Collections
    "$link to a list": (with_field("{$link: [things]}"), "E162 ['things']"),
    "$link to a number": (with_field("{$link: 5}"), "E162 5"),
    "$select of a mapping": (odd("{p: {$select: {a: 1}}}"), "E162 {'a': 1}"),
    "a default of a link": (with_field("{$link: things, default: []}"), "E153 [], array"),
    # Values
    "a demand that does not fit": (with_field("{$integer: {}, is: [1]}"), "E153 [1], array"),
    "a time in a number": (with_field("{$integer: {}, is: now}"), "E153 'now', a time"),
    # Paths and patterns
    "a parameter twice": (
        odd().replace("/odd/{id}", "/o/{id}/{id}"),
        "E280 '/o/{id}/{id}': the parameter 'id' comes twice",
    ),
    "braces": (odd().replace("/odd/{id}", "/odd/{id"), "E280 '/odd/{id': the braces of '{id' do not pair up"),
    "a nested set": (with_field('{$string: {pattern: "[[a-z]"}}'), "E253 '[[a-z]': Possible nested set"),
    "a set difference": (with_field('{$string: {pattern: "[a--z]"}}'), "E253 '[a--z]': Possible set difference"),
    "parts of a text side by side": (with_field("{$pattern: '{a}{b}', parts: {a: $id, b: $id}}"), "E186 '{a}{b}'"),
    "a part that is an object": (with_field("{$pattern: 'x-{a}', parts: {a: $Other}}"), "E186 {a}, which has parts"),
    "a part that is not there": (with_field("{$pattern: 'x-{a}', parts: {a: '{{ parts.b }}'}}"), "E156 parts.b"),
    "an expectation with a modifier that is none": (
        HEAD + "scenarios:\n  s: {steps: [{call: create, expect: {json: {id: {$timestamp: unix, is: now}}}}]}\n",
        "E250 'is'",
    ),
    # Carriers
    "a codec that is a mapping": (odd().replace("json: {name?", "as: [{a: 1}], body: {name?"), "E035 a mapping"),
    "bytes in JSON": (odd(response="{status: 200, json: {a: {$array: $bytes}}}"), "E183 $bytes in it"),
    "a file in a JSON request": (with_field("$file"), "E183 $file in it"),
    "an object as text": (odd(response="{status: 200, text: $Thing}"), "E183 an object"),
    "null as text": (odd(response="{status: 200, text: null}"), "E183 the literal None"),
    "a text as bytes": (odd(response="{status: 200, bytes: $string}"), "E183 $string"),
    "a text as a form": (odd(response="{status: 200, form: {$nullable: $string}}"), "E183 $string"),
    "a list as a multipart body": (odd().replace("json: {name?: $string}}", "multipart: [$file]}"), "E183 a list"),
    "a header twice": (odd(response="{status: 200, headers: {X-A: $string, x-a: b}}"), "E187 X-A and x-a"),
    "an object in Base64": (with_field("{$encoded: {a: $string}, as: base64}"), "E161 $object"),
    "texts as floats": (with_field("{$encoded: {$array: $string}, as: base64_f32}"), "E161 $array"),
    # Keys and sizes
    "a seed that is a matcher": (HEAD.replace("key: id}", "key: id, seeds: [{$string: {}}]}"), "E168 None"),
    "a seed without its key": (HEAD.replace("key: id}", "key: id, seeds: [{name: a}]}"), "E168 name"),
    "a seed whose key is none": (
        HEAD.replace("key: id}", "key: id}\n  free: {key: id, seeds: [{id: null}]}"),
        "E168 None",
    ),
    "a key that is a link to itself": (
        HEAD.replace("id: {$id: {prefix: t_, length: 8}}", "id: {$link: things}"),
        "E167 a link to itself",
    ),
    "keys that are links to each other": (
        HEAD.replace("id: {$id: {prefix: t_, length: 8}}", "id: {$link: others}")
        .replace("Other: {b: $integer}", "Other: {b: {$link: things}}")
        .replace("state:", "state:\n  others: {of: $Other, key: b}"),
        "E167 others is that of things is that of others",
    ),
    "a key that is none": (HEAD.replace("{$id: {prefix: t_, length: 8}}", "$boolean"), "E167 $boolean"),
    "another key for a record": (
        odd("{thing: state.things(path.id)}", "{status: 200, effects: [{set: thing, to: {id: t_00000000}}]}"),
        "E185 id",
    ),
    "fewer than no items": (odd("{p: {$select: things, size: -1}}"), "E152 -1"),
    # Types
    "a type that is itself": (with_types("A: $A"), "E172 it always contains A"),
    "a type that is itself, or null": (
        with_types("A: {$nullable: $B}", "B: {$any_of: [$A, $string]}"),
        "E172 it is A again",
    ),
    "a list of itself that is never empty": (with_types("A: {l: {$array: $A, size: 2}}"), "E184 more than 100 levels"),
    "a type around itself": (with_types("A: {x?: {$closed: $A}}"), "E172 '$A'"),
    "a type that overrides itself": (with_types("A: {v: $string, x?: {$A: {v: a}}}"), "E172 $A inside of itself"),
    "a type that is deep": (with_types(*chain(120, "l")), "E184 more than 100 levels"),
    "a type that is large": (with_types(*chain(20, "l", "r")), "E184 196,607 values in the smallest one"),
    "a long list": (with_field("{$array: $string, size: 200000}"), "E184 200,004 values in the smallest one"),
    "a large body": (
        odd(response="{status: 200, json: {$array: {$array: $Thing, size: 1000}, size: 1000}}"),
        "E184 3,001,001 values in the smallest one",
    ),
    "from over very many fields": (
        odd(response="{status: 200, json: {$A20: {}, from: body}}").replace(
            "types:\n", "types:\n" + "".join(f"  {line}\n" for line in chain(20, "l?", "r?"))
        ),
        "E184 $A20 with more",
    ),
}


def test_a_condition_that_is_wrong_is_a_condition_all_the_same(tmp_path: Path) -> None:
    """Nobody is told to write one where it stands."""
    text = HEAD.replace("when: not thing", "when: not thing = 1")

    assert problems_of(tmp_path, text) == ["E103 `=`"]


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_said(tmp_path: Path, case: str) -> None:
    """One mistake is one message, and it is the first."""
    text, said = CASES[case]
    first, *_ = problems_of(tmp_path, text)

    assert first.startswith(said)
