"""The whole loop in a minute: Stripe's contract on its simulator and on localstripe, on two nights, with a report.

localstripe plays the sandbox. It is an independent implementation that differs from Stripe's documentation in places
that are known, so the demonstration can tell whether Troth found what it must, and nothing that is noise. Between the
nights the provider changes: an earlier localstripe plays it on the first, a later one on the second. What changed must
be dated. The exit code is 0 when all of that is so.
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
from sandboxes.localstripe import CURRENT, EARLIER, localstripe

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

CHANGED = "changed since night 1"
"""How a finding stands that was none on the first night."""
SINCE: Mapping[str, Callable[[Finding], bool]] = {
    "an empty text no longer takes a description away": lambda finding: (
        finding["operation"] == "update_customer" and finding["path"] == "$.description"
    ),
    "a page may begin after a customer that is not there": lambda finding: (
        finding["operation"] == "list_customers" and finding["contract"] == "no_cursor"
    ),
}
"""What localstripe did as documented on the first night, and not on the second."""

ANOTHER_VALUE = frozenset({"value", "stored", "gone", "appeared", "decreased", "loose_value", "header"})
"""Kinds that say: a value is another one than it was, or than the other target's."""
CHANGING = re.compile(r"(^|[._])(id|created|updated|at|date|timestamp|secret|fingerprint|request_id)$")
"""Names of fields whose values differ between any two runs."""
ID = re.compile(r"([a-z]{2,6})_[A-Za-z0-9]{8,}")
DAY = 86_400
ABSENT = {"$absent": True}


class Outcome(NamedTuple):
    """What was to be found and was or was not, what was to be dated, and what should not be in the report."""

    found: Mapping[str, bool]
    dated: Mapping[str, bool]
    noise: Sequence[Finding]

    @property
    def good(self) -> bool:
        """Is everything there that must be, and nothing that must not?"""
        return all(self.found.values()) and all(self.dated.values()) and not self.noise


def main() -> int:
    """Run the loop; 0 when the report holds what it must."""
    parser = argparse.ArgumentParser(description="The whole loop against a stand-in for Stripe.")
    parser.add_argument("--out", type=Path, default=REPORT, metavar="DIR", help="the folder of the report")
    out: Path = parser.parse_args().out.resolve()
    print("localstripe plays Stripe's sandbox on two nights; it is installed on first use.", flush=True)
    try:
        with tempfile.TemporaryDirectory(prefix="troth-demo-") as project:
            first = night(1, EARLIER, Path(project), Path(project) / "first")
            code = night(2, CURRENT, Path(project), out)
    except Unavailable as error:
        print(f"There is no demonstration without localstripe. {error}")
        return 1
    if (first, code) != (DRIFT, DRIFT):
        print(f"Both nights should have found drift (exit code {DRIFT}), and ended with {first} and {code}.")
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
    since = [finding for finding in blamed if finding["standing"] == CHANGED]
    dated = {name: any(is_it(finding) for finding in since) for name, is_it in SINCE.items()}
    return Outcome(found, dated, [finding for finding in findings if is_noise(finding)])


def night(number: int, version: str, project: Path, out: Path) -> int:
    """``troth drift`` against one version, in a project with no history but that of these nights; its exit code.

    What the first night says is shown only when it went wrong: the second one's report is what is to be seen.
    """
    print(f"Night {number}: localstripe {version}", flush=True)
    command = [sys.executable, "-m", "troth", "drift", "stripe", "--sandbox", "--out", str(out), "--confirm", "1"]
    environment = {**os.environ, "STRIPE_TEST_KEY": "sk_test_demonstration"}
    with localstripe(version) as url:
        ended = subprocess.run(
            [*command, "--url", f"stripe={url}"],
            cwd=project,
            env=environment,
            check=False,
            capture_output=number == 1,
            text=True,
        )
    if number == 1 and ended.returncode != DRIFT:
        print(ended.stdout + ended.stderr)
    return ended.returncode


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
    print("What another localstripe did otherwise a night before, and must be dated so:")
    for name, yes in outcome.dated.items():
        print(f"  {CHANGED if yes else 'NOT DATED            '}  {name}")
    print(f"Findings about ids, times or order, which would be noise: {len(outcome.noise)}")
    for finding in outcome.noise:
        print(f"  NOISE      {finding['operation']} {finding['path']}: {finding['kind']}")


if __name__ == "__main__":
    sys.exit(main())
