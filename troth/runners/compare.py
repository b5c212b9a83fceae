"""Two runs of the same scenarios, one on the simulator and one on the sandbox, as findings.

Each was judged against the contract while it ran. Here the judgements are laid side by side: who disagrees with the
contract at each place, what explains what, who is to blame, and where the contract left a choice that they used
differently. No finding comes from comparing raw bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from troth.contracts.contract import Contract
from troth.contracts.json_path import schema_path
from troth.contracts.kinds import Severity, kind_of
from troth.contracts.values import ABSENT, Kind, Value
from troth.runners.announced import announced
from troth.runners.blame import Assigned, Past, assign, claim_of
from troth.runners.causes import causes
from troth.runners.collapse import Group, collapse, exchanges_of, followed, places_of, responses_of
from troth.runners.corners import corners
from troth.runners.disagreement import Disagreement, Row, about_reply, place_named
from troth.runners.finding import Blame, Finding, Volatile
from troth.runners.fingerprint import Identity, class_of, fingerprint, response_class
from troth.runners.habits import Habits, showings_of
from troth.runners.history import History
from troth.runners.loose import loose
from troth.runners.masks import MaskTest
from troth.runners.past_self import changed
from troth.runners.places import Spot, promised_response, spots_of
from troth.runners.step_result import TargetRun
from troth.runners.trails import written_step
from troth.runners.triangulate import FORMS, Lined, line_up, triangulate, unobserved_of
from troth.runners.volatility import Sifted, sift

__all__ = ["Backdrop", "Comparison", "compare"]


def _never(spot: Spot) -> Past:
    return Past()


@dataclass(frozen=True, slots=True)
class Backdrop:
    """What a comparison knows beside the two runs.

    ``past`` tells what is known of a place, ``run_id`` names this run, ``reproduce`` writes the command that shows the
    findings of a scenario again, ``written`` says where in the contract a demand stands, given the responses that
    showed it, ``nights`` are the sandbox's habits, oldest first and this night's last; without them nothing is said of
    what it did before.
    """

    run_id: str = ""
    history: History = field(default_factory=History)
    past: Callable[[Spot], Past] = _never
    reproduce: Callable[[str], str] = lambda scenario: ""
    written: Callable[[Disagreement, tuple[str, ...]], str] = lambda item, responses: ""
    nights: tuple[Habits, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """``findings`` in the order of scenarios and steps; ``broken`` maps a scenario to why it proves nothing."""

    findings: tuple[Finding, ...] = ()
    broken: Mapping[str, str] = field(default_factory=dict)
    volatile: tuple[Volatile, ...] = ()


def compare(
    contract: Contract,
    simulator: TargetRun,
    sandbox: TargetRun | None,
    backdrop: Backdrop | None = None,
) -> Comparison:
    """The findings in the order of scenarios and steps, each with its cause; without a sandbox only the simulator's."""
    backdrop = backdrop or Backdrop()
    lined = line_up(simulator, sandbox)
    found = triangulate(simulator, _observed(sandbox), lined)
    found += announced(contract, sandbox)
    sifted = _sifted(contract, simulator, sandbox, lined, backdrop.nights)
    found += _left_open(found, sifted.kept, _changed(simulator, sandbox, backdrop.nights))
    found += _leaks(simulator, sandbox)
    found = [_promised(contract, item) for item in found]
    scenarios = _scenario_order(simulator, sandbox)
    found.sort(key=lambda item: (scenarios.get(item.scenario, len(scenarios)), item.number, item.path, item.kind))
    groups = collapse(found, [_fingerprint(contract, item) for item in found], causes(found, lined))
    prints = [_fingerprint(contract, group.first) for group in groups]
    findings = tuple(
        _finding(contract, group, prints[index], _print_at(prints, group.cause), backdrop)
        for index, group in enumerate(groups)
    )
    return Comparison(findings, _broken(groups), sifted.volatile)


def _sifted(
    contract: Contract, simulator: TargetRun, sandbox: TargetRun | None, lined: Lined, nights: Sequence[Habits]
) -> Sifted:
    """The loose differences but for those where the sandbox differs from itself."""
    found = list(loose(lined, contract))
    if sandbox is None or not nights or not found:
        return Sifted(tuple(found))
    return sift(found, nights, showings_of(simulator), MaskTest(contract, simulator, sandbox))


def _changed(simulator: TargetRun, sandbox: TargetRun | None, nights: Sequence[Habits]) -> list[Disagreement]:
    return list(changed(nights, sandbox, showings_of(simulator))) if sandbox is not None and nights else []


def _left_open(
    wrong: Sequence[Disagreement], differing: Iterable[Disagreement], changes: Iterable[Disagreement]
) -> list[Disagreement]:
    """What the contract allows: nothing at a place where it is broken, and of a change only that."""
    told = {(item.operation, schema_path(item.path)) for item in wrong}
    changes = [item for item in changes if (item.operation, item.path) not in told]
    places = {(item.operation, item.path) for item in changes}
    return [item for item in differing if (item.operation, schema_path(item.path)) not in places] + changes


def _broken(groups: Sequence[Group]) -> dict[str, str]:
    """Scenarios that ask for what their own contract does not give, and those that could not be judged."""
    reasons: dict[str, str] = {}
    for group in groups:
        item = group.first
        if item.row in (Row.SCENARIO, Row.BROKEN) and group.cause is None:
            where = f"step {item.trail} ({item.operation})"
            reasons.setdefault(item.scenario, f"{where}: {assign(item.row, Past(), None).words}")
    return reasons


def _observed(sandbox: TargetRun | None) -> TargetRun | None:
    """Without the answers that made the runner give the target up: the verdict says that once for all of them."""
    if sandbox is None or sandbox.stopped is None:
        return sandbox
    kept = tuple(item for item in sandbox.results if unobserved_of(item) is None)
    return TargetRun(sandbox.target, sandbox.url, kept, sandbox.outcomes, sandbox.stopped, sandbox.notes)


def _scenario_order(*runs: TargetRun | None) -> dict[str, int]:
    names: dict[str, int] = {}
    for run in runs:
        for outcome in run.outcomes if run else ():
            names.setdefault(outcome.scenario, len(names))
        for result in run.results if run else ():
            names.setdefault(result.scenario, len(names))
    return names


def _leaks(simulator: TargetRun, sandbox: TargetRun | None) -> Iterator[Disagreement]:
    """What cleanup could not clean. It says nothing about the contract, and somebody has to know of it."""
    for run in (simulator, sandbox) if sandbox else (simulator,):
        leaks = [(outcome.scenario, leak) for outcome in run.outcomes for leak in outcome.leaks]
        for scenario, leak in (*run.leftovers, *leaks):
            yield Disagreement(
                row=Row.LEAK,
                kind="leak",
                operation="cleanup",
                scenario=scenario,
                number=max((item.number for item in run.results if item.scenario == scenario), default=0),
                path="cleanup",
                origin=run.target,
                want=leak,
            )


def _promised(contract: Contract, item: Disagreement) -> Disagreement:
    """Without the responses that any request may get and that say nothing (throttled): nobody waits for them."""
    operation = contract.operations.get(item.operation)
    if operation is None or not about_reply(item.kind, item.path) or not isinstance(item.expected, str):
        return item
    silent = {shape.name for shape in operation.responses if shape.means is not None}
    names = item.expected.split(", ")
    kept = [name for name in names if name not in silent]
    return replace(item, expected=", ".join(kept or names))


def _fingerprint(contract: Contract, item: Disagreement) -> str:
    operation = contract.operations.get(item.operation)
    names = {shape.name for shape in operation.responses} | {"conflict", "replay"} if operation else set()
    by_response = about_reply(item.kind, item.path)
    # A wrong form is the same wherever it is seen, and whether or not the value there is known besides. So is a reply
    # that nothing allows, whatever was due.
    wanted = ABSENT if item.kind in _WHATEVER_IS_DUE else item.expected
    expected = response_class(wanted, names) if by_response else class_of(wanted)
    observed = response_class(item.observed, names) if by_response else class_of(item.observed)
    where = place_named(item)
    return fingerprint(
        Identity(contract.provider, *where, item.kind, item.path if where[0] else "", item.origin, expected, observed)
    )


def _print_at(prints: Sequence[str], index: int | None) -> str | None:
    return None if index is None else prints[index]


def _finding(contract: Contract, group: Group, print_: str, cause: str | None, backdrop: Backdrop) -> Finding:
    item = group.first
    kind = kind_of(item.kind)
    past = _past(item, backdrop) if item.row is Row.PROVIDER else Past()
    assigned = assign(item.row, past, claim_of(contract, item.operation, promised_response(item)))
    responses = responses_of(group)
    return Finding(
        code=kind.code,
        kind=kind.name,
        severity=_severity(contract, group, kind.severity),
        usual=kind.severity,
        blame=assigned.blame,
        provider=contract.provider,
        operation=item.operation,
        scenario=item.scenario,
        step=written_step(item.trail),
        path=item.path,
        contract=_due(item),
        simulator=item.simulator,
        sandbox=item.sandbox,
        fingerprint=print_,
        message=item.want,
        count=len(group.members),
        proof=assigned.proof,
        since=_since(print_, assigned, past, backdrop),
        last_agreed=assigned.last_agreed,
        caused_by=None if cause == print_ else cause,
        reproduce=backdrop.reproduce(item.scenario),
        origin=item.origin,
        exchanges=exchanges_of(group),
        places=places_of(group),
        claim=assigned.claim,
        why=assigned.words,
        trail=item.trail,
        standing=item.standing or assigned.standing,
        corners=corners(item, past, backdrop.history, print_),
        responses=responses,
        written=backdrop.written(item, responses),
    )


def _due(item: Disagreement) -> Value:
    """What the contract says there: a value, or what kind of one where it leaves open which."""
    if item.kind in _MISSING and item.expected is ABSENT and item.want:
        return Kind(item.want)
    return ABSENT if followed(item) else item.expected


_MISSING = frozenset({"missing_field", "missing_header"})
_WHATEVER_IS_DUE = FORMS | _MISSING | {"undeclared", "valid_refused", "idempotency_ignored"}


def _severity(contract: Contract, group: Group, usual: Severity) -> Severity:
    """The worst that the contract's policy says of any place of the group."""
    policy = contract.policy
    said = (policy.severity(item.kind, item.operation, item.path, usual) for item in group.members)
    return min(said, key=lambda severity: severity.rank)


def _past(item: Disagreement, backdrop: Backdrop) -> Past:
    """What is known of the place that did not hold."""
    pasts = [backdrop.past(spot) for spot in spots_of(item)]
    return next((past for past in pasts if past.agreed is not None), pasts[0])


def _since(print_: str, assigned: Assigned, past: Past, backdrop: Backdrop) -> str | None:
    """The first run that saw this finding, after the last agreement if there was one; this run when none did."""
    if assigned.blame is Blame.UNOBSERVED:
        return None
    after = past.agreed.time if past.agreed is not None and assigned.last_agreed is not None else None
    seen = backdrop.history.first_seen(print_, after)
    return seen.run_id if seen else backdrop.run_id or None
