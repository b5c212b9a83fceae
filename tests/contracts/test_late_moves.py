"""Changes that a provider makes by itself: stuck half way is late, and what may have come or not is counted."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.talk import Talk, contract_of, put

PARCELS = """
troth: 1
provider: parcels
types: {Parcel: {id: {$id: {prefix: p_}}, state: {$enum: [packed, sent, there]}}}
state:
  parcels:
    of: $Parcel
    key: id
    moves:
      goes: {when: it.state == "packed", takes: 5s..10s, effects: [{set: it, to: {state: sent}}]}
      comes: {when: it.state == "sent", takes: 5s..10s, effects: [{set: it, to: {state: there}}]}
operations:
  make:
    request: {method: POST, path: /p}
    responses: {made: {status: 201, json: {$Parcel: {state: packed}}, effects: [put: parcels]}}
  get:
    request: {method: GET, path: "/p/{id}"}
    let: {parcel: state.parcels(path.id)}
    responses:
      missing: {when: not parcel, status: 404}
      found: {status: 200, json: "{{ parcel }}"}
  list:
    request: {method: GET, path: /p}
    let: {page: {$select: parcels}}
    responses: {page: {status: 200, json: {data: "{{ page.items }}"}}}
"""


def seen(after: int, state: str, operation: str) -> Any:
    """The judgement of a parcel in this state, so many seconds after it was packed."""
    talk = Talk(contract_of(PARCELS))
    talk.call("make")
    key = talk.body["id"]
    talk.now += after - 1
    if operation == "list":
        return talk.call("list", put("data.0.state", state))
    return talk.call("get", put("state", state), id=key)


def found(judgement: Any) -> list[tuple[str, str]]:
    return [(item.kind, item.path) for item in judgement.mismatches]


WHERE = pytest.mark.parametrize(("operation", "path"), [("get", "$.state"), ("list", "$.data[0].state")])


@WHERE
@pytest.mark.parametrize("state", ["packed", "sent"])
def test_a_chain_that_is_stuck(operation: str, path: str, state: str) -> None:
    """At its beginning, or in the middle: after a minute the parcel is there."""
    assert found(seen(60, state, operation)) == [("late", path)]


@WHERE
def test_a_change_that_comes_too_early(operation: str, path: str) -> None:
    """After two seconds nothing has been sent."""
    assert found(seen(2, "sent", operation)) == [("early", path)]


@WHERE
@pytest.mark.parametrize(
    ("after", "state"), [(2, "packed"), (7, "packed"), (7, "sent"), (14, "sent"), (14, "there"), (60, "there")]
)
def test_changes_in_time(operation: str, path: str, after: int, state: str) -> None:
    """Each within its bounds, the chain as a whole too."""
    assert found(seen(after, state, operation)) == []


@WHERE
@pytest.mark.parametrize(("after", "open_"), [(2, False), (7, True), (14, True), (60, False)])
def test_an_open_timer_is_counted(operation: str, path: str, after: int, open_: bool) -> None:
    """Both the old and the new would have been right: that was no exact check."""
    state = {2: "packed", 7: "sent", 14: "there", 60: "there"}[after]

    assert any(why.reason == "timer" for why in seen(after, state, operation).unjudged) == open_
