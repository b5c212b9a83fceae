"""Findings as the page shows them: words, three sides with their differences, consequences under their cause."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from troth.contracts.kinds import KINDS
from troth.contracts.values import ABSENT, Value
from troth.reports.difference import beside, same
from troth.reports.exchange_view import Exchanges, ExchangeView
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
    title,
)
from troth.runners.finding import Blame, Finding, Run

__all__ = ["FindingView", "Group", "SideView", "groups_of", "worst_first"]

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
    title: Words
    sentence: Words
    advice: Words
    proof: str
    means: str
    sides: tuple[SideView, ...]
    exchanges: tuple[ExchangeView, ...]
    fails: bool
    """Does it fail the run?"""
    new: bool
    """Is this run the first that saw it?"""
    cause: str = ""
    """The identity of the finding that explains this one, when it is on the page."""
    consequences: tuple[FindingView, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """All findings laid on the same side, worst first."""

    blame: Blame
    title: str
    words: str
    views: tuple[FindingView, ...]

    @property
    def count(self) -> int:
        """Findings in it, consequences too."""
        return sum(1 + len(view.consequences) for view in self.views)


@dataclass(slots=True)
class _Desk:
    """What making views needs; a finding goes by its number in ``findings``."""

    findings: Sequence[Finding]
    run: Run
    exchanges: Exchanges
    limit: int
    identities: Sequence[str]


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Sorted by severity, then blame, then where they are."""
    order = list(Blame)
    return sorted(
        findings,
        key=lambda f: (f.severity.rank, order.index(f.blame), f.provider, f.operation, f.scenario, f.step, f.path),
    )


def groups_of(findings: Sequence[Finding], run: Run) -> tuple[Group, ...]:
    """The findings, already sorted, by blame; a consequence stands under its cause, whoever it is laid on."""
    limit = max(200, min(_VALUE, 600_000 // (3 * max(len(findings), 1))))
    desk = _Desk(findings, run, Exchanges(findings), limit, _identities(findings))
    roots = _roots(findings)
    groups = []
    for blame in Blame:
        views = tuple(
            _with_consequences(desk, number, consequences)
            for number, consequences in roots.items()
            if findings[number].blame is blame
        )
        if views:
            groups.append(Group(blame, BLAME_TITLES[blame], BLAME_WORDS[blame], views))
    return tuple(sorted(groups, key=lambda group: group.views[0].finding.severity.rank))


def _identities(findings: Sequence[Finding]) -> list[str]:
    """A name for each finding's element, unique on the page and the same in every run that finds it."""
    taken: dict[str, int] = {}
    names = []
    for finding in findings:
        name = "f-" + (_UNSAFE.sub("-", finding.fingerprint)[:80] or "x")
        taken[name] = taken.get(name, 0) + 1
        names.append(name if taken[name] == 1 else f"{name}.{taken[name]}")
    return names


def _roots(findings: Sequence[Finding]) -> dict[int, list[int]]:
    """The numbers of those that nothing on the page explains, each with all that follow from it."""
    by_fingerprint: dict[tuple[str, str], int] = {}
    for number, finding in enumerate(findings):
        by_fingerprint.setdefault((finding.provider, finding.fingerprint), number)
    roots: dict[int, list[int]] = {}
    followers: list[tuple[int, int]] = []
    for number in range(len(findings)):
        root = _root(findings, by_fingerprint, number)
        if root == number:
            roots[number] = []
        else:
            followers.append((root, number))
    for root, number in followers:
        roots[root].append(number)
    return roots


def _root(findings: Sequence[Finding], by_fingerprint: Mapping[tuple[str, str], int], number: int) -> int:
    seen = [number]
    while (cause := findings[seen[-1]].caused_by) is not None:
        following = by_fingerprint.get((findings[number].provider, cause))
        if following is None:
            break
        if following in seen:
            # They explain each other: the first of the circle stands for it.
            return min(seen[seen.index(following) :])
        seen.append(following)
    return seen[-1]


def _with_consequences(desk: _Desk, number: int, consequences: Sequence[int]) -> FindingView:
    in_order = sorted(consequences, key=lambda other: desk.findings[other].step)
    following = tuple(_view(desk, other, desk.identities[number]) for other in in_order)
    return _view(desk, number, "", following)


def _view(desk: _Desk, number: int, cause: str, consequences: tuple[FindingView, ...] = ()) -> FindingView:
    finding, identity = desk.findings[number], desk.identities[number]
    return FindingView(
        identity=identity,
        finding=finding,
        title=title(finding),
        sentence=sentence(finding),
        advice=advice(finding),
        proof=proof(finding),
        means=KINDS[finding.kind].means if finding.kind in KINDS else "",
        sides=_sides(finding, desk.limit),
        exchanges=desk.exchanges.views(finding, identity),
        fails=fails(finding, desk.run.fail_on),
        new=finding.since == desk.run.run_id,
        cause=cause,
        consequences=consequences,
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
    if value is ABSENT:
        words = side_words(finding, name)
        state = "differs" if name in wrong and words == "absent" else "empty"
        return SideView(name, (), state, words)
    others = {other: values[other] for other in values if other != name}
    lines = _marked(value, others, name in wrong, wrong, limit)
    if name in wrong:
        return SideView(name, lines, "differs", "differs")
    alike = [other for other in others if same(value, others[other])]
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
