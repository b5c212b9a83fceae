"""A run and its findings as plain lines, without colour or markup; the command line prints them."""

from __future__ import annotations

from collections.abc import Iterator

from troth.contracts.values import ABSENT, Kind, Value
from troth.reports.clusters import clusters_of, consequences_of, count_words, worst_first
from troth.reports.coverage_view import (
    Unchecked,
    following_words,
    observed,
    severity_counts,
    simulator_passes,
    unchecked,
)
from troth.reports.difference import written
from troth.reports.life import accepted_lines, accepted_words, life, past_words, stage_words, weight
from troth.reports.outcome import headline, sandbox_called
from troth.reports.pieces import plain_text
from troth.reports.visible import shorten, visible
from troth.reports.volatile import volatile_lines
from troth.reports.words import advice, corner_lines, plain, proof, relying, side_words, steadiness, title
from troth.runners.finding import Finding, ProviderRun, Run
from troth.runners.trails import step_words

__all__ = ["finding_lines", "summary_lines"]

_GAPS = 8
"""Things not checked that are listed for one provider."""
_FINDINGS = 20
"""Findings that are listed for one provider."""
_VALUE = 100


def summary_lines(run: Run) -> list[str]:
    """The run in a screenful: verdicts, coverage, what could not be checked, the worst findings in a line each."""
    lines = [f"{visible(headline(run, sum(len(p.findings) for p in run.providers)))} (run {visible(run.run_id)})"]
    for provider in run.providers:
        lines += ["", *_provider(provider)]
    if run.interrupted:
        lines += ["", "The run was stopped before its end."]
    return lines


def finding_lines(finding: Finding) -> list[str]:
    """One finding in full: what, where, the three values, what to do, and how to see it again."""
    step = visible(step_words(finding.step, finding.trail))
    where = f"{visible(finding.operation)}, {step} of {visible(finding.scenario)}, {visible(finding.path)}"
    lines = [
        f"{finding.code} {finding.severity}: {plain(title(finding))}",
        f"  where       {where}" + (f", {finding.count} places" if finding.count > 1 else ""),
        *([f"  written     {visible(finding.written)}"] if finding.written else []),
        f"  blame       {finding.blame}" + (f": {visible(finding.why)}" if finding.why else ""),
        *([f"  severity    {weight(finding)}"] if finding.weighed else []),
        *([f"  stage       {words}"] if (words := life(finding)) else []),
        *([f"  accepted    {words}"] if (words := accepted_words(finding)) else []),
        *([f"  proof       {words}"] if (words := proof(finding)) else []),
        *([f"  steady      {words}"] if (words := steadiness(finding)) else []),
        *(f"  evidence    {visible(line)}" for line in corner_lines(finding)),
        *(f"  {side:<11} {_value(finding, side)}" for side in ("contract", "simulator", "sandbox")),
        *([f"  tests       {words}"] if (words := relying(finding)) else []),
        f"  do          {plain(advice(finding))}",
    ]
    if finding.caused_by:
        lines.append(f"  caused by   {visible(finding.caused_by)}")
    if finding.reproduce:
        lines.append(f"  again       {visible(finding.reproduce)}")
    return lines


def _provider(provider: ProviderRun) -> Iterator[str]:
    cover = provider.coverage
    seen, declared = observed(provider)
    yield f"{visible(provider.provider)}: {provider.verdict}"
    if provider.reason:
        # A contract that cannot be used has one problem a line, with the place in the file.
        yield from (f"  {visible(line)}" for line in provider.reason.splitlines())
    parts = [f"{cover.ran} of {cover.scenarios} scenarios"]
    parts += [f"{cover.skipped} skipped"] if cover.skipped else []
    parts += [f"{cover.unobserved} not observed"] if cover.unobserved else []
    parts += [f"{seen} of {declared} declared responses seen"] if declared else []
    checks = [f"{cover.checks} checks"]
    called = sandbox_called(provider)
    parts = parts + checks if called else ["not called", *parts]
    if (passed := simulator_passes(provider)) is not None:
        yield "  simulator: " + ", ".join([f"{passed[0]} of {passed[1]} scenarios ok", *([] if called else checks)])
    yield "  sandbox:   " + ", ".join(parts)
    if provider.findings:
        severities = ", ".join(f"{count} {severity}" for severity, count in severity_counts(provider))
        yield f"  {count_words(provider.findings)}: {severities}"
        yield from _findings(provider)
    yield from (f"  {line}" for line in accepted_lines(provider))
    yield from _past(provider)
    yield from _volatile(provider)
    gaps = unchecked(provider)
    if gaps:
        yield "  not checked:"
        yield from (f"    - {_gap(gap)}" for gap in gaps[:_GAPS])
    if len(gaps) > _GAPS:
        yield f"    and {len(gaps) - _GAPS} more in the report"


def _findings(provider: ProviderRun) -> Iterator[str]:
    findings = worst_first(provider.findings)
    roots = consequences_of(findings)
    clusters = clusters_of(findings, roots)
    for cluster in clusters[:_FINDINGS]:
        finding = findings[cluster.first]
        alike = f", and {len(cluster.alike)} like it" if cluster.alike else ""
        yield f"    {finding.code} {finding.severity:<9} {finding.blame:<10} {plain(title(finding))}"
        step = visible(step_words(finding.step, finding.trail))
        standing = f"; {visible(finding.standing)}" if finding.standing else ""
        stage = f"; {words}" if (words := stage_words(finding)) else ""
        name = f"; {visible(finding.fingerprint)}" if finding.fingerprint else ""
        where = f"{visible(finding.operation)}, {visible(finding.scenario)}, {step}{alike}"
        yield f"          {where}{standing}{stage}{name}"
        if finding.accepted is not None:
            yield f"          accepted: {accepted_words(finding)}"
        if finding.flaky:
            yield f"          {steadiness(finding)}"
        if finding.tests:
            yield f"          {relying(finding)}"
    left = clusters[_FINDINGS:]
    if left:
        yield f"    and {sum(1 + len(cluster.alike) for cluster in left)} more in the report"
    if following := following_words(findings):
        yield f"    consequences of these: {following}"


def _past(provider: ProviderRun) -> Iterator[str]:
    if provider.past:
        yield "  of earlier nights:"
        yield from (f"    - {past_words(item)}" for item in provider.past[:_GAPS])
    if len(provider.past) > _GAPS:
        yield f"    and {len(provider.past) - _GAPS} more in the report"


def _volatile(provider: ProviderRun) -> Iterator[str]:
    lines = list(volatile_lines(provider))
    yield from (f"  {line}" for line in lines[:_GAPS])
    if len(lines) > _GAPS:
        yield f"    and {len(lines) - _GAPS} more in the report"


def _gap(gap: Unchecked) -> str:
    why = gap.why.strip().partition("\n")[0]
    return visible(f"{gap.what} ({why})" if why else gap.what)


def _value(finding: Finding, side: str) -> str:
    value: Value = getattr(finding, side)
    if value is ABSENT or isinstance(value, Kind):
        return side_words(finding, side)
    return shorten(" ".join(plain_text(written(value, _VALUE * 3)).split()), _VALUE)
