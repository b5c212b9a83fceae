"""The exit code of a run. pytest's 0 to 5 keep their meaning."""

from __future__ import annotations

from enum import IntEnum

from troth.contracts.kinds import Severity
from troth.runners.finding import Finding, ProviderRun, Run, Verdict

__all__ = ["Exit", "exit_code", "failing"]


class Exit(IntEnum):
    """What a shell or a CI job sees."""

    OK = 0
    DRIFT = 1
    INTERRUPTED = 2
    BROKEN = 3
    USAGE = 4
    NOTHING_RAN = 5
    UNOBSERVED = 6
    SHORTFALL = 7
    FLAKY = 8


_BY_VERDICT = {
    Verdict.UNAUTHORIZED: Exit.UNOBSERVED,
    Verdict.UNREACHABLE: Exit.UNOBSERVED,
    Verdict.EXHAUSTED: Exit.UNOBSERVED,
    Verdict.STALE: Exit.SHORTFALL,
}


def exit_code(run: Run, fail_on: Severity) -> Exit:
    """Interrupted before all; else what the worst provider says that says anything but 0; else 5 when nothing ran."""
    if run.interrupted:
        return Exit.INTERRUPTED
    worst_first = sorted(run.providers, key=lambda provider: provider.verdict.rank)
    for provider in worst_first:
        code = _of_provider(provider, fail_on)
        if code is not Exit.OK:
            return code
    return Exit.OK if any(_ran(provider) for provider in run.providers) else Exit.NOTHING_RAN


def failing(provider: ProviderRun, fail_on: Severity) -> bool:
    """Is there a disagreement as bad as ``fail_on``, or worse? None is what was not seen, or comes and goes, or what
    somebody answers for.
    """
    return any(not finding.flaky for finding in _bad(provider, fail_on))


def _bad(provider: ProviderRun, fail_on: Severity) -> list[Finding]:
    return [finding for finding in provider.findings if finding.fails(fail_on)]


def _of_provider(provider: ProviderRun, fail_on: Severity) -> Exit:
    if provider.verdict is Verdict.BROKEN and not provider.refused:
        return Exit.BROKEN
    if provider.refused:
        return Exit.USAGE
    if failing(provider, fail_on):
        return Exit.DRIFT
    if provider.coverage.over_budget and not provider.coverage.unobserved:
        # Our own limits, and nothing that the provider did.
        return Exit.SHORTFALL
    if provider.verdict in _BY_VERDICT:
        return _BY_VERDICT[provider.verdict]
    if provider.coverage.unobserved:
        # Beside drift that does not fail: a check that did not run is never a pass.
        return Exit.UNOBSERVED
    flaky = _bad(provider, fail_on) or (provider.verdict is Verdict.FLAKY and not provider.findings)
    return Exit.FLAKY if flaky else Exit.OK


def _ran(provider: ProviderRun) -> bool:
    return any(scenario.outcome != "skipped" for scenario in provider.scenarios) or any(
        check.outcome != "skipped" for check in provider.checks
    )
