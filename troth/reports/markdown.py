"""``summary.md``: the run for the summary of a CI step, or a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from troth.reports.clusters import clusters_of, consequences_of, worst_first
from troth.reports.coverage_view import following_words, observed, severity_counts, unchecked
from troth.reports.life import accepted_lines, accepted_words, past_words, stage_words, weight
from troth.reports.marked import code_span as _code
from troth.reports.marked import prose as _text
from troth.reports.outcome import headline
from troth.reports.page import EXIT_WORDS, when
from troth.reports.visible import shorten
from troth.reports.volatile import volatile_lines
from troth.reports.words import VERDICT_TITLES, Code, Words, advice, relying, steadiness, title
from troth.runners.finding import Finding, Run, Verdict
from troth.runners.trails import step_words

__all__ = ["LIMIT", "render"]

LIMIT = 60_000
"""Bytes; a comment on GitHub may hold 65,536 characters."""

_SYMBOLS: dict[Verdict, str] = {
    Verdict.AGREE: "✅",
    Verdict.DRIFT: "❌",
    Verdict.BROKEN: "💥",
    Verdict.SKIPPED: "⏭️",
}
_OTHER = "⚠️"
_GAPS = 60


def render(run: Run) -> bytes:
    """The summary, UTF-8, at most ``LIMIT`` bytes; what does not fit is counted."""
    head = "\n".join(_head(run))
    gaps = "\n".join((*_past(run), *_gaps(run)))
    foot = "\n".join(_foot(run))
    room = LIMIT - sum(len(part.encode("utf-8", "replace")) for part in (head, gaps, foot)) - 200
    return "\n".join([head, *_findings(run, room), gaps, foot, ""]).encode("utf-8", "replace")


def _head(run: Run) -> Iterator[str]:
    yield f"## {_symbol(run.verdict)} {_text(headline(run, sum(len(p.findings) for p in run.providers)))}"
    yield ""
    if not run.providers:
        yield "No contract was run."
        return
    yield "| Provider | Verdict | Scenarios | Responses seen | Findings |"
    yield "| --- | --- | --- | --- | --- |"
    for provider in run.providers[:200]:
        cover = provider.coverage
        seen, declared = observed(provider)
        found = ", ".join(f"{count} {severity}" for severity, count in severity_counts(provider)) or "none"
        after = len(provider.findings) - len(consequences_of(provider.findings))
        found += f"; {after} following" if after else ""
        verdict = f"{_symbol(provider.verdict)} {VERDICT_TITLES[provider.verdict]}"
        ran = f"{cover.ran} of {cover.scenarios} ran"
        yield f"| {_text(provider.title or provider.provider)} | {verdict} | {ran} | {seen} of {declared} | {found} |"


def _findings(run: Run, room: int) -> list[str]:
    findings = worst_first(finding for provider in run.providers for finding in provider.findings)
    roots = consequences_of(findings)
    if not roots:
        return []
    lines = ["", "### Findings", ""]
    clusters = clusters_of(findings, roots)
    for number, cluster in enumerate(clusters):
        entry = _entry(findings[cluster.first], len(cluster.alike))
        size = len(entry.encode("utf-8", "replace")) + 1
        if size > room:
            left = sum(1 + len(other.alike) for other in clusters[number:])
            lines.append(f"- … and {left} more, in `report.html` and `run.json`.")
            break
        lines.append(entry)
        room -= size
    if following := following_words(findings):
        lines += ["", f"Consequences of these, not listed: {following}."]
    return lines


def _entry(finding: Finding, alike: int) -> str:
    step = _text(step_words(finding.step, finding.trail))
    where = f"{_code(finding.operation)}, {_text(finding.scenario)}, {step}, {_code(finding.path)}"
    where += f", demanded in {_code(finding.written)}" if finding.written else ""
    places = (f", {finding.count} places" if finding.count > 1 else "") + (f", and {alike} like it" if alike else "")
    standing = f", {_text(finding.standing)}" if finding.standing else ""
    standing += f", {_text(stage_words(finding))}" if finding.stage else ""
    places += f", {_text(steadiness(finding))}" if finding.flaky else ""
    name = f", {_code(finding.fingerprint)}" if finding.fingerprint else ""
    accepted = f"<br>Accepted: {_text(accepted_words(finding))}" if finding.accepted else ""
    tests = f"<br>{_text(words[:1].upper() + words[1:])}" if (words := relying(finding)) else ""
    return (
        f"- **{_text(weight(finding))}** {_words(title(finding))} ({finding.code}, "
        f"blame: {finding.blame}{standing}{name})<br>{where}{places}<br>{_words(advice(finding))}{accepted}{tests}"
    )


def _past(run: Run) -> Iterator[str]:
    """What became of findings of earlier nights, what has to be said of the accepted ones, and what is volatile."""
    entries = [f"- {_text(past_words(item))}" for provider in run.providers for item in provider.past]
    entries += [f"- {_text(line)}" for provider in run.providers for line in accepted_lines(provider)]
    entries += [f"- {_text(line)}" for provider in run.providers for line in volatile_lines(provider)]
    if entries:
        yield from ("", "### Earlier nights", "", *entries[:_GAPS])
    if len(entries) > _GAPS:
        yield f"- … and {len(entries) - _GAPS} more, in `report.html`."


def _gaps(run: Run) -> Iterator[str]:
    entries = [
        f"- {_text(provider.title or provider.provider)}: {_text(gap.what)}"
        + (f" ({_text(gap.why)})" if gap.why else "")
        for provider in run.providers
        for gap in unchecked(provider)
    ]
    if entries:
        yield from ("", "### What could not be checked", "", *entries[:_GAPS])
    if len(entries) > _GAPS:
        yield f"- … and {len(entries) - _GAPS} more, in `report.html`."


def _foot(run: Run) -> Iterator[str]:
    yield ""
    gate = "open" if run.gate else "closed"
    words = EXIT_WORDS.get(run.exit_code, "")
    yield (
        f"Run {_code(run.run_id)}, {when(run.started)}, sandbox gate {gate}, fails at {run.fail_on}, "
        f"exit code {run.exit_code}" + (f" ({words})." if words else ".")
    )
    if run.command:
        yield ""
        yield _code(shorten(run.command, 2_000))


def _symbol(verdict: Verdict) -> str:
    return _SYMBOLS.get(verdict, _OTHER)


def _words(words: Words) -> str:
    return "".join(_code(word) if isinstance(word, Code) else _spaced(word) for word in words)


def _spaced(word: str) -> str:
    """Like ``_text``, with the blanks at its ends, which stand between it and its neighbours."""
    return word[: len(word) - len(word.lstrip())] + _text(word) + word[len(word.rstrip()) :] if word.strip() else word
