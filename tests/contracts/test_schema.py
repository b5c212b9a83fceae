"""The JSON Schema for editors: valid, and of one mind with the loader."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from troth.contracts.document.document import Document
from troth.contracts.document.document_base import Doc
from troth.contracts.document.schema import editor_schema
from troth.contracts.yaml_files.reader import read_text
from troth.errors import Problems

SCHEMA = editor_schema()
VALIDATOR = jsonschema_rs.validator_for(SCHEMA)


def data(text: str) -> Any:
    source = read_text(text, "f", Problems())
    return json.loads(json.dumps(source.root))


def is_valid(text: str) -> bool:
    return bool(VALIDATOR.is_valid(data(f"troth: 1\nprovider: x\n{text}")))


def test_it_is_a_schema() -> None:
    """Of the 2020-12 dialect."""
    jsonschema_rs.meta.validate(SCHEMA)

    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_it_can_be_printed() -> None:
    """Nothing but JSON in it, and no marks of ours."""
    assert "x-troth" not in json.dumps(SCHEMA)


def test_the_examples_fit(contracts: Path) -> None:
    """The contract files and their parts."""
    files = sorted(contracts.rglob("*.yaml"))

    assert len(files) >= 5
    for file in files:
        errors = [
            f"{file.name} {error.instance_path}" for error in VALIDATOR.iter_errors(data(file.read_text("utf-8")))
        ]
        assert errors == []


OPERATION = "operations: {op: {request: {method: GET, path: /a}, responses: {ok: {status: 200, json: %s}}}}"


@pytest.mark.parametrize(
    "text",
    [
        "title: a",
        OPERATION % "$string",
        OPERATION % "{a?: {$integer: {min: 1}, default: 2, changes: up}}",
        OPERATION % "{$Thing: {a: 1}, from: [body, thing]}",
        OPERATION % "[1, null, {$$x: 1}]",
        OPERATION % "null",
        "operations: {op: {undo: null, responses: {r: null}}}",
        "traits: {t: {headers: null, responses: {r: null, s: {json: 1}}}}",
        "auth: none",
        "auth: {bearer: a}",
        "targets: {t: {url: 'https://a.example', limits: {rate: 5/s, seconds: 10m}}}",
        "targets: {t: {url: {env: X}}}",
        "scenarios: {s: {steps: [{call: op, expect: ok}, {call: op, expect: [a, b]}, {call: op, expect: 404}]}}",
        "scenarios: {s: {steps: [{wait: 6s}, {include: a part, as: p}]}}",
        "scenarios: {s: {tags: a, cases: data.rows, steps: [{call: op, check: true}, {call: op, check: [a, b == 1]}]}}",
        "scenarios: {s: {cases: {a: {n: 1}}, steps: [{call: op, repeat: {times: 3}}]}}",
        "data: {a: [1, {b: c}], d: null}",
        "drift: {policy: {enum: risky, paths: {$.a: notice, status: {value: risky}}, operations: {op: {any: risky}}}}",
    ],
)
def test_what_the_schema_takes(text: str) -> None:
    """Long and short forms."""
    assert is_valid(text)


@pytest.mark.parametrize(
    "text",
    [
        "titel: a",
        "troth: 2",
        "types: {thing: $string}",
        OPERATION % "{$strng: {}}",
        OPERATION % "{$string: {}, changes: sometimes}",
        "operations: {op: {requets: {}}}",
        "operations: {op: {responses: {ok: {json: 1}}}}",
        "operations: {op: {request: {method: get}}}",
        "targets: {t: {url: 'https://a.example', limits: {rate: 5}}}",
        "scenarios: {s: {steps: [{wait: 6}]}}",
        "scenarios: {s: {steps: []}}",
        "state: {c: {key: id, moves: {m: {when: a, takes: 5s, effects: []}}}}",
        "drift: {policy: {new_feild: risky}}",
        "drift: {policy: {operations: {op: riskey}}}",
    ],
)
def test_what_the_schema_refuses(text: str) -> None:
    """Slips that an editor can show while they are typed."""
    text = text if text.startswith("troth") else f"troth: 1\nprovider: x\n{text}"

    assert not VALIDATOR.is_valid(data(text if "provider" in text else f"{text}\nprovider: x"))


def test_parts_need_no_head() -> None:
    """But half a head is a slip."""
    assert VALIDATOR.is_valid(data("types: {T: $string}"))
    assert not VALIDATOR.is_valid(data("troth: 1"))


def _models(base: type[Doc]) -> list[type[Doc]]:
    below = [model for each in base.__subclasses__() for model in (each, *_models(each))]
    return sorted(set(below), key=lambda model: model.__name__)


@pytest.mark.parametrize("model", _models(Doc))
def test_every_key_is_described(model: type[Doc]) -> None:
    """Editors show the description beside the key."""
    assert [key for key, field in model.keys().items() if not field.description] == []


def test_every_key_of_the_models_is_in_the_schema() -> None:
    """The two cannot drift apart."""
    definitions = SCHEMA["$defs"]
    for model in _models(Doc):
        written = SCHEMA if model is Document else definitions.get(model.__name__)
        if written is not None:
            assert set(written["properties"]) == set(model.keys())
            assert written["additionalProperties"] is False
