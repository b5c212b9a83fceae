"""What a run came to, in words that name the actual reason: no address, no credential, or one operation that failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from troth.reports.visible import shorten
from troth.runners.finding import ProviderRun, Run, Verdict

__all__ = ["VERDICT_WORDS", "headline", "sandbox_called", "verdict_words"]

VERDICT_WORDS: dict[Verdict, str] = {
    Verdict.AGREE: "Contract, simulator and sandbox agree wherever they were compared.",
    Verdict.DRIFT: "Contract, simulator and sandbox do not say the same.",
    Verdict.UNREACHABLE: "The sandbox gave no usable answer, so nothing is known about drift.",
    Verdict.UNAUTHORIZED: "The sandbox did not accept the credentials, so nothing is known about drift.",
    Verdict.EXHAUSTED: "A rate, quota, credit or budget was used up before the run was through.",
    Verdict.FLAKY: "The sandbox answers now this way, now that way.",
    Verdict.STALE: "The contract has not been checked against the sandbox for longer than it allows.",
    Verdict.SKIPPED: "The sandbox was not called, so nothing is known about drift.",
    Verdict.BROKEN: "The contract or Troth itself is broken. This says nothing about the provider.",
}

_HEADLINES: dict[Verdict, str] = {
    Verdict.UNREACHABLE: "The sandbox could not be reached",
    Verdict.UNAUTHORIZED: "The sandbox refused the credentials",
    Verdict.EXHAUSTED: "A limit was used up",
    Verdict.FLAKY: "The sandbox is not steady",
    Verdict.STALE: "Not checked for too long",
    Verdict.SKIPPED: "The sandbox was not called",
    Verdict.BROKEN: "Broken on our side",
}


class _Told(NamedTuple):
    headline: str
    words: str


_CUT_SHORT = _Told(
    "The sandbox was called, and not for everything",
    "The sandbox was called, but some scenarios did not run there: of these nothing is known.",
)


def headline(run: Run, findings: int) -> str:
    """The run in one sentence."""
    if not run.providers:
        return "Nothing ran"
    if run.verdict is Verdict.AGREE:
        return "Everything that was compared agrees" if not findings else "Agree, with findings worth reading"
    worst = [provider for provider in run.providers if provider.verdict is run.verdict]
    if run.verdict is Verdict.DRIFT:
        name = worst[0].provider if len(worst) == 1 else f"{len(worst)} providers"
        return f"Drift: {shorten(name, 80)}" if worst else "Drift"
    told = {_told(provider).headline for provider in worst}
    return told.pop() if len(told) == 1 else _HEADLINES[run.verdict]


def verdict_words(provider: ProviderRun) -> str:
    """The verdict on one provider in a sentence."""
    return _told(provider).words


def sandbox_called(provider: ProviderRun) -> bool:
    """Was anything asked of the sandbox, or of another target that stands for it?"""
    targets = {*(item.target for item in provider.scenarios), *(item.target for item in provider.exchanges)}
    return bool(targets - {"simulator"}) or bool(provider.sandbox_url)


def _told(provider: ProviderRun) -> _Told:
    usual = _Told(_HEADLINES.get(provider.verdict, ""), VERDICT_WORDS[provider.verdict])
    if provider.verdict is Verdict.SKIPPED and _answered(provider, ()):
        return _CUT_SHORT
    if provider.verdict not in (Verdict.UNREACHABLE, Verdict.UNAUTHORIZED):
        return usual
    if not sandbox_called(provider):
        return _uncalled(provider)
    silent = sorted({finding.operation for finding in provider.findings if finding.kind == "unobserved"})
    if not silent or not _answered(provider, silent):
        return usual
    name = shorten(silent[0], 80) if len(silent) == 1 else f"{len(silent)} operations"
    if provider.verdict is Verdict.UNAUTHORIZED:
        return _Told(f"The sandbox let nobody in at {name}", f"The sandbox answers, but did not let {name} in.")
    words = f"The sandbox answers, but gave nothing that can be judged for {name}: nothing is known about drift there."
    return _Told(f"No usable answer for {name}", words)


def _answered(provider: ProviderRun, silent: Sequence[str]) -> bool:
    """Did another operation give an answer that the contract knows?"""
    return any(
        exchange.target != "simulator" and exchange.response_name is not None and exchange.operation not in silent
        for exchange in provider.exchanges
    )


def _uncalled(provider: ProviderRun) -> _Told:
    if provider.verdict is Verdict.UNREACHABLE:
        why = "its settings cannot be used" if provider.refused else "it has no usable address"
    elif provider.refused:
        why = "Troth refused to send a credential"
    else:
        why = "a credential is not set"
    return _Told(f"The sandbox was not called: {why}", f"The sandbox was not called, because {why}.")
