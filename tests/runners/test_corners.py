"""The evidence for each corner of the triangle, in the data of a run."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes.nights import KEPT, ChangingPay, Nights, with_field
from fakes.target_runs import mismatch, step

from troth.runners.blame import Past
from troth.runners.corners import corners
from troth.runners.disagreement import Disagreement, Row
from troth.runners.finding import Finding, Remembered
from troth.runners.history import History, Night

STRINGS = with_field("amount", "1200")
PAST = History(nights=(Night("n1", 1, 100.0),))


def disagreement(row: Row) -> Disagreement:
    """A disagreement that both targets showed."""
    wrong = mismatch()
    return Disagreement(
        row, wrong.kind, "charge", KEPT, 1, wrong.path, str(wrong.origin), on_simulator=step(), on_sandbox=step()
    )


@pytest.mark.parametrize(
    ("row", "now"),
    [
        (Row.PROVIDER, ["agree", "differ", "differ"]),
        (Row.SIMULATOR, ["differ", "agree", "differ"]),
        (Row.STALE, ["differ", "differ", "agree"]),
        (Row.ALL, ["differ", "differ", "differ"]),
        (Row.LOOSE, ["agree", "agree", "differ"]),
        (Row.UNOBSERVED, ["agree", "unobserved", "unobserved"]),
    ],
)
def test_each_row_of_the_table_has_its_corners(row: Row, now: list[str]) -> None:
    """Contract and simulator, contract and provider, simulator and provider."""
    found = corners(disagreement(row), Past(), PAST, "v1:x")

    assert [corner.now for corner in found] == now
    assert all(corner.evidence for corner in found)


@pytest.mark.parametrize("row", [Row.LEAK, Row.SCENARIO, Row.BROKEN])
def test_what_does_not_rest_on_them_has_none(row: Row) -> None:
    """A leak is nobody's disagreement."""
    assert corners(disagreement(row), Past(), PAST, "v1:x") == ()


def night(nights: Nights, change: object = None) -> tuple[Remembered, Finding | None]:
    """One night; what it looked back on, and the finding about the amount when there was one."""
    with ChangingPay(change) as provider:  # type: ignore[arg-type]
        (result,) = nights.night(provider.url, only=(KEPT,)).providers
    found = {f"{item.kind} {item.operation}": item for item in result.findings}
    return result.history, found.get("type create_charge")


def test_changed_since_a_night(tmp_path: Path) -> None:
    """The night of the last agreement is named, with the number of nights that agreed."""
    nights = Nights(tmp_path)
    looked_back = [night(nights)[0], night(nights)[0]]
    third, found = night(nights, STRINGS)
    again = night(nights, STRINGS)[1]

    assert [(each.night, each.nights) for each in (*looked_back, third)] == [(1, 0), (2, 1), (3, 2)]
    assert "no earlier night is known" in looked_back[0].warning
    assert third.warning == ""
    assert found
    assert found.standing == "changed since night 2"
    assert "agreed in 2 nights, last in night 2 (run " in found.corners[1].evidence
    assert "create_charge.created" in found.responses
    assert again
    assert again.standing == "changed since night 2"
    assert "seen to differ in 1 run since" in again.corners[1].evidence


def test_never_proven(tmp_path: Path) -> None:
    """On the first night nothing is known, on the second that it never agreed."""
    nights = Nights(tmp_path)
    first, second = night(nights, STRINGS)[1], night(nights, STRINGS)[1]

    assert first
    assert second
    assert (first.standing, second.standing) == ("never proven", "never proven")
    assert first.corners[1].evidence.endswith("no earlier night is known")
    assert "agreed in none of the 1 earlier night known, and seen to differ in 1 run" in second.corners[1].evidence


def test_a_night_long_ago_is_said_to_be(tmp_path: Path) -> None:
    """What changed since then may have changed on any night in between."""
    nights = Nights(tmp_path)
    night(nights)
    with nights.opened() as connection:
        connection.execute("update runs set started = started - 5 * 86400")
    looked_back, _ = night(nights)

    assert "the last night that is known is 5 days old" in looked_back.warning
