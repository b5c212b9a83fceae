"""What the page shows, before it is laid out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from fakes.report_runs import (
    NASTY,
    RUN_ID,
    big_run,
    drifted_findings,
    exchange,
    finding,
    provider_run,
    rich_run,
    run,
    scenario_runs,
    stripe_run,
)

from troth.contracts.kinds import Severity
from troth.contracts.values import ABSENT
from troth.reports import html, junit, markdown
from troth.reports.clusters import worst_first
from troth.reports.console import summary_lines
from troth.reports.coverage_view import operation_rows, scenario_rows, targets_of, unchecked
from troth.reports.exchange_view import Exchanges, duration
from troth.reports.finding_view import FindingView, groups_of
from troth.reports.page import headline, page_of, when
from troth.reports.pieces import plain_text
from troth.runners.finding import Blame, Coverage, Finding, ScenarioRun, Verdict


def test_findings_are_grouped_by_blame_worst_first() -> None:
    """And sorted by severity within a group."""
    groups = groups_of(worst_first(drifted_findings()), run(stripe_run()))

    ranks = [group.views[0].finding.severity.rank for group in groups]
    assert ranks == sorted(ranks)
    for group in groups:
        inner = [view.finding.severity.rank for view in group.views]
        assert inner == sorted(inner)
        assert {view.finding.blame for view in group.views} == {group.blame}


def _all(view: FindingView) -> list[FindingView]:
    below = [one for other in (*view.consequences, *view.alike) for one in _all(other)]
    return [view, *below]


def test_every_finding_is_shown_once() -> None:
    """Under its cause or by itself."""
    findings = worst_first(drifted_findings())
    groups = groups_of(findings, run())
    shown = [one.finding for group in groups for view in group.views for one in _all(view)]

    assert sorted(map(id, shown)) == sorted(map(id, findings))
    assert sum(group.count for group in groups) == len(findings)


def test_consequences_stand_under_their_root_whatever_its_blame() -> None:
    """A chain is flattened, in the order of steps."""
    root = finding(fingerprint="a", step=1)
    third = finding("value", fingerprint="c", caused_by="b", step=3, blame=Blame.ALL)
    second = finding("stored", fingerprint="b", caused_by="a", step=2, blame=Blame.CONTRACT)

    (group,) = groups_of([third, second, root], run())

    assert group.views[0].finding is root
    assert [view.finding for view in group.views[0].consequences] == [second, third]


@pytest.mark.parametrize(
    "causes",
    [{"a": "a"}, {"a": "b", "b": "a"}, {"a": "b", "b": "c", "c": "b"}, {"a": "not in this run"}],
)
def test_a_circle_or_a_missing_cause_loses_no_finding(causes: dict[str, str]) -> None:
    """They are shown all the same."""
    findings = [finding(fingerprint=name, caused_by=cause) for name, cause in causes.items()]

    assert sum(group.count for group in groups_of(findings, run())) == len(findings)


def test_equal_fingerprints_get_different_names_on_the_page() -> None:
    """Two providers, or a fault of the store: links still lead to one of them."""
    same = finding()
    (group,) = groups_of([same, same, replace(same, provider="other")], run())

    assert len({one.identity for view in group.views for one in _all(view)}) == 3


def test_names_on_the_page_are_harmless() -> None:
    """Whatever a fingerprint holds."""
    (group,) = groups_of([finding(fingerprint=text) for text in NASTY], run())
    names = [one.identity for view in group.views for one in _all(view)]

    assert len(set(names)) == len(NASTY)
    assert all(name.translate({45: None, 46: None, 95: None}).isalnum() for name in names)


def _missing(operation: str, origin: str, scenario: str = "a", **changes: object) -> Finding:
    return finding("missing_field", operation=operation, origin=origin, scenario=scenario, path="$.x", **changes)


def test_findings_that_say_the_same_stand_together() -> None:
    """A type's field wherever it is shown; the same path in several operations; not two types, not two replies."""
    findings = worst_first(
        [
            *(_missing(f"op{n}", "Customer.x", scenario=f"s{n}", fingerprint=f"c{n}") for n in range(3)),
            *(_missing(f"op{n}", f"op{n}.ok$.x", fingerprint=f"o{n}") for n in range(2)),
            _missing("op9", "Charge.x", fingerprint="other"),
            finding(operation="op1", origin="op1.ok", fingerprint="r1"),
            finding(operation="op2", origin="op2.ok", fingerprint="r2"),
        ]
    )
    (group,) = groups_of(findings, run())

    assert [1 + len(view.alike) for view in group.views] == [1, 1, 3, 2, 1]
    assert group.views[2].finding.origin == "Customer.x"


def test_what_tells_most_comes_first() -> None:
    """Behaviour and replies before values, values before structure."""
    kinds = ("missing_field", "value", "response", "idempotency_ignored", "list_missing")
    findings = worst_first(finding(kind, fingerprint=kind, origin=kind) for kind in kinds)

    assert [one.kind for one in findings] == [
        "idempotency_ignored",
        "response",
        "value",
        "list_missing",
        "missing_field",
    ]


def test_presence_is_said_in_words() -> None:
    """True and false would look like values of the field."""
    one = finding("loose_presence", blame=Blame.LOOSE, contract=ABSENT, simulator="none", sandbox=False, message="")
    (group,) = groups_of([one], run())
    contract, simulator, sandbox = group.views[0].sides

    assert (contract.note, plain_text(simulator.lines), sandbox.note, sandbox.lines) == (
        "left open",
        '"none"',
        "absent",
        (),
    )


@pytest.mark.parametrize(
    ("changes", "states"),
    [
        ({}, ["same", "same", "differs"]),
        ({"blame": Blame.CONTRACT}, ["same", "same", "differs"]),
        ({"blame": Blame.CONTRACT, "simulator": "refunded"}, ["differs", "same", "same"]),
        ({"blame": Blame.SIMULATOR}, ["same", "differs", "same"]),
        ({"blame": Blame.ALL}, ["differs", "differs", "differs"]),
        ({"blame": Blame.LOOSE, "contract": ABSENT}, ["empty", "differs", "differs"]),
        ({"blame": Blame.UNOBSERVED, "sandbox": ABSENT}, ["same", "same", "empty"]),
        ({"sandbox": ABSENT}, ["same", "same", "differs"]),
    ],
)
def test_the_side_that_is_to_blame_is_the_one_that_stands_out(changes: dict[str, object], states: list[str]) -> None:
    """Contract, simulator, sandbox."""
    (group,) = groups_of([finding(**changes)], run())

    assert [side.state for side in group.views[0].sides] == states


def test_words_beside_each_side_say_who_agrees() -> None:
    """So that no colour has to."""
    (group,) = groups_of([finding()], run())

    assert [side.note for side in group.views[0].sides] == ["like the simulator", "like the contract", "differs"]


def test_a_list_of_allowed_values_is_not_marked_as_wrong() -> None:
    """Beside the one value that is not in it."""
    (group,) = groups_of([finding("enum", contract=["a", "b"], simulator="a", sandbox="c")], run())
    contract, _, sandbox = group.views[0].sides

    assert not any(piece.mark for line in contract.lines for piece in line)
    assert any(piece.mark for line in sandbox.lines for piece in line)


def test_a_finding_without_values_has_no_sides() -> None:
    """Three empty boxes would say nothing."""
    (group,) = groups_of([finding("leak", contract=ABSENT, simulator=ABSENT, sandbox=ABSENT)], run())

    assert group.views[0].sides == ()


def test_what_is_new_in_this_run_is_counted() -> None:
    """The first screen says how much is new since the last night."""
    page = page_of(run(stripe_run()))

    assert page.new == sum(one.since == RUN_ID and one.caused_by is None for one in drifted_findings())
    assert 0 < page.new < page.causes < page.total


def test_on_a_first_run_nothing_is_called_new() -> None:
    """Everything would be."""
    first = replace(stripe_run(), findings=(finding(),))
    page = page_of(run(first))

    assert (page.new, page.worst[0].new) == (0, False)


def test_causes_are_counted_and_consequences_apart() -> None:
    """In the headline, the console and the table."""
    findings = (finding(fingerprint="a"), finding("stored", fingerprint="b", caused_by="a"))
    page = page_of(run(replace(stripe_run(), findings=findings)))

    assert (page.counted, page.causes, page.total, page.failing) == ("1 cause, 1 consequence", 1, 2, 1)
    assert [count for _, count in page.providers[0].severities] == [1]


def test_the_picture_shows_scenarios_that_did_not_agree() -> None:
    """Running through is no success."""
    (provider,) = page_of(run(stripe_run())).providers

    assert [(name, width) for name, _, width in provider.bar] == [
        ("ran", 37.5),
        ("mismatched", 37.5),
        ("unobserved", 12.5),
        ("skipped", 12.5),
    ]


def _silent(verdict: Verdict, **changes: Any) -> str:
    exchanges = (exchange(operation="get_charge"), exchange(operation="create_refund", response_name=None))
    provider = provider_run(verdict, "why", **{"exchanges": exchanges, **changes})
    return f"{headline(run(provider), 0)}: {page_of(run(provider)).words}"


@pytest.mark.parametrize("verdict", [Verdict.UNREACHABLE, Verdict.UNAUTHORIZED])
def test_one_operation_without_an_answer_is_not_the_whole_sandbox(verdict: Verdict) -> None:
    """All else worked."""
    one = _silent(verdict, findings=(finding("unobserved", blame=Blame.UNOBSERVED, operation="create_refund"),))

    assert "create_refund" in one
    assert "could not be reached" not in one
    assert "refused the credentials" not in one
    assert "create_refund" not in _silent(verdict)


@pytest.mark.parametrize(
    ("verdict", "refused", "words"),
    [
        (Verdict.UNAUTHORIZED, False, "a credential is not set"),
        (Verdict.UNAUTHORIZED, True, "Troth refused to send a credential"),
        (Verdict.UNREACHABLE, False, "it has no usable address"),
        (Verdict.UNREACHABLE, True, "its settings cannot be used"),
    ],
)
def test_a_sandbox_that_was_not_called_refused_nothing(verdict: Verdict, refused: bool, words: str) -> None:
    """The gate's reason is said, and the checks are not the sandbox's."""
    there = {"sandbox_url": "", "exchanges": (), "scenarios": (ScenarioRun("a", "simulator", "ok"),)}
    provider = provider_run(verdict, "why", refused=refused, **there)
    lines = summary_lines(run(provider))

    assert headline(run(provider), 0) == f"The sandbox was not called: {words}"
    assert "  simulator: 1 of 1 scenarios ok, 18 checks" in lines
    assert [line for line in lines if "sandbox: " in line and "check" in line] == []
    assert any(line.startswith("  sandbox:   not called, 0 of 2 scenarios") for line in lines)


def test_an_exchange_that_findings_share_is_shown_once() -> None:
    """The others point to it."""
    shared = exchange()
    desk = Exchanges([finding(exchanges=(shared,))])
    first, second = (desk.views(finding(exchanges=(shared,)), name)[0] for name in ("f-1", "f-2"))

    assert (first.shown_at, second.shown_at) == ("", "f-1")
    assert first.command.startswith("curl")
    assert second.command == ""


def test_an_exchange_is_shown_where_it_is_met_first() -> None:
    """At the cause, not at its consequence; in the first group of the page, not in a later one."""
    shared = exchange()
    cause = finding(fingerprint="a", exchanges=(shared,))
    after = finding("value", fingerprint="b", caused_by="a", exchanges=(shared,))
    notice = finding("loose_value", fingerprint="c", blame=Blame.CONTRACT, exchanges=(shared,))
    worst = finding("value", fingerprint="d", blame=Blame.UNOBSERVED, exchanges=(shared,))

    shown = [one for group in groups_of(worst_first([notice, worst, after, cause]), run()) for one in group.views]

    assert [view.exchanges[0].shown_at for view in shown] == ["", "f-a", "f-a"]
    assert shown[0].consequences[0].exchanges[0].shown_at == "f-a"


@pytest.mark.parametrize(
    ("path", "marked"),
    [("status", "HTTP 200"), ("headers.request_id", "Request-Id: req_Yb1Qm4sJ2kLp0a"), ("headers.etag", "no etag")],
)
def test_the_place_of_a_finding_is_marked_in_the_head(path: str, marked: str) -> None:
    """The status line, a header, or that there is none."""
    (view,) = Exchanges([]).views(finding(path=path, exchanges=(exchange(),)), "f")

    assert [piece.text for line in view.response for piece in line if piece.mark] == [marked]


def test_a_place_in_the_request_is_marked_in_the_request() -> None:
    """``body.amount`` is what was sent."""
    sent = exchange(request_body='{"amount": 0}')
    (view,) = Exchanges([]).views(finding(path="body.amount", exchanges=(sent,)), "f")

    assert [piece.text for line in view.request for piece in line if piece.mark] == ['"amount"', "0"]
    assert not any(piece.mark for line in view.response for piece in line)


def test_a_page_full_of_exchanges_says_what_it_left_out() -> None:
    """Each body is cut, then whole exchanges are left out; both say so."""
    (provider,) = big_run(1_000).providers
    desk = Exchanges(provider.findings)
    views = [view for number, one in enumerate(provider.findings) for view in desk.views(one, f"f-{number}")]

    assert any(view.left_out for view in views)
    assert "cut" in plain_text(views[0].response)
    assert views[0].command_cut


def test_what_could_not_be_checked_is_told_once() -> None:
    """Reasons are grouped, notes that repeat them are dropped, responses never seen are listed."""
    names = tuple(f"scenario {number}" for number in range(40))
    provider = provider_run(
        Verdict.SKIPPED,
        "the gate is closed",
        scenarios=scenario_runs(names, "skipped", "the gate is closed"),
        coverage=Coverage(
            scenarios=40,
            skipped=40,
            responses={"get.found": False, "get.missing": True},
            notes=(
                "the sandbox was not called: the gate is closed; the checks are the simulator's",
                *(f"{name}: skipped on the sandbox: the gate is closed" for name in names),
                "2 not judged exactly, because a value was not known: get x",
            ),
            undecided=2,
        ),
    )

    listed = ", ".join(f"“{name}”" for name in names[:5])
    told = [(gap.what, gap.why) for gap in unchecked(provider)]

    assert told == [
        ("The sandbox was not called, so nothing is known about drift.", "the gate is closed"),
        (f"40 scenarios did not run on the sandbox: {listed} …", ""),
        ("1 declared response was never seen on the sandbox; scenarios could bring them about", "get.found"),
        (
            "2 not judged exactly, because a value was not known: get x",
            "let a step before it read the value; what hangs on other people's records stays open",
        ),
    ]


def test_a_contract_without_scenarios_is_no_full_check() -> None:
    """A check that did not run is never a pass."""
    assert "No scenario was there to run" in [
        gap.what for gap in unchecked(provider_run(Verdict.AGREE, coverage=Coverage()))
    ]


def test_nothing_is_left_out_when_everything_was_checked() -> None:
    """An empty list is a good sign, and only then."""
    assert unchecked(provider_run(Verdict.AGREE)) == ()


def test_operations_keep_their_order_and_count_what_was_seen() -> None:
    """A dot in an operation's name stays in it."""
    coverage = Coverage(responses={"v1.get.found": True, "v1.get.missing": False, "put.done": True})
    rows = operation_rows(provider_run(Verdict.AGREE, coverage=coverage))

    assert [(row.name, row.observed, row.responses) for row in rows] == [
        ("v1.get", 1, (("found", True), ("missing", False))),
        ("put", 1, (("done", True),)),
    ]


def test_scenarios_stand_beside_each_other_on_all_targets() -> None:
    """With a cell for a target where one did not run, and the calls that were made."""
    provider = provider_run(
        Verdict.AGREE,
        scenarios=(
            ScenarioRun("a", "sandbox", "ok"),
            ScenarioRun("a", "simulator", "ok"),
            ScenarioRun("b", "eu", "ok"),
        ),
        exchanges=(
            exchange(scenario="a", step=2),
            exchange("simulator", scenario="a", step=2, status=None, error="down"),
        ),
    )
    first, second = scenario_rows(provider)

    assert targets_of(provider) == ("simulator", "sandbox", "eu")
    assert [cell.outcome for cell in first.cells] == ["ok", "ok", ""]
    assert [cell.outcome for cell in second.cells] == ["", "", "ok"]
    assert first.steps[0].answers == ("down, 2 ms", "200 refunded, 184 ms", "")


@pytest.mark.parametrize(
    ("seconds", "says"),
    [(-1, "0 ms"), (0.0021, "2 ms"), (1.23, "1.2 s"), (134.2, "2 min 14 s"), (59.99, "60.0 s"), (7_400, "2 h 3 min")],
)
def test_spans_of_time_read_as_people_say_them(seconds: float, says: str) -> None:
    """From milliseconds to hours."""
    assert duration(seconds) == says


def test_moments_are_in_utc_and_nonsense_is_no_traceback() -> None:
    """A damaged file may hold any number."""
    assert when(1_796_007_600.0) == "2026-11-30 03:00:00 UTC"
    assert when(1e30) == "at an unknown time"


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_has_a_headline(verdict: Verdict) -> None:
    """And a run of nothing has one too."""
    assert headline(run(provider_run(verdict)), 0)
    assert headline(run(), 0) == "Nothing ran"


def test_the_page_counts_providers_by_verdict() -> None:
    """The worst one does not hide the others."""
    assert "8 providers: 1 drift, 1 unauthorized, 1 unreachable" in page_of(rich_run()).words


def test_a_refused_contract_is_not_called_a_fault_of_troth() -> None:
    """It is for its author to mend."""
    page = page_of(run(provider_run(Verdict.BROKEN, "E001 broken", refused=True), interrupted=True))

    assert "cannot be used" in page.words
    assert page.words.endswith("stopped before its end.")


def test_a_thousand_findings_is_the_most_on_a_page() -> None:
    """The worst ones; the number of the others is said."""
    page = page_of(big_run(1_003))

    assert (page.total, page.left_out) == (1_003, 3)
    assert page.severities[0] is Severity.BREAKING


def test_every_report_shows_the_trail_of_a_step() -> None:
    """It says more than the number of the step."""
    provider = replace(stripe_run(), findings=(finding(step=2, trail="2.repeat4"),))
    one = run(provider)
    texts = [html.render(one).decode(), markdown.render(one).decode(), junit.render(one).decode()]
    texts.append("\n".join(summary_lines(one)))

    assert ["step 2.repeat4" in text for text in texts] == [True] * 4


def test_steps_are_listed_by_their_trail_and_cleaning_up_comes_last() -> None:
    """Polls share a line, with the last answer."""
    calls = [("cleanup.1", 5), ("1", 1), ("2", 2), ("2", 3), ("2.repeat2", 4)]
    exchanges = tuple(
        exchange(scenario="a", trail=trail, step=step, response_name=f"r{step}", elapsed=0.0) for trail, step in calls
    )
    there = (ScenarioRun("a", "sandbox", "ok"),)
    (row,) = scenario_rows(replace(stripe_run(), scenarios=there, exchanges=exchanges))

    assert [step.step for step in row.steps] == ["1", "2", "2.repeat2", "cleanup.1"]
    assert row.steps[1].answers == ("200 r3, 0 ms",)
