"""What came of a case: the findings of a run beside what was to be found."""

from __future__ import annotations

from collections.abc import Sequence

from troth.runners.finding import Blame, Finding, Run, Verdict

from .rows import Drift, Edit, Fault, Outcome, Row

__all__ = ["clean_row", "drift_row", "edit_row", "fault_row", "pair_row"]

NO_DRIFT = (Blame.LOOSE, Blame.UNOBSERVED)


def drift_row(drift: Drift, run: Run) -> Row:
    """Was the planted drift found, as it should be?"""
    expected = f"{drift.finding}; {drift.operation}; {drift.severity}; {drift.blame}"
    return _row("drift", drift.name, drift.taxonomy, drift.severity, expected, run, found_as(drift, run))


def pair_row(drifts: Sequence[Drift], run: Run) -> Row:
    """Were both found? The worse outcome counts."""
    outcomes = [found_as(drift, run) for drift in drifts]
    expected = " + ".join(f"{drift.finding}; {drift.operation}" for drift in drifts)
    severity = "breaking" if any("breaking" in drift.severity for drift in drifts) else "risky"
    name = " + ".join(drift.name for drift in drifts)
    kind = " + ".join(drift.taxonomy for drift in drifts)
    return _row("pair", name, kind, severity, expected, run, max(outcomes, key=list(Outcome).index))


def clean_row(seed: int, run: Run) -> Row:
    """Did a night on which nothing was wrong agree?"""
    agreed = run.verdict is Verdict.AGREE and run.exit_code == 0 and not _roots(run)
    outcome = Outcome.CLEAN if agreed else Outcome.FALSE_ALARM
    return _row("clean", f"noise {seed}", "noise", "", "agree", run, outcome)


def fault_row(fault: Fault, run: Run) -> Row:
    """Did the run say that it could not check, and nothing else?"""
    if _roots(run):
        outcome = Outcome.CALLED_DRIFT
    elif run.verdict is Verdict.AGREE or run.exit_code == 0:
        outcome = Outcome.SILENT
    elif run.verdict.value in fault.verdicts.split("|"):
        outcome = Outcome.CANNOT_CHECK
    else:
        outcome = Outcome.WRONG_KIND
    return _row("fault", fault.name, fault.kind, "", fault.verdicts, run, outcome)


def edit_row(edit: Edit, run: Run) -> Row:
    """Was the edit laid on the contract, and only a drift of the same night on the provider?"""
    expected = f"{edit.finding or 'nothing'}; contract" + (f" + {edit.drift}; provider" if edit.drift else "")
    return _row("edit", edit.name, "contract-edit", "", expected, run, _edited(edit, _roots(run)))


def _edited(edit: Edit, roots: list[Finding]) -> Outcome:
    theirs = [one for one in roots if one.kind == edit.drift and one.blame is Blame.PROVIDER]
    mine = [one for one in roots if one.kind == edit.finding and one not in theirs]
    blamed = [one for one in roots if one.blame is Blame.PROVIDER and one not in theirs]
    if blamed or (edit.drift and not theirs and any(one.kind == edit.drift for one in roots)):
        return Outcome.WRONG_BLAME
    if (edit.finding and not mine) or (edit.drift and not theirs):
        return Outcome.WRONG_KIND if roots else Outcome.SILENT
    if not edit.finding and not edit.drift:
        return Outcome.FALSE_ALARM if roots else Outcome.CLEAN
    return Outcome.FOUND if all(one.blame is Blame.CONTRACT for one in mine) else Outcome.WRONG_BLAME


def found_as(drift: Drift, run: Run) -> Outcome:
    """The best that can be said of the findings at the place of a drift."""
    loose = drift.blame == "loose"
    roots = [one for one in run.providers[0].findings if one.blame is Blame.LOOSE] if loose else _roots(run)
    here = [one for one in roots if drift.operation == "*" or one.operation in drift.operation.split()]
    blamed = [one for one in here if one.blame.value == drift.blame]
    right = [one for one in blamed if one.kind in drift.finding.split("|")]
    if any(one.severity.value in drift.severity.split("|") for one in right):
        return Outcome.FOUND
    if right:
        return Outcome.WRONG_SEVERITY
    if blamed:
        return Outcome.WRONG_KIND
    if here:
        return Outcome.WRONG_BLAME
    return Outcome.SILENT if run.verdict is Verdict.AGREE else Outcome.MISSED


def _roots(run: Run) -> list[Finding]:
    """The findings that are no consequence of another, and that speak of drift."""
    return [one for one in run.providers[0].findings if one.caused_by is None and one.blame not in NO_DRIFT]


def _row(group: str, name: str, kind: str, severity: str, expected: str, run: Run, outcome: Outcome) -> Row:
    roots = _roots(run)
    return Row(
        group=group,
        name=name,
        kind=kind,
        severity=severity,
        expected=expected,
        found=tuple(_words(one) for one in roots) or ((run.providers[0].reason,) if run.providers[0].reason else ()),
        roots=len(roots),
        verdict=run.verdict.value,
        exit_code=run.exit_code,
        seconds=round(run.finished - run.started, 2),
        outcome=outcome,
    )


def _words(one: Finding) -> str:
    """A finding in a line."""
    return f"{one.kind}; {one.operation} {one.path}; {one.severity.value}; {one.blame.value}"
