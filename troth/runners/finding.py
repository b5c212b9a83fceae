"""The result of a run, as data: findings, providers, verdicts. Reports only read these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from troth.contracts.kinds import Severity
from troth.contracts.values import ABSENT, Json
from troth.runners.stage import Acceptance, Accepted, Stage

__all__ = [
    "Blame",
    "Check",
    "Corner",
    "Coverage",
    "Finding",
    "PastFinding",
    "ProviderRun",
    "RecordedExchange",
    "Remembered",
    "Run",
    "ScenarioRun",
    "Verdict",
    "Volatile",
]

SCHEMA_VERSION = 1


class Verdict(StrEnum):
    """What a run says of a provider. A check that did not run is never ``agree``."""

    BROKEN = "broken"
    DRIFT = "drift"
    UNAUTHORIZED = "unauthorized"
    UNREACHABLE = "unreachable"
    EXHAUSTED = "exhausted"
    FLAKY = "flaky"
    STALE = "stale"
    SKIPPED = "skipped"
    AGREE = "agree"

    @property
    def rank(self) -> int:
        """0 is the worst; a run's verdict is its worst provider's."""
        return list(Verdict).index(self)


class Blame(StrEnum):
    """Who a finding lays the disagreement on."""

    PROVIDER = "provider"
    CONTRACT = "contract"
    SIMULATOR = "simulator"
    LOOSE = "loose"
    ALL = "all"
    UNOBSERVED = "unobserved"


@dataclass(frozen=True, slots=True)
class RecordedExchange:
    """One exchange, secrets already replaced. Bodies are text (lossy UTF-8, cut at ``BODY_LIMIT``)."""

    target: str
    scenario: str
    step: int
    operation: str
    method: str
    url: str
    request_headers: tuple[tuple[str, str], ...]
    request_body: str
    status: int | None
    """None when no answer came."""
    response_headers: tuple[tuple[str, str], ...]
    response_body: str
    response_name: str | None = None
    error: str | None = None
    started: float = 0.0
    elapsed: float = 0.0
    trail: str = ""
    """Names the step, as ``Finding.trail`` does; ``step`` counts calls."""


@dataclass(frozen=True, slots=True)
class Corner:
    """How two of contract, simulator and provider stand to each other at a finding's place, and what shows it.

    ``now`` is ``agree``, ``differ`` or ``unobserved``.
    """

    between: str
    now: str
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One typed disagreement. ``contract``, ``simulator``, ``sandbox`` are what each says at ``path``."""

    code: str
    kind: str
    severity: Severity
    blame: Blame
    provider: str
    operation: str
    scenario: str
    step: int
    """The written step, from 1; 0 for none. ``trail`` says which call of it."""
    path: str
    contract: Json
    simulator: Json
    sandbox: Json
    fingerprint: str
    """Stable over runs: provider, kind, origin, and the operation or scenario where the demand belongs to one.

    Never prose, values, counts or dates.
    """
    message: str = ""
    """The demand that was not met, in words; may be empty."""
    count: int = 1
    proof: str = "none"
    """``history``, ``claimed`` or ``none``."""
    since: str | None = None
    last_agreed: str | None = None
    caused_by: str | None = None
    """The fingerprint of the finding that explains this one."""
    reproduce: str = ""
    origin: str = ""
    exchanges: tuple[RecordedExchange, ...] = ()
    """The exchange on each target at this step, simulator first."""
    written: str = ""
    """Where the contract demands it, file and line: ``acmepay/contract.yaml:31``; "" where no file does."""
    places: tuple[str, ...] = ()
    """Every place where it was met, ``operation, scenario, step TRAIL``; the finding itself names the first."""
    claim: str = ""
    """Where the contract claims its proof from (``proven``): "documentation, 2026-10-01"."""
    why: str = ""
    """Why the blame falls where it does, in a sentence for people new to Troth."""
    trail: str = ""
    """The step in full: ``2``, ``2.repeat4``, ``1.a paid intent.2``, ``cleanup.1``, ``undo.3``."""
    standing: str = ""
    """What the history makes of it, in a few words: ``changed since night 2``, ``never proven``, ``loose``."""
    corners: tuple[Corner, ...] = ()
    """The evidence for the blame: contract and simulator, contract and provider, simulator and provider."""
    responses: tuple[str, ...] = ()
    """Every ``operation.response`` that showed it."""
    steadiness: str = ""
    """What came of running its scenario again: ``confirmed``, ``intermittent``, ``dismissed``, ``unconfirmed``; ``""``
    where that was not done."""
    seen: int = 1
    """Runs of its scenario that showed it, of ``runs``; all of them in this run of Troth."""
    runs: int = 1
    usual: Severity | None = None
    """The severity of its kind, which ``drift.policy`` may have changed; None where that is not known."""
    stage: Stage | None = None
    """Where it stands in its life; None where no history is kept."""
    first_seen: str | None = None
    """The first run that saw it, since it was last fixed."""
    nights: int = 0
    """How many runs saw it since then, this one included; 0 where no history is kept."""
    accepted: Accepted | None = None
    """Who answers for it, or did."""
    tests: tuple[str, ...] = ()
    """Tests that rely on it: those that a recorded session of pytest saw use one of the ``responses``."""

    @property
    def flaky(self) -> bool:
        """Does it come and go, or did it not come again? Then it is no drift yet, and no agreement either."""
        return self.steadiness in ("intermittent", "dismissed")

    def fails(self, fail_on: Severity) -> bool:
        """Does it count against the run? What was not observed never does, it has an exit code of its own.

        What somebody answers for does not either, until the day after: then it does, whatever its severity.
        """
        state = self.accepted.state if self.accepted is not None else Acceptance.VOID
        if self.blame is Blame.UNOBSERVED or state is Acceptance.VALID:
            return False
        return state is Acceptance.EXPIRED or self.severity.rank <= fail_on.rank

    @property
    def weighed(self) -> bool:
        """Did the contract's policy change its severity?"""
        return self.usual not in (None, self.severity)


@dataclass(frozen=True, slots=True)
class PastFinding:
    """A finding of an earlier night that this one does not have; ``stage`` says what that means."""

    fingerprint: str
    code: str
    kind: str
    severity: Severity
    blame: Blame
    operation: str
    scenario: str
    path: str
    stage: Stage
    last_seen: str
    """The last run that saw it."""
    nights: int
    """How many runs saw it."""
    clean: int
    """Nights since then that looked and did not see it, this one included."""
    fixed_after: int
    """So many of them make it fixed."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """The earlier nights that a run could look back on; a night is a run that called the sandbox."""

    night: int = 0
    """The number of this night; 0 when the sandbox was not called."""
    nights: int = 0
    """Earlier nights that are known."""
    last_run: str | None = None
    last_time: float | None = None
    """Unix seconds."""
    warning: str = ""
    """What must be said aloud: that there is no history, or that it is old."""


@dataclass(frozen=True, slots=True)
class ScenarioRun:
    """How one scenario went on one target.

    ``outcome`` is ``ok``, ``findings``, ``unobserved``, ``skipped`` or ``broken``.
    """

    scenario: str
    target: str
    outcome: str
    reason: str = ""
    steps: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was checked, and what was not."""

    scenarios: int = 0
    ran: int = 0
    skipped: int = 0
    over_budget: int = 0
    """Of the skipped ones, those that a limit of the target kept from running, or from their end."""
    unobserved: int = 0
    checks: int = 0
    undecided: int = 0
    responses: Mapping[str, bool] = field(default_factory=dict)
    """``operation.response`` -> was it observed on the sandbox."""
    notes: tuple[str, ...] = ()
    """Each thing that could not be checked, in words."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing besides scenarios that a run did (a Schemathesis pass, a cleanup): name, outcome, words."""

    name: str
    outcome: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Volatile:
    """A place where simulator and sandbox differ, and where the sandbox is shown to differ from itself."""

    where: str
    """``operation.response``, or the operation where the question is which response comes."""
    path: str
    kind: str
    """The kind of the difference to the simulator."""
    repeats: int
    differed: int
    """In so many of ``repeats`` the sandbox differed from itself."""
    bound: float
    """The share in which it differs at least, with ``confidence`` (Clopper-Pearson)."""
    confidence: float
    alike: bool = False
    """Is what the simulator does one of the things that the sandbox does? Then they do not differ."""
    refused: str = ""
    """Why the difference is told all the same; "" when it is not."""


@dataclass(frozen=True, slots=True)
class ProviderRun:
    """What the run says of one provider."""

    provider: str
    verdict: Verdict
    coverage: Coverage
    findings: tuple[Finding, ...] = ()
    scenarios: tuple[ScenarioRun, ...] = ()
    reason: str = ""
    """Why skipped, unreachable, unauthorized, exhausted or broken; "" otherwise."""
    title: str = ""
    contract: str = ""
    """Path of the contract, relative to the project where it can be."""
    sandbox_url: str = ""
    checks: tuple[Check, ...] = ()
    exchanges: tuple[RecordedExchange, ...] = ()
    history: Remembered = Remembered()
    past: tuple[PastFinding, ...] = ()
    """What earlier nights found and this one did not."""
    volatile: tuple[Volatile, ...] = ()
    """Where the sandbox differs from itself, and what was made of that."""
    refused: bool = False
    """Broken because the contract cannot be used or a credential was refused: the user's to mend, exit code 4."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run over all its providers."""

    run_id: str
    """Slot, random part and attempt, also the ``run`` part of unique names: ``20261130T0300-k3f9-1``."""
    started: float
    finished: float
    verdict: Verdict
    providers: tuple[ProviderRun, ...]
    exit_code: int = 0
    seed: int = 0
    command: str = ""
    troth: str = ""
    gate: bool = False
    """Was the sandbox gate open?"""
    fail_on: Severity = Severity.BREAKING
    interrupted: bool = False
    """Was it stopped before its end? What ran until then is here all the same."""


NOTHING = ABSENT
"""Stands in ``contract``/``simulator``/``sandbox`` where there is no value or it was not observed."""
