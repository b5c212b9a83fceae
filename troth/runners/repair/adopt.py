"""From a finding to the patch of its contract that settles it, and everything that the patch does besides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from troth.contracts.document.document import Document
from troth.contracts.document.folder import amended
from troth.contracts.repair.patches import patches, written
from troth.contracts.repair.proposal import Patch
from troth.contracts.repair.touched import touched
from troth.errors import ContractError, Place, Problem
from troth.runners.finding import Finding
from troth.runners.prove import prove
from troth.runners.repair.recorded import Night, replay
from troth.runners.repair.sight import TOKEN, Sight, disagreements, grave, look

__all__ = ["Adoption", "NightEffect", "Unsettled", "adopt"]

MOST = 30
"""Patches that are tried for one finding."""
ROUNDS = 3
"""How often what a scenario expects is brought in line with a patch."""


class Unsettled(Exception):
    """No patch settles the finding.

    ``invalid`` are the mistakes that the patched contract would have; ``unseen`` is set where the replay of the night
    does not show the finding in the first place.
    """

    def __init__(self, why: str, invalid: Sequence[Problem] = (), *, unseen: bool = False) -> None:
        self.why, self.invalid, self.unseen = why, tuple(invalid), unseen
        super().__init__(why)


@dataclass(frozen=True, slots=True)
class NightEffect:
    """An earlier night under the patched contract: disagreements there now that were not there, and the reverse."""

    run_id: str
    number: int | None
    opens: int
    closes: int
    cut: int
    """Scenarios that could not be replayed to their end."""


@dataclass(frozen=True, slots=True)
class Adoption:
    """One patch and what it does."""

    finding: Finding
    place: Place
    """Where the contract says what the finding is about."""
    name: str
    words: tuple[str, ...]
    """What it does, in words; more than one where scenarios had to follow."""
    before: Mapping[str, str]
    after: Mapping[str, str]
    """The texts of the files that change."""
    closes: tuple[Finding, ...]
    opens: tuple[Finding, ...]
    left: tuple[Finding, ...]
    """What followed from the finding, and stands by itself now."""
    operations: tuple[str, ...]
    """Those that say something else now."""
    cut: tuple[str, ...] = ()
    """Scenarios of the night that could not be replayed to their end."""
    nights: tuple[NightEffect, ...] = ()
    """Earlier ones, the newest first."""
    others: Mapping[str, str] = field(default_factory=dict)
    """Other ways to settle it that can be asked for, by name."""


@dataclass(frozen=True, slots=True)
class _Trial:
    """Some patches together, worked out and looked at."""

    patches: tuple[Patch, ...]
    sight: Sight

    def opens(self, before: Sight) -> list[Finding]:
        return [item for key, item in self.sight.findings.items() if key not in before.findings]

    def left(self, before: Sight, finding: Finding) -> list[Finding]:
        """What followed from the finding, and is still there."""
        followed = {key for key, item in before.findings.items() if item.caused_by == finding.fingerprint}
        return [item for key, item in self.sight.findings.items() if key in followed]

    def rest(self, before: Sight, finding: Finding) -> tuple[tuple[int, int], int]:
        """The price, and how much is found in all."""
        return self.price(before, finding), len(self.sight.findings)

    def price(self, before: Sight, finding: Finding) -> tuple[int, int]:
        """How bad it is: what is grave among what it opens and leaves, and all of that."""
        found = [*self.opens(before), *self.left(before, finding)]
        return sum(map(grave, found)), len(found)


def adopt(
    document: Document, finding: Finding, night: Night, earlier: Sequence[Night], *, seed: int = 0, way: str = ""
) -> Adoption:
    """Try every patch on the night that showed the finding; the first that settles it and opens nothing grave.

    ``way`` names the kind of patch that is wanted (``optional``, ``either`` ...). Raises Unsettled, and ContractError
    where the document itself makes no contract.
    """
    before = look(document, night, seed)
    known = before.findings.get(finding.fingerprint)
    if known is None:
        raise Unsettled(_not_shown(before, finding), unseen=True)
    complaint = before.complaint(known)
    ideas = list(islice(patches(document, complaint), MOST))
    wanted = [idea for idea in ideas if way in ("", idea.name)]
    invalid: list[ContractError] = []
    trials = _settling(wanted, known, before, night, seed, invalid)
    best, mistakes = _best(trials, known, before)
    if best is None:
        problems = mistakes or [problem for error in invalid[:1] for problem in error.problems]
        raise Unsettled(_nothing(ideas, way, problems), problems)
    nights = tuple(_night(best.sight, before, other, seed) for other in earlier)
    adoption = _adoption(known, before, best, _others(ideas, best), nights, written(document, complaint))
    return replace(adoption, finding=finding)


def _not_shown(before: Sight, finding: Finding) -> str:
    if TOKEN in repr(finding.sandbox):
        return "what the provider showed there is a secret, and was not kept"
    if finding.steadiness and finding.seen < finding.runs:
        return "it came up only when the scenario was run again, and those answers are not kept"
    cut = before.replayed.cut
    words = "the contract as it is now does not show it on that night any more"
    return f"{words}; {len(cut)} of its scenarios could not be replayed to their end" if cut else words


def _nothing(ideas: Sequence[Patch], way: str, problems: Sequence[Problem]) -> str:
    if not ideas:
        return "nothing that could be written for it is known"
    names = dict.fromkeys(idea.name for idea in ideas)
    if way and way not in names:
        return f"there is no way called {way!r}; known are {', '.join(names)}"
    if problems:
        return "every patch that is known for it makes a contract with mistakes"
    return "none of the patches that are known for it settles it"


def _trials(ideas: Sequence[Patch], before: Sight, night: Night, seed: int) -> Iterator[_Trial | ContractError]:
    for idea in ideas:
        try:
            yield _Trial((idea,), look(amended(before.document, idea.texts), night, seed))
        except ContractError as error:
            yield error


def _settling(
    ideas: Sequence[Patch], finding: Finding, before: Sight, night: Night, seed: int, invalid: list[ContractError]
) -> Iterator[_Trial]:
    """Those that settle it, with what scenarios expect brought in line; ``invalid`` gets what makes no contract."""
    for trial in _trials(ideas, before, night, seed):
        if isinstance(trial, ContractError):
            invalid.append(trial)
        elif finding.fingerprint not in trial.sight.findings:
            yield _followed(trial, finding, before, night, seed)


def _best(trials: Iterator[_Trial], finding: Finding, before: Sight) -> tuple[_Trial | None, Sequence[Problem]]:
    """The first that does nothing grave besides and that `troth check` passes, else the least grave that it passes.

    Where it passes none, what it says of the first.
    """
    passed: list[_Trial] = []
    mistakes: Sequence[Problem] = ()
    for trial in trials:
        found = _mistakes(trial.sight, before)
        mistakes = mistakes or found
        if not found:
            passed.append(trial)
            if trial.price(before, finding)[0] == 0:
                break
    return min(passed, key=lambda trial: trial.price(before, finding), default=None), mistakes


def _followed(trial: _Trial, finding: Finding, before: Sight, night: Night, seed: int) -> _Trial:
    """With what scenarios expect brought in line: their old value, where the contract now says a new one."""
    for _ in range(ROUNDS):
        better = next(_steps(trial, finding, before, night, seed), None)
        if better is None:
            break
        trial = better
    return trial


def _steps(trial: _Trial, finding: Finding, before: Sight, night: Night, seed: int) -> Iterator[_Trial]:
    for item in trial.sight.findings.values():
        if item.kind != "expect" or not _about_the_same(item, before.findings.get(item.fingerprint), finding):
            continue
        for idea in patches(trial.sight.document, trial.sight.complaint(item)):
            for next_ in _trials([idea], trial.sight, night, seed):
                done = isinstance(next_, _Trial) and item.fingerprint not in next_.sight.findings
                if done and isinstance(next_, _Trial) and next_.rest(before, finding) < trial.rest(before, finding):
                    yield replace(next_, patches=(*trial.patches, *next_.patches))


def _about_the_same(item: Finding, known: Finding | None, finding: Finding) -> bool:
    """Is an unmet expectation new, a consequence of the finding, or about the very value that it is about?"""
    if known is None or known.caused_by == finding.fingerprint:
        return True
    same_field = item.path.rpartition(".")[2] == finding.path.rpartition(".")[2]
    return same_field and type(item.sandbox) is type(finding.sandbox) and bool(item.sandbox == finding.sandbox)


def _mistakes(after: Sight, before: Sight) -> list[Problem]:
    """What `troth check` calls an error in the patched contract, and not in the one before."""
    new = [problem for problem in prove(after.contract) if not problem.warning]
    if not new:
        return []
    old = {(problem.code, problem.asked) for problem in prove(before.contract)}
    return [problem for problem in new if (problem.code, problem.asked) not in old]


def _others(ideas: Sequence[Patch], best: _Trial) -> dict[str, str]:
    named = {idea.name: idea.words for idea in reversed(ideas)}
    return {name: words for name, words in named.items() if name != best.patches[0].name}


def _night(after: Sight, before: Sight, night: Night, seed: int) -> NightEffect:
    then, now = replay(before.contract, night, seed), replay(after.contract, night, seed)
    old, new = disagreements(then), disagreements(now)
    return NightEffect(night.run_id, night.number, len(new - old), len(old - new), len({*then.cut, *now.cut}))


def _adoption(
    finding: Finding,
    before: Sight,
    best: _Trial,
    others: Mapping[str, str],
    nights: tuple[NightEffect, ...],
    place: Place,
) -> Adoption:
    after = best.sight
    changed = [file for file, text in after.document.sources.items() if text != before.document.sources[file]]
    return Adoption(
        finding=finding,
        place=place,
        name=best.patches[0].name,
        words=tuple(patch.words for patch in best.patches),
        before={file: before.document.sources[file] for file in changed},
        after={file: after.document.sources[file] for file in changed},
        closes=tuple(item for key, item in before.findings.items() if key not in after.findings),
        opens=tuple(best.opens(before)),
        left=tuple(best.left(before, finding)),
        operations=touched(before.document.root, after.document.root),
        cut=after.replayed.cut,
        nights=nights,
        others=others,
    )
