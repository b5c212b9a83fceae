"""All that is wrong in a contract is told at once: names that nothing has, matchers, expressions, expectations."""

from __future__ import annotations

from pathlib import Path

import pytest

from troth.contracts.loader import load
from troth.errors import ContractError

_CONTRACT = """\
troth: 1
provider: acmepay
types:
  A: {x: $strng, z: $Cusomer}
operations:
  get_a:
    request: {method: GET, path: "/a/{id}"}
    responses:
      ok: {status: 200, json: $A, when: nothing == 1}
scenarios:
  s:
    steps:
      - {call: get_a, with: {id: "1"}, expect: okk}
"""


def problems(folder: Path, text: str) -> list[tuple[str, int]]:
    """The code and the line of each problem, in the order in which they are told."""
    file = folder / "contract.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ContractError) as refused:
        load(file)
    return [(problem.code, problem.place.line) for problem in refused.value.problems]


def test_names_and_meanings_are_told_together(tmp_path: Path) -> None:
    assert problems(tmp_path, _CONTRACT) == [("E150", 4), ("E060", 4), ("E113", 9), ("E351", 13)]


def test_a_wrong_name_is_told_once(tmp_path: Path) -> None:
    text = _CONTRACT.replace("$strng", "$string").replace("nothing == 1", "auth.ok").replace("okk", "ok")
    assert problems(tmp_path, text) == [("E060", 4)]
