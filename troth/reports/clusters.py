"""Which findings say the same thing of different places, and which follow from which.

A field that a provider never sends is missing in every scenario that looks at it: thirty findings, each with a name of
its own from night to night, and one thing for a person to read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from troth.reports.words import Words, title
from troth.runners.finding import Blame, Finding
from troth.runners.trails import phase_of

__all__ = ["Cluster", "clusters_of", "consequences_of", "count_words", "worst_first"]

_WEIGHT = "613425879"
"""Hundreds of the codes by how much they tell: behaviour, which response, values, lists, structure ..."""
_ABOUT_REPLIES = frozenset({"response", "status"})


class Cluster(NamedTuple):
    """Numbers of findings that say the same: the one to show, and those like it."""

    first: int
    alike: tuple[int, ...]


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Sorted by severity, blame and how much the kind tells, then by where they are."""
    return sorted(findings, key=_rank)


def consequences_of(findings: Sequence[Finding]) -> dict[int, list[int]]:
    """The numbers of those that nothing in ``findings`` explains, in order, each with all that follow from it."""
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
    return {number: sorted(after, key=lambda other: _when(findings[other])) for number, after in roots.items()}


def count_words(findings: Sequence[Finding]) -> str:
    """``5 causes, 4 consequences``; ``5 findings`` where none follows from another."""
    causes = len(consequences_of(findings))
    after = len(findings) - causes
    if not after:
        return f"{causes:,} finding{'' if causes == 1 else 's'}"
    return f"{causes:,} cause{'' if causes == 1 else 's'}, {after:,} consequence{'' if after == 1 else 's'}"


def clusters_of(findings: Sequence[Finding], numbers: Iterable[int]) -> list[Cluster]:
    """The findings with these ``numbers``, which are in the order of ``worst_first``; the widest spread come first."""
    members: dict[tuple[object, ...], list[int]] = {}
    for number in numbers:
        members.setdefault(_meaning(findings[number]), []).append(number)
    clusters = [Cluster(first, tuple(others)) for first, *others in members.values()]
    return sorted(
        clusters, key=lambda cluster: (*_rank(findings[cluster.first])[:4], -len(cluster.alike), cluster.first)
    )


def _rank(finding: Finding) -> tuple[object, ...]:
    hundreds = finding.code[2:3]
    weight = _WEIGHT.index(hundreds) if hundreds and hundreds in _WEIGHT else len(_WEIGHT)
    where = (finding.provider, finding.operation, finding.scenario, *_when(finding), finding.path)
    return (finding.severity.rank, list(Blame).index(finding.blame), weight, finding.code, *where)


def _when(finding: Finding) -> tuple[int, int]:
    """Sorts by the order in which a scenario does its steps."""
    return phase_of(finding.trail), finding.step


def _meaning(finding: Finding) -> tuple[object, ...]:
    """Equal for findings of which one explains the others to a reader."""
    words: Words = title(finding)
    about = finding.operation if finding.path in _ABOUT_REPLIES else _demand(finding)
    return (finding.provider, finding.blame, finding.severity, finding.kind, finding.flaky, about, words)


def _demand(finding: Finding) -> str:
    """Where the demand is written; the same path in the responses of two operations counts as one place."""
    return "" if finding.origin.startswith(f"{finding.operation}.") else finding.origin


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
