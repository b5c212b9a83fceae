"""The official stripe SDK, unchanged, against the simulator: every operation of the contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
import stripe

from troth.contracts.contract import Contract
from troth.contracts.loader import load
from troth.simulators.simulator import Simulator

KEY = "sk_test_12345"
VISA = {"payment_method": "pm_card_visa", "payment_method_types": ["card"]}


@pytest.fixture(scope="module")
def contract() -> Contract:
    return load("stripe")


@pytest.fixture
def simulator(contract: Contract) -> Iterator[Simulator]:
    """A simulator of Stripe; whatever it could not place fails the test."""
    with Simulator(contract) as running:
        yield running
        assert [entry.explanation for entry in running.journal.unmatched] == []


@pytest.fixture
def client(simulator: Simulator) -> stripe.StripeClient:
    """The SDK, pointed at the simulator as its documentation says."""
    return stripe.StripeClient(KEY, base_addresses={"api": simulator.url}, max_network_retries=0)


def customer(client: stripe.StripeClient, **params: object) -> stripe.Customer:
    return client.v1.customers.create({"email": "ann@example.com", **params})


def intent(client: stripe.StripeClient, **params: object) -> stripe.PaymentIntent:
    return client.v1.payment_intents.create({"amount": 1200, "currency": "EUR", **VISA, **params})


def paid(client: stripe.StripeClient, **params: object) -> stripe.PaymentIntent:
    return intent(client, confirm=True, **params)


@dataclass
class Drive:
    """A method for each operation, which drives it as an application would."""

    client: stripe.StripeClient

    def create_customer(self) -> None:
        made = customer(
            self.client, name="Ann", metadata={"plan": "gold"}, address={"city": "Riga"}, preferred_locales=["lv", "en"]
        )
        assert isinstance(made, stripe.Customer)
        assert (made.name, made.metadata["plan"], made.preferred_locales) == ("Ann", "gold", ["lv", "en"])
        assert made.address is not None
        assert (made.address.city, made.address.line1) == ("Riga", None)
        assert made.id.startswith("cus_")

    def get_customer(self) -> None:
        made = customer(self.client)
        assert self.client.v1.customers.retrieve(made.id) == made

    def update_customer(self) -> None:
        made = customer(self.client, name="Ann", metadata={"a": "1", "b": "2"})
        changed = self.client.v1.customers.update(made.id, {"name": "", "metadata": {"b": "", "c": "3"}})
        assert (changed.name, changed.metadata.to_dict(), changed.email) == (None, {"a": "1", "c": "3"}, made.email)
        assert self.client.v1.customers.update(made.id, {"metadata": ""}).metadata.to_dict() == {}

    def delete_customer(self) -> None:
        made = customer(self.client)
        assert self.client.v1.customers.delete(made.id).deleted
        assert self.client.v1.customers.retrieve(made.id).deleted

    def list_customers(self) -> None:
        made = [customer(self.client, name=f"customer {number}").id for number in range(5)]
        page = self.client.v1.customers.list({"limit": 2, "created": {"gte": 1_700_000_000}})
        assert ([each.id for each in page.data], page.has_more) == (made[:2:-1], True)
        assert [each.id for each in page.auto_paging_iter()] == made[::-1]

    def create_payment_method(self) -> None:
        made = self.client.v1.payment_methods.create({"type": "card", "card": {"token": "tok_mastercard"}})
        assert made.card is not None
        assert (made.card.brand, made.card.last4, made.customer) == ("mastercard", "4444", None)
        number = {"number": "4242424242424242", "exp_month": 12, "exp_year": 2034, "cvc": "123"}
        typed = self.client.v1.payment_methods.create({"type": "card", "card": number})
        assert typed.card is not None
        assert (typed.card.exp_month, typed.card.exp_year, typed.card.last4) == (12, 2034, "4242")

    def get_payment_method(self) -> None:
        made = self.client.v1.payment_methods.create({"type": "card", "card": {"token": "tok_visa"}})
        assert self.client.v1.payment_methods.retrieve(made.id) == made

    def attach_payment_method(self) -> None:
        owner = customer(self.client)
        card = self.client.v1.payment_methods.attach("pm_card_visa", {"customer": owner.id, "expand": ["customer"]})
        assert isinstance(card.customer, stripe.Customer)
        assert (card.customer.id, card.id.startswith("pm_"), card.id) == (owner.id, True, card.id)
        assert card.id != "pm_card_visa"

    def detach_payment_method(self) -> None:
        card = self.client.v1.payment_methods.attach("pm_card_visa", {"customer": customer(self.client).id})
        assert self.client.v1.payment_methods.detach(card.id).customer is None

    def create_intent(self) -> None:
        made = paid(self.client, expand=["latest_charge", "payment_method"], metadata={"order": "1"})
        assert (made.status, made.amount_received, made.currency) == ("succeeded", 1200, "eur")
        assert isinstance(made.latest_charge, stripe.Charge)
        assert isinstance(made.payment_method, stripe.PaymentMethod)
        assert made.latest_charge.payment_intent == made.id
        assert made.client_secret is not None
        assert made.client_secret.startswith(f"{made.id}_secret_")

    def get_intent(self) -> None:
        made = paid(self.client)
        seen = self.client.v1.payment_intents.retrieve(made.id, {"expand": ["latest_charge"]})
        assert isinstance(seen.latest_charge, stripe.Charge)
        assert seen.latest_charge.id == made.latest_charge

    def update_intent(self) -> None:
        made = intent(self.client, metadata={"a": "1"})
        changed = self.client.v1.payment_intents.update(made.id, {"amount": 900, "metadata": {"b": "2"}})
        assert (changed.amount, changed.metadata.to_dict(), changed.status) == (
            900,
            {"a": "1", "b": "2"},
            "requires_confirmation",
        )

    def confirm_intent(self) -> None:
        confirmed = self.client.v1.payment_intents.confirm(intent(self.client).id)
        assert (confirmed.status, confirmed.amount_received) == ("succeeded", 1200)

    def capture_intent(self) -> None:
        held = paid(self.client, capture_method="manual")
        assert (held.status, held.amount_capturable) == ("requires_capture", 1200)
        captured = self.client.v1.payment_intents.capture(held.id)
        assert (captured.status, captured.amount_received, captured.amount_capturable) == ("succeeded", 1200, 0)

    def cancel_intent(self) -> None:
        canceled = self.client.v1.payment_intents.cancel(intent(self.client).id, {"cancellation_reason": "abandoned"})
        assert (canceled.status, canceled.cancellation_reason) == ("canceled", "abandoned")
        assert canceled.canceled_at is not None

    def create_charge(self) -> None:
        made = self.client.v1.charges.create({"amount": 700, "currency": "usd", "source": "tok_visa"})
        assert (made.status, made.paid, made.amount_captured) == ("succeeded", True, 700)

    def get_charge(self) -> None:
        made = self.client.v1.charges.create({"amount": 700, "currency": "usd", "source": "tok_visa"})
        assert self.client.v1.charges.retrieve(made.id) == made

    def create_refund(self) -> None:
        made = paid(self.client)
        refund = self.client.v1.refunds.create({"payment_intent": made.id, "amount": 500, "expand": ["charge"]})
        assert (refund.status, refund.amount) == ("succeeded", 500)
        assert isinstance(refund.charge, stripe.Charge)
        assert (refund.charge.amount_refunded, refund.charge.refunded) == (500, False)
        assert self.client.v1.refunds.create({"charge": refund.charge.id}).amount == 700

    def get_refund(self) -> None:
        made = self.client.v1.refunds.create({"payment_intent": paid(self.client).id})
        assert self.client.v1.refunds.retrieve(made.id) == made


OPERATIONS = sorted(name for name in vars(Drive) if not name.startswith("_") and name != "client")


def test_no_operation_of_the_contract_is_left_out(contract: Contract) -> None:
    """A new operation needs a method of ``Drive``."""
    assert sorted(contract.operations) == OPERATIONS


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_sdk_works_unchanged(operation: str, client: stripe.StripeClient, simulator: Simulator) -> None:
    """Calls, shapes, values: as the SDK's own types give them. The request did reach that operation."""
    getattr(Drive(client), operation)()

    entries = simulator.journal.for_operation(operation)
    assert entries
    assert all(entry.response.status == 200 for entry in entries)


# Errors


def refused(error: type[stripe.StripeError], call: Callable[[], object]) -> stripe.StripeError:
    """The error, which must be of exactly that class."""
    with pytest.raises(stripe.StripeError) as caught:
        call()
    assert type(caught.value) is error
    assert caught.value.request_id is not None
    assert caught.value.request_id.startswith("req_")
    return caught.value


@pytest.mark.parametrize(
    ("card", "code", "decline_code"),
    [
        ("pm_card_visa_chargeDeclined", "card_declined", "generic_decline"),
        ("pm_card_visa_chargeDeclinedInsufficientFunds", "card_declined", "insufficient_funds"),
        ("pm_card_chargeDeclinedExpiredCard", "expired_card", None),
    ],
)
def test_a_declined_intent_is_a_card_error(
    client: stripe.StripeClient, card: str, code: str, decline_code: str | None
) -> None:
    """With the intent, which can be paid otherwise, and the charge that failed."""
    error = refused(stripe.CardError, lambda: paid(client, payment_method=card))

    assert (error.http_status, error.code) == (402, code)
    assert error.error is not None
    assert getattr(error.error, "decline_code", None) == decline_code
    left = error.error.payment_intent
    assert left is not None
    assert (left.status, left.latest_charge) == ("requires_payment_method", error.error.charge)
    assert client.v1.charges.retrieve(error.error.charge).status == "failed"
    assert client.v1.payment_intents.confirm(left.id, {"payment_method": "pm_card_visa"}).status == "succeeded"


def test_a_declined_charge_and_a_declined_attachment_are_card_errors(client: stripe.StripeClient) -> None:
    charge = {"amount": 700, "currency": "usd", "source": "tok_chargeDeclined"}
    assert refused(stripe.CardError, lambda: client.v1.charges.create(charge)).code == "card_declined"
    owner = {"customer": customer(client).id}
    assert (
        refused(
            stripe.CardError, lambda: client.v1.payment_methods.attach("pm_card_chargeDeclinedExpiredCard", owner)
        ).code
        == "expired_card"
    )


def test_a_refund_above_what_is_left_is_an_invalid_request(client: stripe.StripeClient) -> None:
    made = paid(client)

    error = refused(
        stripe.InvalidRequestError, lambda: client.v1.refunds.create({"charge": made.latest_charge, "amount": 1201})
    )

    assert (error.http_status, error.param) == (400, "amount")  # type: ignore[attr-defined]


def test_what_is_not_there_is_an_invalid_request(client: stripe.StripeClient) -> None:
    error = refused(stripe.InvalidRequestError, lambda: client.v1.customers.retrieve("cus_nobody"))
    assert (error.http_status, error.code, error.param) == (404, "resource_missing", "id")  # type: ignore[attr-defined]

    error = refused(stripe.InvalidRequestError, lambda: intent(client, customer="cus_nobody"))
    assert (error.http_status, error.code, error.param) == (400, "resource_missing", "customer")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("params", "param", "code"),
    [
        ({"amount": "twelve"}, "amount", "parameter_invalid_integer"),
        ({"amount": 0}, "amount", "parameter_invalid_integer"),
        ({"surprise": {"inside": 1}}, "surprise", "parameter_unknown"),
        ({"metadata": {"order": {"too": "deep"}}}, "metadata[order]", None),
    ],
)
def test_a_wrong_parameter_is_named_in_brackets(
    client: stripe.StripeClient, params: dict[str, object], param: str, code: str | None
) -> None:
    error = refused(stripe.InvalidRequestError, lambda: intent(client, **params))

    assert (error.http_status, error.param) == (400, param)  # type: ignore[attr-defined]
    assert code is None or error.code == code


def test_a_key_that_fits_nothing_is_refused(simulator: Simulator) -> None:
    stranger = stripe.StripeClient("nonsense", base_addresses={"api": simulator.url}, max_network_retries=0)

    assert refused(stripe.AuthenticationError, lambda: customer(stranger)).http_status == 401


# Idempotency


def test_the_same_key_gives_the_same_answer(client: stripe.StripeClient) -> None:
    """Byte for byte, and says so; another request under that key is refused."""
    options: stripe.RequestOptions = {"idempotency_key": "order-1"}
    params: dict[str, object] = {"email": "ann@example.com"}
    first, again = (client.v1.customers.create(params, options) for _ in range(2))

    assert (again.id, again.last_response.body) == (first.id, first.last_response.body)
    assert [each.last_response.headers.get("Idempotent-Replayed") for each in (first, again)] == [None, "true"]
    error = refused(stripe.IdempotencyError, lambda: client.v1.customers.create({"email": "bob@example.com"}, options))
    assert error.http_status == 400
    assert client.v1.customers.create(params, {"idempotency_key": "order-2"}).id != first.id


def test_a_decline_is_replayed_too(client: stripe.StripeClient, simulator: Simulator) -> None:
    """The first answer counts, also when it is a refusal: no second charge is tried."""
    options: stripe.RequestOptions = {"idempotency_key": "order-1"}
    params = {"amount": 700, "currency": "usd", "source": "tok_chargeDeclined"}
    errors = [refused(stripe.CardError, lambda: client.v1.charges.create(params, options)) for _ in range(2)]

    assert errors[0].http_body == errors[1].http_body


# Everything else that the SDK does by itself


def test_module_style_and_accounts(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    """``stripe.api_base``, and headers that mean nothing here."""
    monkeypatch.setattr(stripe, "api_base", simulator.url)
    monkeypatch.setattr(stripe, "api_key", KEY)

    made = stripe.Customer.create(email="x@y.z", metadata={"a": 1}, stripe_account="acct_9")

    assert stripe.Customer.retrieve(made.id).metadata.to_dict() == {"a": "1"}


def test_every_answer_has_a_request_id_of_its_own(client: stripe.StripeClient) -> None:
    made = customer(client)
    ids = {client.v1.customers.retrieve(made.id).last_response.request_id for _ in range(2)}

    assert len(ids) == 2


def test_searching_a_list_by_email(client: stripe.StripeClient) -> None:
    """A filter, with its pages."""
    mine = [customer(client, email="bob@example.com").id for _ in range(3)]
    customer(client)

    page = client.v1.customers.list({"email": "bob@example.com", "limit": 2})

    assert [each.id for each in page.auto_paging_iter()] == mine[::-1]
