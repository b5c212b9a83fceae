"""What is doubtful in a document: each doubt is shown once, and the good contract has none."""

from pathlib import Path

import pytest

from troth.contracts.document.folder import parse_document, read_document
from troth.contracts.document.lint import lint_document
from troth.errors import Problem

CONTRACT = """\
troth: 1
provider: x
secrets: {key: {env: X, allow: "test_*"}}
auth: {bearer: "{{ secrets.key }}"}
data: {prices: {a: 1}}
types:
  Thing: {id: $id, part: $Part}
  Part: {price: $integer}
state:
  things: {of: $Thing, key: id}
traits:
  keyed:
    let: {size: query.size}
    request: {headers: {Idempotency-Key?: $string}}
    idempotency: {key: headers.idempotency_key}
operations:
  make:
    use: [keyed]
    request: {method: POST, path: /things, query: {size?: $integer}, json: {kind: $string}}
    let: {price: data.prices(body.kind), double: price * 2}
    responses:
      made: {status: 200, json: {$Thing: {part: {price: "{{ double * size }}"}}}, effects: [put: things]}
scenarios:
  a thing:
    part: true
    steps:
      - call: make
        with: {kind: a, Idempotency-Key: "{{ unique('k-') }}"}
  things:
    steps:
      - include: a thing
"""


def lint(text: str) -> list[Problem]:
    return lint_document(parse_document(text, "f.yaml"))


def changed(old: str, new: str) -> str:
    assert old in CONTRACT
    return CONTRACT.replace(old, new)


def test_nothing_is_wrong_with_the_good_contract() -> None:
    """Or the other tests would prove nothing."""
    assert lint(CONTRACT) == []


@pytest.mark.parametrize("name", ["stripe_draft", "documents", "either", "everything"])
def test_nothing_is_wrong_with_the_examples(contracts: Path, name: str) -> None:
    """They use all that they name."""
    assert [str(problem) for problem in lint_document(read_document(contracts / name))] == []


UNUSED = [
    ("  Part: {", "  Other: $string\n  Part: {", "W001", "'Other'"),
    ("  Part: {", "  Tree: {leaves: {$array: $Tree}}\n  Part: {", "W001", "'Tree'"),
    ("scenarios:\n", "scenarios:\n  spare: {part: true, steps: [{call: make}]}\n", "W002", "'spare'"),
    ("traits:\n", "traits:\n  spare: {let: {a: query.size}}\n", "W003", "'spare'"),
    ("let: {price", "let: {spare: query.size, price", "W004", "'spare'"),
    ("let: {size: query.size}", "let: {size: query.size, spare: size}", "W004", "'spare'"),
    ("made: {status: 200,", "made: {status: 200, let: {spare: body.kind},", "W004", "'spare'"),
    ("data: {", "data: {spare: 1, ", "W005", "'spare'"),
    ("secrets: {", "secrets: {spare: {env: Y}, ", "W006", "'spare'"),
    ("state:\n", "state:\n  spares: {key: id}\n", "W010", "'spares'"),
]


@pytest.mark.parametrize(("old", "new", "code", "name"), UNUSED, ids=[f"{row[2]}-{row[3]}" for row in UNUSED])
def test_a_name_that_nothing_uses(old: str, new: str, code: str, name: str) -> None:
    """It is shown where it is written, once."""
    (problem,) = lint(changed(old, new))

    assert problem.code == code
    assert name in problem.asked
    assert name.strip("'") in problem.excerpt.split("\n")[0]


DOLLARS = [
    ("price: $integer", "price: integer", "Write $integer"),
    ("part: $Part", "part: {$nullable: Part}", "Write $Part"),
    ("part: $Part", "part: $Part, names: {$any_of: [$integer, string]}", "Write $string"),
    ("query: {size?: $integer}", "query: {size?: integer}", "Write $integer"),
    ('json: {$Thing: {part: {price: "{{ double * size }}"}}}', "json: Thing", "Write $Thing"),
]


@pytest.mark.parametrize(("old", "new", "fix"), DOLLARS)
def test_a_matcher_whose_dollar_sign_may_be_forgotten(old: str, new: str, fix: str) -> None:
    """As a literal it is allowed, and hardly ever meant."""
    text = changed(old, new)
    (problem,) = [problem for problem in lint(text) if problem.code == "W011"]

    assert problem.fix.startswith(fix)
    assert text.splitlines()[problem.place.line - 1][problem.place.column - 1 :].startswith(fix[7:])


@pytest.mark.parametrize(
    "said", ["type: string", "kind?: Part", "note: {$enum: [string]}", "note: text", "note: {$string: {is: uuid}}"]
)
def test_a_word_that_providers_say(said: str) -> None:
    """``type: string`` is in many a reply, and a list of values is one of texts."""
    assert lint(changed("price: $integer", f"price: $integer, {said}")) == []


USES = [
    ("let: {price", "let: {spare: query.size, price", "double * size", "double * spare"),
    ("data: {", "data: {spare: 1, ", "double * size", "double * data.spare"),
    ("secrets: {", "secrets: {spare: {env: Y}, ", "'k-'", "secrets.spare"),
    ("state:\n", "state:\n  spares: {key: id}\n", "data.prices(body.kind)", "state.spares(body.kind)"),
    ("state:\n", "state:\n  spares: {key: id}\n", "price: $integer", "price: {$link: spares}"),
    ("state:\n", "state:\n  spares: {key: id}\n", "[put: things]", "[put: things, put: spares]"),
    ("  Part: {", "  Other: $integer\n  Part: {", "price: $integer", "price: $Other"),
]


@pytest.mark.parametrize(("old", "new", "where", "use"), USES, ids=[row[3] for row in USES])
def test_a_use_of_a_name(old: str, new: str, where: str, use: str) -> None:
    """One use of any kind is enough."""
    text = changed(old, new)
    assert where in text

    names = {
        problem.found
        for problem in lint(text.replace(where, use))
        if "spare" in str(problem) or "Other" in str(problem)
    }
    assert names == set()


def test_a_let_of_a_trait_is_used_if_one_operation_uses_it() -> None:
    """Others may have no need of it."""
    other = "  other:\n    use: [keyed]\n    request: {method: GET, path: /o}\n    responses: {ok: {status: 200}}\n"

    assert lint(changed("scenarios:\n", f"{other}scenarios:\n")) == []


def test_a_scenario_that_only_waits() -> None:
    """It proves nothing; one that includes a part that calls does."""
    (problem,) = lint(CONTRACT + "  idle: {steps: [{wait: 1s}]}\n")

    assert (problem.code, problem.found) == ("W007", "'idle', which only waits")


KEYS = [
    ("Idempotency-Key: fixed", True),
    ("Idempotency-Key: 17", True),
    ("headers.Idempotency-Key: fixed", True),
    ("idempotency_key: fixed", True),
    ("Idempotency-Key: \"{{ unique('k-') }}\"", False),
    ('Idempotency-Key: "{{ absent }}"', False),
    ("Idempotency-Key: {$unique: k-}", False),
    ("kind: fixed", False),
    ("body.Idempotency-Key: fixed", True),
]


@pytest.mark.parametrize(("written", "fixed"), KEYS)
def test_a_fixed_idempotency_key_is_an_error(written: str, fixed: bool) -> None:
    """Tomorrow's run would get last night's answer."""
    found = lint(changed("kind: a, Idempotency-Key: \"{{ unique('k-') }}\"", written))

    assert [(problem.code, problem.warning) for problem in found] == ([("E070", False)] if fixed else [])


def test_a_key_by_another_name() -> None:
    """The operation says where its key stands."""
    text = changed("key: headers.idempotency_key", "key: body.kind")

    assert [problem.code for problem in lint(text)] == ["E070"]
    assert lint(text.replace("with: {kind: a", "with: {kind: \"{{ unique('a') }}\"")) == []


def test_a_credential_is_found_anywhere_and_never_shown() -> None:
    """In values, keys and comments; the report does not repeat it."""
    key = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    text = changed("path: /things", f"path: /things/{key}") + f"  # {key}\n"
    found = lint(text)

    assert [problem.code for problem in found] == ["W008", "W008"]
    assert [problem.place.column for problem in found] == [43, 5]
    assert not any(key in str(problem) for problem in found)


def test_a_file_beside_the_parts_that_is_none(tmp_path: Path) -> None:
    """A part that nobody named would be missing in silence; files elsewhere are no business of ours."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "contract.yaml").write_text("troth: 1\nprovider: x\nparts: [parts/a.yaml]\n")
    (tmp_path / "parts" / "a.yaml").write_text("title: a\n")
    (tmp_path / "parts" / "b.yml").write_text("title: b\n")
    (tmp_path / "docker-compose.yaml").write_text("services: {}\n")

    (problem,) = lint_document(read_document(tmp_path))
    assert (problem.code, problem.found) == ("W009", str(tmp_path / "parts" / "b.yml"))
