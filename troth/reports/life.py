"""A finding's life in words: its stage, who answers for it, what its severity was before the contract weighed it."""

from __future__ import annotations

from troth.reports.visible import shorten, visible
from troth.runners.acceptance import ACCEPTED_CHECK
from troth.runners.finding import Finding, PastFinding, ProviderRun
from troth.runners.stage import Acceptance, Stage

__all__ = ["accepted_lines", "accepted_words", "life", "past_words", "stage_words", "weight"]

_SHOWN = 300


def stage_words(finding: Finding) -> str:
    """The stage in a word or two; "" where no history is kept."""
    if finding.stage is None:
        return ""
    if finding.stage is Stage.ACKNOWLEDGED and finding.accepted is not None:
        return f"accepted until {visible(finding.accepted.until)}"
    if finding.accepted is not None and finding.accepted.state is Acceptance.EXPIRED:
        return f"{finding.stage}, acceptance expired"
    return str(finding.stage)


def life(finding: Finding) -> str:
    """The stage, and on how many nights it was seen since when; "" where no history is kept."""
    if finding.stage is None:
        return ""
    if finding.nights < 2 or not finding.first_seen:
        return str(finding.stage)
    return f"{finding.stage}, seen on {finding.nights} nights, first in run {visible(finding.first_seen)}"


def accepted_words(finding: Finding) -> str:
    """Who answers for it, why, until when, and what is wrong with that; "" where nobody does."""
    accepted = finding.accepted
    if accepted is None:
        return ""
    link = f" ({visible(accepted.link)})" if accepted.link else ""
    who = f"by {visible(accepted.owner)} until {visible(accepted.until)}: {visible(accepted.reason)}"
    wrong = {Acceptance.EXPIRED: "expired. ", Acceptance.VOID: "void. "}.get(accepted.state, "")
    why = f". {visible(accepted.words)[:1].upper()}{visible(accepted.words)[1:]}" if accepted.words else ""
    return shorten(f"{wrong}{who[:1].upper() + who[1:] if wrong else who}{link}{why}", _SHOWN)


def weight(finding: Finding) -> str:
    """The severity, with the usual one where the contract says another."""
    return f"{finding.severity}, by the contract; usually {finding.usual}" if finding.weighed else str(finding.severity)


def past_words(item: PastFinding) -> str:
    """What became of a finding of earlier nights."""
    where = f"{item.code} {item.kind} at {visible(item.operation)} {visible(item.path)} ({visible(item.scenario)})"
    if item.stage is Stage.FIXED:
        nights = "1 night" if item.clean == 1 else f"{item.clean} nights"
        return f"fixed: {where}, not seen on {nights}; last in run {visible(item.last_seen)}"
    if item.stage is Stage.CLEARING:
        return f"clearing: {where}, not seen on {item.clean} of {item.fixed_after} nights that make it fixed"
    return f"unchecked: {where}, nothing looked there in this run; last seen in run {visible(item.last_seen)}"


def accepted_lines(provider: ProviderRun) -> tuple[str, ...]:
    """What has to be said of the accepted findings as a whole; nothing where none are."""
    checks = [check for check in provider.checks if check.name == ACCEPTED_CHECK]
    return tuple(visible(line) for check in checks for line in check.detail.splitlines())
