"""What all scenarios on one target share: the judge and what it knows, limits, names, and what came out so far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count

from troth.contracts.contract import Contract, Operation
from troth.contracts.expressions.unknowns import Instant
from troth.contracts.model.model import Model
from troth.contracts.values import Value
from troth.runners.breaker import Breaker
from troth.runners.budget import Budget
from troth.runners.events import Event, Waiting
from troth.runners.names import Names, nth_attempt
from troth.runners.needs import auths
from troth.runners.plan import RunPlan, unheard
from troth.runners.secret_fields import secret_names
from troth.runners.step_result import StepResult
from troth.runners.target import RunTarget
from troth.runners.tokens import Tokens

__all__ = ["Session", "Suspect"]


@dataclass(frozen=True, slots=True)
class Suspect:
    """A reply that may be a front door's, or may be what this operation gives now."""

    scenario: str
    trail: str
    operation: str
    kind: str
    """The finding that it would be: ``content_type``, ``format``, ``bounds``, ``undeclared`` or ``status``."""
    media: str = ""
    """The media type that came."""
    status: int = 0
    """The status that came."""
    due: str = ""
    """With ``status``: the response that the step was to prove, a refusal."""


@dataclass
class Session:
    """One contract on one target."""

    contract: Contract
    target: RunTarget
    plan: RunPlan
    model: Model = field(init=False)
    """An open-world judge, on a simulator too: both targets are judged alike."""
    names: Names = field(init=False)
    budget: Budget = field(init=False)
    breaker: Breaker = field(default_factory=Breaker)
    results: list[StepResult] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    leftovers: list[tuple[str, str]] = field(default_factory=list)
    """(scenario, words) of what earlier runs left, and that could not be taken back."""
    answered: set[str] = field(default_factory=set)
    """Operations that gave a reply which could be judged."""
    suspects: list[Suspect] = field(default_factory=list)
    attempts: Iterator[int] = field(default_factory=lambda: count(2))
    """The numbers of further runs on this target, for names that none of them shares with another."""
    tokens: Tokens = field(init=False)
    _secret_names: dict[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.model = Model(self.contract, seed=self.plan.seed, world="open")
        self.names = Names(self.plan.run_id, self.contract.provider)
        self.budget = Budget(
            self.target.limits,
            self.target.clock,
            lambda seconds, why: self.waiting("", seconds, why),
            self.plan.estimates,
        )
        self.tokens = Tokens(self.contract, self.target, self.plan.redactor, self.budget.take)
        self.plan.redactor.hide(self.target.credentials.hidden(auths(self.contract)))

    def again(self, only: tuple[str, ...] = ()) -> Session:
        """One more run on the same target, with fresh names and a judge that knows nothing. The limits go on."""
        run = nth_attempt(self.plan.run_id, next(self.attempts))
        plan = replace(self.plan, run_id=run, only=only, on_result=unheard)
        more = Session(self.contract, self.target, plan)
        more.budget, more.breaker, more.attempts = self.budget, self.breaker, self.attempts
        more.tokens = self.tokens
        return more

    def common_names(self) -> dict[str, Value]:
        """The names that every expression of a scenario may use."""
        now = self.target.clock.now()
        return {
            "data": self.contract.data,
            "now": Instant(now, now),
            "secrets": self.target.credentials.secrets,
            "target": {"name": self.target.name, "url": self.target.url},
        }

    def secret_names(self, operation: Operation) -> frozenset[str]:
        """Fields of an operation that are marked secret."""
        if operation.name not in self._secret_names:
            self._secret_names[operation.name] = secret_names(self.contract, operation)
        return self._secret_names[operation.name]

    def add(self, result: StepResult) -> None:
        """Keep a result, and tell of it."""
        self.results.append(result)
        self.plan.on_result(result)

    def note(self, text: str) -> None:
        """Keep words about what could not be checked, each once and without secrets."""
        clean = self.plan.redactor.text(text)
        if clean not in self.notes:
            self.notes.append(clean)

    def tell(self, event: Event) -> None:
        """Report progress."""
        self.plan.on_event(event)

    def waiting(self, scenario: str, seconds: float, why: str) -> None:
        """Report a wait."""
        self.tell(Waiting(self.contract.provider, self.target.name, scenario, seconds, why))
