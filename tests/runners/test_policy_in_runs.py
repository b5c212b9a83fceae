"""``drift.policy`` in a run: findings, exit codes and reports follow it."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes.nights import KEPT, ChangingPay, Nights, with_field

from troth.contracts.kinds import Severity
from troth.runners.finding import Run, Verdict

POLICY = "drift: {policy: %s}\ntypes:\n  Error:"


def night(folder: Path, policy: str = "", **changes: object) -> Run:
    """A night on which the provider gives the amount as a text, which is breaking."""
    nights = Nights(folder)
    if policy:
        nights.edit("types:\n  Error:", POLICY % policy)
    with ChangingPay(with_field("amount", "1200")) as provider:
        return nights.night(provider.url, only=(KEPT,), **changes)


def amounts(run: Run) -> list[Severity]:
    """The severity of what is wrong with the amount."""
    return [finding.severity for finding in run.providers[0].findings if finding.kind == "type"]


def test_a_kind_has_another_severity(tmp_path: Path) -> None:
    """What was breaking no longer fails; the verdict is drift as before, and the usual severity is told."""
    plain = night(tmp_path)
    run = night(tmp_path, "{type: notice, expect: notice}")

    assert (plain.exit_code, run.exit_code) == (1, 0)
    assert run.verdict is Verdict.DRIFT
    assert set(amounts(run)) == {Severity.NOTICE}
    assert {finding.usual for finding in run.providers[0].findings if finding.kind == "type"} == {Severity.BREAKING}


def test_fail_on_reads_the_new_severity(tmp_path: Path) -> None:
    """A threshold knows nothing of the usual one."""
    run = night(tmp_path, "{type: notice, expect: cosmetic}", fail_on=Severity.NOTICE)

    assert run.exit_code == 1


@pytest.mark.parametrize(
    ("policy", "severity"),
    [
        ("{operations: {create_charge: notice, get_charge: notice, list_charges: notice}}", Severity.NOTICE),
        ("{operations: {create_charge: notice, get_charge: risky, list_charges: notice}}", Severity.RISKY),
        ("{paths: {$.amount: notice, '$.data[*].amount': cosmetic}}", Severity.NOTICE),
        ("{operations: {create_charge: cosmetic}}", Severity.BREAKING),
    ],
)
def test_a_finding_of_several_places_has_the_worst_severity_of_them(
    tmp_path: Path, policy: str, severity: Severity
) -> None:
    """One fault of a type is met in three operations, and one of them may matter."""
    assert amounts(night(tmp_path, policy)) == [severity]


def test_an_edited_policy_is_no_edited_demand(tmp_path: Path) -> None:
    """The history of agreement goes on: the provider changed, whatever that is worth."""
    nights = Nights(tmp_path)
    with ChangingPay() as provider:
        nights.night(provider.url, only=(KEPT,))
    nights.edit("types:\n  Error:", POLICY % "{type: risky}")
    with ChangingPay(with_field("amount", "1200")) as provider:
        run = nights.night(provider.url, only=(KEPT,))

    (found,) = [finding for finding in run.providers[0].findings if finding.kind == "type"]
    assert (found.blame, found.standing) == ("provider", "changed since night 1")
