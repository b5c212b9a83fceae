"""A scenario that needs a fixture, on a real provider that has it, has it otherwise, or lost it."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.runs import findings, on_sandbox, on_simulator, outcomes
from fakes.talk import contract_of
from fakes.tiny_server import Reply, TinyServer

CONTRACT = """
troth: 1
provider: plans
data: {fixtures: {sandbox: {id: price_sb}, simulator: {id: price_sim}}}
types: {Plan: {id: $string, amount: $integer, name: $string}}
state: {plans: {of: $Plan, key: id}}
operations:
  get:
    request: {method: GET, path: "/plans/{id}"}
    let: {plan: state.plans(path.id)}
    responses:
      missing: {when: not plan, status: 404, json: {}}
      found: {status: 200, json: "{{ plan }}"}
scenarios:
  a plan:
    part: true
    given: {plan: {plans: {id: "{{ data.fixtures(target.name).id }}", amount: 1200}}}
    steps: [{call: get, with: {id: "{{ plan.id }}"}, expect: found, keep: {name: this.name}}]
  the plan is there:
    steps:
      - {include: a plan, as: pro}
      - {call: get, with: {id: "{{ pro.plan.id }}"}, expect: {response: found, json: {name: "{{ pro.name }}"}}}
"""
PLAN = {"id": "price_sb", "amount": 1200, "name": "Pro"}


@pytest.mark.parametrize(
    ("status", "plan", "found"),
    [
        (200, PLAN, []),
        (200, PLAN | {"amount": 1300}, ["1.a plan.1 stored $.amount"]),
        (404, {}, ["1.a plan.1 response response"]),
    ],
)
def test_a_sandbox_is_held_to_what_is_written(status: int, plan: dict[str, Any], found: list[str]) -> None:
    """By the key of that target; what is not written is learnt at first sight, and then known."""
    with TinyServer(lambda seen: Reply(status, plan)) as server:
        done = on_sandbox(contract_of(CONTRACT), server.url)
    assert {seen.path for seen in server.seen} == {"/plans/price_sb"}
    assert [line for line in findings(done) if "expect" not in line][: len(found)] == found
    assert bool(findings(done)) is (plan != PLAN)


def test_a_simulator_is_given_it() -> None:
    """The same scenario, with nobody who made it."""
    done = on_simulator(contract_of(CONTRACT))
    assert findings(done) == []
    assert outcomes(done) == {"the plan is there": "ok"}
    assert "/plans/price_sim" in done.results[0].exchange.url
