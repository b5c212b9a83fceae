"""A simulator of a real contract: state, steering, tenants of nothing but bytes, secrets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fakes.raw_client import Message, RawClient, get, post

from troth.contracts.contract import Contract
from troth.contracts.exchange import Request
from troth.errors import ContractError, UsageError
from troth.simulators.simulator import Simulator

KEY = "Authorization: Bearer sk_test_canary_4242"
CHARGE = b"amount=1200&source=tok_visa"
FORM = "Content-Type: application/x-www-form-urlencoded"


def create(client: RawClient, body: bytes = CHARGE) -> Message:
    return client.ask(post(body, "/v1/charges", FORM, KEY))


def test_what_was_created_is_found(acme: Simulator) -> None:
    with RawClient(acme.url) as client:
        created = json.loads(create(client).body)
        found = json.loads(client.ask(get(f"/v1/charges/{created['id']}", KEY)).body)
    assert created == found
    assert (created["amount"], created["status"], created["created"]) == (1200, "succeeded", 1_767_225_600)


def test_json_and_form_are_the_same_request(acme: Simulator) -> None:
    with RawClient(acme.url) as client:
        body = b'{"amount": 1200, "source": "tok_visa"}'
        reply = client.ask(post(body, "/v1/charges", "Content-Type: application/json", KEY))
        assert (reply.status, json.loads(reply.body)["amount"]) == (200, 1200)


def test_a_declared_refusal_is_the_providers_not_troths(acme: Simulator) -> None:
    with RawClient(acme.url) as client:
        reply = create(client, b"amount=1&source=tok_declined")
        assert (reply.status, reply.code) == (402, None)
        assert client.ask(get("/v1/charges/ch_none", KEY)).status == 404
    assert acme.journal.unmatched == ()


def test_steering_makes_an_undecided_response_happen_once(acme: Simulator) -> None:
    acme.steer("review")
    with RawClient(acme.url) as client:
        assert [create(client).status for _ in range(2)] == [202, 200]


def test_steering_to_a_response_that_nobody_declares_is_an_error(acme: Simulator) -> None:
    with pytest.raises(UsageError, match=r"E304 a response of acmepay .* 'revew'. Did you mean 'review'\?"):
        acme.steer("revew")


def test_reset_forgets_the_state(acme: Simulator) -> None:
    with RawClient(acme.url) as client:
        first = create(client)
        ident = json.loads(first.body)["id"]
        acme.reset()
        assert client.ask(get(f"/v1/charges/{ident}", KEY)).status == 404
        assert create(client).body == first.body


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(acmepay: Contract) -> None:
    def first_answer(seed: int) -> bytes:
        with Simulator(acmepay, seed=seed, frozen=1_767_225_600.0) as simulator, RawClient(simulator.url) as client:
            client.send(post(CHARGE, "/v1/charges", FORM, KEY, "Connection: close"))
            return client.file.read()

    assert first_answer(1) == first_answer(1) != first_answer(2)


def test_a_request_that_fits_no_declared_answer_is_explained_field_by_field(acme: Simulator) -> None:
    with RawClient(acme.url) as client:
        reply = create(client, b"amount=none&source=tok_visa")
    said = json.loads(reply.body)["troth"]
    assert (reply.status, said["code"], said["nearest"][0]["operation"]) == (501, "E310", "create_charge")
    assert said["nearest"][0]["why"][0]["at"] == "body.amount"


def test_the_journal_knows_operations_and_responses_and_no_secret(acme: Simulator) -> None:
    with RawClient(acme.url) as client:
        create(client)
    (entry,) = acme.journal.for_operation("create_charge")
    assert (entry.name, entry.response.status, entry.request.body) == ("created", 200, CHARGE)
    assert (b"Authorization", b"Bearer [redacted]") in entry.request.headers
    assert "canary" not in repr(acme.journal.entries)


def test_it_takes_a_path(acmepay_path: Path) -> None:
    assert Simulator(acmepay_path).provider == Simulator(str(acmepay_path.parent)).provider == "acmepay"


def test_a_contract_that_cannot_be_used_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ContractError):
        Simulator(tmp_path / "none.yaml")


def test_steering_to_what_follows_from_the_request_is_an_error_with_the_way_to_it(acme: Simulator) -> None:
    with pytest.raises(UsageError, match=r"E304 .* 'declined', which no request leaves open.*tok_declined"):
        acme.steer("declined")


def test_a_request_that_cannot_get_what_was_steered_to_says_so(acme: Simulator) -> None:
    acme.steer("review")
    with RawClient(acme.url) as client:
        reply = client.ask(get("/v1/charges/ch_none", KEY))
        assert (reply.status, reply.code) == (501, "E321")
        assert create(client).status == 200
    (entry,) = acme.journal.unmatched
    assert "steered to 'review', which get_charge does not leave open" in entry.explanation


def test_a_response_that_goes_first_is_told_too(acme: Simulator) -> None:
    acme.steer("review")
    with RawClient(acme.url) as client:
        reply = create(client, b"amount=1&source=tok_declined")
    assert reply.code == "E321"
    assert "answers this request by 'declined'" in acme.journal.unmatched[0].explanation


def test_a_runner_may_steer_to_what_might_not_come(acme: Simulator) -> None:
    acme.steer("review", must=False)
    with RawClient(acme.url) as client:
        assert client.ask(get("/v1/charges/ch_none", KEY)).status == 404
    assert acme.journal.unmatched == ()


def test_the_journal_knows_which_operations_there_are(acme: Simulator) -> None:
    with pytest.raises(UsageError, match=r"E308 an operation of acmepay.*Did you mean 'create_charge'\?"):
        acme.journal.for_operation("creat_charge")
    assert acme.journal.for_operation("create_charge") == ()


REFUSING = """
troth: 1
provider: strict
operations:
  pay:
    request: {method: POST, path: /pay, json: {amount: {$integer: {min: 1}}, currency: $string}}
    responses:
      invalid: {when: mismatch, status: 400}
      paid: {status: 200}
"""


@pytest.fixture
def strict(tmp_path: Path) -> Simulator:
    """A provider with an answer to invalid requests."""
    (tmp_path / "strict.yaml").write_text(REFUSING)
    return Simulator(tmp_path / "strict.yaml")


def pay(simulator: Simulator, body: bytes) -> int:
    headers = ((b"Content-Type", b"application/json"), (b"Authorization", b"Bearer key_canary_4242"))
    return simulator.handle(Request("POST", "/pay", "", headers, body)).status


def test_the_journal_says_why_the_contract_refuses_a_request(strict: Simulator) -> None:
    assert pay(strict, b'{"amount": 0}') == 400
    assert pay(strict, b'{"amount": 1, "currency": "eur"}') == 200

    refused, paid = strict.journal.entries
    assert [at for at, _, _ in refused.refused] == ["body.amount", "body.currency"]
    assert "POST /pay does not fit the contract of strict: answered by pay.invalid" in refused.explanation
    assert "body.amount: wants" in refused.explanation
    assert "got 0" in refused.explanation
    assert (paid.refused, paid.explanation) == ((), "")
    assert strict.journal.refused == (refused,)
    assert strict.journal.unmatched == ()


def test_what_is_said_of_a_refused_request_has_no_secret(strict: Simulator) -> None:
    pay(strict, b'{"amount": "key_canary_4242", "currency": "eur"}')

    assert "canary" not in repr(strict.journal.entries)


def test_many_mistakes_are_cut(strict: Simulator) -> None:
    pay(strict, b"{" + b",".join(b'"x%d": 1' % number for number in range(100)) + b"}")

    assert len(strict.journal.entries[0].refused) <= 10
