"""``drift.policy``: which severity counts where, and what is wrong in one."""

from __future__ import annotations

import pytest
from fakes.acmepay import CONTRACT, SCENARIOS

from troth.contracts.compiler.compiler import compile_document
from troth.contracts.document.folder import parse_document
from troth.contracts.kinds import Severity
from troth.contracts.policy import Policy
from troth.errors import ContractError, Problems


def policy(text: str) -> Policy:
    """The policy of a contract that has this one."""
    problems = Problems()
    contract = compile_document(parse_document(f"{CONTRACT}{SCENARIOS}drift: {{policy: {text}}}\n"), problems)
    problems.raise_if_any()
    return contract.policy


RULES = """{
  value: risky,
  paths: {"$.meta[0].note": notice, $.meta: {value: cosmetic}},
  operations: {
    get_charge: {any: notice, value: breaking, paths: {$.meta: risky}},
    list_charges: notice,
  }}"""


@pytest.mark.parametrize(
    ("kind", "operation", "path", "severity"),
    [
        ("type", "create_charge", "$.amount", "breaking"),  # nothing is said
        ("value", "create_charge", "$.amount", "risky"),  # the kind
        ("value", "create_charge", "$.meta.a", "cosmetic"),  # below a path
        ("type", "create_charge", "$.meta.a", "breaking"),  # of another kind there
        ("value", "create_charge", "$.metadata", "risky"),  # a longer name is not below it
        ("value", "create_charge", "$.meta[7].note", "notice"),  # the longer path, whatever the index
        ("type", "list_charges", "$.amount", "notice"),  # the operation
        ("value", "list_charges", "$.amount", "notice"),  # before the kind alone
        ("value", "get_charge", "$.amount", "breaking"),  # the kind in the operation
        ("type", "get_charge", "$.amount", "notice"),  # any other kind there
        ("value", "get_charge", "$.meta.a", "risky"),  # the path in the operation
        ("broken", "get_charge", "$", "breaking"),  # is no disagreement
    ],
)
def test_the_nearest_rule_counts(kind: str, operation: str, path: str, severity: str) -> None:
    """A path before an operation, an operation before the whole contract, a named kind before any."""
    assert policy(RULES).severity(kind, operation, path, Severity.BREAKING) == severity


def test_the_order_of_writing_does_not_matter() -> None:
    """Rules have no order but their nearness."""
    one = policy("{value: risky, type: notice, paths: {$.a: notice, $.a.b: risky}}")
    other = policy("{paths: {$.a.b: risky, $.a: notice}, type: notice, value: risky}")

    assert one == other


def test_a_contract_without_a_policy_changes_nothing() -> None:
    """Every kind keeps its own."""
    assert Policy().severity("value", "get_charge", "$.a", Severity.RISKY) is Severity.RISKY


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("{new_feild: risky}", "E030", "Did you mean 'new_field'?"),
        ("{operations: {get_charge: {missing_feild: risky}}}", "E030", "Did you mean 'missing_field'?"),
        ("{paths: {$.a: {enm: risky}}}", "E030", "Did you mean 'enum'?"),
        ("{unobserved: notice}", "E030", "'unobserved'"),
        ("{enum: riskey}", "E035", "Did you mean 'risky'?"),
        ("{operations: {get_charge: riskey}}", "E035", "Did you mean 'risky'?"),
        ("{operations: {get_charg: risky}}", "E061", "Did you mean 'get_charge'?"),
        ("{paths: {metadata: risky}}", "E035", "Write $.metadata"),
        ("{paths: {'$.a[?b]': risky}}", "E035", "Copy the path of a finding"),
        ("notice", "E031", "a mapping"),
    ],
)
def test_a_mistake_in_a_policy_is_explained(text: str, code: str, words: str) -> None:
    """With the nearest name that exists; a policy that holds nowhere would be leniency, or strictness, unseen."""
    with pytest.raises(ContractError) as raised:
        policy(text)

    (problem,) = raised.value.problems
    assert problem.code == code
    assert words in str(problem)
    assert problem.place.line > 1


def test_all_mistakes_are_told_at_once() -> None:
    """One load, three mistakes."""
    with pytest.raises(ContractError) as raised:
        policy("{enum: riskey, typ: notice, paths: {a: notice}}")

    assert [problem.code for problem in raised.value.problems] == ["E035", "E030", "E035"]
