"""The demonstration finds what it must, fails when it does not, and fails when there is noise."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from demo import CHANGED, EXPECTED, SINCE, is_noise, outcome_of
from fakes.stripe_runs import StripeRuns

DEMO = Path(__file__).parents[2] / "tools" / "demo.py"


def finding(**changes: Any) -> dict[str, Any]:
    """One of those that are to be found: a decline that is no card_error."""
    return {
        "kind": "value",
        "blame": "provider",
        "operation": "create_intent",
        "path": "$.error.type",
        "contract": "card_error",
        "sandbox": "invalid_request_error",
        "standing": "claimed by documentation, never proven here",
        **changes,
    }


def wanted() -> Iterator[dict[str, Any]]:
    yield finding()
    yield finding(kind="idempotency_ignored", path="headers.idempotency", contract="replay", sandbox="created")
    yield finding(kind="response", operation="create_refund", path="response", contract="too_much", sandbox="refunded")
    yield finding(operation="update_customer", path="$.description", contract=None, sandbox="", standing=CHANGED)
    yield finding(operation="list_customers", contract="no_cursor", sandbox="page", standing=CHANGED)


def test_all_that_is_to_be_found_is_enough() -> None:
    outcome = outcome_of(wanted())

    assert outcome.good
    assert outcome.found == dict.fromkeys(EXPECTED, True)
    assert outcome.dated == dict.fromkeys(SINCE, True)


@pytest.mark.parametrize("left_out", range(5))
def test_without_one_of_them_it_fails(left_out: int) -> None:
    assert not outcome_of(each for number, each in enumerate(wanted()) if number != left_out).good


def test_with_another_blame_it_fails() -> None:
    assert not outcome_of({**each, "blame": "contract"} for each in wanted()).good


def test_without_a_date_it_fails() -> None:
    assert not outcome_of({**each, "standing": "never proven"} for each in wanted()).good


NOISE = [
    finding(path="$.id", contract="cus_1", sandbox="cus_2"),
    finding(path="$.data[3].created", contract=1, sandbox=2),
    finding(kind="loose_value", path="$.canceled_at", contract=None, sandbox=5),
    finding(kind="stored", path="$.payment_method", contract="pm_aGMZ00Zz3KLjdR", sandbox="pm_kpuy15vyDgjbad"),
    finding(kind="value", path="$.period.end", contract=1_796_057_116, sandbox=1_796_057_118),
    finding(kind="value", path="$.metadata", contract={"a": 1, "b": 2}, sandbox={"b": 2, "a": 1}),
    finding(kind="loose_order", path="$.data", contract=None, sandbox=None),
]


@pytest.mark.parametrize("each", NOISE, ids=lambda each: f"{each['kind']} {each['path']}")
def test_noise_fails(each: dict[str, Any]) -> None:
    assert is_noise(each)
    assert not outcome_of([*wanted(), each]).good


@pytest.mark.parametrize(
    "each",
    [
        finding(kind="missing_field", path="$.canceled_at", contract=1_796_057_116, sandbox={"$absent": True}),
        finding(kind="reference", path="$.charge", contract="ch_aGMZ00Zz3KLjdR", sandbox="ch_kpuy15vyDgjbad"),
        finding(kind="value", path="$.amount", contract=700, sandbox=1200),
        finding(kind="list_order", path="$.data[1]", contract=1_796_057_116, sandbox=1_796_057_117),
    ],
    ids=lambda each: f"{each['kind']} {each['path']}",
)
def test_what_is_wrong_is_no_noise(each: dict[str, Any]) -> None:
    """A missing time, a wrong reference, another amount, a list in another order than is promised."""
    assert not is_noise(each)


@pytest.mark.stand_in
@pytest.mark.xdist_group("localstripe")
def test_the_demonstration(current: StripeRuns, tmp_path: Path) -> None:
    """From the start to the end, with a localstripe of its own."""
    ended = subprocess.run(
        [sys.executable, str(DEMO), "--out", str(tmp_path / "report")],
        check=False,
        capture_output=True,
        text=True,
        timeout=100,
    )

    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "Verdict: drift" in ended.stdout
    assert "NOT FOUND" not in ended.stdout
    assert "NOT DATED" not in ended.stdout
    assert f"Report:  {tmp_path / 'report' / 'report.html'}" in ended.stdout
    assert {path.name for path in (tmp_path / "report").iterdir()} >= {"report.html", "run.json"}
    assert CHANGED in (tmp_path / "report" / "report.html").read_text()
    found = json.loads((tmp_path / "report" / "run.json").read_text())["providers"][0]["findings"]
    # Another instance, another process, at the contract's own pace: the same findings.
    assert {each["fingerprint"] for each in found} == set(current.run().by_fingerprint)
