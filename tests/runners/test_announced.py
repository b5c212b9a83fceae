"""What a provider says of its own future becomes worse as it comes nearer."""

from __future__ import annotations

from dataclasses import replace
from email.utils import formatdate

import pytest
from fakes.acmepay import CONTRACT, SCENARIOS
from fakes.target_runs import NIGHT, contract, mismatch, run, step

from troth.contracts.compiler.compiler import compile_document
from troth.contracts.document.folder import parse_document
from troth.contracts.kinds import Severity
from troth.errors import Problems
from troth.runners.announced import announced
from troth.runners.compare import compare
from troth.runners.finding import Blame, Finding
from troth.runners.step_result import StepResult

DAY = 86_400


def replied(number: int = 1, operation: str = "charge", **headers: str) -> StepResult:
    """A step whose reply has these headers."""
    result = step(number, operation=operation)
    return replace(result, exchange=replace(result.exchange, response_headers=tuple(headers.items())))


def end(days: float) -> str:
    """A Sunset so many days after the exchange."""
    return formatdate(NIGHT + days * DAY, usegmt=True)


def findings(*results: StepResult) -> list[Finding]:
    """What is found of a sandbox that answers so."""
    plain = [step(result.number, operation=result.operation) for result in results]
    return list(compare(contract(), run(*plain, target="simulator"), run(*results)).findings)


@pytest.mark.parametrize(
    ("headers", "kind", "severity"),
    [
        ({"Deprecation": "@1790000000"}, "deprecated", Severity.NOTICE),
        ({"deprecation": "true"}, "deprecated", Severity.NOTICE),
        ({"Deprecation": "true", "Sunset": end(400)}, "deprecated", Severity.NOTICE),
        ({"Sunset": "some day"}, "deprecated", Severity.NOTICE),
        ({"Sunset": end(89)}, "sunset", Severity.RISKY),
        ({"SUNSET": end(13)}, "sunset_near", Severity.BREAKING),
        ({"Sunset": end(-3)}, "sunset_near", Severity.BREAKING),
    ],
)
def test_the_nearer_the_worse(headers: dict[str, str], kind: str, severity: Severity) -> None:
    """90 and 14 days; no date, or one that cannot be read, is only an announcement."""
    (found,) = findings(replied(**headers))

    assert (found.kind, found.severity, found.blame) == (kind, severity, Blame.PROVIDER)
    assert found.caused_by is None


def test_nothing_is_announced_by_other_headers() -> None:
    assert findings(replied(Date=end(0), Warning="299")) == []


def test_one_finding_an_operation_with_the_nearest_end() -> None:
    """Replies of one operation may differ in it."""
    found = findings(
        replied(1, Sunset=end(80)), replied(2, Sunset=end(20)), replied(3, "get", Deprecation="true", Sunset=end(5))
    )

    assert [(item.operation, item.kind, item.sandbox) for item in found] == [
        ("charge", "sunset", end(20)),
        ("get", "sunset_near", end(5)),
    ]


def test_the_fingerprint_has_no_date_in_it() -> None:
    """Another date is the same finding; another span is a worse one."""
    one, other, worse = (findings(replied(Sunset=end(days)))[0].fingerprint for days in (50, 40, 4))

    assert one == other != worse


def test_it_explains_nothing_and_nothing_explains_it() -> None:
    """What is wrong in the same reply is something else."""
    wrong = step(1, mismatch())
    shown = replace(wrong, exchange=replace(wrong.exchange, response_headers=(("Sunset", end(50)),)))
    found = list(compare(contract(), run(step(), target="simulator"), run(shown)).findings)

    assert sorted((item.kind, item.caused_by) for item in found) == [("sunset", None), ("value", None)]


@pytest.mark.parametrize(("headers", "found"), [("", 1), ("headers: {Sunset?: $string}, ", 0)])
def test_a_contract_that_declares_the_header_knows_of_it(headers: str, found: int) -> None:
    """Then the reply is held against what it says."""
    old = 'found: {status: 200, json: "{{ charge }}"}'
    assert old in CONTRACT
    problems = Problems()
    text = CONTRACT.replace(old, old.replace("json", f"{headers}json")) + SCENARIOS
    declaring = compile_document(parse_document(text), problems)
    problems.raise_if_any()
    result = step(operation="get_charge", response="found")
    shown = replace(result, exchange=replace(result.exchange, response_headers=(("Sunset", end(50)),)))

    assert len(list(announced(declaring, run(shown)))) == found
