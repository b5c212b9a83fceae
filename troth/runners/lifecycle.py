"""The life of findings from night to night: new, ongoing, intermittent, returned; clearing, fixed, unchecked.

A night is a run that called the sandbox. It is *clean* for a finding when it looked and did not see it: a response
that showed the finding came as it should in the finding's scenario, and nothing else is wrong at the place. A night
that did not get there says nothing, so it neither ends a finding nor keeps it alive.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from troth.contracts.json_path import schema_path
from troth.contracts.kinds import Severity
from troth.runners.finding import Blame, Finding, PastFinding
from troth.runners.stage import Stage

__all__ = ["FIXED_AFTER", "Look", "Sight", "lived", "past", "sight_of"]

FIXED_AFTER = 2
"""Clean nights after which a finding counts as fixed."""
_WINDOW = 5
"""So many of the last nights that looked tell whether a finding comes and goes."""
_PASSING = frozenset({"leak", "unobserved", "broken", "schema", "server_error"})
"""Kinds that belong to one run: that a later one does not have them mends nothing."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A finding as one run saw it."""

    fingerprint: str
    kind: str
    code: str
    severity: Severity
    blame: Blame
    operation: str
    scenario: str
    path: str
    responses: tuple[str, ...] = ()
    follows: bool = False
    """Does another finding explain it?"""

    @property
    def place(self) -> tuple[str, str, str]:
        """Where it stands; what is wrong there may change from night to night."""
        return self.scenario, self.operation, schema_path(self.path)


@dataclass(frozen=True, slots=True)
class Look:
    """What one run saw of a provider. ``night`` is 0 for a run that did not call the sandbox."""

    run_id: str
    night: int
    seen: Mapping[str, Sight] = field(default_factory=dict)
    """By fingerprint."""
    came: frozenset[tuple[str, str]] = frozenset()
    """(scenario, ``operation.response``) that came from the sandbox as it should."""
    places: frozenset[tuple[str, str, str]] = field(init=False)
    """Where something is wrong."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", frozenset(sight.place for sight in self.seen.values()))

    def clean(self, sight: Sight) -> bool:
        """Did it look for a finding that it does not have, and find its place in order?"""
        if sight.fingerprint in self.seen or sight.place in self.places:
            return False
        if not sight.responses:
            return any(scenario == sight.scenario for scenario, _ in self.came)
        return any((sight.scenario, name) in self.came for name in sight.responses)


def sight_of(finding: Finding) -> Sight:
    """What later runs need to know of a finding."""
    return Sight(
        finding.fingerprint,
        finding.kind,
        finding.code,
        finding.severity,
        finding.blame,
        finding.operation,
        finding.scenario,
        finding.path,
        finding.responses,
        finding.caused_by is not None,
    )


@dataclass(frozen=True, slots=True)
class _Life:
    """One finding over the runs: each that saw it (True) or was clean of it (False), since it last began."""

    first: str = ""
    nights: int = 0
    marks: tuple[bool, ...] = ()
    last: str = ""
    sight: Sight | None = None
    returned: bool = False
    """Was it fixed before the last run that is in here?"""

    def after(self, look: Look, fixed_after: int) -> _Life:
        """With one more run."""
        sight = look.seen.get(self.sight.fingerprint) if self.sight else None
        if sight is not None:
            return self.seen(look, sight, fixed_after)
        if self.sight is not None and look.clean(self.sight):
            return replace(self, marks=(*self.marks, False))
        return self

    def seen(self, look: Look, sight: Sight, fixed_after: int) -> _Life:
        """With one more run that saw it."""
        ended = self.clean >= fixed_after
        return _Life(
            first=look.run_id if ended or not self.first else self.first,
            nights=(0 if ended else self.nights) + 1,
            marks=(True,) if ended else (*self.marks, True),
            last=look.run_id,
            sight=sight,
            returned=ended,
        )

    @property
    def clean(self) -> int:
        """Clean nights since it was last seen; 0 for what was never seen."""
        return self.marks[::-1].index(True) if self.marks else 0

    def stage(self, flaky: bool) -> Stage:
        """Of a finding that the last run in here saw."""
        if self.returned:
            return Stage.RETURNED
        if flaky or False in self.marks[-_WINDOW:]:
            return Stage.INTERMITTENT
        return Stage.NEW if len(self.marks) == 1 else Stage.ONGOING


def _lives(looks: Sequence[Look], fixed_after: int) -> dict[str, _Life]:
    """The life of every finding that any of the runs saw; ``looks`` oldest first."""
    lives: dict[str, _Life] = {}
    for look in looks:
        begun = {print_: _Life().seen(look, sight, fixed_after) for print_, sight in look.seen.items()}
        lives = begun | {print_: life.after(look, fixed_after) for print_, life in lives.items()}
    return lives


def lived(
    findings: Iterable[Finding], tonight: Look, looks: Sequence[Look], fixed_after: int = FIXED_AFTER
) -> tuple[Finding, ...]:
    """The findings of this run with their stage; ``looks`` are the earlier runs, oldest first."""
    lives = _lives([*looks, tonight], fixed_after)
    return tuple(_staged(finding, lives[finding.fingerprint]) for finding in findings)


def _staged(finding: Finding, life: _Life) -> Finding:
    return replace(finding, stage=life.stage(finding.flaky), first_seen=life.first, nights=life.nights)


def past(
    tonight: Look, looks: Sequence[Look], scenarios: Collection[str], fixed_after: int = FIXED_AFTER
) -> tuple[PastFinding, ...]:
    """What earlier nights had and this one has not: just fixed, or not yet known to be.

    Only what explains itself, and what a scenario of today could show. Nothing when the sandbox was not called.
    """
    if not tonight.night:
        return ()
    before = _lives(looks, fixed_after)
    return tuple(_gone(before, tonight, scenarios, fixed_after))


def _gone(
    before: Mapping[str, _Life], tonight: Look, scenarios: Collection[str], fixed_after: int
) -> Iterator[PastFinding]:
    for print_, life in before.items():
        sight = life.sight
        if sight is None or print_ in tonight.seen or life.clean >= fixed_after or sight.place in tonight.places:
            continue
        if sight.follows or sight.kind in _PASSING or sight.scenario not in scenarios:
            continue
        after = life.after(tonight, fixed_after)
        stage = Stage.UNCHECKED if after is life else Stage.CLEARING
        yield PastFinding(
            fingerprint=print_,
            code=sight.code,
            kind=sight.kind,
            severity=sight.severity,
            blame=sight.blame,
            operation=sight.operation,
            scenario=sight.scenario,
            path=sight.path,
            stage=Stage.FIXED if after.clean >= fixed_after else stage,
            last_seen=life.last,
            nights=life.nights,
            clean=after.clean,
            fixed_after=fixed_after,
        )
