"""Accepted findings in real runs: they stay visible and do not fail, until their day and while they are the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fakes.nights import KEPT, ChangingPay, Nights, renamed, with_field

from troth.contracts.accepted import with_acceptance
from troth.reports import html, junit
from troth.reports.console import finding_lines, summary_lines
from troth.reports.markdown import render as summary
from troth.reports.run_json import dump
from troth.runners.acceptance import today
from troth.runners.finding import Finding, Run, Verdict
from troth.runners.known import known_in
from troth.runners.stage import Acceptance, Stage
from troth.runners.trial import Rule

WRONG = with_field("amount", "1200")
ONCE = Rule(sightings=1)


@pytest.fixture
def nights(tmp_path: Path) -> Nights:
    """A project with the contract of AcmePay and no history."""
    return Nights(tmp_path)


def night(nights: Nights, change: Any = WRONG, **changes: Any) -> Run:
    """A night on which the provider answers with a change."""
    with ChangingPay(change) as provider:
        return nights.night(provider.url, **{"only": (KEPT,), "confirm": ONCE, **changes})


def root(run: Run) -> Finding:
    """What explains all else."""
    (found,) = [item for item in run.providers[0].findings if item.caused_by is None]
    return found


def file_of(nights: Nights) -> Path:
    """Where acceptances stand."""
    return nights.contract_file.parent / "accepted.yaml"


def accept(nights: Nights, run: Run, **changes: str) -> None:
    """Write an entry about the root of a run, as ``troth accept`` does."""
    known = next(item for item in known_in(run) if item.fingerprint == root(run).fingerprint)
    usual = {
        "finding": known.fingerprint,
        "provider": known.provider,
        "operation": known.operation,
        "scenario": known.scenario,
        "path": known.path,
        "severity": str(known.severity),
        "side": known.side,
        "owner": "ada",
        "reason": "they mend it in March",
        "until": "2999-01-31",
    }
    file = file_of(nights)
    file.write_text(with_acceptance(file.read_text() if file.exists() else "", {**usual, **changes}))


def lines(run: Run) -> str:
    """What the command prints."""
    return "\n".join(summary_lines(run))


def test_an_accepted_finding_does_not_set_the_exit_code_and_stays_visible(nights: Nights) -> None:
    """With its consequences; it is drift all the same, with owner, reason and day in every report."""
    gone = renamed("amount", "total")
    first = night(nights, gone)
    accept(nights, first, link="https://tickets.example/7")
    run = night(nights, gone)

    assert (first.exit_code, run.exit_code, run.verdict) == (1, 0, Verdict.DRIFT)
    assert len(run.providers[0].findings) == len(first.providers[0].findings) > 1
    assert {item.stage for item in run.providers[0].findings} == {Stage.ACKNOWLEDGED}
    accepted = json.loads(dump(run))["providers"][0]["findings"][0]["accepted"]
    assert (accepted["owner"], accepted["until"], accepted["state"]) == ("ada", "2999-01-31", "valid")
    told = "by ada until 2999-01-31: they mend it in March"
    for text in (
        lines(run),
        "\n".join(finding_lines(root(run))),
        html.render(run).decode(),
        junit.render(run).decode(),
    ):
        assert told in text
    assert told in summary(run).decode().replace("\\", "")
    assert "<failure" in junit.render(first).decode()
    assert "<failure" not in junit.render(run).decode()


def test_it_is_valid_on_its_last_day_and_expired_on_the_next(nights: Nights) -> None:
    """Days are counted in UTC. An expired one fails, and a clear line says why."""
    first = night(nights)
    accept(nights, first, until=today(first.started))
    last = night(nights)
    accept(nights, first, until="2026-01-31")
    later = night(nights)

    assert (last.exit_code, later.exit_code) == (0, 1)
    assert root(later).accepted.state is Acceptance.EXPIRED
    assert f"{root(later).fingerprint}, accepted by ada until 2026-01-31, has expired and is still there" in lines(
        later
    )


def test_an_expired_one_fails_whatever_its_severity(nights: Nights) -> None:
    """A notice fails no run by itself; forgotten with a date, it does."""
    nights.edit("types:\n  Error:", "drift: {policy: {type: notice, expect: notice}}\ntypes:\n  Error:")
    first = night(nights)
    accept(nights, first, until="2026-01-31")

    assert (first.exit_code, night(nights).exit_code) == (0, 1)


def test_an_expired_one_that_is_gone_is_told_and_fails_nothing(nights: Nights) -> None:
    """What nobody sees needs no acceptance."""
    accept(nights, night(nights), until="2026-01-31")
    run = night(nights, None)

    assert run.exit_code == 0
    assert "has expired, and was not seen in this run: remove the entry" in lines(run)


def test_one_that_is_fixed_is_told(nights: Nights) -> None:
    """The entry has done its work."""
    accept(nights, night(nights))
    runs = [night(nights, None) for _ in range(2)]

    assert "is fixed: remove the entry" not in lines(runs[0])
    assert "is fixed: remove the entry" in lines(runs[1])


def test_a_finding_that_changed_is_not_accepted(nights: Nights) -> None:
    """Another class of value at the same place is another finding: the acceptance is void, and that is said."""
    first = night(nights)
    accept(nights, first)
    run = night(nights, with_field("amount", None))

    assert run.exit_code == 1
    assert root(run).accepted.state is Acceptance.VOID
    assert root(run).stage is Stage.NEW
    assert f"{root(first).fingerprint}, accepted by ada until 2999-01-31, has changed" in lines(run)


def test_a_finding_that_is_worse_is_not_accepted(nights: Nights) -> None:
    """What was accepted as risky is not accepted as breaking."""
    first = night(nights)
    accept(nights, first, severity="risky")
    run = night(nights)

    assert run.exit_code == 1
    assert root(run).accepted.words == "it was given for a finding that was risky"


def test_a_finding_on_the_other_side_is_not_accepted(nights: Nights) -> None:
    """That the provider may do so says nothing about the simulator."""
    first = night(nights)
    accept(nights, first, side="simulator")

    assert night(nights).exit_code == 1


def test_what_follows_is_accepted_only_as_far_as_it_is_not_worse(nights: Nights) -> None:
    """A risky fault was accepted, and then it had a breaking consequence."""
    nights.edit("types:\n  Error:", "drift: {policy: {missing_field: risky}}\ntypes:\n  Error:")
    gone = renamed("amount", "total")
    accept(nights, night(nights, gone), severity="risky")
    run = night(nights, gone)

    assert run.exit_code == 1
    assert root(run).stage is Stage.ACKNOWLEDGED
    assert [item.kind for item in run.providers[0].findings if item.accepted is None] == ["expect"]


def test_other_findings_still_fail(nights: Nights) -> None:
    """An acceptance is for one finding."""
    accept(nights, night(nights))

    def both(seen: Any, body: dict[str, Any]) -> dict[str, Any]:
        return with_field("status", "odd")(seen, WRONG(seen, body))

    run = night(nights, both)
    left = [item for item in run.providers[0].findings if item.accepted is None]

    assert run.exit_code == 1
    assert {item.path for item in left if item.caused_by is None} == {"$.status"}


def test_an_acceptance_of_another_provider_counts_for_nobody_here(nights: Nights) -> None:
    """Several contracts may lie in one folder."""
    accept(nights, night(nights), provider="another")

    assert night(nights).exit_code == 1


def test_one_without_a_day_is_refused_before_anything_is_sent(nights: Nights) -> None:
    """Exit code 4, and the line of the file."""
    file_of(nights).write_text(
        'accepted:\n  - {finding: "v1:0123456789ab", owner: ada, reason: because}\n', encoding="utf-8"
    )
    with ChangingPay(WRONG) as provider:
        run = nights.night(provider.url, only=(KEPT,))

    assert (run.exit_code, provider.seen) == (4, [])
    assert "accepted.yaml:2:5: E032 the key 'until'" in run.providers[0].reason
