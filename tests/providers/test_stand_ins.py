"""The Stripe contract against independent stand-ins for Stripe: what is known to differ is found, and nothing else."""

from __future__ import annotations

import pytest
from fakes.stripe_runs import Findings, StripeRuns

from troth.runners.finding import Blame, Verdict

pytestmark = pytest.mark.stand_in


def named(findings: Findings) -> list[str]:
    """For reading: kind, operation, path, contract and sandbox of each."""
    rows = [(each.kind, each.operation, each.path, each.contract, each.sandbox) for each in findings.provider.findings]
    return [str(row) for row in rows]


# localstripe, today's version


@pytest.mark.xdist_group("localstripe")
class TestLocalstripe:
    """It is known to differ from Stripe's documentation in these places."""

    def test_drift_and_nothing_of_our_own(self, current: StripeRuns) -> None:
        """The simulator agrees with its contract, and nothing in the run is our own fault."""
        provider = current.run().provider

        assert provider.verdict is Verdict.DRIFT
        assert {each.outcome for each in provider.scenarios if each.target == "simulator"} == {"ok"}
        assert "broken" not in {each.outcome for each in provider.scenarios}
        assert {each.blame for each in provider.findings} <= {Blame.PROVIDER, Blame.LOOSE, Blame.UNOBSERVED}

    def test_an_idempotency_key_is_ignored(self, current: StripeRuns) -> None:
        found = current.run().where(kind="idempotency_ignored")

        assert {(each.operation, each.contract, each.blame) for each in found} >= {
            ("create_customer", "replay", Blame.PROVIDER)
        }

    def test_a_decline_is_no_card_error(self, current: StripeRuns) -> None:
        found = current.run().where(kind="value", path="$.error.type", contract="card_error")

        assert found
        assert {(each.sandbox, each.blame) for each in found} == {("invalid_request_error", Blame.PROVIDER)}

    def test_a_refund_above_the_amount_is_accepted(self, current: StripeRuns) -> None:
        (finding,) = current.run().where(kind="response", operation="create_refund", contract="too_much")

        assert (finding.sandbox, finding.blame) == ("refunded", Blame.PROVIDER)

    def test_two_runs_in_a_row_are_the_same(self, current: StripeRuns) -> None:
        first, second = current.run(), current.run(number=2)

        assert named(first.without(second)) == []
        assert named(second.without(first)) == []


# localstripe, then and now


@pytest.mark.xdist_group("localstripe")
class TestTheNewVersion:
    """Each difference between two versions is a finding of one of the runs only."""

    @pytest.fixture
    def gone(self, earlier: StripeRuns, current: StripeRuns) -> Findings:
        """What only the earlier version does otherwise."""
        return earlier.run().without(current.run())

    @pytest.mark.parametrize("name", ["capture_method", "latest_charge"])
    def test_payment_intents_gain_a_field(self, gone: Findings, name: str) -> None:
        assert gone.where(kind="missing_field", path=f"$.{name}", operation=lambda it: it.endswith("_intent"))

    def test_the_charges_of_an_intent_name_it(self, gone: Findings) -> None:
        """In the list that intents had before the version 2022-11-15."""
        path = "$.charges.data[0].payment_intent"

        assert gone.where(kind="missing_field", path=path, operation="get_intent")

    def test_payment_method_types_are_accepted(self, gone: Findings) -> None:
        found = gone.where(kind="valid_refused", operation="create_intent")

        assert found
        assert {each.blame for each in found} == {Blame.PROVIDER}

    def test_payments_can_be_refunded_by_their_intent(self, gone: Findings, current: StripeRuns) -> None:
        refusals = {"valid_refused", "response", "response_variant", "expect"}
        found = gone.where(kind=lambda it: it in refusals, operation="create_refund", contract="refunded")

        assert found
        assert "create_refund.refunded" in {
            name for name, seen in current.run().provider.coverage.responses.items() if seen
        }

    def test_a_deletion_names_its_object(self, gone: Findings) -> None:
        assert gone.where(kind="missing_field", operation="delete_customer", path="$.object", contract="customer")


# stripe-stateful-mock


@pytest.mark.npm
class TestStatefulMock:
    """Where localstripe is wrong, this one is right, and the same contract says so."""

    @pytest.fixture
    def found(self, mock: StripeRuns) -> Findings:
        """Of the scenarios whose operations it has."""
        return mock.run("the same key is answered once", "declined tokens say why", "a token is charged")

    def test_everything_was_observed(self, found: Findings) -> None:
        assert {each.outcome for each in found.provider.scenarios} <= {"ok", "findings"}
        seen = {(each.operation, each.response_name) for each in found.provider.exchanges if each.target == "sandbox"}
        assert {("create_customer", "replay"), ("create_customer", "conflict"), ("create_charge", "declined")} <= seen

    def test_it_agrees_on_idempotency(self, found: Findings) -> None:
        """Replays and conflicts come as the contract says (one of its media types does not)."""
        assert found.where(kind=lambda it: it.startswith("idempotency")) == []
        assert found.where(path="response") == []
        assert {each.path for each in found.where(kind="content_type")} <= {"headers.content_type"}

    def test_it_agrees_on_declines(self, found: Findings) -> None:
        wrong = found.where(operation="create_charge", path=lambda it: it.startswith("$.error"), blame=Blame.PROVIDER)

        assert wrong == []
