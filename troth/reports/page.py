"""Everything that the page shows, worked out from a run; the template only lays it out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from troth.contracts.kinds import Severity
from troth.reports.clusters import consequences_of, count_words, worst_first
from troth.reports.coverage_view import (
    OperationRow,
    ScenarioRow,
    Unchecked,
    mismatched,
    observed,
    operation_rows,
    scenario_rows,
    severity_counts,
    simulator_passes,
    targets_of,
    unchecked,
)
from troth.reports.exchange_view import duration
from troth.reports.finding_view import FindingView, Group, first_run, groups_of
from troth.reports.life import past_words
from troth.reports.outcome import VERDICT_WORDS, headline, sandbox_called, verdict_words
from troth.reports.volatile import volatile_lines
from troth.reports.words import VERDICT_TITLES, fails, verdict_sentence
from troth.runners.finding import Blame, Finding, ProviderRun, Run, Verdict
from troth.runners.stage import Stage

__all__ = ["EXIT_WORDS", "Page", "ProviderView", "headline", "page_of", "when"]

_MOST = 1_000
"""Findings on the page; the rest is in run.json."""
_WORST = 6
"""Findings that the first screen names."""
_ROWS = 2_000
"""Scenarios listed for one provider."""

EXIT_WORDS: dict[int, str] = {
    0: "nothing that fails the run",
    1: "drift that fails the run",
    2: "interrupted",
    3: "a fault of Troth's own",
    4: "a contract or credential that cannot be used",
    5: "nothing ran",
    6: "the sandbox could not be checked",
    7: "stale, or short of coverage or budget",
    8: "flaky",
}


@dataclass(frozen=True, slots=True)
class ProviderView:
    """One provider, ready to show."""

    run: ProviderRun
    identity: str
    name: str
    verdict: str
    sentence: str
    severities: tuple[tuple[Severity, int], ...]
    unchecked: tuple[Unchecked, ...]
    consequences: int
    called: bool
    """Was the sandbox called? Else the checks are the simulator's."""
    simulator: tuple[int, int] | None
    observed: tuple[int, int]
    bar: tuple[tuple[str, float, float], ...]
    """Outcome, start and width in percent, for the picture of the coverage."""
    operations: tuple[OperationRow, ...]
    targets: tuple[str, ...]
    scenarios: tuple[ScenarioRow, ...]
    scenarios_cut: int


@dataclass(frozen=True, slots=True)
class Page:
    """The whole page."""

    run: Run
    verdict: str
    headline: str
    words: str
    exit_words: str
    began: str
    ended: str
    took: str
    providers: tuple[ProviderView, ...]
    groups: tuple[Group, ...]
    total: int
    left_out: int
    counted: str
    """How many causes and consequences there are, in words."""
    causes: int
    failing: int
    """Causes that fail the run, by themselves or by what follows from them."""
    new: int
    """Causes that no earlier run saw; 0 on a first run, where all are."""
    severities: tuple[Severity, ...]
    """Those that have findings, worst first."""
    matrix: tuple[tuple[Blame, tuple[int, ...]], ...]
    """For each blame that has findings: how many of each of ``severities``."""
    worst: tuple[FindingView, ...]
    """The first few of the page."""
    past: tuple[tuple[str, str], ...]
    """Of what earlier nights found and this one did not, and of what is volatile: the icon, and what is to be said."""
    opened: str
    """The identity of the one finding that is unfolded at first."""


def page_of(run: Run) -> Page:
    """The page of a run."""
    findings = worst_first(finding for provider in run.providers for finding in provider.findings)
    roots = consequences_of(findings)
    groups = groups_of(findings[:_MOST], run)
    severities = tuple(severity for severity in Severity if any(f.severity is severity for f in findings))
    return Page(
        run=run,
        verdict=VERDICT_TITLES[run.verdict],
        headline=headline(run, len(findings)),
        words=_words(run),
        exit_words=EXIT_WORDS.get(run.exit_code, "not known to this version"),
        began=when(run.started),
        ended=when(run.finished),
        took=duration(max(run.finished - run.started, 0)),
        providers=tuple(_provider(number, provider) for number, provider in enumerate(run.providers, 1)),
        groups=groups,
        total=len(findings),
        left_out=max(len(findings) - _MOST, 0),
        counted=count_words(findings),
        causes=len(roots),
        failing=sum(any(fails(findings[at], run.fail_on) for at in (root, *after)) for root, after in roots.items()),
        new=0 if first_run(run) else sum(findings[root].since == run.run_id for root in roots),
        severities=severities,
        matrix=_matrix(findings, severities),
        worst=tuple(view for group in groups for view in group.views)[:_WORST],
        past=tuple(_past(run)),
        opened=groups[0].views[0].identity if groups else "",
    )


def _past(run: Run) -> Iterator[tuple[str, str]]:
    for item in (item for provider in run.providers for item in provider.past[:_ROWS]):
        yield ("agree" if item.stage is Stage.FIXED else "unobserved"), past_words(item)
    for provider in run.providers:
        yield from (("unobserved", line) for line in list(volatile_lines(provider))[:_ROWS])


def when(moment: float) -> str:
    """A moment in UTC, to the second."""
    try:
        return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError, OSError):
        return "at an unknown time"


def _words(run: Run) -> str:
    if not run.providers:
        return "The run had no contract to check. Give the path of a contract, or the name of a pack."
    only = run.providers[0] if len(run.providers) == 1 else None
    words = verdict_words(only) if only is not None and only.verdict is run.verdict else VERDICT_WORDS[run.verdict]
    refused = [provider for provider in run.providers if provider.refused]
    if run.verdict is Verdict.BROKEN and refused:
        words = "A contract cannot be used, or a credential was refused. Nothing was checked there."
    if len(run.providers) > 1:
        tally = Counter(provider.verdict for provider in run.providers)
        counts = ", ".join(f"{tally[verdict]} {verdict}" for verdict in Verdict if tally[verdict])
        words += f" {len(run.providers)} providers: {counts}."
    return words + (" The run was stopped before its end." if run.interrupted else "")


def _provider(number: int, provider: ProviderRun) -> ProviderView:
    rows = scenario_rows(provider)
    return ProviderView(
        run=provider,
        identity=f"p-{number}",
        name=provider.title or provider.provider,
        verdict=VERDICT_TITLES[provider.verdict],
        sentence=verdict_sentence(provider),
        severities=severity_counts(provider),
        unchecked=unchecked(provider),
        consequences=len(provider.findings) - len(consequences_of(provider.findings)),
        called=sandbox_called(provider),
        simulator=simulator_passes(provider),
        observed=observed(provider),
        bar=_bar(provider),
        operations=operation_rows(provider),
        targets=targets_of(provider),
        scenarios=rows[:_ROWS],
        scenarios_cut=max(len(rows) - _ROWS, 0),
    )


def _bar(provider: ProviderRun) -> tuple[tuple[str, float, float], ...]:
    """The shares of scenarios that agreed, did not, gave nothing to judge, and were skipped; what is left is empty."""
    cover = provider.coverage
    whole = max(cover.scenarios, cover.ran + cover.unobserved + cover.skipped, 1)
    start, parts = 0.0, []
    bad = min(mismatched(provider), cover.ran)
    counts = {"ran": cover.ran - bad, "mismatched": bad, "unobserved": cover.unobserved, "skipped": cover.skipped}
    for name, count in counts.items():
        width = round(100 * count / whole, 2)
        if width:
            parts.append((name, round(start, 2), width))
        start += width
    return tuple(parts)


def _matrix(findings: Sequence[Finding], severities: tuple[Severity, ...]) -> tuple[tuple[Blame, tuple[int, ...]], ...]:
    counts = Counter((finding.blame, finding.severity) for finding in findings)
    rows = ((blame, tuple(counts[blame, severity] for severity in severities)) for blame in Blame)
    return tuple((blame, row) for blame, row in rows if any(row))
