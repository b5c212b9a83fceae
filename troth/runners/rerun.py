"""Looks again at what disagreed: only those scenarios, on simulator and sandbox, with fresh data, until it is decided.

Every run of a scenario is one observation of each finding that it is run for. A run that does not come to its end, and
a sandbox that is given up meanwhile, show nothing: what could not be looked at again counts as seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from troth.contracts.json_path import schema_path
from troth.runners.compare import Comparison, compare
from troth.runners.engine import run_items, run_target
from troth.runners.events import Rerunning
from troth.runners.finding import Blame, Finding
from troth.runners.plan import RunPlan, planned
from troth.runners.session import Session
from troth.runners.step_result import TargetRun
from troth.runners.target import RunTarget
from troth.runners.trial import Rule, Steadiness, Trial

__all__ = ["MOST_SCENARIOS", "Rerun", "Reruns", "disputed"]

MOST_SCENARIOS = 20
"""Scenarios that are run again at a time, those of the worst findings first."""

_ACCUSED = frozenset({Blame.PROVIDER, Blame.CONTRACT, Blame.ALL})
"""What the contract leaves open, what was not observed, and what only the simulator does needs no second look."""


@dataclass(frozen=True, slots=True)
class Rerun:
    """Some scenarios once more, on both targets. ``findings`` are without history."""

    simulator: TargetRun
    sandbox: TargetRun
    findings: tuple[Finding, ...]


@dataclass
class Reruns:
    """The further runs of one provider, and what they say of each finding; complete at any time."""

    first: Comparison
    rule: Rule
    unsure: Callable[[Sequence[TargetRun]], Sequence[str]] = lambda runs: ()
    """Scenarios that are run again for what the sandbox does where the contract leaves it open; given the reruns."""
    runs: list[Rerun] = field(default_factory=list)
    ended: str = ""
    """Why it ended before everything was decided; "" when it did not."""

    async def run(self, session: Session, simulator: Callable[[], RunTarget]) -> None:
        """Run until everything is decided. ``simulator`` gives a new one for each run."""
        gap = self.rule.over / max(self.rule.most - 1, 1)
        while (scenarios := self.open()) and len(self.runs) < self.rule.most - 1:
            if session.breaker.stopped is not None:
                self.ended = session.breaker.stopped.reason
                return
            provider, target = session.contract.provider, session.target
            session.tell(Rerunning(provider, target.name, len(scenarios), len(self.runs) + 2))
            if gap:
                session.waiting("", gap, "before disagreeing scenarios are run again")
                await target.clock.sleep(gap)
            self.runs.append(await _once_more(session, simulator(), scenarios))
            cut = [item.reason for item in self.runs[-1].sandbox.outcomes if item.over_budget]
            if cut:
                self.ended = cut[0]
                return

    def open(self) -> tuple[str, ...]:
        """The scenarios to run once more."""
        undecided = [found for found, trial in self._tried() if trial.decided(self.rule) is None]
        undecided.sort(key=lambda finding: finding.severity.rank)
        unsure = self.unsure([run.sandbox for run in self.runs])
        return tuple(dict.fromkeys((*(finding.scenario for finding in undecided), *unsure)))[:MOST_SCENARIOS]

    def steadied(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """The findings with what the further runs say of them; a consequence stands and falls with its cause."""
        trials = {found.fingerprint: trial for found, trial in self._tried()}
        causes = {finding.fingerprint: finding.caused_by for finding in findings}
        return tuple(self._steadied(finding, _trial_of(finding, trials, causes)) for finding in findings)

    def _steadied(self, finding: Finding, trial: Trial | None) -> Finding:
        if trial is None:
            return finding
        steadiness = trial.decided(self.rule) or Steadiness.UNCONFIRMED
        return replace(finding, steadiness=str(steadiness), seen=trial.seen, runs=len(trial.shown))

    def news(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """Those of a further run's findings that the first run does not tell of: new disagreements, and leaks."""
        known = {finding.fingerprint for finding in self.first.findings}
        tried = {found.fingerprint for found, _ in self._tried()} - known
        return tuple(
            finding
            for finding in findings
            if finding.fingerprint in tried
            or (finding.fingerprint not in known and (finding.caused_by in tried or finding.kind == "leak"))
        )

    def _tried(self) -> list[tuple[Finding, Trial]]:
        """Every disputed finding, with the runs that decide it; also those that only a further run showed."""
        tried = {finding.fingerprint: (finding, Trial()) for finding in disputed(self.first)}
        for number, run in enumerate(self.runs, 1):
            for print_, (finding, trial) in tried.items():
                shown = _shown(finding, run) if trial.decided(self.rule) is None else None
                if shown is not None:
                    tried[print_] = finding, trial.after(shown)
            for finding in self._fresh(run, [found for found, _ in tried.values()]):
                green = [False for earlier in self.runs[: number - 1] if _shown(finding, earlier) is False]
                tried[finding.fingerprint] = finding, Trial((False, *green, True))
        return list(tried.values())

    def _fresh(self, run: Rerun, known: Sequence[Finding]) -> Iterator[Finding]:
        """What a further run shows at places where nothing was wrong before."""
        prints = {finding.fingerprint for finding in (*self.first.findings, *known)}
        places = {_place(finding) for finding in (*self.first.findings, *known)}
        for finding in disputed(Comparison(run.findings)):
            if finding.fingerprint not in prints and _place(finding) not in places:
                yield finding


def disputed(comparison: Comparison) -> tuple[Finding, ...]:
    """The findings that need a second look: about the sandbox, and not explained by another that gets one."""
    able = [
        finding
        for finding in comparison.findings
        if finding.blame in _ACCUSED and finding.scenario not in comparison.broken
    ]
    prints = {finding.fingerprint for finding in able}
    return tuple(finding for finding in able if finding.caused_by not in prints)


async def _once_more(session: Session, simulator: RunTarget, scenarios: tuple[str, ...]) -> Rerun:
    again = session.again(scenarios)
    plan = RunPlan(again.plan.run_id, again.plan.redactor, again.plan.seed, scenarios)
    simulated = await run_target(session.contract, simulator, plan)
    seen = await run_items(again, planned(session.contract, scenarios))
    return Rerun(simulated, seen, compare(session.contract, simulated, seen).findings)


def _shown(finding: Finding, run: Rerun) -> bool | None:
    """Did the run show the finding, or another at its place? None when its scenario did not come to its end."""
    for other in run.findings:
        if other.fingerprint == finding.fingerprint or (other.blame in _ACCUSED and _place(other) == _place(finding)):
            return True
    ended = any(item.scenario == finding.scenario and item.outcome == "ok" for item in run.sandbox.outcomes)
    return False if ended else None


def _place(finding: Finding) -> tuple[str, str, str]:
    return finding.scenario, finding.operation, schema_path(finding.path)


def _trial_of(finding: Finding, trials: dict[str, Trial], causes: dict[str, str | None]) -> Trial | None:
    """The trial of the finding, else of what explains it."""
    print_: str | None = finding.fingerprint
    for _ in range(len(causes) + 1):
        if print_ is None or print_ in trials:
            break
        print_ = causes.get(print_)
    return trials.get(print_) if print_ is not None else None
