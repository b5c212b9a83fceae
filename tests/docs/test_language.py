"""The language reference has every matcher, filter, name and key that there is."""

from __future__ import annotations

import re

import pytest
from fakes.documentation import DOCS, rows, section

from troth.contracts.compiler.structural import STRUCTURAL
from troth.contracts.document.references import RESERVED
from troth.contracts.document.schema import editor_schema
from troth.contracts.expressions.filters import FILTERS
from troth.contracts.kinds import KINDS
from troth.contracts.leaves.build import LEAF_NAMES
from troth.contracts.policy import FIXED

PAGE = (DOCS / "language.md").read_text()
POLICED = set(KINDS) - FIXED
BODY = {"json", "form", "multipart", "xml", "text", "bytes", "body"}
PLACES = {
    "document": None,
    "target": "TargetDoc",
    "target `limits`": "LimitsDoc",
    "target `health`": "HealthDoc",
    "secret": "SecretDoc",
    "`auth`": "AuthDoc",
    "`sigv4`": "SigV4Doc",
    "`mtls`": "CertificateDoc",
    "`codecs`": "CodecsDoc",
    "codec `form` or `query`": "FormCodecDoc",
    "codec `xml`": "XmlCodecDoc",
    "wire": "WireDoc",
    "wire `on`": "WireOnDoc",
    "wire `request`": "WireRequestDoc",
    "wire `reply`": "WireReplyDoc",
    "`json` of a wire": "WireJsonDoc",
    "`form` of a wire": "WireFormDoc",
    "`xml` of a wire's request": "WireXmlRequestDoc",
    "`xml` of a wire's reply": "WireXmlReplyDoc",
    "`versions`": "VersionsDoc",
    "`proven`": "ProvenDoc",
    "`drift`": "DriftDoc",
    "`drift.policy`": "PolicyDoc",
    "policy of an operation": "OperationPolicyDoc",
    "policy of a path": "PathPolicyDoc",
    "collection": "CollectionDoc",
    "move": "MoveDoc",
    "`defaults`, trait": "TraitDoc",
    "operation": "OperationDoc",
    "request": "RequestDoc",
    "request `on`": "OnDoc",
    "response": "ResponseDoc",
    "effect": "EffectDoc",
    "`idempotency`": "IdempotencyDoc",
    "`undo`": "UndoDoc",
    "scenario": "ScenarioDoc",
    "step": "StepDoc",
    "step `expect`": "ExpectDoc",
    "step `repeat`": "RepeatDoc",
}
NOT_YET = {"event", "loop", "operation", "parts", "piece", "quota", "whole"}
"""Names that are kept free for what is to come, or stand for something inside of one matcher only."""
WORDS = {"and", "else", "false", "if", "in", "is", "not", "or", "true", "unique"}


def test_every_matcher_is_there():
    known = {*LEAF_NAMES, *STRUCTURAL}

    written = set(re.findall(r"`\$([a-z_]+)", PAGE))

    assert known - {"Type", "each", "select"} <= written | {"each"}
    assert "`$each`" in PAGE


def test_every_filter_is_there_and_no_other():
    table = PAGE.split("| filter | gives |", 1)[1].split("\n\n", 1)[0]

    written = re.findall(r"`(\w+)(?:\(\w+\))?`", "\n".join(row[0] for row in rows(f"| a |\n|-|{table}")))

    assert sorted(written) == sorted(FILTERS)


def test_every_name_is_there():
    table = PAGE.split("| name | stands for |", 1)[1].split("\n\n", 1)[0]

    written = set(re.findall(r"\w+", " ".join(row[0] for row in rows(f"| a |\n|-|{table}"))))

    assert RESERVED - NOT_YET - WORDS - written == set()


@pytest.mark.parametrize("place", PLACES)
def test_every_key_is_there_and_no_other(place):
    schema = editor_schema()
    definition = PLACES[place]
    keys = set((schema if definition is None else schema["$defs"][definition])["properties"])
    (row,) = [row for row in rows(section("language.md", "Keys")) if row[0] == place]

    written = set(row[1].split("`")[1].split()) | (BODY if row[1].endswith("and a body") else set())
    written |= POLICED if row[1].endswith("and kinds of findings") else set()

    assert written == keys


def test_the_table_of_keys_has_every_part_of_the_schema():
    inside = {"EnvDoc", "UrlDoc", "ReplayDoc", "PartialResponseDoc", "Matcher", "Structure"}

    assert set(editor_schema()["$defs"]) - inside == set(PLACES.values()) - {None}
