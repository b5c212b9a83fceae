"""Findings as the page shows them: words, three sides with their differences, consequences under their cause."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from troth.contracts.kinds import KINDS
from troth.contracts.values import ABSENT, Kind, Value
from troth.reports.clusters import Cluster, clusters_of, consequences_of
from troth.reports.difference import beside, same
from troth.reports.exchange_view import Exchanges, ExchangeView
from troth.reports.life import accepted_words, life, stage_words, weight
from troth.reports.pieces import Line
from troth.reports.words import (
    BLAME_TITLES,
    BLAME_WORDS,
    Words,
    advice,
    fails,
    proof,
    sentence,
    side_of,
    side_words,
    steadiness,
    title,
)
from troth.runners.finding import Blame, Finding, Run
from troth.runners.stage import Stage
from troth.runners.trails import step_words

__all__ = ["FindingView", "Group", "SideView", "first_run", "groups_of"]

_VALUE = 3_000
"""Characters of one side's value that are shown; less when there are many findings."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class SideView:
    """What one of the three says. ``state`` is ``same`` or ``differs`` (from the others), or ``empty``."""

    name: str
    lines: Sequence[Line]
    state: str
    note: str


@dataclass(frozen=True, slots=True)
class FindingView:
    """One finding, ready to show."""

    identity: str
    """Names its element on the page."""
    finding: Finding
    step: str
    title: Words
    sentence: Words
    advice: Words
    proof: str
    steadiness: str
    means: str
    sides: tuple[SideView, ...]
    exchanges: tuple[ExchangeView, ...]
    fails: bool
    """Does it fail the run?"""
    new: bool
    """Is this run the first that saw it?"""
    stage: str = ""
    """In a word or two; "" for what is new or has no history."""
    life: str = ""
    accepted: str = ""
    """Who answers for it, and until when."""
    weight: str = ""
    """The severity, with the usual one where the contract changed it."""
    cause: str = ""
    """The identity of the finding that explains this one, when it is on the page."""
    consequences: tuple[FindingView, ...] = ()
    alike: tuple[FindingView, ...] = ()
    """Findings that say the same of other places."""

    @property
    def count(self) -> int:
        """This one and all below it."""
        return 1 + len(self.consequences) + sum(other.count for other in self.alike)


@dataclass(frozen=True, slots=True)
class Group:
    """All findings laid on the same side, worst first."""

    blame: Blame
    title: str
    words: str
    views: tuple[FindingView, ...]

    @property
    def count(self) -> int:
        """All findings in it."""
        return sum(view.count for view in self.views)


@dataclass(slots=True)
class _Desk:
    """What making views needs; a finding goes by its number in ``findings``."""

    findings: Sequence[Finding]
    run: Run
    exchanges: Exchanges
    limit: int
    identities: Sequence[str]
    first: bool
    """Is there no earlier run, so that everything is new?"""


def groups_of(findings: Sequence[Finding], run: Run) -> tuple[Group, ...]:
    """The findings, sorted by ``worst_first``, by blame; below each stand what follows from it and those like it."""
    limit = max(200, min(_VALUE, 600_000 // (3 * max(len(findings), 1))))
    desk = _Desk(findings, run, Exchanges(findings), limit, _identities(findings), first_run(run))
    roots = consequences_of(findings)
    by_blame = [
        (blame, clusters_of(findings, (number for number in roots if findings[number].blame is blame)))
        for blame in Blame
    ]
    worst = sorted((pair for pair in by_blame if pair[1]), key=lambda pair: findings[pair[1][0].first].severity.rank)
    return tuple(
        Group(
            blame,
            BLAME_TITLES[blame],
            BLAME_WORDS[blame],
            tuple(_with_alike(desk, cluster, roots) for cluster in clusters),
        )
        for blame, clusters in worst
    )


def first_run(run: Run) -> bool:
    """Does nothing in the run speak of an earlier one? That everything is new then tells nothing."""
    findings = [finding for provider in run.providers for finding in provider.findings]
    return all(finding.since in (None, run.run_id) and finding.last_agreed is None for finding in findings)


def _identities(findings: Sequence[Finding]) -> list[str]:
    """A name for each finding's element, unique on the page and the same in every run that finds it."""
    taken: dict[str, int] = {}
    names = []
    for finding in findings:
        name = "f-" + (_UNSAFE.sub("-", finding.fingerprint)[:80] or "x")
        taken[name] = taken.get(name, 0) + 1
        names.append(name if taken[name] == 1 else f"{name}.{taken[name]}")
    return names


def _with_alike(desk: _Desk, cluster: Cluster, roots: Mapping[int, list[int]]) -> FindingView:
    # In the order of the page: an exchange is shown where it is met first.
    view = _with_consequences(desk, cluster.first, roots[cluster.first])
    return replace(view, alike=tuple(_with_consequences(desk, number, roots[number]) for number in cluster.alike))


def _with_consequences(desk: _Desk, number: int, consequences: Sequence[int]) -> FindingView:
    view = _view(desk, number)
    return replace(view, consequences=tuple(_view(desk, other, view.identity) for other in consequences))


def _view(desk: _Desk, number: int, cause: str = "") -> FindingView:
    finding, identity = desk.findings[number], desk.identities[number]
    return FindingView(
        identity=identity,
        finding=finding,
        step=step_words(finding.step, finding.trail),
        title=title(finding),
        sentence=sentence(finding),
        advice=advice(finding),
        proof=proof(finding),
        steadiness=steadiness(finding),
        means=KINDS[finding.kind].means if finding.kind in KINDS else "",
        sides=_sides(finding, desk.limit),
        exchanges=desk.exchanges.views(finding, identity),
        fails=fails(finding, desk.run.fail_on),
        new=not desk.first and finding.since == desk.run.run_id,
        stage=stage_words(finding) if finding.stage is not Stage.NEW else "",
        life=life(finding),
        accepted=accepted_words(finding),
        weight=weight(finding),
        cause=cause,
    )


def _sides(finding: Finding, limit: int) -> tuple[SideView, ...]:
    """None when none of the three says anything: then the words say it all."""
    values: dict[str, Value] = {
        "contract": finding.contract,
        "simulator": finding.simulator,
        "sandbox": finding.sandbox,
    }
    if all(value is ABSENT for value in values.values()):
        return ()
    return tuple(_side(finding, name, values, limit) for name in values)


def _side(finding: Finding, name: str, values: Mapping[str, Value], limit: int) -> SideView:
    value, wrong = values[name], _wrong(finding)
    if finding.kind == "loose_presence" and name != "contract" and isinstance(value, bool):
        # The contract asks only whether the field is there.
        return SideView(name, (), "differs", "there" if value else "absent")
    if value is ABSENT or isinstance(value, Kind):
        words = side_words(finding, name)
        state = "differs" if name in wrong and words == "absent" else "empty"
        return SideView(name, (), state, words)
    others = {other: values[other] for other in values if other != name}
    lines = _marked(value, others, name in wrong, wrong, limit)
    if name in wrong:
        return SideView(name, lines, "differs", "differs")
    alike = [other for other in others if other not in wrong and same(value, others[other])]
    words = "like both others" if len(alike) == 2 else f"like the {alike[0]}" if alike else "fits"
    return SideView(name, lines, "same", "" if name == "contract" and not alike else words)


def _wrong(finding: Finding) -> frozenset[str]:
    """The sides that the blame falls on."""
    if finding.blame is Blame.CONTRACT and same(finding.simulator, finding.sandbox):
        return frozenset({"contract"})
    return _WRONG.get(finding.blame, frozenset({side_of(finding)}))


_WRONG = {
    Blame.ALL: frozenset({"contract", "simulator", "sandbox"}),
    Blame.LOOSE: frozenset({"simulator", "sandbox"}),
    Blame.UNOBSERVED: frozenset[str](),
}


def _marked(
    value: Value, others: Mapping[str, Value], is_wrong: bool, wrong: frozenset[str], limit: int
) -> Sequence[Line]:
    """The value, with what differs marked: from the right ones in a wrong one, from the wrong ones in a right one."""
    there = {name: other for name, other in others.items() if other is not ABSENT and not same(value, other)}
    against = {name: other for name, other in there.items() if (name in wrong) is not is_wrong} or there
    reference = next(iter(against.values()), value)
    if not is_wrong and isinstance(value, list | dict) is not isinstance(reference, list | dict):
        # A list of what is allowed beside one value: nothing in the list is what differs.
        reference = value
    return beside(value, reference, limit)
