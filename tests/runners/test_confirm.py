"""An unusable reply is drift only when the rest of the provider works and it comes again."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.acmepay import SCENARIOS, AcmePay, acmepay
from fakes.bad_provider import bad_answer
from fakes.runs import findings, on_sandbox, on_simulator, outcomes
from fakes.tiny_server import Reply, Seen

from troth.contracts.contract import Target
from troth.runners.step_result import TargetRun

KEPT = SCENARIOS[: SCENARIOS.index("  a charge is paid")]
"""One scenario is enough, and none that waits."""
NOBODY = KEPT + SCENARIOS[SCENARIOS.index("  nobody reads") :]
HEALTHY = Target("sandbox", health=("GET", "/charges"))


def listing(kind: str, times: int = 1000) -> Any:
    """Answers the listing of charges badly, the first ``times`` times that a scenario asks for it."""
    left = [times]

    def before(seen: Seen) -> Any:
        if "note=" not in seen.target or not left[0]:
            return None
        left[0] -= 1
        return bad_answer(kind, seen)

    return before


def run(before: Any, limits: Target = HEALTHY) -> TargetRun:
    with AcmePay(before) as provider:
        result = on_sandbox(acmepay(KEPT), provider.url, limits=limits)
        assert provider.charges == {}
        return result


@pytest.mark.parametrize(
    ("kind", "finding"),
    [
        ("html", "content_type"),
        ("bad_json", "format"),
        ("bad_utf8", "format"),
        ("bad_gzip", "format"),
        ("huge", "bounds"),
        ("login", "undeclared"),
    ],
)
def test_it_comes_again_while_the_rest_works(kind: str, finding: str) -> None:
    """Then it is a finding at its step, and that reply no longer counts as unobserved."""
    result = run(listing(kind))
    path, origin = ("status", "list_charges.302") if kind == "login" else ("$", "list_charges.reply")
    assert findings(result) == [f"3 {finding} {path}"]
    (mismatch,) = [m for step in result.results if step.judgement for m in step.judgement.mismatches]
    assert "a second run got the same" in mismatch.want
    assert str(mismatch.origin) == origin
    assert all(step.unobserved is None for step in result.results)


@pytest.mark.parametrize(
    ("headers", "found"),
    [({}, ["1 status status"]), ({"Content-Type": "text/html"}, ["1 status status"])],
    ids=["json", "html"],
)
def test_another_refusal_without_credentials(headers: dict[str, str], found: list[str]) -> None:
    """Our key cannot be what is wrong where none is sent."""

    def before(seen: Seen) -> Any:
        return None if "authorization" in seen.headers else Reply(403, {"error": {"code": "no_such_key"}}, headers)

    with AcmePay(before) as provider:
        result = on_sandbox(acmepay(NOBODY), provider.url, limits=HEALTHY)

    assert findings(result) == found
    (mismatch,) = [m for step in result.results if step.judgement for m in step.judgement.mismatches]
    assert (mismatch.expected, mismatch.observed) == (401, 403)
    assert str(mismatch.origin) == "get_charge.unauthorized.status"


def test_a_refusal_of_everybody_is_none_of_those_without_credentials() -> None:
    """Then something else is wrong."""
    forbidden = Reply(403, {"error": {"code": "locked"}})

    with AcmePay(lambda seen: forbidden) as provider:
        result = on_sandbox(acmepay(NOBODY), provider.url, limits=HEALTHY)

    assert findings(result) == []


def test_it_does_not_come_again() -> None:
    """A single front page is no drift, and is not forgotten either."""
    result = run(listing("html", times=1))
    assert findings(result) == []
    assert outcomes(result)["a charge is kept"] == "unobserved"


def test_server_errors_stay_unobserved() -> None:
    """However often they come: a 500 says nothing about the contract."""
    result = run(listing("500"))
    assert findings(result) == []
    assert outcomes(result)["a charge is kept"] == "unobserved"


@pytest.mark.parametrize(
    "answer",
    [Reply(500, {}), Reply(200, b"<h1>", {"Content-Type": "text/html"}), Reply(302, b""), b"no http\r\n\r\n"],
)
def test_an_unhealthy_provider_convicts_nobody(answer: Any) -> None:
    """When the health request fails too, the provider has a bad night."""
    bad = listing("html")

    def before(seen: Seen) -> Any:
        return answer if seen.target == "/charges" and seen.method == "GET" else bad(seen)

    assert findings(run(before)) == []


MANY = "".join(
    f"  number {number}:\n    steps: [{{call: create_charge, with: {{amount: 5}}, expect: created}}]\n"
    for number in range(8)
)
"""More than it takes to give a target up."""


@pytest.mark.parametrize("scenarios", [KEPT, MANY], ids=["one scenario", "many"])
def test_what_everything_begins_with_is_convicted_too(scenarios: str) -> None:
    """JSON that never parses comes from the API itself; nothing else is ever called, but the health is good."""

    def before(seen: Seen) -> Any:
        return bad_answer("bad_json", seen) if seen.method == "POST" and seen.target == "/charges" else None

    with AcmePay(before) as provider:
        result = on_sandbox(acmepay(scenarios), provider.url, limits=HEALTHY)

    assert "1 format $" in findings(result)


def test_without_a_health_request_another_operation_is_enough() -> None:
    """The target declares none."""
    assert findings(run(listing("html"), Target("sandbox"))) == ["3 content_type $"]


def test_second_runs_use_names_of_their_own() -> None:
    """A name of the first run would find what that run left."""
    notes: list[str] = []

    def before(seen: Seen) -> Any:
        if seen.method == "POST" and "note" in seen.json:
            notes.append(seen.json["note"])
        return listing("html")(seen)

    run(before)
    assert len(notes) == len(set(notes)) == 2
    assert notes[0].startswith("n-k3f91")
    assert notes[1].startswith("n-k3f92")


def test_simulators_are_not_asked_again() -> None:
    """Nothing of this happens there."""
    assert findings(on_simulator(acmepay())) == []
