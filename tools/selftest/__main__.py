"""``python -m selftest``: plant what is known, run Troth, count what it says. Exit code 1 when a target is missed."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import troth

from .cases import Case, cases, short
from .known import KNOWN
from .results import Result, result_of, save
from .rows import Row
from .workers import run_cases

ROOT = Path(__file__).parents[2]
CLEAN = 1000


def main() -> int:
    """Run the cases; 0 when every target is met."""
    asked = _arguments()
    chosen = cases(asked.clean)
    if asked.short:
        chosen = short(chosen)
    if asked.only:
        chosen = [case for case in chosen if case.group in asked.only]
    started = time.monotonic()
    rows: dict[Case, Row] = {}
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.default_int_handler)
    try:
        rows.update(_progress(chosen, asked.jobs))
    except KeyboardInterrupt:
        print("\nInterrupted: what was run so far.")
    whole = not asked.only and asked.clean >= CLEAN and len(rows) == len(chosen)
    form = "short" if asked.short else "full" if whole else "part"
    known = [rows[case] for case in chosen if case in rows]
    result = result_of(known, form, troth.__version__, time.monotonic() - started)
    save(result, asked.out / "selftest.json")
    tell(result)
    print(f"\nEvery row: {asked.out / 'selftest.json'}")
    return int(bool(news(result))) if asked.short else int(not result.good)


def news(result: Result) -> list[str]:
    """What the short form fails for: rows that are wrong and not known to be, and the other way round."""
    lines = [
        f"wrong, and not known to be: {row.name}"
        for row in result.rows
        if not row.outcome.good and row.name not in KNOWN
    ]
    lines += [
        f"right now, take it out of known.py: {row.name}"
        for row in result.rows
        if row.outcome.good and row.name in KNOWN
    ]
    for line in lines:
        print(line)
    return lines


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="selftest", description="Does Troth find what is planted, and nothing else?")
    parser.add_argument("--short", action="store_true", help="a selection that takes half a minute")
    parser.add_argument("--clean", type=int, default=CLEAN, metavar="N", help=f"nights of noise (default {CLEAN})")
    parser.add_argument("--only", action="append", choices=("drift", "pair", "fault", "edit", "clean"))
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes at once (default 2)")
    parser.add_argument("--out", type=Path, default=ROOT / "troth-selftest", metavar="DIR")
    return parser.parse_args()


def _progress(chosen: list[Case], jobs: int) -> Iterator[tuple[Case, Row]]:
    """Run them, and count on the terminal."""
    for done, item in enumerate(run_cases(chosen, jobs), 1):
        if sys.stderr.isatty():
            print(f"\r{done} of {len(chosen)} ", end="", file=sys.stderr, flush=True)
        yield item


def tell(result: Result) -> None:
    """A short table, and every row that is not as it should be."""
    for row in result.rows:
        if not row.outcome.good:
            print(f"{row.outcome.value.upper():15} {row.group}: {row.name}\n{'':15} expected {row.expected}")
            for line in row.found or (f"nothing ({row.verdict})",):
                print(f"{'':15} found    {line}")
    print()
    for name in (
        "planted",
        "detected",
        "missed",
        "wrong_kind",
        "wrong_blame",
        "wrong_severity",
        "more_roots",
        "clean_runs",
        "false_alarms",
        "infra_faults",
        "infra_as_drift",
        "edits",
        "silent_greens",
    ):
        print(f"{name:15} {getattr(result, name):>5}")
    print()
    for name, met in result.targets.items():
        print(f"{'met    ' if met else 'MISSED '} {name}")
    print(f"{result.form} form, {result.seconds:g} s")


if __name__ == "__main__":
    sys.exit(main())
