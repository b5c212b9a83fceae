"""The sixteen rules of the model (ARCHITECTURE.md), each with a test that bears its name."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakes.talk import Talk, contract_of, kinds, put

from troth.contracts.exchange import Interval, Request, Response
from troth.contracts.model.model import Model
from troth.contracts.model.worlds import worlds

JSON = ((b"Content-Type", b"application/json"),)

PAY = """
troth: 1
provider: pay
types:
  Error: {error: {code: {$enum: [missing, declined, invalid, too_much]}, message: $text}}
  Charge:
    id: {$id: {prefix: ch_, length: 8}}
    object: charge
    amount: {$integer: {min: 1}}
    currency: {$string: {pattern: "[a-z]{3}"}}
    status: {$enum: [pending, succeeded, failed]}
    refunded: {$integer: {min: 0}, default: 0}
    created: {$timestamp: unix}
    updates: {$integer: {}, default: 0, changes: up}
    note?: {$nullable: $string, default: null}
    settled: {$nullable: $uuid, default: null, changes: once}
state:
  charges:
    of: $Charge
    key: id
    moves:
      settles:
        when: it.status == "pending"
        takes: 10s..30s
        simulated: 20s
        effects: [{set: it, to: {status: succeeded, settled: $uuid}}]
defaults:
  responses:
    throttled: {when: maybe, status: 429, means: exhausted, json: $Error}
    invalid: {when: mismatch, status: 422, json: {$Error: {error: {code: invalid}}}}
operations:
  create:
    request:
      method: POST
      path: /charges
      headers: {Idempotency-Key?: $string}
      json:
        amount: {$integer: {min: 1}}
        currency: {$string: {pattern: "[a-z]{3}"}}
        card?: $string
        note?: {$nullable: $string}
    idempotency:
      key: headers.idempotency_key
      same: [body]
      replay: {headers: {Replayed: "true"}}
      conflict: {status: 409, json: $Error}
      skip: [invalid, throttled]
    responses:
      declined: {when: body.card == "bad", status: 402, json: {$Error: {error: {code: declined}}}}
      slow:
        when: maybe
        status: 200
        json: {$Charge: {status: pending, created: "{{ now }}"}, from: body}
        effects: [put: charges]
      created:
        status: 200
        json: {$Charge: {status: succeeded, created: "{{ now }}"}, from: body}
        effects: [put: charges]
  get:
    request: {method: GET, path: "/charges/{id}"}
    let: {charge: state.charges(path.id)}
    responses:
      missing: {when: not charge, status: 404, json: {$Error: {error: {code: missing}}}}
      found: {status: 200, json: "{{ charge }}"}
  refund:
    request: {method: POST, path: "/charges/{id}/refund", json: {amount: {$integer: {min: 1}}}}
    let: {charge: state.charges(path.id), left: charge.amount - charge.refunded}
    responses:
      missing: {when: not charge, status: 404, json: {$Error: {error: {code: missing}}}}
      too_much: {when: body.amount > left, status: 400, json: {$Error: {error: {code: too_much}}}}
      refunded:
        status: 200
        json: {id: {$id: {prefix: re_}}, amount: "{{ body.amount }}", charge: {$link: charges}}
        effects: [{set: charge, to: {refunded: "{{ charge.refunded + body.amount }}"}}]
  list:
    request: {method: GET, path: /charges, query: {limit?: {$integer: {min: 1, max: 100}, default: 10}}}
    let: {page: {$select: charges, order: [-created], size: query.limit}}
    responses:
      page: {status: 200, json: {more: "{{ page.more }}", data: "{{ page.items }}"}}
scenarios:
  a charge is kept:
    steps: [{call: create, with: {amount: 5, currency: eur}, expect: created}]
"""


@pytest.fixture(scope="module")
def contract() -> Any:
    return contract_of(PAY)


@pytest.fixture
def talk(contract: Any) -> Talk:
    return Talk(contract)


def pay(talk: Talk, **values: Any) -> str:
    """Make a charge without any finding; its id."""
    judgement = talk.call("create", **{"amount": 100, "currency": "eur", **values})
    assert judgement.mismatches == ()
    return str(talk.body["id"])


def test_rule_1_nondeterminism_is_an_argument(talk: Talk) -> None:
    """The same prediction samples the first legal answer, and lets the real reply pick when it judges."""
    asked: list[int] = []

    def predict(choose: Any) -> tuple[int, int]:
        asked.append(1)
        return choose("a", 2), choose("b", 3)

    assert [world.prediction for world in worlds(predict)] == [(0, 0), (1, 0), (0, 1), (0, 2), (1, 1), (1, 2)]

    assert talk.call("create", amount=1, currency="eur").response == "created"
    assert talk.call("create", steer="slow", amount=1, currency="eur").response == "slow"


def test_rule_2_illegal_answers_are_options_with_a_cost(talk: Talk) -> None:
    """A key that is ignored is one finding, not a new id, a new time and whatever else differs."""
    pay(talk, headers__Idempotency_Key="k1")
    request = talk.request
    other = talk.provider.respond(Request("POST", "/charges", "", JSON, request.body), talk.now)
    talk.request, talk.reply = request, other.response

    judgement = talk.listen("create")

    assert kinds(judgement) == ["idempotency_ignored"]
    assert judgement.response == "created"


def test_rule_2_a_fault_met_before_does_not_hide_that_a_key_was_ignored(talk: Talk) -> None:
    """A provider that has everything else wrong too: the second answer is new, not a bad replay of the first."""

    def bad(body: dict[str, Any]) -> None:
        for name in ("object", "currency", "status", "refunded", "updates", "settled", "created"):
            body.pop(name)

    talk.call("create", bad, amount=100, currency="eur", headers__Idempotency_Key="k1")
    talk.reply = Response(200, JSON, talk.reply.body.replace(b"ch_", b"ch_x"))

    assert kinds(talk.listen("create"))[0] == "idempotency_ignored"


def test_rule_2_an_explanation_must_be_cheaper_than_what_it_explains(talk: Talk) -> None:
    """One wrong value stays a wrong value, although another declared response has this status too."""
    judgement = talk.call("create", put("error.code", "invalid"), amount=1, currency="eur", card="bad")

    assert [(found.kind, found.path) for found in judgement.mismatches] == [("value", "$.error.code")]


def test_rule_2_an_invalid_request_that_is_accepted(talk: Talk) -> None:
    """The provider takes what the contract calls invalid: one finding that names the field."""
    good = talk.provider.respond(
        Request("POST", "/charges", "", JSON, b'{"amount":1,"currency":"eur"}'),
        talk.now,
    ).response
    judgement = talk.call("create", lambda body: good, amount=0, currency="eur")

    assert [(found.kind, found.path) for found in judgement.mismatches] == [("invalid_accepted", "amount")]


def test_rule_3_a_prediction_keeps_what_it_read(contract: Any) -> None:
    """Comparing gets no state: a record that changes after the prediction does not change what was predicted."""
    model = Model(contract, seed=1)
    created = json.loads(
        model.respond(Request("POST", "/charges", "", (), b'{"amount":1,"currency":"eur"}'), 1.0).response.body
    )
    record = model.state.get("charges", created["id"])
    assert record is not None

    changed = record.replaced({**record.values, "amount": 2})
    model.state.put(changed)

    assert record.values["amount"] == 1
    assert model.state.get("charges", created["id"]).values["amount"] == 2  # type: ignore[union-attr]


def test_rule_4_only_what_a_condition_reads_forks_the_world(talk: Talk) -> None:
    """Eight open timers in one list are settled row by row, not in 256 worlds."""
    for _ in range(8):
        talk.call("create", steer="slow", amount=1, currency="eur")
    talk.now += 8

    judgement = talk.call("list")

    assert judgement.mismatches == ()
    assert judgement.worlds <= 2


def test_rule_5_the_provider_is_followed(talk: Talk) -> None:
    """A wrong value is one finding; the next read of the same value is none."""
    key = pay(talk)
    assert kinds(talk.call("get", put("amount", 90), id=key)) == ["stored"]

    assert talk.call("get", put("amount", 90), id=key).mismatches == ()


def test_rule_5_an_object_where_a_link_was_due_gives_its_key(talk: Talk) -> None:
    """The type is wrong, and the key goes on."""
    key = pay(talk)

    judgement = talk.call("refund", put("charge", {"id": key, "object": "charge"}), id=key, amount=1)

    assert [(found.kind, found.path) for found in judgement.mismatches] == [("type", "$.charge")]
    assert talk.body["charge"] == key


def test_rule_6_a_doubtful_field_keeps_both_values(talk: Talk) -> None:
    """The promised value coming back is a consequence; a third value is a finding of its own."""
    key = pay(talk)
    talk.call("get", put("amount", 90), id=key)

    again = talk.call("get", put("amount", 100), id=key)
    third = talk.call("get", put("amount", 33), id=key)

    assert [(found.kind, bool(found.caused_by)) for found in again.mismatches] == [("stored", True)]
    assert kinds(third) == ["stored"]


def test_rule_7_a_finding_is_named_by_its_origin(talk: Talk) -> None:
    """The same field of a type has the same origin wherever it is shown."""
    key = pay(talk)
    one = talk.call("get", put("currency", "EUR"), id=key)
    many = talk.call("list", put("data.0.currency", "EUR"))

    origins = {str(found.origin) for found in (*one.mismatches, *many.mismatches)}

    assert origins == {"Charge.currency"}


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308, 401, 402, 403, 407, 408, 429, 500, 503])
def test_rule_8_undeclared_trouble_is_unobserved(talk: Talk, status: int) -> None:
    """Neither agreement nor drift, and no effect."""
    key = pay(talk)

    judgement = talk.call("get", lambda body: Response(status, (), b"{}"), id=key)

    assert judgement.unobserved is not None
    assert judgement.mismatches == ()
    assert judgement.agreed == frozenset()
    assert talk.call("get", id=key).mismatches == ()


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (((b"Content-Type", b"text/html"),), b"<!doctype html><p>Down for maintenance"),
        (JSON, b'{"id": "ch_'),
        (JSON, b'{"id": "\xff\xfe"}'),
        (JSON, b'{"a": "' + b"x" * 9_000_000 + b'"}'),
    ],
    ids=["html", "cut", "utf8", "huge"],
)
def test_rule_8_what_cannot_be_read_is_unobserved(talk: Talk, headers: Any, body: bytes) -> None:
    """HTML for JSON, broken JSON, broken UTF-8, too much of it."""
    judgement = talk.call("get", lambda _: Response(200, headers, body), id=pay(talk))

    assert judgement.unobserved is not None
    assert judgement.unobserved.verdict == "unreachable"


@pytest.mark.parametrize(
    ("address", "words"),
    [
        (b"https://user:pass@login.example/?next=token", "a redirect to login.example, which is not followed"),
        (b"/elsewhere", "a redirect to another path, which is not followed"),
        (b"https://[", "a redirect to another path, which is not followed"),
        (None, "a redirect without an address"),
    ],
)
def test_rule_8_a_redirect_says_where_to_and_no_more(talk: Talk, address: bytes | None, words: str) -> None:
    """The rest of its address may be anything, also a credential."""
    headers = ((b"Location", address),) if address else ()

    judgement = talk.call("get", lambda body: Response(302, headers, b""), id=pay(talk))

    assert judgement.unobserved is not None
    assert judgement.unobserved.reason == f"the provider answered 302, {words}"


def test_rule_8_another_undeclared_answer_is_one_finding(talk: Talk) -> None:
    """A 410 is drift, without a finding for each field."""
    judgement = talk.call("get", lambda body: Response(410, (), b""), id=pay(talk))

    assert kinds(judgement) == ["undeclared"]


def test_rule_8_a_response_that_means_trouble_counts_only_when_expected(talk: Talk) -> None:
    """A declared 429 is exhaustion, unless the step wants to prove it."""
    judgement = talk.call("create", steer="throttled", amount=1, currency="eur")
    assert judgement.unobserved is not None

    expected = talk.listen("create", expects=("throttled",))

    assert (judgement.unobserved.verdict, expected.unobserved, expected.response) == ("exhausted", None, "throttled")


def test_rule_9_a_wrong_value_does_not_hide_under_a_wrong_type(talk: Talk) -> None:
    """``"100"`` for 100 is a type; ``"90"`` for 100 is a type and a value."""
    lossless = talk.call("create", put("amount", "100"), amount=100, currency="eur")
    wrong = talk.call("create", put("amount", "90"), amount=100, currency="eur")

    assert (kinds(lossless), kinds(wrong)) == (["type"], ["type", "value"])


@pytest.mark.parametrize("other", [True, 1.0, "1", None, [1], {"a": 1}])
def test_rule_9_types_are_strict(talk: Talk, other: Any) -> None:
    """``true``, ``1`` and ``1.0`` differ."""
    judgement = talk.call("create", put("amount", other), amount=1, currency="eur")

    assert kinds(judgement)[0] in ("type", "null")


def test_rule_10_a_condition_that_fails_is_undecided() -> None:
    """A doubtful value that makes ``when`` fail does not stop the judge."""
    contract = contract_of(PAY.replace("body.amount > left", "(charge.currency > body.amount)"))
    talk = Talk(contract)
    key = pay(talk)

    judgement = talk.judge.judge(
        Request("POST", f"/charges/{key}/refund", "", JSON, b'{"amount":1}'),
        Response(
            200,
            JSON,
            json.dumps({"id": "re_1", "amount": 1, "charge": key}).encode(),
        ),
        Interval(talk.now, talk.now),
        "refund",
    )

    assert judgement.response == "refunded"
    assert any(why.reason == "when" for why in judgement.unjudged)


def test_rule_11_agreement_is_evidence(talk: Talk) -> None:
    """What was exercised and held is listed by origin, what failed is not."""
    judgement = talk.call("create", put("currency", "EUR"), amount=1, currency="eur")

    agreed = {str(origin) for origin in judgement.agreed}

    assert {"Charge.amount", "Charge.status", "create.created"} <= agreed
    assert "Charge.currency" not in agreed


def test_rule_12_leniency_is_counted(talk: Talk) -> None:
    """Every widening is said: an unknown record, ``maybe``, an open list."""
    unknown = talk.call("get", id="ch_someones")
    maybe = talk.call("create", amount=1, currency="eur")
    page = talk.call("list")

    assert "when" in {why.reason for why in unknown.unjudged}
    assert "maybe" in {why.reason for why in maybe.unjudged}
    assert "unknown" in {why.reason for why in page.unjudged}


def test_rule_13_time_is_an_interval(talk: Talk) -> None:
    """A creation time within the clock's uncertainty agrees; one outside does not."""
    start = int(talk.now)
    near = talk.call("create", put("created", start), amount=1, currency="eur")
    far = talk.call("create", put("created", start - 60), amount=1, currency="eur")

    assert (kinds(near), kinds(far)) == ([], ["value"])


def test_rule_13_moves_are_judged_by_interval(talk: Talk) -> None:
    """Too early, in time, and too late are three things."""

    def state(at: float, status: str) -> list[str]:
        one = Talk(talk.contract)
        one.call("create", steer="slow", amount=1, currency="eur")
        key = one.body["id"]
        one.now = 1_750_000_000.0 + at

        def change(body: dict[str, Any]) -> None:
            body["status"] = status
            body["settled"] = None if status == "pending" else "86550063-f821-4c48-9c5b-4f7482fd6c05"

        return kinds(one.call("get", change, id=key))

    assert state(2, "pending") == []
    assert state(2, "succeeded") == ["early"]
    assert state(15, "pending") == []
    assert state(15, "succeeded") == []
    assert state(60, "succeeded") == []
    assert state(60, "pending") == ["late"]


def test_rule_14_what_others_made_is_unknown_not_absent(talk: Talk) -> None:
    """A record that this run never met may be there or not; once seen, it is known."""
    key = pay(talk)
    stranger = Talk(talk.contract)
    stranger.provider = talk.provider

    assert stranger.call("get", id=key).response == "found"
    assert kinds(stranger.call("get", put("amount", 7), id=key)) == ["stored"]
    assert stranger.call("get", id="ch_never").response == "missing"


def test_rule_14_in_a_simulators_closed_world_it_does_not_exist(contract: Any) -> None:
    """A simulator knows everything."""
    answer = Model(contract).respond(Request("GET", "/charges/ch_never"), 1.0)

    assert answer.name == "missing"


def test_rule_15_another_declared_response_is_one_finding_and_its_effects_apply(talk: Talk) -> None:
    """A refund above the amount that is accepted: one ``response`` finding, and what was created is known."""
    declined = talk.call("create", amount=1, currency="eur", card="bad")
    assert declined.response == "declined"

    good = Talk(talk.contract)
    good.call("create", amount=1, currency="eur")
    judgement = talk.call("create", lambda body: good.reply, amount=1, currency="eur", card="bad")

    assert [(found.kind, found.observed) for found in judgement.mismatches] == [("response", "created")]
    assert judgement.created


def test_rule_16_every_sample_is_judged_well(contract: Any) -> None:
    """What the model says, a fresh judge accepts: a walk of 300 exchanges without a finding."""
    from troth.contracts.model.explore import Explorer

    judge = Model(contract, world="open")
    seen = set()
    for step in Explorer(contract, seed=3).walk(300):
        judgement = judge.judge(step.request, step.response, step.when, step.operation.name, (step.name or "",))
        assert judgement.mismatches == ()
        assert judgement.response == step.name
        seen.add(f"{step.operation.name}.{step.name}")

    assert {"create.created", "create.slow", "get.found", "get.missing", "list.page", "create.invalid"} <= seen


def test_equal_requests_to_equal_states_get_equal_bytes(contract: Any) -> None:
    """Same contract, seed, clock and order: same bytes. An extra call in front changes no other id."""
    create = Request("POST", "/charges", "", JSON, b'{"amount":1,"currency":"eur"}')
    one, two, three = Model(contract, seed=1), Model(contract, seed=1), Model(contract, seed=2)
    two.respond(Request("GET", "/charges"), 1.0)

    first = one.respond(create, 1.0).response.body

    assert two.respond(create, 1.0).response.body == first
    assert three.respond(create, 1.0).response.body != first
    assert one.respond(create, 1.0).response.body != first
