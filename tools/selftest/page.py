"""``python -m selftest.page RESULT...``: ``docs/selftest.md``, made from the result of a full run, or of its parts.

What came of other weights (``selftest.costs``) is read from a ``costs.json`` beside the first result.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from troth.contracts.kinds import KINDS

from .results import PLANTED, Result, load_result, result_of
from .rows import Outcome, Row

__all__ = ["page"]

INTRODUCTION = """\
# The self-test

Does Troth find what has changed, lay it at the right door, and keep quiet about the rest? This page answers with
numbers. They come from a *twin*: a payment provider on a real socket, written by hand, which shares no code with Troth.
Its contract and its first night agree. Then, one night at a time,

- a **drift** is planted in the twin, of every kind that a request and its response can show, or two of them at once;
- nothing is wrong, but there is **noise**: other ids, clocks that are off, answers in pieces, members in another order,
  headers spelled otherwise, cookies, other clients who create, change and delete records of the same account;
- the twin cannot be reached, or something stands before it: **faults** that say nothing about the contract;
- the **contract is edited**, and the twin stays as it is.

Each night is a whole `troth drift` run with the history of the first night. A drift counts as found when a finding that
is no consequence of another names the operation, with the blame on the provider. What is expected was written down from
the meaning of the finding kinds, before it was tried, and a row that Troth gets wrong stays in the table.

`make selftest` repeats all of this, writes `troth-selftest/selftest.json` with a row for every night, and fails when a
target is missed.
"""


NOT_PLANTED = """\
## What is not planted

What one request and its response cannot show: that an enum *lost* a value, that requests may now be *wider* where no
scenario tries it, and what users of the provider are told in prose. Slower answers (`slower`) take three weeks of
nights to be told, and have tests of their own, as have optional fields, headers and orders that go. Streams and
webhooks come with their part of the contract language.
"""
COSTS = """\
## What explanations cost

A reply that the contract does not give may be explained in several ways: a value is wrong (2 for each), another
declared response came (3), or the provider departed from the contract: it ignored a key, changed a record too early or
too late, or took an invalid request (1). The cheapest explanation is the finding, and it must cost strictly less than
what it explains. Three orders follow, and no more is in the numbers: a departure is believed rather than one wrong
value; one wrong value rather than another response; another response rather than two wrong values. Here is what becomes
of the drifts in which these compete when one weight is changed.

| value, response, departure | planted | as expected | otherwise | silent | more than one finding | false alarms |
|---|---|---|---|---|---|---|
"""


def page(result: Result, costs: Sequence[Mapping[str, Any]] = ()) -> str:
    """The page, as Markdown."""
    parts = [INTRODUCTION, _numbers(result), _drifts(result), _faults(result), _edits(result), _wrong(result)]
    parts += [_costs(costs)] if costs else []
    parts.append(NOT_PLANTED)
    return "\n".join(part.rstrip() + "\n" for part in parts)


def _numbers(result: Result) -> str:
    found = result.planted - sum(row.severity == "notice" for row in result.rows if row.group in PLANTED)
    lines = [
        ("detection rate, of breaking and risky drifts", _rate(found - result.missed, found), "100 %"),
        ("false-alarm rate, of nights with noise only", _rate(result.false_alarms, result.clean_runs), "0 %"),
        ("wrong-blame rate", _rate(result.wrong_blame, result.planted + result.edits), "0 %"),
        ("wrong-severity rate", _rate(result.wrong_severity, result.planted), "0 %"),
        ("called by another kind than expected", _rate(result.wrong_kind, result.planted), "0 %"),
        ("faults reported as drift", _rate(result.infra_as_drift, result.infra_faults), "0 %"),
        ("silent greens", str(result.silent_greens), "0"),
        ("drifts that led to more than one finding", _rate(result.more_roots, _count(result.rows, "drift")), "few"),
    ]
    head = f"## Results\n\nTroth {result.troth}, {result.form} form, {result.seconds:.0f} seconds on two cores.\n"
    return "\n".join([head, "| | result | target |", "|---|---|---|", *(f"| {' | '.join(line)} |" for line in lines)])


def _drifts(result: Result) -> str:
    """By kind of the taxonomy."""
    rows = [row for row in result.rows if row.group == "drift"]
    lines = ["## Drifts by kind\n", "| kind | for example | findings | planted | found | as expected |"]
    lines.append("|---|---|---|---|---|---|")
    for kind in dict.fromkeys(row.kind for row in rows):
        mine = [row for row in rows if row.kind == kind]
        found = sum(row.outcome not in (Outcome.MISSED, Outcome.SILENT) for row in mine)
        lines.append(f"| {kind} | {mine[0].name} | {_codes(mine)} | {len(mine)} | {found} | {_good(mine)} |")
    lines.append(f"| all | | | {len(rows)} | {_found(rows)} | {_good(rows)} |")
    pairs = [row for row in result.rows if row.group == "pair"]
    lines.append(f"| two at once | | | {len(pairs)} | {_found(pairs)} | {_good(pairs)} |")
    return "\n".join(lines)


def _codes(rows: Iterable[Row]) -> str:
    """The findings that the drifts of a kind lead to, each with its code."""
    kinds = dict.fromkeys(kind for row in rows for kind in row.expected.partition(";")[0].split("|"))
    return ", ".join(f"`{kind}` ({KINDS[kind].code})" if kind in KINDS else kind for kind in kinds)


def _costs(costs: Sequence[Mapping[str, Any]]) -> str:
    lines = []
    for number, one in enumerate(costs):
        weights = ", ".join(str(weight) for weight in one["weights"].values())
        counts = (one[name] for name in ("planted", "as_expected", "wrong", "silent", "more_roots", "false_alarms"))
        lines.append(f"| {weights}{'' if number else ', as it is'} | {' | '.join(map(str, counts))} |")
    return COSTS + "\n".join(lines)


def _faults(result: Result) -> str:
    rows = [row for row in result.rows if row.group == "fault"]
    lines = [
        "## Faults\n",
        "| class | planted | could not be checked, and said so | called drift |",
        "|---|---|---|---|",
    ]
    for kind in dict.fromkeys(row.kind for row in rows):
        mine = [row for row in rows if row.kind == kind]
        lines.append(
            f"| {kind} | {len(mine)} | {_good(mine)} | {sum(row.outcome is Outcome.CALLED_DRIFT for row in mine)} |"
        )
    return "\n".join(lines)


def _edits(result: Result) -> str:
    rows = [row for row in result.rows if row.group == "edit"]
    wrong = sum(row.outcome is Outcome.WRONG_BLAME for row in rows)
    return (
        f"## Edits of the contract\n\n{len(rows)} edits, some of them on a night on which the provider drifts as well: "
        f"{_good(rows)} as expected, {wrong} with a wrong blame."
    )


def _wrong(result: Result) -> str:
    """Every row that is not as it should be."""
    rows = [row for row in result.rows if not row.outcome.good]
    lines = ["## What Troth gets wrong\n"]
    if not rows:
        return "\n".join([*lines, "Nothing of the above."])
    lines += ["| night | outcome | expected | found |", "|---|---|---|---|"]
    lines += [
        f"| {row.group}: {row.name} | {row.outcome} | {_cell(row.expected)} | {_cell(_told(row))} |" for row in rows
    ]
    return "\n".join(lines)


def _told(row: Row) -> str:
    more = f" and {len(row.found) - 3} more" if len(row.found) > 3 else ""
    return "; ".join(row.found[:3]) + more or f"nothing, {row.verdict}"


def _cell(text: str) -> str:
    return text.replace("|", " or ")


def _rate(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.1%})" if whole else "not tried"


def _good(rows: Iterable[Row]) -> int:
    return sum(row.outcome.good for row in rows)


def _found(rows: Iterable[Row]) -> int:
    return sum(row.outcome not in (Outcome.MISSED, Outcome.SILENT) for row in rows)


def _count(rows: Iterable[Row], group: str) -> int:
    return sum(row.group == group for row in rows)


if __name__ == "__main__":
    paths = [Path(name) for name in sys.argv[1:]]
    results = [load_result(path) for path in paths]
    whole = results[0]
    if len(results) > 1:
        seconds = sum(each.seconds for each in results)
        whole = result_of((row for each in results for row in each.rows), "part", whole.troth, seconds)
    tried = paths[0].parent / "costs.json"
    sys.stdout.write(page(whole, json.loads(tried.read_text(encoding="utf-8")) if tried.is_file() else ()))
