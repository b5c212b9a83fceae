"""`given`: records that somebody else put on a target, in a contract, on a simulator and to a judge."""

from __future__ import annotations

import json

import pytest
from fakes.talk import contract_of, kinds

from troth.contracts.contract import Contract
from troth.contracts.exchange import Interval, Request, Response
from troth.contracts.model.model import Model
from troth.errors import ContractError, UsageError
from troth.simulators.simulator import Simulator

CONTRACT = """
troth: 1
provider: plans
data: {{fixtures: {{sandbox: price_sb, simulator: price_sim}}}}
types:
  Plan: {{id: $string, amount: {{$integer: {{min: 1}}}}, name: $string, note?: $string}}
state: {{plans: {{of: $Plan, key: id}}}}
operations:
  get:
    request: {{method: GET, path: "/plans/{{id}}"}}
    let: {{plan: state.plans(path.id)}}
    responses:
      missing: {{when: not plan, status: 404, json: {{}}}}
      found: {{status: 200, json: "{{{{ plan }}}}"}}
  list:
    request: {{method: GET, path: /plans}}
    let: {{page: {{$select: plans}}}}
    responses: {{listed: {{status: 200, json: {{data: "{{{{ page.items }}}}"}}}}}}
  drop:
    request: {{method: DELETE, path: "/plans/{{id}}"}}
    let: {{plan: state.plans(path.id)}}
    responses:
      missing: {{when: not plan, status: 404, json: {{}}}}
      dropped: {{status: 204, effects: [{{delete: plan}}]}}
scenarios:
  the plan is there:
    {given}
    steps:
      - call: get
        with: {{id: "{{{{ plan.id }}}}"}}
        expect: {{response: found, json: {{amount: "{{{{ plan.amount }}}}"}}}}
"""
GIVEN = 'given: {plan: {plans: {id: "{{ data.fixtures(target.name) }}", amount: 1200}}}'


@pytest.fixture(scope="module")
def contract() -> Contract:
    return contract_of(CONTRACT.format(given=GIVEN))


def get(key: str) -> Request:
    return Request("GET", f"/plans/{key}")


def test_a_simulator_makes_up_what_is_not_written(contract: Contract) -> None:
    """Required fields, the same each time; optional ones are not there."""
    bodies = []
    for _ in range(2):
        simulator = Simulator(contract)
        simulator.given("plans", id="price_1", amount=1200)
        bodies.append(json.loads(simulator.handle(get("price_1")).body))
    assert bodies[0] == bodies[1]
    assert (bodies[0]["id"], bodies[0]["amount"]) == ("price_1", 1200)
    assert bodies[0]["name"]
    assert "note" not in bodies[0]
    assert simulator.handle(get("price_2")).status == 404


def test_what_the_simulator_did_with_a_record_stays(contract: Contract) -> None:
    """Given again, it is neither brought back nor changed."""
    simulator = Simulator(contract)
    simulator.given("plans", id="a", amount=1)
    simulator.given("plans", id="a", amount=2)
    assert json.loads(simulator.handle(get("a")).body)["amount"] == 1
    assert simulator.handle(Request("DELETE", "/plans/a")).status == 204
    simulator.given("plans", id="a", amount=3)
    assert simulator.handle(get("a")).status == 404
    simulator.reset()
    assert simulator.handle(get("a")).status == 404


def judge(contract: Contract, request: Request, body: object, status: int = 200, operation: str = "get") -> list[str]:
    """The findings about a reply, for a judge that was given a plan."""
    model = Model(contract, world="open")
    model.given("plans", {"id": "price_1", "amount": 1200}, 1.0)
    response = Response(status, ((b"Content-Type", b"application/json"),), json.dumps(body).encode())
    return kinds(model.judge(request, response, Interval(2.0, 3.0), operation, ()))


def test_a_judge_knows_what_is_written_and_no_more(contract: Contract) -> None:
    """The written fields must be so; the others may be anything that fits; it is never demanded in lists."""
    plan = {"id": "price_1", "amount": 1200, "name": "Pro", "note": "new"}
    assert judge(contract, get("price_1"), plan) == []
    assert judge(contract, get("price_1"), plan | {"amount": 1300}) == ["stored"]
    assert judge(contract, get("price_1"), plan | {"name": 1}) == ["type"]
    assert judge(contract, get("price_1"), {}, status=404) == ["response"]
    assert judge(contract, Request("GET", "/plans"), {"data": []}, operation="list") == []


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        ("given: {plan: {plan: {id: a}}}", "E064", "Did you mean 'plans'?"),
        ("given: {plan: {plans: {id: a, amout: 1}}}", "E168", "Did you mean 'amount'?"),
        ("given: {plan: {plans: {id: a, amount: 0}}}", "E168", "whose amount fits"),
        ("given: {plan: {plans: {amount: 1}}}", "E168", "the key 'id'"),
        ("given: {plan: {plans: {id: a}, others: {id: b}}}", "E031", "one record"),
        ("given: {plan: [a]}", "E031", "one record"),
        ("given: [plans]", "E031", "given"),
        ('given: {plan: {plans: {id: "{{ this.id }}", amount: 1}}}', "E356", "this"),
        ("given: {data: {plans: {id: a, amount: 1}}}", "E357", "data"),
        ("given: {plan: {plans: {id: a}}}", "E356", "plan.amount"),
    ],
)
def test_mistakes_are_named_with_their_place(given: str, code: str, words: str) -> None:
    """In the words of the contract."""
    with pytest.raises(ContractError) as caught:
        contract_of(CONTRACT.format(given=given))
    hit = [problem for problem in caught.value.problems if problem.code == code]
    assert hit, caught.value.problems
    assert words in f"{hit[0].asked} {hit[0].found} {hit[0].fix}"
    assert hit[0].place.line in (27, 31)


@pytest.mark.parametrize(
    ("collection", "fields", "words"),
    [("plan", {"id": "a"}, "Did you mean 'plans'?"), ("plans", {"amount": 1}, "the key 'id'")],
)
def test_a_test_that_gives_nonsense_is_told(
    contract: Contract, collection: str, fields: dict[str, object], words: str
) -> None:
    """Before any request."""
    with pytest.raises(UsageError) as caught:
        Simulator(contract).given(collection, **fields)  # type: ignore[arg-type]
    assert caught.value.code == "E309"
    assert words in f"{caught.value.asked} {caught.value.fix}"
