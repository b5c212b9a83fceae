"""The whole loop in a minute: Stripe's contract on its simulator and on localstripe, compared, with a report.

localstripe plays the sandbox. It is an independent implementation that differs from Stripe's documentation in places
that are known, so the demonstration can tell whether Troth found what it must, and nothing that is noise. The exit code
is 0 when it did.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sandboxes.installing import Unavailable
from sandboxes.localstripe import CURRENT, localstripe

ROOT = Path(__file__).parents[1]
REPORT = ROOT / "troth-report"
DRIFT = 1

Finding = Mapping[str, Any]

EXPECTED: Mapping[str, Callable[[Finding], bool]] = {
    "a repeated idempotency key is ignored": lambda finding: finding["kind"] == "idempotency_ignored",
    "a declined card is no card_error": lambda finding: (
        finding["kind"] == "value" and finding["path"] == "$.error.type" and finding["contract"] == "card_error"
    ),
    "a refund above the amount is accepted": lambda finding: (
        finding["kind"] == "response"
        and finding["operation"] == "create_refund"
        and finding["contract"] == "too_much"
        and finding["sandbox"] == "refunded"
    ),
}
"""What localstripe is known to do otherwise, each the provider's fault."""

ANOTHER_VALUE = frozenset({"value", "stored", "gone", "appeared", "decreased", "loose_value", "header"})
"""Kinds that say: a value is another one than it was, or than the other target's."""
CHANGING = re.compile(r"(^|[._])(id|created|updated|at|date|timestamp|secret|fingerprint|request_id)$")
"""Names of fields whose values differ between any two runs."""
ID = re.compile(r"([a-z]{2,6})_[A-Za-z0-9]{8,}")
DAY = 86_400
ABSENT = {"$absent": True}


class Outcome(NamedTuple):
    """What was to be found and was or was not, and what should not be in the report."""

    found: Mapping[str, bool]
    noise: Sequence[Finding]

    @property
    def good(self) -> bool:
        """Is everything there that must be, and nothing that must not?"""
        return all(self.found.values()) and not self.noise


def main() -> int:
    """Run the loop; 0 when the report holds what it must."""
    parser = argparse.ArgumentParser(description="The whole loop against a stand-in for Stripe.")
    parser.add_argument("--out", type=Path, default=REPORT, metavar="DIR", help="the folder of the report")
    out: Path = parser.parse_args().out.resolve()
    print(f"localstripe {CURRENT} plays Stripe's sandbox; it is installed on first use.", flush=True)
    try:
        with localstripe(CURRENT) as url:
            code = drift(url, out)
    except Unavailable as error:
        print(f"There is no demonstration without localstripe. {error}")
        return 1
    if code != DRIFT:
        print(f"The run should have found drift (exit code {DRIFT}), and ended with {code}.")
        return 1
    run = json.loads((out / "run.json").read_text(encoding="utf-8"))
    outcome = outcome_of(finding for provider in run["providers"] for finding in provider["findings"])
    print_result(outcome)
    print(f"\nVerdict: {run['verdict']}\nReport:  {out / 'report.html'}")
    return 0 if outcome.good else 1


def outcome_of(findings: Iterable[Finding]) -> Outcome:
    """Look for what must be there, and for noise."""
    findings = list(findings)
    blamed = [finding for finding in findings if finding["blame"] == "provider"]
    found = {name: any(is_it(finding) for finding in blamed) for name, is_it in EXPECTED.items()}
    return Outcome(found, [finding for finding in findings if is_noise(finding)])


def drift(url: str, out: Path) -> int:
    """``troth drift`` in a folder of its own, so that no earlier history has a say; its exit code."""
    command = [sys.executable, "-m", "troth", "drift", "stripe", "--sandbox", "--url", f"stripe={url}"]
    environment = {**os.environ, "STRIPE_TEST_KEY": "sk_test_demonstration"}
    with tempfile.TemporaryDirectory(prefix="troth-demo-") as folder:
        return subprocess.run([*command, "--out", str(out)], cwd=folder, env=environment, check=False).returncode


def is_noise(finding: Finding) -> bool:
    """Is it about an id, a time or an order, which differ between any two runs without anything being wrong?

    A list that is not in the order that the contract demands is none: the provider promises that order.
    """
    if finding["kind"] == "loose_order":
        return True
    if finding["kind"] not in ANOTHER_VALUE:
        return False
    ours, theirs = finding["contract"], finding["sandbox"]
    if CHANGING.search(re.sub(r"\[\d+\]", "", str(finding["path"]))):
        return True
    # Objects are equal whatever the order of their keys.
    return (ours == theirs != ABSENT) or _two_ids(ours, theirs) or _two_times(ours, theirs)


def _two_ids(ours: object, theirs: object) -> bool:
    if not (isinstance(ours, str) and isinstance(theirs, str)):
        return False
    left, right = ID.fullmatch(ours), ID.fullmatch(theirs)
    return left is not None and right is not None and left[1] == right[1]


def _two_times(ours: object, theirs: object) -> bool:
    if not (isinstance(ours, int) and isinstance(theirs, int)):
        return False
    return min(ours, theirs) > 1_000_000_000 and abs(ours - theirs) < DAY


def print_result(outcome: Outcome) -> None:
    """What was to be found, and what should not have been."""
    print("\nWhat localstripe is known to do otherwise than Stripe's documentation says:")
    for name, yes in outcome.found.items():
        print(f"  {'found    ' if yes else 'NOT FOUND'}  {name}")
    print(f"Findings about ids, times or order, which would be noise: {len(outcome.noise)}")
    for finding in outcome.noise:
        print(f"  NOISE      {finding['operation']} {finding['path']}: {finding['kind']}")


if __name__ == "__main__":
    sys.exit(main())
