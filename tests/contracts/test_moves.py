"""Moves and lists: what may be true meanwhile is held against nobody, and what may not is found."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from fakes.talk import Talk, contract_of, kinds, put

from troth.contracts.exchange import Interval, Response
from troth.contracts.matcher import Origin

JOBS = """
troth: 1
provider: jobs
types:
  Job: {id: {$id: {prefix: j_}}, rank: {$integer: {}, default: 0}, name: $string}
state:
  jobs:
    of: $Job
    key: id
    also: {phase: $string}
    moves:
      rises:
        {when: it.rank < 10, takes: 10s..30s, simulated: 20s, effects: [{set: it, to: {rank: "{{ it.rank + 10 }}"}}]}
      turns: {when: it.phase == "new", takes: 10s..30s, simulated: 20s, effects: [{set: it, to: {phase: old}}]}
operations:
  make:
    request: {method: POST, path: /j, json: {rank: $integer, name: $string}}
    responses: {made: {status: 201, json: {$Job: {}, from: body}, effects: [{put: jobs, also: {phase: new}}]}}
  get:
    request: {method: GET, path: "/j/{id}"}
    let: {job: state.jobs(path.id)}
    responses: {missing: {when: not job, status: 404}, found: {status: 200, json: "{{ job }}"}}
  fresh:
    request: {method: GET, path: /fresh}
    let: {page: {$select: jobs, where: it.phase == "new"}}
    responses: {page: {status: 200, json: {data: "{{ page.items }}"}}}
  list:
    request: {method: GET, path: /j, query: {after?: $string, limit?: {$integer: {min: 1}, default: 10}}}
    let: {page: {$select: jobs, size: query.limit, after: query.after, order: [rank]}}
    responses: {page: {status: 200, json: {data: "{{ page.items }}", more: "{{ page.more }}"}}}
"""


@pytest.fixture
def talk() -> Talk:
    """Three jobs: one that rises to 11 between its 10th and its 30th second, and two at rest."""
    talk = Talk(contract_of(JOBS))
    for rank in (1, 20, 12):
        talk.call("make", rank=rank, body__name="n")
    return talk


def page_of(*data: dict[str, Any], more: bool) -> Callable[[dict[str, Any]], None]:
    return lambda body: body.update(data=list(data), more=more)


def jobs(talk: Talk) -> dict[int, dict[str, Any]]:
    """Each job by its rank, as the list shows it now."""
    talk.call("list")
    return {row["rank"]: row for row in json.loads(talk.reply.body)["data"]}


def test_a_record_that_may_have_moved_up_may_come_on_the_next_page_again(talk: Talk) -> None:
    first = jobs(talk)[1]
    talk.call("list", page_of(first, more=True), limit=1)
    talk.now += 15

    moved = {**first, "rank": 11}
    assert talk.call("list", page_of(moved, more=True), limit=1, after=first["id"]).mismatches == ()


def test_a_record_that_cannot_have_moved_yet_may_not(talk: Talk) -> None:
    found = jobs(talk)
    talk.call("list", page_of(found[1], more=True), limit=1)

    again = talk.call("list", page_of(found[1], found[12], more=True), limit=2, after=found[1]["id"])
    assert kinds(again) == ["list_duplicate"]


def test_a_record_that_may_have_moved_down_may_be_on_no_page(talk: Talk) -> None:
    """It stands before the 10 or after it: that the page has only the 10 says nothing, that it has all but it does."""
    talk.call("make", rank=10, body__name="n")
    found = jobs(talk)
    talk.now += 15

    page = talk.call("list", page_of(found[10], more=True), limit=1)
    assert page.mismatches == ()
    page = talk.call("list", page_of(found[10], found[12], found[20], more=False), limit=9)
    assert kinds(page) == ["list_missing"]


def test_no_more_is_not_refuted_by_a_record_that_may_stand_before(talk: Talk) -> None:
    """The page ends at 10, and the record stands at 1 or at 11."""
    first = jobs(talk)[1]
    own = {**first, "id": "j_" + "z" * 24, "rank": 10}
    for job in jobs(talk).values():
        if job["rank"] > 10:
            talk.judge.state.delete("jobs", job["id"])
    talk.now += 15

    assert talk.call("list", page_of(own, more=False), limit=1).mismatches == ()
    talk.now += 30
    assert kinds(talk.call("list", page_of(own, more=False), limit=1)) == ["list_more"]


def test_a_list_may_be_filtered_by_what_it_hides_and_a_move_changes(talk: Talk) -> None:
    """Old or new: nobody can say, and the list shows it either way."""
    talk.now += 15

    assert talk.call("fresh").mismatches == ()
    assert talk.call("fresh", put("data", [])).mismatches == ()


def test_what_a_move_has_surely_changed_is_no_longer_in_the_list(talk: Talk) -> None:
    shown = list(jobs(talk).values())
    talk.now += 40

    rows = [{**row, "rank": 11 if row["rank"] == 1 else row["rank"]} for row in shown]
    assert kinds(talk.call("fresh", put("data", rows))) == ["list_filter"] * 3


def test_a_move_that_came_before_its_time_was_up_has_agreed(talk: Talk) -> None:
    """So that the history knows it, should it come too late one night."""
    key = talk.call("make", rank=1, body__name="n").created[0][1]
    talk.now += 15
    still = talk.call("get", put("rank", 1), id=key)
    risen = talk.call("get", put("rank", 11), id=key)

    assert (still.mismatches, risen.mismatches) == ((), ())
    assert Origin("jobs.moves.rank", "") not in still.agreed
    assert Origin("jobs.moves.rank", "") in risen.agreed


def test_two_moves_run_beside_each_other(talk: Talk) -> None:
    """That one has come does not start the other anew: after 15 seconds both may have come."""
    first = jobs(talk)[1]
    talk.now += 15

    moved = talk.call("get", put("rank", 11), id=first["id"])
    assert moved.mismatches == ()
    assert talk.call("fresh", put("data", [])).mismatches == ()


def test_a_move_that_a_list_showed_begins_anew_from_there(talk: Talk) -> None:
    """From -5 to 5, and 20 seconds later to 15: that the list has shown the 5 says when the second wait began."""
    talk.call("make", rank=-5, body__name="n")
    talk.now += 24
    assert -5 not in jobs(talk)
    talk.now += 8
    assert talk.call("list").mismatches == ()
    assert 5 in {row["rank"] for row in talk.body["data"]}
    talk.now += 60

    assert kinds(talk.call("list", lambda body: body["data"][0].update(rank=5))) == ["stored"]


CHAIN = """
troth: 1
provider: chain
types: {Job: {id: {$id: {prefix: j_}}, stage: {$integer: {}, default: 0}}}
state:
  jobs:
    of: $Job
    key: id
    moves:
      next: {when: it.stage < MOST, takes: 0s..100s, effects: [{set: it, to: {stage: "{{ it.stage + 1 }}"}}]}
operations:
  make:
    request: {method: POST, path: /j}
    responses: {made: {status: 201, json: $Job, effects: [put: jobs]}}
  get:
    request: {method: GET, path: "/j/{id}"}
    let: {job: state.jobs(path.id)}
    responses: {missing: {when: not job, status: 404}, found: {status: 200, json: "{{ job }}"}}
"""


@pytest.mark.parametrize("most", [7, 8, 20, 1000])
def test_a_chain_of_moves_may_be_anywhere(most: int) -> None:
    """However many moves there are: at the last stage after ten seconds, where each takes up to a hundred."""
    talk = Talk(contract_of(CHAIN.replace("MOST", str(most))))
    talk.call("make")
    talk.now += 10

    assert talk.call("get", put("stage", most), id=talk.body["id"]).mismatches == ()


def test_a_chain_that_is_too_long_to_say_is_counted() -> None:
    talk = Talk(contract_of(CHAIN.replace("MOST", "20")))
    talk.call("make")
    talk.now += 10

    judgement = talk.call("get", put("stage", 20), id=talk.body["id"])
    assert "limit" in {why.reason for why in judgement.unjudged}


def test_a_stage_that_no_chain_leads_to_is_found() -> None:
    talk = Talk(contract_of(CHAIN.replace("MOST", "7")))
    talk.call("make")
    talk.now += 10

    assert kinds(talk.call("get", put("stage", 8), id=talk.body["id"])) == ["stored"]


def test_moves_that_may_come_in_any_order_are_one_version_each_way() -> None:
    """Three that have nothing to do with each other: eight versions, and not sixteen ways to them."""
    moves = "\n".join(
        f"      m{n}: {{when: it.f{n} == 0, takes: 0s..100s, effects: [{{set: it, to: {{f{n}: 1}}}}]}}"
        for n in range(3)
    )
    head, _, tail = CHAIN.partition("      next:")
    text = f"{head}{moves}\noperations:{tail.partition('operations:')[2]}"
    fields = ", ".join(f"f{n}: {{$integer: {{}}, default: 0}}" for n in range(3))
    talk = Talk(contract_of(text.replace("stage: {$integer: {}, default: 0}", fields)))
    talk.call("make")
    talk.now += 10
    id_ = talk.body["id"]

    judgement = talk.call("get", lambda body: body.update(f0=1, f1=1, f2=1), id=id_)
    assert judgement.mismatches == ()
    assert "limit" not in {why.reason for why in judgement.unjudged}


def test_judging_many_long_chains_takes_no_time() -> None:
    talk = Talk(contract_of(CHAIN.replace("MOST", "1000")))
    talk.call("make")
    when = Interval(talk.now, talk.now + 1)
    record = next(iter(talk.judge.state.records("jobs")))
    scope = talk.judge._scope(None, {}, when, None, lambda *_: 0)  # type: ignore[arg-type]

    assert [type(version).__name__ for version in scope.versions(record)] == ["Unknown"]


PASSES = """
troth: 1
provider: passes
types:
  Pass: {id: {$id: {prefix: p_}}, used: {$boolean: {}, default: false, changes: freely}, state: {$enum: [new, old]}}
state:
  passes:
    of: $Pass
    key: id
    also: {short: $boolean}
    moves:
      ages: {when: it.state == "new" and it.used, takes: 10s..20s, effects: [{set: it, to: {state: old}}]}
      expires: {when: it.short, takes: 10s..20s, effects: [{delete: it}]}
operations:
  make:
    request: {method: POST, path: /p, json: {short: $boolean}}
    responses:
      made: {status: 201, json: {$Pass: {state: new}}, effects: [{put: passes, also: {short: "{{ body.short }}"}}]}
  get:
    request: {method: GET, path: "/p/{id}"}
    let: {pass: state.passes(path.id)}
    responses: {missing: {when: not pass, status: 404}, found: {status: 200, json: "{{ pass }}"}}
"""


@pytest.fixture
def passes() -> Talk:
    return Talk(contract_of(PASSES))


def shown(**values: Any) -> Callable[[Any], Response]:
    body = json.dumps({"id": "p_" + "x" * 24, "used": True, **values}).encode()
    return lambda _: Response(200, ((b"Content-Type", b"application/json"),), body)


def test_nobody_knows_since_when_a_move_of_others_is_under_way(passes: Talk) -> None:
    """It may come the next moment, and comes within 20 seconds from when we saw that it must."""
    id_ = "p_" + "x" * 24
    passes.call("get", shown(state="new"), id=id_)

    assert passes.call("get", shown(state="old"), id=id_).mismatches == ()
    passes.judge.reset()
    passes.call("get", shown(state="new"), id=id_)
    passes.now += 40
    assert kinds(passes.call("get", shown(state="new"), id=id_)) == ["late"]


def test_what_may_be_under_way_may_come_at_any_time_or_never(passes: Talk) -> None:
    """Whether the pass of somebody else is a short one, nobody can say."""
    id_ = "p_" + "x" * 24
    passes.call("get", shown(state="old"), id=id_)
    assert passes.call("get", lambda _: Response(404), id=id_).mismatches == ()

    passes.judge.reset()
    passes.call("get", shown(state="old"), id=id_)
    passes.now += 100
    assert passes.call("get", shown(state="old"), id=id_).mismatches == ()
    assert kinds(passes.call("get", shown(state="new"), id=id_)) == ["stored"]


def test_of_our_own_it_is_known(passes: Talk) -> None:
    passes.call("make", short=False)
    id_ = passes.body["id"]
    assert kinds(passes.call("get", lambda _: Response(404), id=id_)) == ["response"]


def test_a_change_that_starts_a_move_came_at_some_time_since_the_last_look(passes: Talk) -> None:
    """It was used after half a minute, as it may be; from then on it has up to 20 seconds."""
    passes.call("make", short=False)
    id_ = passes.body["id"]
    passes.now += 30
    assert passes.call("get", put("used", True), id=id_).mismatches == ()

    assert passes.call("get", put("used", True), id=id_).mismatches == ()
    passes.now += 40
    assert kinds(passes.call("get", put("used", True), id=id_)) == ["late"]


def test_what_a_page_announces_may_be_gone_by_a_move() -> None:
    talk = Talk(contract_of(PASSES + LISTED))
    talk.call("make", short=False)
    talk.now += 60
    talk.call("make", short=True)
    talk.now += 12
    judgement = talk.call("list", lambda body: body.update(more=True, data=body["data"][-1:]), limit=1)
    assert judgement.mismatches == ()
    first = talk.body["data"][0]["id"]

    assert talk.call("list", lambda body: body.update(more=False, data=[]), limit=1, after=first).mismatches == ()


LISTED = """
  list:
    request: {method: GET, path: /p, query: {after?: $string, limit?: {$integer: {min: 1}, default: 10}}}
    let: {page: {$select: passes, size: query.limit, after: query.after}}
    responses: {page: {status: 200, json: {data: "{{ page.items }}", more: "{{ page.more }}"}}}
"""
