"""What a run on a sandbox would do, and nothing is sent: the scenarios run on the simulator, and are counted."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from troth.contracts.contract import Contract, Scenario, Target
from troth.errors import RefusedCredential, TrothError
from troth.runners.budget import Budget
from troth.runners.choosing import chosen, distinct_providers
from troth.runners.clock import RealClock
from troth.runners.drift_settings import DriftSettings
from troth.runners.engine import run_target
from troth.runners.estimate import Estimate, Estimates, estimates_of
from troth.runners.gate import Passport, addresses_of, check_secret, target_of
from troth.runners.memory import Memory
from troth.runners.needs import called_operations, needed_secrets
from troth.runners.order import Queued
from troth.runners.plan import Planned, RunPlan, scenarios_of
from troth.runners.price import Price
from troth.runners.redact import Redactor
from troth.runners.step_result import TargetRun
from troth.runners.target import simulator_target
from troth.runners.trails import phase_of
from troth.runners.undo_log import FileUndoLog
from troth.simulators.simulator import Simulator

__all__ = ["Creation", "Forecast", "Variable", "forecasts"]


@dataclass(frozen=True, slots=True)
class Creation:
    """``count`` records that an operation makes; ``undo`` takes each back, "" where the contract has none."""

    operation: str
    collection: str
    count: int
    undo: str = ""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable that a run reads. ``state`` is ``set``, ``not set`` or ``refused``; never its value."""

    name: str
    purpose: str
    state: str


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a run with one contract would do to its sandbox, as far as the simulator shows it."""

    provider: str
    hosts: tuple[str, ...]
    """Base URLs that requests would go to; empty when nobody says where the sandbox is."""
    proxy: str
    scenarios: int
    order: tuple[Queued, ...]
    """The scenarios in the order in which they would run, and why."""
    left_out: Mapping[str, str]
    """Scenarios that the target's limits would not let begin, and why."""
    requests: int
    """Of the steps; polls may make it more."""
    cleanup: Mapping[str, int]
    """Requests that take back what was made, ``cleanup`` steps included, by operation."""
    polls: bool
    """Does a step poll or repeat, so that a sandbox may be asked more often than the simulator?"""
    again: int
    """How often a scenario that disagrees may be run once more."""
    creations: tuple[Creation, ...]
    left: int
    """Things that earlier runs left, and that this one would take back."""
    limits: tuple[str, ...]
    """The contract's limits on the target, in words."""
    cost: Price
    """What it would cost, by unit, as far as the contract says it."""
    variables: tuple[Variable, ...]
    faults: tuple[str, ...]
    """Why the sandbox would not be called, in words."""


def forecasts(contracts: Iterable[Contract], settings: DriftSettings) -> tuple[Forecast, ...]:
    """One for each contract. Raises UsageError: E376 ``settings.only`` names no scenario, E414 two of a provider."""
    every = list(contracts)
    distinct_providers(every)
    items = chosen(every, settings.only)
    return tuple(_forecast(contract, mine, settings) for contract, mine in zip(every, items, strict=True))


def _forecast(contract: Contract, items: tuple[Planned, ...], settings: DriftSettings) -> Forecast:
    scenarios = scenarios_of(items)
    passport = Passport(True, settings.environment, settings.urls.get(contract.provider))
    target = target_of(contract, passport)
    base, hosts, faults = _addresses(contract, scenarios, passport)
    run = asyncio.run(_simulated(contract, items, settings)) if items else None
    results = run.results if run is not None else ()
    estimates = estimates_of(results)
    order = _order(contract, items, settings)
    variables = tuple(_variables(contract, scenarios, target, settings))
    return Forecast(
        provider=contract.provider,
        hosts=hosts,
        proxy=_without_user(target.proxy or ""),
        scenarios=len(items),
        order=order,
        left_out=_left_out(target, estimates, [item.label for item in order]),
        requests=estimates.whole.requests,
        cleanup=Counter(result.operation for result in results if phase_of(result.trail) > 0),
        polls=any(step.eventually or step.repeat for scenario in scenarios for step in scenario.steps),
        again=settings.confirm.most - 1,
        creations=_creations(contract, run),
        left=len(_left(contract, base, settings)),
        limits=tuple(_limits(target)),
        cost=estimates.whole.cost,
        variables=variables,
        faults=(*faults, *_faults(run, variables), *_too_much(estimates.whole, target)),
    )


def _addresses(
    contract: Contract, scenarios: tuple[Scenario, ...], passport: Passport
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    try:
        base, named = addresses_of(contract, scenarios, passport)
    except TrothError as error:
        return "", (), (f"{error.found}. {error.fix}" if error.fix else error.found,)
    used = [contract.operations[name].request.host for name in called_operations(contract, scenarios)]
    hosts = [named.get(host or "", base) for host in used]
    return base, tuple(dict.fromkeys(hosts)), ()


async def _simulated(contract: Contract, items: tuple[Planned, ...], settings: DriftSettings) -> TargetRun:
    plan = RunPlan("plan", Redactor(os.urandom(16)), settings.seed, tuple(item.label for item in items))
    simulator = Simulator(contract, seed=settings.seed)
    return await run_target(contract, simulator_target(contract, simulator), plan)


def _creations(contract: Contract, run: TargetRun | None) -> tuple[Creation, ...]:
    counts: Counter[tuple[str, str]] = Counter()
    known: set[tuple[str, str, str]] = set()
    for result in run.results if run is not None else ():
        for collection, key in result.judgement.created if result.judgement is not None else ():
            # An effect that puts a record may change one that is there.
            record = result.scenario, collection, repr(key)
            if record not in known and phase_of(result.trail) == 0:
                counts[result.operation, collection] += 1
            known.add(record)
    found = []
    for (operation, collection), count in counts.items():
        undo = contract.operations[operation].undo
        found.append(Creation(operation, collection, count, undo.call if undo is not None else ""))
    return tuple(found)


def _left(contract: Contract, base: str, settings: DriftSettings) -> tuple[object, ...]:
    if settings.store is None or not base:
        return ()
    return FileUndoLog(settings.store.parent / "undo.jsonl").open(contract.provider, base)


def _limits(target: Target) -> Iterator[str]:
    if target.rate:
        yield f"{target.rate:g} requests a second"
    if target.concurrency:
        yield f"{target.concurrency} at once"
    if target.requests:
        yield f"{target.requests} requests"
    if target.seconds:
        yield f"{target.seconds:g} seconds"
    for unit, most in target.cost.items():
        yield f"{most:g} {unit}"


def _variables(
    contract: Contract, scenarios: tuple[Scenario, ...], target: Target, settings: DriftSettings
) -> Iterator[Variable]:
    environment: Mapping[str, str] = settings.environment
    if target.url_env is not None and contract.provider not in settings.urls:
        yield Variable(target.url_env, "address", "set" if environment.get(target.url_env) else "not set")
    for name in sorted(needed_secrets(contract, scenarios)):
        secret = contract.secrets[name]
        variable = target.secrets.get(name, secret.env)
        value = environment.get(variable, "")
        state = "set" if value else "not set"
        if value or secret.allow is None:
            try:
                check_secret(secret, variable, value)
            except RefusedCredential:
                state = "refused"
        yield Variable(variable, "credential", state)


def _faults(run: TargetRun | None, variables: tuple[Variable, ...]) -> Iterator[str]:
    for variable in variables:
        if variable.purpose == "credential" and variable.state == "not set":
            yield f"{variable.name} is not set"
        elif variable.state == "refused":
            yield f"{variable.name} does not fit what the contract allows to leave this machine"
    if run is None:
        yield "no scenario to run"
        return
    unmet = {result.scenario for result in run.results if result.unmet}
    for outcome in run.outcomes:
        if outcome.outcome != "ok" or outcome.scenario in unmet:
            why = f": {outcome.reason}" if outcome.reason else ", as `troth check` shows"
            yield f"{outcome.scenario} does not hold on its own simulator{why}"


def _order(contract: Contract, items: tuple[Planned, ...], settings: DriftSettings) -> tuple[Queued, ...]:
    # A plan writes nothing, so no store is made.
    store = settings.store if settings.store is not None and settings.store.is_file() else None
    with Memory.open(store, "plan", 0.0) as memory:
        return memory.queue(contract, [item.label for item in items])


def _left_out(target: Target, estimates: Estimates, order: Sequence[str]) -> dict[str, str]:
    """What does not fit any more when all before it has run as on the simulator."""
    budget = Budget(target, RealClock(), lambda seconds, why: None, estimates)
    left_out = {}
    for label in order:
        spent = budget.begin(label)
        if spent is not None:
            left_out[label] = spent.reason
    return left_out


def _too_much(need: Estimate, target: Target) -> Iterator[str]:
    """Where the limits would cut the run off, by what the simulator shows."""
    if target.requests and need.whole > target.requests:
        yield f"{need.whole} requests are more than the limit of {target.requests}"
    if target.rate and target.seconds and need.whole / target.rate > target.seconds:
        yield f"{need.whole} requests take longer than the limit of {target.seconds:g} seconds"
    for unit, most in target.cost.items():
        if need.cost.get(unit, 0.0) > most:
            yield f"{need.cost[unit]:g} {unit} are more than the limit of {most:g}"
        elif unit not in need.cost:
            yield f"no operation says what it costs in {unit}, so the limit of {most:g} holds nothing back"


def _without_user(url: str) -> str:
    """A proxy's address may hold a password."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if url else ""
