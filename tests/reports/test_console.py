"""What the command line prints."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest
from fakes.report_runs import (
    REASONS,
    big_run,
    drifted_findings,
    finding,
    nasty_run,
    provider_run,
    rich_run,
    run,
    stripe_run,
)

from troth.contracts.kinds import Severity
from troth.contracts.values import ABSENT
from troth.reports.console import finding_lines, summary_lines
from troth.runners.finding import Blame, Verdict


def test_a_finding_in_full() -> None:
    """What, where, who, why, the three values, what to do, how to see it again."""
    assert "\n".join(finding_lines(drifted_findings()[3])) == dedent(
        """\
        TR301 breaking: $.error.type is "invalid_request_error", the contract says "card_error"
          where       create_charge, step 1 of declined cards say why[tok_chargeDeclined], $.error.type, 6 places
          blame       provider: The provider changed: it did what the contract says until run 20261127T0300-77de-1.
          proof       by an earlier run; agreed until run 20261127T0300-77de-1; seen since run 20261128T0300-a71c-1
          contract    "card_error"
          simulator   "card_error"
          sandbox     "invalid_request_error"
          do          Find out whether the provider means it. If it does, change the contract: \
correct the value or the expression at $.error.type.
          again       troth drift stripe --sandbox --only 'a refund above what is left is refused' --seed 7"""
    )


def test_absent_and_not_observed_are_said() -> None:
    """Never an empty line."""
    lines = finding_lines(finding("unobserved", blame=Blame.UNOBSERVED, contract=ABSENT, sandbox=ABSENT, message=""))
    assert "  contract    no single value" in lines
    assert "  sandbox     not observed" in lines


def test_the_summary_has_a_paragraph_for_each_provider() -> None:
    """Verdict, coverage, findings with their number of consequences, gaps."""
    text = "\n".join(summary_lines(rich_run()))

    assert text.startswith("Drift: stripe (run 20261130T0300-k3f9-1)\n\nstripe: drift\n")
    assert "simulator: 8 of 8 scenarios ok" in text
    assert "sandbox:   6 of 8 scenarios, 1 skipped, 1 not observed, 9 of 12 declared responses seen, 214 checks" in text
    assert "9 causes, 1 consequence: 5 breaking, 2 risky, 2 notice" in text
    assert "consequences of these: 1 (1 breaking)" in text
    assert "needs the secret STRIPE_CONNECT_KEY" in text
    assert "p-agree: agree" in text


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_is_said_with_its_reason(verdict: Verdict) -> None:
    """In words."""
    text = "\n".join(summary_lines(run(provider_run(verdict, REASONS.get(verdict, "")))))
    assert f"p-{verdict}: {verdict}" in text
    assert REASONS.get(verdict, "") in text


def test_problems_of_a_contract_stand_one_a_line() -> None:
    """With the place in the file."""
    refused = provider_run(Verdict.BROKEN, "a.yaml:1:2: E001 one\na.yaml:3:4: E002 two", refused=True)
    lines = summary_lines(run(refused, interrupted=True))

    assert lines[3:5] == ["  a.yaml:1:2: E001 one", "  a.yaml:3:4: E002 two"]
    assert lines[-1] == "The run was stopped before its end."


def test_nothing_ran_is_said() -> None:
    """An empty run is no agreement."""
    assert summary_lines(run()) == ["Nothing ran (run 20261130T0300-k3f9-1)"]


def test_a_thousand_findings_are_a_screenful() -> None:
    """The rest is in the report, and counted."""
    lines = summary_lines(big_run(1_000))
    assert len(lines) < 70
    assert any(re.fullmatch(r"    and \d{3} more in the report", line) for line in lines)


def test_no_line_can_move_the_cursor() -> None:
    """Whatever a provider sends: each line prints, and is one line."""
    lines = [
        *summary_lines(nasty_run()),
        *(line for one in nasty_run().providers[0].findings for line in finding_lines(one)),
    ]
    assert all(line.replace("\u200d", "").isprintable() for line in lines)


def test_every_finding_of_the_run_is_counted() -> None:
    """Roots and consequences together."""
    text = "\n".join(summary_lines(run(stripe_run())))
    assert text.count("    TR") + 1 == len(drifted_findings())


def test_findings_that_say_the_same_are_one_line() -> None:
    """With their number."""
    alike = tuple(finding("enum", scenario=f"s{number}", fingerprint=f"v1:{number}") for number in range(3))
    text = "\n".join(summary_lines(run(provider_run(Verdict.DRIFT, findings=alike))))

    assert text.count("    TR205") == 1
    assert "s0, step 3, and 2 like it" in text


def test_a_finding_is_named_by_its_fingerprint_and_its_consequences_by_their_severity() -> None:
    """`troth accept` wants the one; without the other a run of risky causes fails for no reason that is shown."""
    cause = finding("invalid_accepted", severity=Severity.RISKY, fingerprint="v1:aaaaaaaaaaaa")
    after = finding("expect", severity=Severity.BREAKING, fingerprint="v1:bbbbbbbbbbbb", caused_by="v1:aaaaaaaaaaaa")
    text = "\n".join(summary_lines(run(provider_run(Verdict.DRIFT, findings=(cause, after)))))

    assert "1 cause, 1 consequence: 1 risky" in text
    assert text.count("; v1:aaaaaaaaaaaa\n") == 1
    assert "consequences of these: 1 (1 breaking)" in text
