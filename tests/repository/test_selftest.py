"""The self-test itself: can it see, can it fail, and does it measure what it says?"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from fakes import report_runs
from fakes.report_runs import finding, provider_run
from selftest import twin
from selftest.cases import PAIRS, Case, cases, run_case, short
from selftest.costs import AS_THEY_ARE, Tried, Weights, tried
from selftest.drifts import DRIFTS
from selftest.edits import EDITS
from selftest.faults import FAULTS
from selftest.nights import CONTRACT, Night, Nights, TwinFailed, nights
from selftest.page import page
from selftest.results import load_result, result_of, save
from selftest.rows import Drift, Outcome, Row
from selftest.scoring import clean_row, drift_row, edit_row, fault_row
from selftest.twin.provider import KEY

from troth.contracts.kinds import KINDS
from troth.contracts.loader import load
from troth.runners.finding import Blame, Finding, Run, Verdict
from troth.runners.prove import prove

TAXONOMY = {
    "op-gone", "op-deprecated", "version-pin-moved", "param-now-required", "param-rejected", "param-ignored",
    "request-narrowed", "default-changed", "media-type-refused", "strictness-loosened", "status-class",
    "status-in-class", "async-switch", "error-shape", "error-code", "retryability", "error-precedence",
    "required-removed",
    "optional-removed", "became-optional", "field-added", "field-renamed", "type-changed", "nullability",
    "null-absent-empty", "enum-added", "header-added", "format", "range-widened", "variant", "map-switch", "const-echo",
    "reference",
    "expansion", "read-only", "required-header", "content-type", "request-id", "caching", "list-order", "page-size",
    "pages", "filter", "lag", "rate-limit", "payload-limit", "idempotency", "idempotency-conflict", "idempotency-scope",
    "conflict", "transition", "terminal-status", "side-effect", "delete", "timers", "access",
}  # fmt: skip
"""Every kind of drift that a request and its response can show."""


@pytest.fixture(scope="module")
def twin_nights() -> Iterator[Nights]:
    """A twin, and a night of agreement."""
    with nights() as made:
        yield made


# The tables


def test_every_kind_of_the_taxonomy_is_planted() -> None:
    assert {drift.taxonomy for drift in DRIFTS} == TAXONOMY
    assert len(DRIFTS) >= 60


@pytest.mark.parametrize("table", [DRIFTS, FAULTS, EDITS], ids=["drifts", "faults", "edits"])
def test_names_are_used_once(table: tuple[Drift, ...]) -> None:
    names = [row.name for row in table]

    assert len(names) == len(set(names))


def test_pairs_touch_two_operations_and_are_the_same_every_time() -> None:
    assert len(PAIRS) == 40
    assert all(one.operation != other.operation for one, other in PAIRS)


def test_the_short_form_has_something_of_everything() -> None:
    every = cases(1000)

    assert {case.group for case in short(every)} == {case.group for case in every}
    assert set(short(every)) <= set(every)
    assert all(DRIFTS[case.number].past == 1 for case in short(every) if case.group == "drift")


def test_the_twin_knows_nothing_of_troth() -> None:
    """It would otherwise make the same mistakes."""
    for file in Path(twin.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.partition(".")[0] in ("troth", "yaml", "jinja2") for name in names)


def test_the_contract_of_the_twin_has_no_problems() -> None:
    assert prove(load(CONTRACT / "contract.yaml")) == []


def test_every_edit_loads_and_changes_something(tmp_path: Path, twin_nights: Nights) -> None:
    """An edit that finds nothing to change raises."""
    for edit in EDITS:
        assert twin_nights.edited(edit).provider == "twin"
    twin_nights.restore()


# Real nights, one of each group


def night_of(name: str) -> Case:
    """The case of a planted drift."""
    return Case("drift", next(number for number, drift in enumerate(DRIFTS) if drift.name == name))


def test_a_planted_drift_is_found(twin_nights: Nights) -> None:
    row = run_case(night_of("a number is a text"), twin_nights)

    assert (row.outcome, row.verdict, row.exit_code) == (Outcome.FOUND, "drift", 1)


def test_a_change_inside_what_the_contract_allows_takes_a_history(twin_nights: Nights) -> None:
    """After one night nobody can say how the provider always was."""
    row = run_case(night_of("a field is new"), twin_nights)

    assert (row.outcome, row.found) == (Outcome.FOUND, ())
    assert run_case(Case("clean", 1), twin_nights).outcome is Outcome.CLEAN


def test_judging_by_other_weights_ends(twin_nights: Nights) -> None:
    """And calls something else what it saw."""
    number = next(number for number, drift in enumerate(DRIFTS) if drift.name == "a key is ignored")
    dear = tried(Weights(2, 3, 99), [Case("drift", number)], twin_nights)
    usual = tried(AS_THEY_ARE, [Case("drift", number)], twin_nights)

    assert (dear.planted, dear.as_expected) == (1, 0)
    assert (usual.as_expected, usual.false_alarms) == (1, 0)


def test_a_noisy_night_is_clean(twin_nights: Nights) -> None:
    assert run_case(Case("clean", 1), twin_nights).outcome is Outcome.CLEAN


@pytest.mark.parametrize("name", ["nothing listens", "no certificate", "every request is sent to a login page"])
def test_a_fault_is_no_drift(twin_nights: Nights, name: str) -> None:
    number = next(number for number, fault in enumerate(FAULTS) if fault.name == name)

    assert run_case(Case("fault", number), twin_nights).outcome is Outcome.CANNOT_CHECK


def test_an_edit_is_not_laid_on_the_provider(twin_nights: Nights) -> None:
    assert run_case(Case("edit", 1), twin_nights).outcome is Outcome.FOUND


def test_a_defect_of_the_twin_is_no_result(twin_nights: Nights) -> None:
    """It would look like a provider that closes the connection."""

    class Defective:
        def asked(self, asked: object, books: object) -> object:
            raise LookupError("a defect")

    with pytest.raises(TwinFailed):
        twin_nights.run(Night([Defective()]))  # type: ignore[list-item]
    twin_nights.wire.defects.clear()


# What came of a case


def ran(*findings: Finding, verdict: Verdict = Verdict.DRIFT, exit_code: int = 1) -> Run:
    """A run with these findings."""
    made = provider_run(verdict, "a reason", findings=findings)
    return replace(report_runs.run(made), verdict=verdict, exit_code=exit_code)


def planted(**changes: str) -> Drift:
    """A drift that must be found as the usual finding of ``report_runs``."""
    usual = Drift("a drift", "status-class", None, "response", "create_refund", "breaking")  # type: ignore[arg-type]
    return usual._replace(**changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("drift", "run", "outcome"),
    [
        (planted(), ran(finding()), Outcome.FOUND),
        (planted(finding="value|response"), ran(finding()), Outcome.FOUND),
        (planted(operation="*"), ran(finding()), Outcome.FOUND),
        (planted(severity="risky"), ran(finding()), Outcome.WRONG_SEVERITY),
        (planted(finding="value"), ran(finding()), Outcome.WRONG_KIND),
        (planted(), ran(finding(blame=Blame.CONTRACT)), Outcome.WRONG_BLAME),
        (planted(finding="value"), ran(finding(blame=Blame.CONTRACT)), Outcome.WRONG_BLAME),
        (planted(), ran(finding(caused_by="v1:another")), Outcome.MISSED),
        (planted(operation="get_charge"), ran(finding()), Outcome.MISSED),
        (planted(), ran(verdict=Verdict.UNREACHABLE, exit_code=6), Outcome.MISSED),
        (planted(), ran(verdict=Verdict.AGREE, exit_code=0), Outcome.SILENT),
        (planted(), ran(finding(blame=Blame.LOOSE), verdict=Verdict.AGREE, exit_code=0), Outcome.SILENT),
    ],
)
def test_outcomes_of_a_drift(drift: Drift, run: Run, outcome: Outcome) -> None:
    assert drift_row(drift, run).outcome is outcome


@pytest.mark.parametrize(
    ("run", "outcome"),
    [
        (ran(verdict=Verdict.AGREE, exit_code=0), Outcome.CLEAN),
        (ran(finding(), verdict=Verdict.AGREE, exit_code=0), Outcome.FALSE_ALARM),
        (ran(verdict=Verdict.FLAKY, exit_code=8), Outcome.FALSE_ALARM),
        (ran(verdict=Verdict.UNREACHABLE, exit_code=6), Outcome.FALSE_ALARM),
    ],
)
def test_outcomes_of_a_clean_night(run: Run, outcome: Outcome) -> None:
    assert clean_row(1, run).outcome is outcome


@pytest.mark.parametrize(
    ("run", "outcome"),
    [
        (ran(verdict=Verdict.UNREACHABLE, exit_code=6), Outcome.CANNOT_CHECK),
        (ran(verdict=Verdict.EXHAUSTED, exit_code=6), Outcome.WRONG_KIND),
        (ran(finding(), verdict=Verdict.UNREACHABLE, exit_code=6), Outcome.CALLED_DRIFT),
        (ran(verdict=Verdict.AGREE, exit_code=0), Outcome.SILENT),
        (ran(verdict=Verdict.UNREACHABLE, exit_code=0), Outcome.SILENT),
    ],
)
def test_outcomes_of_a_fault(run: Run, outcome: Outcome) -> None:
    assert fault_row(FAULTS[0], run).outcome is outcome


OURS = finding("type", blame=Blame.CONTRACT)
THEIRS = finding("missing_field")


@pytest.mark.parametrize(
    ("expected", "drift", "run", "outcome"),
    [
        ("type", "", ran(OURS), Outcome.FOUND),
        ("type", "", ran(finding("type")), Outcome.WRONG_BLAME),
        ("type", "", ran(OURS, THEIRS), Outcome.WRONG_BLAME),
        ("value", "", ran(OURS), Outcome.WRONG_KIND),
        ("type", "", ran(), Outcome.SILENT),
        ("", "", ran(), Outcome.CLEAN),
        ("", "", ran(OURS), Outcome.FALSE_ALARM),
        ("type", "missing_field", ran(OURS, THEIRS), Outcome.FOUND),
        ("type", "missing_field", ran(OURS, finding("missing_field", blame=Blame.CONTRACT)), Outcome.WRONG_BLAME),
        ("", "missing_field", ran(THEIRS), Outcome.FOUND),
        ("", "missing_field", ran(), Outcome.SILENT),
    ],
)
def test_outcomes_of_an_edit(expected: str, drift: str, run: Run, outcome: Outcome) -> None:
    assert edit_row(EDITS[0]._replace(finding=expected, drift=drift), run).outcome is outcome


# Counting


def row(group: str, outcome: Outcome, severity: str = "breaking", roots: int = 1) -> Row:
    """A row of the result."""
    return Row(group, f"{group} {outcome}", "op-gone", severity, "x|y", ("a finding",), roots, "drift", 1, 0.5, outcome)


ROWS = (
    row("drift", Outcome.FOUND, roots=3),
    row("drift", Outcome.WRONG_KIND),
    row("drift", Outcome.MISSED),
    row("drift", Outcome.SILENT),
    row("drift", Outcome.SILENT, "notice"),
    row("pair", Outcome.WRONG_BLAME),
    row("clean", Outcome.CLEAN),
    row("clean", Outcome.FALSE_ALARM),
    row("fault", Outcome.CALLED_DRIFT),
    row("fault", Outcome.SILENT),
    row("edit", Outcome.WRONG_BLAME),
)


def test_counts() -> None:
    result = result_of(ROWS, "full", "1.0", 3.0)

    assert (result.planted, result.detected, result.missed, result.missed_notices) == (6, 3, 2, 1)
    assert (result.wrong_kind, result.wrong_blame, result.wrong_severity, result.more_roots) == (1, 2, 0, 1)
    assert (result.clean_runs, result.false_alarms) == (2, 1)
    assert (result.infra_faults, result.infra_as_drift, result.edits, result.silent_greens) == (2, 1, 1, 2)
    assert not any(result.targets.values())


@pytest.mark.parametrize("group", ["drift", "pair", "clean", "fault", "edit"])
def test_targets_are_met_without_bad_rows(group: str) -> None:
    good = {"clean": Outcome.CLEAN, "fault": Outcome.CANNOT_CHECK}.get(group, Outcome.FOUND)

    assert result_of([row(group, good)], "full", "1.0", 3.0).good
    assert not result_of([row(group, Outcome.SILENT)], "full", "1.0", 3.0).good


def test_the_result_file_holds_the_numbers_and_every_row(tmp_path: Path) -> None:
    result = result_of(ROWS, "full", "1.0", 3.0)
    save(result, tmp_path / "selftest.json")

    said = json.loads((tmp_path / "selftest.json").read_text())
    assert (said["planted"], said["silent_greens"], len(said["rows"])) == (6, 2, len(ROWS))
    assert KEY not in json.dumps(said)
    assert load_result(tmp_path / "selftest.json") == result


def test_the_page_tells_what_is_wrong() -> None:
    text = page(result_of(ROWS, "full", "1.0", 3.0))

    assert "| silent greens | 2 | 0 |" in text
    assert "| op-gone | drift found | x, y | 5 | 2 | 1 |" in text
    assert "| drift: drift missed | missed | x or y | a finding |" in text


def test_the_page_tells_what_other_weights_do() -> None:
    tried = Tried(Weights(2, 3, 4), 9, 5, 3, 1, 2, 0, ("a drift: missed",))
    text = page(result_of(ROWS, "full", "1.0", 3.0), [asdict(tried)])

    assert "| 2, 3, 4, as it is | 9 | 5 | 3 | 1 | 2 | 0 |" in text


def test_expected_kinds_are_in_the_catalogue() -> None:
    assert {kind for drift in DRIFTS for kind in drift.finding.split("|")} <= set(KINDS)
