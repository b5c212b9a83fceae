"""junit.xml: what CI systems read, and what they must not take for a pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from fakes.report_runs import (
    REASONS,
    exchange,
    finding,
    nasty_run,
    provider_run,
    quiet_run,
    rich_run,
    run,
    scenario_runs,
    stripe_run,
)

from troth.contracts.kinds import Severity
from troth.contracts.values import ABSENT
from troth.reports.junit import render
from troth.runners.finding import Blame, Check, ProviderRun, Run, ScenarioRun, Verdict


def _cases(one: Run) -> dict[tuple[str, str], ET.Element]:
    return {(suite.get("name", ""), case.get("name", "")): case for suite, case in _pairs(one)}


def _pairs(one: Run) -> Iterator[tuple[ET.Element, ET.Element]]:
    for suite in ET.fromstring(render(one)):
        for case in suite.findall("testcase"):
            yield suite, case


def _result(case: ET.Element) -> str:
    return next((child.tag for child in case if child.tag in ("failure", "error", "skipped")), "passed")


def test_a_suite_for_each_target_and_a_case_for_each_scenario() -> None:
    """With the findings at the scenario and target that they are about."""
    cases = {place: _result(case) for place, case in _cases(run(stripe_run())).items()}

    assert cases["stripe / simulator", "the same key is answered once"] == "passed"
    assert cases["stripe / sandbox", "the same key is answered once"] == "failure"
    assert cases["stripe / sandbox", "a file comes back as it went"] == "skipped"
    assert cases["stripe / sandbox", "a payout arrives"] == "skipped"
    assert cases["stripe / sandbox", "an intent is kept"] == "passed"


def test_the_threshold_decides_what_fails() -> None:
    """A risky finding is output at ``breaking``, and a failure at ``risky``."""
    place = ("stripe / sandbox", "an intent is kept")
    lenient, strict = (
        _cases(run(stripe_run(), fail_on=threshold))[place] for threshold in (Severity.BREAKING, Severity.RISKY)
    )

    assert "TR205" in (lenient.findtext("system-out") or "")
    assert _result(strict) == "failure"


def test_a_failure_says_everything() -> None:
    """What, where, the three values, what to do, how to see it again."""
    case = _cases(run(stripe_run()))["stripe / sandbox", "a refund above what is left is refused"]
    failure = case.find("failure")

    assert failure is not None
    assert failure.get("type") == "TR101"
    assert failure.get("message", "").endswith("(and 1 more)")
    for part in ('contract    "too_much"', 'sandbox     "refunded"', "again       troth drift", "TR303", "caused by"):
        assert part in (failure.text or "")


def test_reasons_stand_at_what_was_skipped() -> None:
    """A reader sees why, and counts it as no pass."""
    skipped = _cases(run(stripe_run()))["stripe / sandbox", "a payout arrives"].find("skipped")

    assert skipped is not None
    assert skipped.get("message") == "skipped: needs the secret STRIPE_CONNECT_KEY, which is not set"


def test_an_answer_that_told_nothing_makes_its_case_skipped() -> None:
    """Also when the scenario went on after it."""
    silent = finding("unobserved", blame=Blame.UNOBSERVED, scenario="a", sandbox=ABSENT, message="HTML for JSON")
    provider = provider_run(Verdict.UNREACHABLE, scenarios=(ScenarioRun("a", "sandbox", "ok"),), findings=(silent,))
    case = _cases(run(provider))["p-unreachable / sandbox", "a"]

    assert _result(case) == "skipped"
    assert case.find("skipped").get("message") == "unobserved: HTML for JSON"  # type: ignore[union-attr]


@pytest.mark.parametrize("verdict", [verdict for verdict in Verdict if verdict not in (Verdict.AGREE, Verdict.DRIFT)])
@pytest.mark.parametrize("scenarios", [True, False])
def test_no_verdict_but_agreement_is_all_passes(verdict: Verdict, scenarios: bool) -> None:
    """Whether its scenarios tell it or not."""
    provider = provider_run(verdict, REASONS.get(verdict, ""))
    results = {_result(case) for _, case in _pairs(run(provider if scenarios else replace(provider, scenarios=())))}

    assert results & {"skipped", "error"}
    assert ("error" in results) is (verdict is Verdict.BROKEN)


def test_agreement_is_all_passes() -> None:
    """Nothing skipped, nothing failed."""
    assert {_result(case) for _, case in _pairs(quiet_run())} == {"passed"}


def test_counts_are_right_everywhere() -> None:
    """In each suite and over all."""
    root = ET.fromstring(render(rich_run()))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"), ("tests", "testcase")):
        for suite in root:
            assert int(suite.get(name, "")) == len(list(suite.iter(tag)))
        assert int(root.get(name, "")) == len(list(root.iter(tag)))


def test_findings_without_a_scenario_are_not_lost() -> None:
    """A Schemathesis finding, and one whose scenario has no case."""
    provider = provider_run(
        Verdict.DRIFT,
        scenarios=scenario_runs(("a",)),
        findings=(finding("schema", scenario=""), finding(scenario="elsewhere")),
        checks=(
            Check("schemathesis", "broken", "it crashed"),
            Check("cleanup", "findings", "1 left"),
            Check("fuzz", "skipped", "no time"),
        ),
    )
    cases = {name: _result(case) for (_, name), case in _cases(run(provider)).items()}

    assert cases["without a scenario"] == "failure"
    assert cases["elsewhere"] == "failure"
    assert (cases["schemathesis"], cases["cleanup"], cases["fuzz"]) == ("error", "passed", "skipped")


def test_a_target_of_another_name_gets_the_findings() -> None:
    """``staging`` instead of ``sandbox``."""
    provider = provider_run(
        Verdict.DRIFT,
        scenarios=(ScenarioRun("a", "simulator", "ok"), ScenarioRun("a", "staging", "findings")),
        findings=(finding(scenario="a", exchanges=(exchange("simulator"), exchange("staging"))),),
    )

    assert _result(_cases(run(provider))["p-drift / staging", "a"]) == "failure"


def test_nasty_texts_are_well_formed_and_visible() -> None:
    """NUL, escapes and lone surrogates cannot be in XML; overrides could, and would mislead."""
    text = render(nasty_run()).decode()

    ET.fromstring(text)
    assert "\\x00" in text
    assert "\\ud800" in text
    assert "\u202e" not in text
    assert "\x1b" not in text


def test_no_provider_is_an_empty_document() -> None:
    """Still XML, still no pass."""
    root = ET.fromstring(render(run()))
    assert (root.get("tests"), len(root)) == ("0", 0)


def test_a_huge_case_is_bounded() -> None:
    """Ten thousand findings in one scenario do not make a file that no CI reads."""
    provider: ProviderRun = provider_run(
        Verdict.DRIFT, scenarios=scenario_runs(("a",)), findings=tuple(finding(scenario="a") for _ in range(2_000))
    )
    assert len(render(run(provider))) < 200_000
