"""History over nights: who changed, and since when. Rule 11 of the model: agreement is evidence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes.nights import KEPT, ChangingPay, Nights, with_field

from troth.contracts.loader import load
from troth.runners.finding import Blame, Finding
from troth.runners.places import Spot
from troth.runners.rejudge import rejudge, still_fits
from troth.runners.store import Store

KIND = "type create_charge"
STRINGS = with_field("amount", "1200")


@pytest.fixture
def nights(tmp_path: Path) -> Nights:
    """A project with the contract of AcmePay and no history."""
    return Nights(tmp_path)


def good_night(nights: Nights) -> str:
    """A night of agreement; its run id."""
    with ChangingPay() as provider:
        run = nights.night(provider.url, only=(KEPT,))
    assert run.exit_code == 0
    return run.run_id


def bad_night(nights: Nights, change: Any = STRINGS, kind: str = KIND) -> Finding:
    """A night on which the provider gives something else; the finding about it."""
    with ChangingPay(change) as provider:
        return nights.findings(provider.url, only=(KEPT,))[kind]


def test_a_first_night_proves_nothing(nights: Nights) -> None:
    """The contract, never proven."""
    found = bad_night(nights)

    assert (found.blame, found.proof, found.last_agreed) == (Blame.CONTRACT, "none", None)
    assert "nothing shows yet that it ever did" in found.why


def test_rule_11_a_provider_that_agreed_before_has_changed_since(nights: Nights) -> None:
    """The last agreement, and the first night without it, which stays the same on later nights."""
    good_night(nights)
    last = good_night(nights)
    first, second = bad_night(nights), bad_night(nights)

    assert (first.blame, first.proof, first.last_agreed) == (Blame.PROVIDER, "history", last)
    assert (second.fingerprint, second.last_agreed, second.since) == (first.fingerprint, last, first.since)
    assert first.since not in (None, last)


def test_a_disagreement_that_ended_and_came_back_counts_from_its_return(nights: Nights) -> None:
    """The agreement in between is what it is measured from."""
    good_night(nights)
    before = bad_night(nights)
    last = good_night(nights)
    after = bad_night(nights)

    assert (after.fingerprint, after.last_agreed) == (before.fingerprint, last)
    assert after.since != before.since


def test_what_never_agreed_stays_unproven(nights: Nights) -> None:
    """A second night of disagreement proves as little as the first; since when it is seen is known."""
    first, second = bad_night(nights), bad_night(nights)

    assert (second.blame, second.proof, second.since) == (Blame.CONTRACT, "none", first.since)


def test_an_agreement_elsewhere_proves_nothing_here(nights: Nights) -> None:
    """That reading showed the amount rightly says nothing of creating."""
    with ChangingPay(lambda seen, body: STRINGS(seen, body) if seen.method == "POST" else body) as provider:
        nights.night(provider.url, only=(KEPT,))
    found = bad_night(nights)

    assert (found.blame, found.proof) == (Blame.CONTRACT, "none")


def test_an_edit_that_touches_nothing_here_leaves_the_history(nights: Nights) -> None:
    """A new scenario, and another operation that was edited."""
    last = good_night(nights)
    nights.edit("path: /charges, query: {note?: $string}", "path: /charges, query: {note?: $string, page?: $integer}")
    found = bad_night(nights)

    assert (found.blame, found.proof, found.last_agreed) == (Blame.PROVIDER, "history", last)


def test_rule_11_an_edit_that_the_old_answer_fits_still_leaves_the_provider_to_blame(nights: Nights) -> None:
    """That night's answer is judged again, and fits: so the provider changed, not the contract."""
    last = good_night(nights)
    nights.edit("note?: $string\n    client_secret", "note?: $string\n    memo?: $string\n    client_secret")
    found = bad_night(nights)

    assert (found.blame, found.proof, found.last_agreed) == (Blame.PROVIDER, "history", last)


def test_rule_11_an_edit_that_the_old_answer_does_not_fit_is_to_blame_itself(nights: Nights) -> None:
    """The provider did tonight what it did then; only the contract is another."""
    last = good_night(nights)
    nights.edit("    amount: {$integer: {min: 1}}\n    status", "    amount: {$string: {}}\n    status")
    with ChangingPay() as provider:
        found = nights.findings(provider.url, only=(KEPT,))[KIND]

    assert (found.blame, found.proof, found.last_agreed) == (Blame.CONTRACT, "history", last)
    assert "edited" in found.why


def test_rule_11_an_edit_is_held_against_every_scenario_of_that_night(nights: Nights) -> None:
    """The first charge of that night was large enough for today's contract, a later one was not."""
    with ChangingPay() as provider:
        last = nights.night(provider.url).run_id
    nights.edit("    amount: {$integer: {min: 1}}\n    status", "    amount: {$integer: {min: 10}}\n    status")
    with ChangingPay() as provider:
        (ran,) = nights.night(provider.url).providers
    found = next(item for item in ran.findings if item.kind == "bounds")

    assert (found.blame, found.proof, found.last_agreed) == (Blame.CONTRACT, "history", last)
    assert "edited" in found.why


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Charge", "Payment"),
        ("create_charge", "charge_card"),
        ("created:\n", "made:\n"),
    ],
    ids=["a type", "an operation", "a response"],
)
def test_rule_11_a_new_name_leaves_the_history(nights: Nights, old: str, new: str) -> None:
    """The old answer, judged again, shows the same under the name of today: so the provider changed."""
    last = good_night(nights)
    nights.edit(old, new)
    if new == "made:\n":
        nights.edit("expect: created", "expect: made")
    found = bad_night(nights, kind=KIND.replace(old, new))

    assert (found.blame, found.proof, found.last_agreed) == (Blame.PROVIDER, "history", last)
    assert "judged again with today's contract, and fits it" in found.why
    assert found.standing == "changed since night 1"


def test_rule_11_a_new_name_for_what_never_agreed_proves_nothing(nights: Nights) -> None:
    """The old answer does not fit under the new name either."""
    bad_night(nights)
    nights.edit("Charge", "Payment")
    found = bad_night(nights)

    assert (found.blame, found.proof, found.standing) == (Blame.CONTRACT, "none", "never proven")
    assert "does not fit the contract of today either" in found.why


def test_rule_11_a_contract_that_came_back_has_its_own_history(nights: Nights) -> None:
    """An edit that hid the change, and was taken back: the older agreement speaks for today's contract."""
    first = good_night(nights)
    nights.edit("    amount: {$integer: {min: 1}}\n    status", "    amount: $any\n    status")
    with ChangingPay(STRINGS) as provider:
        nights.night(provider.url, only=(KEPT,))
    nights.edit("    amount: $any\n    status", "    amount: {$integer: {min: 1}}\n    status")
    found = bad_night(nights)

    assert (found.blame, found.last_agreed, found.standing) == (Blame.PROVIDER, first, "changed since night 1")


def test_an_edit_whose_old_answer_is_lost_proves_nothing(nights: Nights) -> None:
    """Without that night's exchanges nobody can tell."""
    good_night(nights)
    nights.edit("note?: $string\n    client_secret", "note?: $string\n    memo?: $string\n    client_secret")
    with nights.opened() as connection:
        connection.execute("delete from exchanges")
    found = bad_night(nights)

    assert (found.blame, found.proof) == (Blame.CONTRACT, "none")
    assert "was edited here since it last agreed" in found.why


def test_a_claimed_proof_stands_in_for_history(nights: Nights) -> None:
    """``proven`` makes it the provider's, and says where the claim is from; a real agreement then replaces it."""
    nights.edit("types:\n", 'proven: {by: documentation, on: "2026-10-01"}\ntypes:\n')
    claimed = bad_night(nights)
    good_night(nights)
    shown = bad_night(nights)

    assert (claimed.blame, claimed.proof, claimed.claim) == (Blame.PROVIDER, "claimed", "documentation, 2026-10-01")
    assert (shown.proof, shown.claim) == ("history", "")


def test_a_response_that_used_to_come_has_its_own_history(nights: Nights) -> None:
    """What is remembered is the response that should have come, not the one that did."""
    scenarios = """\
  a charge is kept:
    steps:
      - call: create_charge
        with: {amount: 0}
        expect: invalid
      - call: get_charge
        with: {id: ch_00000000}
        expect: missing
"""
    nights = Nights(nights.folder, scenarios)
    last = good_night(nights)
    with ChangingPay() as provider:
        provider.before = lambda seen: provider._create(replace(seen, body=b'{"amount": 1}')) if seen.body else None
        found = nights.findings(provider.url)

    (root,) = [item for item in found.values() if item.caused_by is None]
    assert (root.contract, root.simulator, root.kind) == ("invalid", "invalid", "invalid_accepted")
    assert (root.blame, root.last_agreed) == (Blame.PROVIDER, last)


def test_an_expectation_that_was_met_before(nights: Nights) -> None:
    """What a scenario expects besides has a history too, which ends when the scenario is edited."""
    last = good_night(nights)
    with ChangingPay(lambda seen, body: body | {"amount": 1300} if "/ch_" in seen.path else body) as provider:
        before = nights.findings(provider.url, only=(KEPT,))["expect get_charge"]
        nights.edit("amount: 1200}}", "amount: 1200, status: pending}}")
        after = nights.findings(provider.url, only=(KEPT,))["expect get_charge"]

    assert (before.blame, before.last_agreed) == (Blame.PROVIDER, last)
    assert (after.blame, after.proof) == (Blame.CONTRACT, "none")


# Judging again


def exchanges(nights: Nights) -> tuple[Any, ...]:
    """The exchanges of the newest night on the sandbox."""
    with Store.open(nights.store) as store:
        ((run_id, _, _),) = store.runs(limit=1)
        return store.exchanges(run_id, "acmepay", "sandbox", "a charge is kept")


FOUND = Spot("reply get_charge.found in a charge is kept", "get_charge.found", KEPT)


@pytest.mark.parametrize(
    ("spot", "want"),
    [
        (Spot("Charge.amount", "create_charge.created"), True),
        (FOUND, True),
        (Spot("Charge.elsewhere", "create_charge.created"), None),
        (Spot("Charge.amount", "create_charge.invalid"), None),
        (Spot("expectations of get_charge.found in a charge is kept", "get_charge.found", KEPT), None),
    ],
)
def test_an_old_answer_is_judged_where_it_showed_the_agreement(nights: Nights, spot: Spot, want: bool | None) -> None:
    """Nothing is claimed for what it did not show."""
    good_night(nights)

    assert still_fits(rejudge(load(nights.contract_file), "", exchanges(nights)), spot) is want


def test_an_old_answer_is_found_below_the_path_of_a_base_url(nights: Nights) -> None:
    """A sandbox may live below ``/v2/test``."""
    good_night(nights)
    moved = [replace(item, url=item.url.replace("/charges", "/v2/test/charges")) for item in exchanges(nights)]

    assert still_fits(rejudge(load(nights.contract_file), "http://sandbox/v2/test", moved), FOUND) is True


@pytest.mark.parametrize("body", ["{", '{"id": "ch_00000001"\n[cut here: 99999 bytes in all]'])
def test_an_old_answer_that_was_cut_decides_nothing(nights: Nights, body: str) -> None:
    """Neither for the provider nor against it."""
    good_night(nights)
    cut = [replace(item, response_body=body) for item in exchanges(nights)]

    assert (
        still_fits(rejudge(load(nights.contract_file), "", cut), Spot("Charge.amount", "create_charge.created")) is None
    )
