"""``troth schema``."""

from __future__ import annotations

import json

from troth.cli.main import run


def test_it_prints_a_json_schema_of_contracts(capsys):
    assert run(["schema"]) == 0

    schema = json.loads(capsys.readouterr().out)
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert {"provider", "operations", "types", "scenarios"} <= set(schema["properties"])
