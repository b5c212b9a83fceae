"""The result of a self-test: numbers, targets, and a row for every case."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .rows import Outcome, Row

__all__ = ["Result", "load_result", "result_of", "save"]

PLANTED = ("drift", "pair")
UNDETECTED = (Outcome.MISSED, Outcome.SILENT)


@dataclass(frozen=True)
class Result:
    """``wrong_blame`` and ``silent_greens`` count over all groups, the rest over those that its name says."""

    form: str
    troth: str
    seconds: float
    planted: int
    detected: int
    missed_notices: int
    """Planted drifts that are only worth a notice and that were not found; the others that were not are missed."""
    wrong_kind: int
    wrong_blame: int
    wrong_severity: int
    more_roots: int
    """Planted drifts (no pairs) that were found, and led to more than one finding."""
    clean_runs: int
    false_alarms: int
    infra_faults: int
    infra_as_drift: int
    edits: int
    silent_greens: int
    rows: tuple[Row, ...]

    @property
    def missed(self) -> int:
        """Breaking and risky drifts that were not found."""
        return self.planted - self.detected - self.missed_notices

    @property
    def targets(self) -> dict[str, bool]:
        """What must hold, and whether it does."""
        return {
            "every breaking and risky drift is found": self.missed == 0,
            "the blame is right": self.wrong_blame == 0,
            "no false alarm": self.false_alarms == 0,
            "no fault of the infrastructure is called drift": self.infra_as_drift == 0,
            "no silent green": self.silent_greens == 0,
        }

    @property
    def good(self) -> bool:
        """Does all of it hold?"""
        return all(self.targets.values())


def result_of(rows: Iterable[Row], form: str, troth: str, seconds: float) -> Result:
    """Count."""
    rows = tuple(rows)
    planted = [row for row in rows if row.group in PLANTED]
    lost = [row for row in planted if row.outcome in UNDETECTED]
    clean = [row for row in rows if row.group == "clean"]
    faults = [row for row in rows if row.group == "fault"]
    edits = [row for row in rows if row.group == "edit"]
    return Result(
        form=form,
        troth=troth,
        seconds=round(seconds, 1),
        planted=len(planted),
        detected=len(planted) - len(lost),
        missed_notices=sum(row.severity == "notice" for row in lost),
        wrong_kind=_count(planted, Outcome.WRONG_KIND),
        wrong_blame=_count(rows, Outcome.WRONG_BLAME),
        wrong_severity=_count(planted, Outcome.WRONG_SEVERITY),
        more_roots=sum(row.group == "drift" and row.roots > 1 for row in planted),
        clean_runs=len(clean),
        false_alarms=_count(rows, Outcome.FALSE_ALARM),
        infra_faults=len(faults),
        infra_as_drift=_count(faults, Outcome.CALLED_DRIFT),
        edits=len(edits),
        silent_greens=sum(row.outcome is Outcome.SILENT and row.severity != "notice" for row in rows),
        rows=rows,
    )


def _count(rows: Sequence[Row], outcome: Outcome) -> int:
    return sum(row.outcome is outcome for row in rows)


def save(result: Result, path: Path) -> None:
    """Write it as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    said: dict[str, Any] = asdict(result)
    rows = said.pop("rows")
    said |= {"missed": result.missed, "targets": result.targets, "good": result.good, "rows": rows}
    path.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def load_result(path: Path) -> Result:
    """Read what ``save`` wrote."""
    said = json.loads(path.read_text(encoding="utf-8"))
    rows = tuple(
        Row(**{**row, "found": tuple(row["found"]), "outcome": Outcome(row["outcome"])}) for row in said.pop("rows")
    )
    for name in ("missed", "targets", "good"):
        del said[name]
    return Result(**said, rows=rows)
