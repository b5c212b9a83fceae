"""What is written in another way and means the same: tails of binary fractions, weak tags, byte order marks."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from fakes.talk import Talk, contract_of, kinds, put

from troth.contracts.exchange import Response

SUMS = """
troth: 1
provider: sums
types: {Sum: {id: {$id: {prefix: s_}}, total: $number, any: $any, list: {$array: $number}}}
state: {sums: {of: $Sum, key: id, also: {tag: $etag}}}
operations:
  add:
    request: {method: POST, path: /s, json: {a: $number, b: $number}}
    responses:
      added:
        status: 201
        headers: {ETag: $etag}
        json: {$Sum: {total: "{{ body.a + body.b }}", any: "{{ body.a + body.b }}", list: ["{{ body.a + body.b }}"]}}
        effects: [{put: sums, also: {tag: "{{ reply.headers.etag }}"}}]
  get:
    request: {method: GET, path: "/s/{id}"}
    let: {sum: state.sums(path.id)}
    responses:
      missing: {when: not sum, status: 404}
      found: {status: 200, headers: {ETag: {$etag: {}, is: sum.tag}}, json: "{{ sum }}"}
"""


@pytest.fixture
def talk() -> Talk:
    return Talk(contract_of(SUMS))


def sums(total: Any) -> Callable[[Any], None]:
    return lambda body: body.update(total=total, any=total, list=[total])


@pytest.mark.parametrize("said", [0.3, 0.30000000000000004])
def test_the_tail_of_a_binary_fraction_is_no_value(talk: Talk, said: float) -> None:
    assert talk.call("add", sums(said), a=0.1, b=0.2).mismatches == ()
    assert talk.call("get", sums(0.3), id=talk.body["id"]).mismatches == ()


@pytest.mark.parametrize("said", [0.300000001, 0.3000000001, 0.4])
def test_anything_more_than_that_is(talk: Talk, said: float) -> None:
    assert kinds(talk.call("add", sums(said), a=0.1, b=0.2)) == ["value"] * 3


@pytest.mark.parametrize(("again", "found"), [("1", []), ("2", ["stored"])])
def test_digits_that_only_decimals_hold_are_exact(talk: Talk, again: str, found: list[str]) -> None:
    """A provider that rounds what it showed with twenty digits before."""

    def exact(status: int, last: str) -> Callable[[Any], Response]:
        return lambda body: Response(
            status,
            ((b"Content-Type", b"application/json"), (b"ETag", b'"a"')),
            json.dumps({**body, "total": "T"}).replace('"T"', f"1234567890.1234567890{last}").encode(),
        )

    talk.call("add", exact(201, "1"), a=0, b=0)
    talk.judge.reset()
    id_ = talk.body["id"]
    talk.call("get", exact(200, "1"), id=id_)

    assert kinds(talk.call("get", exact(200, again), id=id_)) == found


def test_a_strong_tag_may_become_weak_on_the_way(talk: Talk) -> None:
    talk.call("add", a=1, b=2)

    def tagged(change: Callable[[bytes], bytes]) -> Callable[[Any], Response]:
        return lambda body: Response(
            200,
            tuple((name, change(value) if name == b"ETag" else value) for name, value in talk.reply.headers),
            json.dumps(body).encode(),
        )

    id_ = talk.body["id"]
    assert talk.call("get", tagged(lambda tag: b"W/" + tag), id=id_).mismatches == ()
    assert kinds(talk.call("get", tagged(lambda tag: b'"other"'), id=id_)) == ["header"]


def test_a_byte_order_mark_is_no_part_of_json(talk: Talk) -> None:
    def marked(body: Any) -> Response:
        return Response(201, talk.reply.headers, b"\xef\xbb\xbf" + json.dumps(body).encode())

    judgement = talk.call("add", marked, a=1, b=2)
    assert (judgement.mismatches, judgement.unobserved) == ((), None)

    def wrong(body: Any) -> Response:
        return marked({**body, "total": 4})

    assert kinds(talk.call("add", wrong, a=1, b=2)) == ["value"]
    assert kinds(talk.call("add", put("total", 4), a=1, b=2)) == ["value"]
