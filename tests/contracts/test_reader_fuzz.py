"""Whatever stands in a file, reading it ends in a document or in a ContractError: never in another exception."""

import json
import re
from contextlib import suppress
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from troth.contracts.document.folder import parse_document
from troth.contracts.yaml_files.pure_yaml import PureLoader
from troth.contracts.yaml_files.reader import fastest_loader, read_text
from troth.errors import ContractError, Problems

EXAMPLES = [
    file.read_text(encoding="utf-8")
    for file in sorted((Path(__file__).parents[1] / "data" / "contracts").rglob("contract.yaml"))
]
LINES = [line for text in EXAMPLES for line in text.splitlines()]
SIGNS = [
    *"{}[]:,?-#&*!|>'\"%@`~<= \n\t$().0123e_aT",
    *("{{", "}}", "---", ": ", "\n  ", "\r", "\x85", "\ufeff", "é😀"),
]

quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def only_contract_errors(text: str) -> None:
    with suppress(ContractError):
        parse_document(text)


@quick
@given(st.text(max_size=300))
def test_any_text(text: str) -> None:
    """Any characters at all."""
    only_contract_errors(text)


@quick
@given(st.binary(max_size=300))
def test_any_bytes(content: bytes) -> None:
    """Any bytes at all."""
    problems = Problems()
    source = read_text(content, "f", problems)

    assert (source.root is None) <= bool(problems.items)


@quick
@given(st.lists(st.sampled_from(SIGNS), max_size=60).map("".join))
@example("? {a: {{b}}}\n: [")
@example("{{{a}}: b}")
@example("[{a: (b, c}]")
@example("a: {! : 1}")
def test_text_out_of_signs_that_mean_something(text: str) -> None:
    """What is nearly YAML."""
    only_contract_errors(f"troth: 1\nprovider: x\n{text}")
    only_contract_errors(text)


@quick
@given(st.sampled_from(EXAMPLES), st.integers(0, 10**6), st.integers(0, 20), st.sampled_from(SIGNS))
def test_contracts_with_a_slip(text: str, at: int, length: int, sign: str) -> None:
    """A stretch of a contract replaced by a sign."""
    at %= len(text)
    only_contract_errors(text[:at] + sign + text[at + length :])


@quick
@given(st.lists(st.sampled_from(LINES), max_size=40).map("\n".join))
def test_lines_of_contracts_in_any_order(text: str) -> None:
    """Real keys in wrong places."""
    only_contract_errors(f"troth: 1\nprovider: x\n{text}")


SCALARS = st.none() | st.booleans() | st.integers(-9, 999) | st.sampled_from(LINES) | st.sampled_from(SIGNS)
KEYS = st.sampled_from(
    re.findall(
        r"\S+",
        """
        troth provider title parts versions proven secrets auth targets codecs data types state defaults traits
        operations scenarios request responses method path on headers query as json form body status when let effects
        put set delete value also each idempotency key same replay conflict skip keep undo call with steps include
        wait expect response repeat until times most check cases of seeds moves takes url env limits T $T $string a?
        """,
    )
)
VALUES = st.recursive(
    SCALARS, lambda below: st.lists(below, max_size=3) | st.dictionaries(KEYS, below, max_size=4), max_leaves=20
)


@quick
@given(st.dictionaries(KEYS, VALUES, max_size=6))
def test_documents_of_any_shape(value: dict[str, object]) -> None:
    """Good YAML with anything under any key; JSON is YAML."""
    only_contract_errors(json.dumps({**value, "troth": 1, "provider": "x"}))


@quick
@given(st.lists(st.sampled_from(SIGNS), max_size=40).map("".join))
def test_both_parsers_agree_on_what_is_good(text: str) -> None:
    """They may word an error differently, but what one reads the other does not read otherwise."""
    fast, pure = Problems(), Problems()
    with_libyaml, in_python = (
        read_text(text, "f", fast, loader=fastest_loader()),
        read_text(text, "f", pure, loader=PureLoader),
    )
    if not fast.items and not pure.items:
        assert with_libyaml.root == in_python.root
