"""run.json: round trips, its schema, and clear errors for what is no run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from fakes.report_runs import big_run, nasty_run, quiet_run, rich_run, run, stripe_run

from troth.errors import UsageError
from troth.reports.run_codec import hints_of
from troth.reports.run_json import dump, load
from troth.reports.run_schema import DESCRIPTIONS, schema, schema_text
from troth.runners.finding import SCHEMA_VERSION, Finding, Run

_RUNS = {"rich": rich_run, "quiet": quiet_run, "none": run}
_SHIPPED = Path(__file__).parents[2] / "troth/reports/run.schema.json"


@pytest.mark.parametrize("name", _RUNS)
def test_a_run_comes_back_equal(name: str, tmp_path: Path) -> None:
    """Every field, absent values too."""
    before = _RUNS[name]()
    (tmp_path / "run.json").write_bytes(dump(before))

    assert load(tmp_path / "run.json") == before


def test_a_run_full_of_nasty_texts_comes_back_the_same(tmp_path: Path) -> None:
    """NUL and markup included; a lone surrogate, which is no text, becomes the character for that."""
    before = dump(nasty_run())
    (tmp_path / "run.json").write_bytes(before)

    assert dump(load(tmp_path / "run.json")) == before
    assert "\ufffd lone surrogate" in before.decode()


def test_the_promised_fields_are_there() -> None:
    """Other programs rely on these names."""
    data = json.loads(dump(run(stripe_run())))

    assert data["schema_version"] == SCHEMA_VERSION
    assert data["verdict"] == "drift"
    provider = data["providers"][0]
    assert {"provider", "verdict", "coverage", "findings"} <= provider.keys()
    assert {"scenarios", "ran", "skipped", "unobserved", "checks"} <= provider["coverage"].keys()
    promised = (
        "code kind severity blame operation scenario step path contract simulator sandbox count fingerprint proof "
        "since caused_by reproduce"
    )
    for finding in provider["findings"]:
        assert set(promised.split()) <= finding.keys()


@pytest.mark.parametrize("make", [rich_run, quiet_run, run, nasty_run])
def test_what_is_written_fits_the_schema(make: Any) -> None:
    """The shipped schema describes the file."""
    jsonschema_rs.validator_for(schema()).validate(json.loads(dump(make())))


def test_the_schema_refuses_what_is_no_run() -> None:
    """A schema that takes anything would describe nothing."""
    validator = jsonschema_rs.validator_for(schema())
    data = json.loads(dump(run(stripe_run())))

    for change in ({"verdict": "fine"}, {"schema_version": 2}, {"providers": {}}, {"gate": "yes"}):
        assert not validator.is_valid({**data, **change})


def test_the_shipped_schema_is_the_one_from_the_code() -> None:
    """``python -m troth.reports.run_schema`` writes it."""
    assert _SHIPPED.read_text(encoding="utf-8") == schema_text()


def test_every_field_is_described() -> None:
    """No field without words, no words without a field."""
    for record, words in DESCRIPTIONS.items():
        assert list(words) == list(hints_of(record))
        assert all(text.endswith((".", "?")) for text in words.values())


def _broken(**changes: Any) -> bytes:
    return json.dumps({**json.loads(dump(run(stripe_run()))), **changes}).encode()


@pytest.mark.parametrize(
    ("content", "code", "says"),
    [
        (b"", "E451", "an empty file"),
        (b'{"schema_version": 1', "E451", "no valid JSON"),
        (b"\xff\xfe\x00", "E451", "no valid JSON"),
        (b"[" * 100_000, "E451", "no valid JSON"),
        (b"[]", "E453", "without a schema_version"),
        (b"{}", "E453", "without a schema_version"),
        (b'{"schema_version": true}', "E453", "without a schema_version"),
        (b'{"schema_version": 99}', "E452", "newer than the 1"),
        (b'{"schema_version": 1}', "E453", "$.run_id must be there"),
        (_broken(seed="x"), "E453", "$.seed must be a whole number, not a text"),
        (_broken(gate=1), "E453", "$.gate must be true or false"),
        (_broken(verdict="fine"), "E453", "$.verdict must be one of broken, drift"),
        (_broken(providers=[3]), "E453", "$.providers[0] must be an object, not a whole number"),
    ],
)
def test_what_is_no_run_is_a_clear_error(content: bytes, code: str, says: str, tmp_path: Path) -> None:
    """Never a traceback, and never a report of something else."""
    file = tmp_path / "run.json"
    file.write_bytes(content)

    with pytest.raises(UsageError, match=re.escape(says)) as caught:
        load(file)

    assert caught.value.code == code
    assert caught.value.fix


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_a_file_that_cannot_be_read_is_a_clear_error(name: str, tmp_path: Path) -> None:
    """Not there, or a folder."""
    with pytest.raises(UsageError) as caught:
        load(tmp_path / name)

    assert caught.value.code == "E450"


def test_fields_of_tomorrow_are_passed_over(tmp_path: Path) -> None:
    """A file with more fields than this version knows is still a run."""
    (tmp_path / "run.json").write_bytes(_broken(weather="fine"))

    assert load(tmp_path / "run.json").verdict == "drift"


def test_files_of_yesterday_get_defaults(tmp_path: Path) -> None:
    """A field that was added later may be missing."""
    data = json.loads(dump(run(stripe_run())))
    for name in ("why", "claim", "exchanges"):
        del data["providers"][0]["findings"][0][name]
    (tmp_path / "run.json").write_text(json.dumps(data), encoding="utf-8")

    finding: Finding = load(tmp_path / "run.json").providers[0].findings[0]

    assert (finding.why, finding.claim, finding.exchanges) == ("", "", ())


def test_a_thousand_findings_are_written_and_read(tmp_path: Path) -> None:
    """A big run is no trouble."""
    before: Run = big_run(1_000)
    (tmp_path / "run.json").write_bytes(dump(before))

    assert len(load(tmp_path / "run.json").providers[0].findings) == 1_000


def test_the_documentation_names_every_promised_field_and_marker() -> None:
    """docs/report.md is what other programs are written from."""
    text = (_SHIPPED.parents[2] / "docs/report.md").read_text(encoding="utf-8")
    promised = [
        "scenarios ran skipped unobserved checks",
        "code kind severity blame operation scenario step path contract simulator sandbox count fingerprint proof",
        "since caused_by reproduce schema_version",
    ]

    assert [name for name in " ".join(promised).split() if f"`{name}`" not in text] == []
    for marker in ("$absent", "$unknown", "$bytes", "$decimal", "$number", "$text", "$cut"):
        assert f'{{"{marker}":' in text
