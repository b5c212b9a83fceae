"""What comes and goes is told in every report, with how often it was seen, and nobody takes it for a pass."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fakes.report_runs import finding, provider_run, run

from troth.reports import html, junit, markdown
from troth.reports.console import summary_lines
from troth.runners.finding import Run, Verdict


@pytest.fixture
def flaky() -> Run:
    """A provider that differed in two of five runs, and in something else in one of four."""
    one = finding("value", path="$.amount", steadiness="intermittent", seen=2, runs=5)
    other = finding("type", path="$.note", steadiness="dismissed", seen=1, runs=4)
    reason = "a charge is kept, get_charge $.amount: seen in 2 of 5 runs"
    return run(provider_run(Verdict.FLAKY, reason, findings=(one, other)), exit_code=8)


def console(shown: Run) -> bytes:
    """What the command line prints."""
    return "\n".join(summary_lines(shown)).encode()


@pytest.mark.parametrize("render", [console, markdown.render, html.render, junit.render])
def test_it_is_told(flaky: Run, render: Callable[[Run], bytes]) -> None:
    """In the words of the page, the summaries and the test report."""
    told = render(flaky).decode()

    assert "2 of 5 runs" in told
    assert "1 of 4 runs" in told
    assert "Change nothing yet" in told or render is console


def test_what_fails_the_run_fails_its_test(flaky: Run) -> None:
    """The run ends with 8: a CI system that reads only JUnit sees no green either."""
    assert "<failure" in junit.render(flaky).decode()


def test_flukes_and_steady_findings_do_not_stand_together() -> None:
    """One that is confirmed is no witness for one that is not."""
    steady = finding("value", path="$.amount", steadiness="confirmed", seen=3, runs=3, fingerprint="v1:a")
    fluke = finding("value", path="$.amount", steadiness="dismissed", seen=1, runs=4, fingerprint="v1:b")
    lines = summary_lines(run(provider_run(Verdict.DRIFT, findings=(steady, fluke))))

    assert sum("TR301" in line for line in lines) == 2
