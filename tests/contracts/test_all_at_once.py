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


# Wrong keys


def test_wrong_keys_are_told_with_names_and_meanings(tmp_path: Path) -> None:
    """Also where they stand in the same operation and in the same step."""
    text = _CONTRACT.replace("provider: acmepay", "provider: acmepay\ntitel: Acme").replace(
        "ok: {status", "ok: {satus: 1, status"
    )
    text = text.replace("expect: okk}", "expect: okk, chek: this.x}")

    assert problems(tmp_path, text) == [
        ("E030", 3), ("E150", 5), ("E060", 5), ("E030", 10), ("E113", 10), ("E351", 14), ("E030", 14),
    ]  # fmt: skip


_WHOLE = """\
troth: 1
provider: acmepay
types:
  A: {id: $id, x: $integer}
state:
  as: {of: $A, key: id}
operations:
  make:
    request: {method: POST, path: /a, json: {x: $integer}}
    responses:
      made: {status: 200, json: {$A: {}, from: body}, effects: [put: as]}
  get:
    request: {method: GET, path: "/a/{id}"}
    let: {a: state.as(path.id)}
    responses:
      missing: {when: not a, status: 404}
      found: {status: 200, json: "{{ a }}"}
scenarios:
  first:
    part: true
    steps:
      - {call: make, with: {x: 1}, expect: made, keep: {id: this.id}}
  second:
    steps:
      - {include: first, as: one}
      - {call: get, with: {id: "{{ one.id }}"}, expect: found}
"""


@pytest.mark.parametrize(
    ("right", "wrong", "code"),
    [
        ("provider: acmepay\n", "", "E032"),
        ("types:", "typs:", "E030"),
        ("state:", "sate:", "E030"),
        ("as: {of: $A, key: id}", "as: {of: $A, kye: id}", "E032"),
        ("operations:", "operation:", "E030"),
        ("method: POST, path: /a, json:", "method: POST, path: /a, jsn:", "E030"),
        ("responses:\n      made", "respones:\n      made", "E030"),
        ("status: 200, json: {$A", "satus: 200, json: {$A", "E030"),
        ("status: 200, json: {$A", "status: many, json: {$A", "E031"),
        ("effects: [put: as]", "efects: [put: as]", "E030"),
        ("effects: [put: as]", "effects: [puts: as]", "E033"),
        ("let:", "lets:", "E030"),
        ("when: not a", "whn: not a", "E030"),
        ("part: true", "prt: true", "E030"),
        ("keep:", "kepe:", "E030"),
        ("call: make, with: {x: 1}", "cal: make, with: {x: 1}", "E033"),
        ("as: one", "ass: one", "E030"),
        ("status: 404", "status: 0404", "E020"),
        ("status: 404", "status: 404, status: 404", "E024"),
        ("expect: found", "expect: [a[0]]", "E012"),
        ("json: {x: $integer}", "json: {x: $integer[0]}", "E012"),
        ("of: $A", "of: $A[0]", "E012"),
    ],
)
def test_what_follows_from_a_mistake_is_not_told(tmp_path: Path, right: str, wrong: str, code: str) -> None:
    """One mistake in a contract that holds is no more than what is said of its own place."""
    assert right in _WHOLE
    found = problems(tmp_path, _WHOLE.replace(right, wrong, 1))
    line = _WHOLE[: _WHOLE.index(right)].count("\n") + 1

    assert code in [one for one, _ in found]
    assert {at for _, at in found} <= {line, line - 1, 1}, found


def test_a_wrong_let_is_told_once(tmp_path: Path) -> None:
    """Not again by an effect on what it names."""
    text = _WHOLE.replace("state.as(path.id)", "state.ass(path.id)").replace(
        'json: "{{ a }}"}', "json: $A, effects: [{set: a, to: {x: 2}}, {delete: a}]}"
    )

    assert problems(tmp_path, text) == [("E156", 14)]


# YAML that cannot be read


def test_a_syntax_error_in_one_file_hides_no_other(tmp_path: Path) -> None:
    """Neither wrong keys, matchers and expressions of the other files, nor of the rest of its own."""
    (tmp_path / "broken.yaml").write_text(
        "types:\n  A: {x: $strng}\n  B: {x: $id[0]}\n  C: {x: {$integer: {mim: 1}}}\n", encoding="utf-8"
    )
    text = _CONTRACT.replace("  A: {x: $strng, z: $Cusomer}", "  D: {x: $bool}").replace(
        "nothing == 1", '"nothing = 1", whn: x'
    )

    # Whether there is a response `okk` or a type may hang on what was not read.
    assert problems(tmp_path, text.replace("provider: acmepay", "provider: acmepay\nparts: [broken.yaml]")) == [
        ("E150", 5), ("E103", 10), ("E030", 10), ("E150", 2), ("E012", 3), ("E250", 4),
    ]  # fmt: skip
