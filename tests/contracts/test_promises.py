"""What an effect says that only the provider knows (`now`, a new id) is held against it when it is first seen."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.talk import Talk, contract_of, kinds, put

START = 1_750_000_000

JOBS = """
troth: 1
provider: jobs
types:
  Job:
    id: {$id: {prefix: j_}}
    status: {$enum: [queued, running, done]}
    started: {$nullable: {$timestamp: unix}, default: null}
    ended: {$nullable: {$timestamp: rfc3339}, default: null}
    receipt: {$nullable: $uuid, default: null}
    touched: {$timestamp: unix, changes: up}
    expires?: {$timestamp: unix}
    note?: $string
state:
  jobs:
    of: $Job
    key: id
    moves:
      ends:
        when: it.status == "running"
        takes: 10s..20s
        effects: [{set: it, to: {status: done, ended: "{{ now }}", receipt: $uuid}}]
operations:
  make:
    request: {method: POST, path: /j}
    responses:
      made:
        status: 201
        json: {$Job: {status: queued, started: null, ended: null, receipt: null, touched: "{{ now }}"}}
        effects: [put: jobs]
  start:
    request: {method: POST, path: "/j/{id}/start"}
    let: {job: state.jobs(path.id)}
    responses:
      missing: {when: not job, status: 404}
      started:
        status: 204
        effects:
          - set: job
            to: {status: running, started: "{{ now }}", touched: "{{ now }}", expires: "{{ now + 60 }}"}
  get:
    request: {method: GET, path: "/j/{id}"}
    let: {job: state.jobs(path.id)}
    responses:
      missing: {when: not job, status: 404}
      found: {status: 200, json: "{{ job }}"}
scenarios: {one: {steps: [{call: make}]}}
"""


@pytest.fixture
def talk() -> Talk:
    talk = Talk(contract_of(JOBS), skew=2.5)
    assert talk.call("make").mismatches == ()
    return talk


def begun(talk: Talk) -> str:
    """The id of a job that was started at ``talk.now - 1``."""
    key = str(talk.body["id"])
    assert talk.call("start", id=key).mismatches == ()
    return key


def found(talk: Talk, change: Any = None) -> list[tuple[str, str]]:
    return [(item.kind, item.path) for item in talk.call("get", change, id=begun(talk)).mismatches]


def test_a_provider_that_does_what_the_effect_says(talk: Talk) -> None:
    """Nothing to find, and what was seen must stay."""
    key = begun(talk)

    assert talk.call("get", id=key).mismatches == ()
    assert kinds(talk.call("get", put("started", talk.body["started"] + 1), id=key)) == ["stored"]


@pytest.mark.parametrize(
    ("field", "value"), [("started", 0), ("started", START - 500), ("touched", START - 500), ("expires", START + 7_000)]
)
def test_a_time_that_is_not_the_time_of_the_change(talk: Talk, field: str, value: int) -> None:
    """``{{ now }}`` in an effect is a demand, as it is in a reply."""
    assert found(talk, put(field, value)) == [("value", f"$.{field}")]


def test_no_time_at_all(talk: Talk) -> None:
    """Nullable, but set."""
    assert found(talk, put("started", None)) == [("value", "$.started")]


def test_an_optional_field_that_was_set_and_is_not_there(talk: Talk) -> None:
    """The provider forgot it."""
    assert found(talk, lambda job: job.pop("expires")) == [("missing_field", "$.expires")]


@pytest.mark.parametrize("off", [-2, 2])
def test_a_clock_that_is_off_by_as_much_as_is_known_of_it(talk: Talk, off: int) -> None:
    """The skew and a second of resolution are allowed."""
    assert found(talk, put("started", int(talk.now) + off)) == []


def test_what_only_goes_up_may_have_gone_on_since(talk: Talk) -> None:
    """``changes: up``: somebody else touched it later."""
    assert found(talk, put("touched", int(talk.now) + 100)) == []


def moved(talk: Talk, change: Any = None) -> list[str]:
    key = begun(talk)
    talk.now += 60
    return kinds(talk.call("get", change, id=key))


def test_a_move_that_is_made_as_the_contract_says(talk: Talk) -> None:
    """A time within the bounds of the move, and a new id."""
    assert moved(talk) == []


@pytest.mark.parametrize(("field", "kind"), [("ended", "value"), ("receipt", "null")])
def test_a_move_that_leaves_out_what_it_sets(talk: Talk, field: str, kind: str) -> None:
    """Null is neither a time nor a UUID."""
    assert moved(talk, put(field, None)) == [kind]


def test_a_move_at_a_time_out_of_its_bounds(talk: Talk) -> None:
    """The status is right; the time says that the job ended before it began."""
    assert moved(talk, put("ended", "2025-06-15T15:06:30.125Z")) == ["value"]


def test_a_move_with_fractions_of_seconds(talk: Talk) -> None:
    """15.25 seconds after the start."""
    assert moved(talk, put("ended", "2025-06-15T15:06:56.250Z")) == []


def test_a_move_that_came_and_began_anew(talk: Talk) -> None:
    """Started again when it may have ended, by somebody who did not look: it ends after the second start."""
    key = begun(talk)
    talk.now += 15
    talk.call("start", id=key)
    talk.now += 60

    assert kinds(talk.call("get", id=key)) == []
