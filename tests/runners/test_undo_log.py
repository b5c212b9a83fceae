"""What a killed run left is known to the next one, which takes it back."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from fakes.acmepay import KEY, SCENARIOS, AcmePay, acmepay
from fakes.runs import on_sandbox, on_simulator, plan
from fakes.tiny_server import Reply, Seen

from troth.runners.compare import compare
from troth.runners.step_result import TargetRun
from troth.runners.undo_log import FileUndoLog, MemoryUndoLog, UndoEntry

KEPT = SCENARIOS[: SCENARIOS.index("  a charge is paid")]
LONG_AGO = time.time() - 7200


def entry(key: str, url: str = "http://sandbox", **changes: Any) -> UndoEntry:
    values = {"id": key, "provider": "acmepay", "url": url, "run": "20261129T0300-abcd-1", "scenario": "s"}
    return UndoEntry(**{**values, "operation": "create_charge", "time": LONG_AGO, **changes})


def test_entries_outlive_the_process(tmp_path: Path) -> None:
    """A new log on the same file knows what is open, and only that."""
    path = tmp_path / "deep" / "undo.jsonl"
    log = FileUndoLog(path)
    log.put(entry("a"))
    log.put(entry("b"))
    log.put(entry("a", call="cancel_charge", values={"path.id": "ch_1"}))
    log.done("b")
    again = FileUndoLog(path)
    assert again.open("acmepay", "http://sandbox") == (entry("a", call="cancel_charge", values={"path.id": "ch_1"}),)
    assert again.open("acmepay", "http://other") == ()
    assert again.open("other", "http://sandbox") == ()


def test_the_file_goes_when_nothing_is_open(tmp_path: Path) -> None:
    """It does not grow from night to night."""
    path = tmp_path / "undo.jsonl"
    log = FileUndoLog(path)
    log.put(entry("a"))
    assert path.exists()
    log.done("a")
    log.done("a")
    assert not path.exists()


def test_a_line_that_was_cut_off_is_passed_over(tmp_path: Path) -> None:
    """The crash may have come while it was written."""
    path = tmp_path / "undo.jsonl"
    log = FileUndoLog(path)
    log.put(entry("a"))
    with path.open("a") as file:
        file.write('{"put": {"id": "b", "provider": "acm')
    log = FileUndoLog(path)
    log.put(entry("c"))
    kept = [one.id for one in FileUndoLog(path).open("acmepay", "http://sandbox")]
    assert kept == ["a", "c"]


def swept(run: TargetRun) -> tuple[str, ...]:
    """What a run tells of the sweep. That no scenario here waits for a charge to be paid, it tells as well."""
    return tuple(note for note in run.notes if not note.startswith("moves that no scenario waited for"))


def test_a_run_leaves_nothing_open(tmp_path: Path) -> None:
    """Every entry that it wrote is closed at its end, and no credential was in the file."""
    path = tmp_path / "undo.jsonl"
    log = FileUndoLog(path)
    seen: list[str] = []

    def look(_: Seen) -> None:
        seen.append(path.read_text() if path.exists() else "")

    with AcmePay(look) as provider:
        on_sandbox(acmepay(KEPT), provider.url, plan(undo_log=log))
    assert not path.exists()
    assert any('"call": "cancel_charge"' in text for text in seen)
    assert any('"call": ""' in text for text in seen)
    assert KEY not in "".join(seen)


def _told(notes: Iterable[str]) -> list[str]:
    """What a run notes of cleaning up; it also notes that nothing waited for a move of the contract."""
    return [note for note in notes if not note.startswith("moves that no scenario waited for")]


def test_what_an_earlier_run_left_is_taken_back() -> None:
    """With the newest knowledge of how; what was taken back is closed, without a result of its own."""
    with AcmePay() as provider:
        left = _left(provider)
        log = MemoryUndoLog()
        log.put(entry("a", provider.url, call="cancel_charge", values={"path.id": left}))
        log.put(entry("b", provider.url, call="cancel_charge", values={"path.id": "ch_gone"}))
        log.put(entry("c", "http://elsewhere", call="cancel_charge", values={"path.id": left}))
        run = on_sandbox(acmepay(KEPT), provider.url, plan(undo_log=log))
        assert left not in provider.charges
    assert log.open("acmepay", provider.url) == ()
    assert len(log.open("acmepay", "http://elsewhere")) == 1
    assert swept(run) == ()
    assert {result.scenario for result in run.results} == {outcome.scenario for outcome in run.outcomes}


def test_a_run_that_may_still_go_on_is_left_alone() -> None:
    """Its entries are younger than an hour; it may have been killed all the same, so they are told."""
    with AcmePay() as provider:
        left = _left(provider)
        log = MemoryUndoLog()
        for name in ("a", "b"):
            young = time.time() - 120
            log.put(entry(name, provider.url, call="cancel_charge", values={"path.id": left}, time=young))
        run = on_sandbox(acmepay(KEPT), provider.url, plan(undo_log=log))
        assert left in provider.charges
    assert len(log.open("acmepay", provider.url)) == 2
    (note,) = swept(run)
    assert note.startswith("2 things of run 20261129T0300-abcd-1, 2 min ago, left alone")
    assert "in 58 min or later" in note


def test_what_cannot_be_taken_back_is_noted() -> None:
    """It stays open when the provider refused, and is closed when nobody knows how."""

    def refuse(seen: Seen) -> Any:
        return Reply(409, {}) if seen.method == "DELETE" and "stuck" in seen.path else None

    log = MemoryUndoLog()
    with AcmePay(refuse) as provider:
        log.put(entry("a", provider.url, call="cancel_charge", values={"path.id": "ch_stuck"}))
        log.put(entry("b", provider.url))
        log.put(entry("c", provider.url, call="cancel_charge"))
        run = on_sandbox(acmepay(KEPT), provider.url, plan(undo_log=log))
        assert [one.id for one in log.open("acmepay", provider.url)] == ["a"]
    assert swept(run) == ()
    (_, stuck), (_, unbuilt) = run.leftovers
    assert "create_charge in 's' is still there: cancel_charge answered 409" in stuck
    assert "cannot be taken back" in unbuilt


def test_what_may_have_been_made_and_cannot_be_looked_for_is_told() -> None:
    """No operation lists what the other one makes; once told, nobody can do more."""
    contract = acmepay(KEPT)
    blind = {name: operation for name, operation in contract.operations.items() if name != "list_charges"}
    log = MemoryUndoLog()
    with AcmePay() as provider:
        log.put(entry("a", provider.url))
        run = on_sandbox(replace(contract, operations=blind, scenarios={}), provider.url, plan(undo_log=log))
    ((scenario, words),) = run.leftovers
    assert scenario == "s"
    assert "may have created something" in words
    assert "no operation lists all of charges" in words
    assert log.open("acmepay", provider.url) == ()


def test_a_leak_of_an_earlier_run_is_a_finding() -> None:
    """Somebody has to know of it, and a note is soon passed over."""

    def refuse(seen: Seen) -> Any:
        return Reply(409, {}) if seen.method == "DELETE" and "stuck" in seen.path else None

    log = MemoryUndoLog()
    contract = acmepay(KEPT)
    with AcmePay(refuse) as provider:
        log.put(entry("a", provider.url, call="cancel_charge", values={"path.id": "ch_stuck"}))
        run = on_sandbox(contract, provider.url, plan(undo_log=log))
    (found,) = [item for item in compare(contract, on_simulator(contract), run).findings if item.kind == "leak"]
    assert (found.code, found.scenario) == ("TR605", "s")
    assert "left by run 20261129T0300-abcd-1" in found.message


def test_a_simulator_is_not_swept() -> None:
    """It ended with the process."""
    log = MemoryUndoLog()
    log.put(entry("a", "http://simulator", call="cancel_charge", values={"path.id": "ch_1"}))
    on_simulator(acmepay(), plan(undo_log=log))
    assert len(log.open("acmepay", "http://simulator")) == 1


def _left(provider: AcmePay) -> str:
    """Something that stays in the sandbox."""
    provider.charges["ch_left"] = {"id": "ch_left", "_at": 0.0}
    return "ch_left"


def test_two_runs_share_a_file(tmp_path: Path) -> None:
    """The one that ends first does not take the other's entries with it."""
    path = tmp_path / "undo.jsonl"
    first, second = FileUndoLog(path), FileUndoLog(path)
    first.put(entry("a"))
    second.put(entry("b"))
    second.done("b")
    assert [one.id for one in FileUndoLog(path).open("acmepay", "http://sandbox")] == ["a"]
