"""What becomes of findings from night to night, told by real nights, and by what the store remembers of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes.nights import KEPT, ChangingPay, Nights, with_field
from fakes.tiny_server import Reply

from troth.contracts.kinds import Severity
from troth.reports.console import summary_lines
from troth.reports.markdown import render as summary
from troth.reports.run_json import dump, load
from troth.runners.finding import Blame, Finding, PastFinding, Run
from troth.runners.history_sync import pull, push
from troth.runners.lifecycle import Look, Sight, past
from troth.runners.proof import proof_beside
from troth.runners.shelf import open_shelf
from troth.runners.stage import Stage
from troth.runners.store import Store
from troth.runners.trial import Rule

WRONG = with_field("amount", "1200")
ONCE = Rule(sightings=1)


@pytest.fixture
def nights(tmp_path: Path) -> Nights:
    """A project with the contract of AcmePay and no history."""
    return Nights(tmp_path)


def night(nights: Nights, mark: str, **changes: Any) -> Run:
    """A night on which the amount is a text (``x``) or as it should be (``.``)."""
    with ChangingPay(WRONG if mark == "x" else None) as provider:
        return nights.night(provider.url, **{"only": (KEPT,), "confirm": ONCE, **changes})


def finding(run: Run, kind: str = "type") -> Finding:
    """The one finding of that kind."""
    (found,) = [item for item in run.providers[0].findings if item.kind == kind and item.caused_by is None]
    return found


def gone(run: Run) -> PastFinding:
    """The one finding of earlier nights."""
    (found,) = run.providers[0].past
    return found


@pytest.mark.parametrize(
    ("marks", "stage"),
    [
        ("x", "new"),
        (".x", "new"),
        ("xx", "ongoing"),
        ("xxxxxx", "ongoing"),
        ("x.x", "intermittent"),
        ("xx.xx", "intermittent"),
        ("x.xxxxx", "ongoing"),  # five nights that looked have shown it since
        ("x..x", "returned"),
        ("x...x", "returned"),
        ("x..xx", "ongoing"),
    ],
)
def test_the_stage_of_a_finding(nights: Nights, marks: str, stage: str) -> None:
    """After nights that saw it (x) and nights that looked and did not (.)."""
    runs = [night(nights, mark) for mark in marks]

    assert finding(runs[-1]).stage == stage


@pytest.mark.parametrize(
    ("marks", "stages"), [("x.", "clearing"), ("x..", "fixed"), ("x...", ""), ("x.x.", "clearing")]
)
def test_a_finding_is_fixed_after_two_clean_nights(nights: Nights, marks: str, stages: str) -> None:
    """The first says so, the second makes it so, the third has nothing to tell."""
    run = [night(nights, mark) for mark in marks][-1]

    assert [item.stage for item in run.providers[0].past] == stages.split()
    assert run.exit_code == 0


def test_how_many_clean_nights_it_takes_can_be_set(nights: Nights) -> None:
    """One is enough for who says so."""
    night(nights, "x")

    assert gone(night(nights, ".", fixed_after=1)).stage is Stage.FIXED
    assert finding(night(nights, "x", fixed_after=1)).stage is Stage.RETURNED


def test_a_night_that_did_not_run_the_scenario_is_not_clean(nights: Nights) -> None:
    """``--only`` another one: nothing is known, however often."""
    night(nights, "x")
    others = [night(nights, ".", only=("nobody reads without a key",)) for _ in range(3)]

    assert {gone(run).stage for run in others} == {Stage.UNCHECKED}
    assert finding(night(nights, "x")).stage is Stage.ONGOING


def test_a_sandbox_that_is_down_mends_nothing(nights: Nights) -> None:
    """No answer is no clean night."""
    night(nights, "x")
    with ChangingPay() as provider:
        provider.before = lambda seen: Reply(503, {})
        runs = [nights.night(provider.url, only=(KEPT,), confirm=ONCE) for _ in range(3)]

    assert {gone(run).stage for run in runs} == {Stage.UNCHECKED}


def test_a_night_without_the_sandbox_says_nothing_of_its_findings(nights: Nights) -> None:
    """A run on a laptop lists nothing of earlier nights, and ends nothing."""
    night(nights, "x")

    assert [nights.night().providers[0].past for _ in range(3)] == [()] * 3
    assert finding(night(nights, "x")).stage is Stage.ONGOING


def test_a_finding_that_turned_into_another_is_not_fixed(nights: Nights) -> None:
    """The place is still wrong, so the old finding is neither fixed nor on its way."""
    night(nights, "x")
    with ChangingPay(with_field("amount", None)) as provider:
        runs = [nights.night(provider.url, only=(KEPT,), confirm=ONCE) for _ in range(3)]

    assert [run.providers[0].past for run in runs] == [()] * 3
    assert [finding(run, "null").stage for run in runs] == ["new", "ongoing", "ongoing"]
    assert finding(night(nights, "x")).stage is Stage.ONGOING


def test_the_store_remembers_which_replies_came_as_they_should(nights: Nights) -> None:
    """A reply with another status did not, though its body was in order."""

    class Other(ChangingPay):
        def _handle(self, seen: Any) -> Any:
            answer = super()._handle(seen)
            return replace(answer, status=200) if seen.method == "POST" else answer

    night(nights, ".")
    with Other() as provider:
        nights.night(provider.url, only=(KEPT,), confirm=ONCE)
    with Store.open(nights.store) as store:
        good, odd = store.looks("acmepay")

    replies = {"create_charge.created", "get_charge.found", "list_charges.page", "cancel_charge.canceled"}
    assert (good.night, odd.night) == (1, 2)
    assert good.came == {(KEPT, name) for name in replies}
    assert odd.came == good.came - {(KEPT, "create_charge.created")}


def test_one_dismissed_sighting_is_intermittent(nights: Nights) -> None:
    """Seen once in four runs of its scenario: it stays in the report, and a later clean night begins to clear it."""

    class Once(ChangingPay):
        def _handle(self, seen: Any) -> Any:
            answer = super()._handle(seen)
            if seen.method == "GET" and self.charges:
                self.change = None
            return answer

    with Once(WRONG) as provider:
        run = nights.night(provider.url, only=(KEPT,))

    assert finding(run).steadiness == "dismissed"
    assert finding(run).stage is Stage.INTERMITTENT
    assert {item.stage for item in night(nights, ".").providers[0].past} == {Stage.CLEARING}


def test_since_when_and_on_how_many_nights(nights: Nights) -> None:
    """Counted since it was last fixed."""
    runs = [night(nights, mark) for mark in "x..xx"]

    assert (finding(runs[-1]).first_seen, finding(runs[-1]).nights) == (runs[3].run_id, 2)


def test_without_a_store_nothing_is_new(nights: Nights) -> None:
    """Nor anything else: nothing is known of earlier nights."""
    assert finding(night(nights, "x", store=None)).stage is None


def test_a_scenario_that_left_the_contract_takes_its_findings_along(nights: Nights) -> None:
    """Nobody demands it any more."""
    night(nights, "x")
    nights.edit("  a charge is kept:", "  a charge is there:")

    assert night(nights, ".", only=()).providers[0].past == ()


def test_the_life_goes_on_where_the_history_is_pulled(tmp_path: Path) -> None:
    """Each night on a machine that is thrown away: nothing on it but what was pushed by the others."""
    shelf = open_shelf("shared", tmp_path)
    runs = []
    for number, mark in enumerate("x..x"):
        folder = tmp_path / str(number)
        folder.mkdir()
        nights = Nights(folder)
        with Store.open(nights.store) as store:
            pull(store, shelf, proof_beside(nights.store))
        runs.append(night(nights, mark))
        with Store.open(nights.store) as store:
            push(store, shelf, proof_beside(nights.store))

    assert [item.stage for run in runs[1:3] for item in run.providers[0].past] == ["clearing", "fixed"]
    assert finding(runs[3]).stage is Stage.RETURNED


def test_the_life_is_in_every_report(nights: Nights, tmp_path: Path) -> None:
    """run.json (which comes back as it was), console and summary."""
    runs = [night(nights, mark) for mark in "xx.."]
    file = tmp_path / "run.json"
    file.write_bytes(dump(runs[3]))
    written = json.loads(file.read_bytes())["providers"][0]["past"][0]

    assert load(file).providers == runs[3].providers
    assert (written["stage"], written["nights"], written["clean"], written["fixed_after"]) == ("fixed", 2, 2, 2)
    told = "fixed: TR203 type at create_charge $.amount (a charge is kept), not seen on 2 nights"
    assert told in "\n".join(summary_lines(runs[3]))
    assert "fixed: TR203 type at create" in summary(runs[3]).decode().replace("\\", "")
    assert "; ongoing" in "\n".join(summary_lines(runs[1]))
    assert ", ongoing" in summary(runs[1]).decode()


def sight(**changes: Any) -> Sight:
    """A finding of an earlier run."""
    usual: dict[str, Any] = {
        "fingerprint": "v1:000000000001",
        "kind": "type",
        "code": "TR203",
        "severity": Severity.BREAKING,
        "blame": Blame.PROVIDER,
        "operation": "get_charge",
        "scenario": KEPT,
        "path": "$.amount",
        "responses": ("get_charge.found",),
    }
    return Sight(**{**usual, **changes})


@pytest.mark.parametrize(
    ("changes", "listed"),
    [({}, True), ({"follows": True}, False), ({"kind": "leak"}, False), ({"kind": "unobserved"}, False)],
)
def test_what_is_listed_of_earlier_nights(changes: dict[str, Any], listed: bool) -> None:
    """Only what explains itself, and what can be mended."""
    found = sight(**changes)
    before = Look("one", 1, {found.fingerprint: found})

    assert bool(past(Look("two", 2), [before], {KEPT})) is listed


@pytest.mark.parametrize(
    ("came", "stage"),
    [
        (frozenset(), Stage.UNCHECKED),
        (frozenset({(KEPT, "get_charge.missing")}), Stage.UNCHECKED),  # another reply: it hid the place
        (frozenset({("another", "get_charge.found")}), Stage.UNCHECKED),
        (frozenset({(KEPT, "get_charge.found")}), Stage.CLEARING),
    ],
)
def test_a_night_is_clean_only_where_it_got(came: frozenset[tuple[str, str]], stage: Stage) -> None:
    """The response that showed the finding came, in its scenario, as it should."""
    before = Look("one", 1, {"v1:000000000001": sight()})

    assert [item.stage for item in past(Look("two", 2, {}, came), [before], {KEPT})] == [stage]
