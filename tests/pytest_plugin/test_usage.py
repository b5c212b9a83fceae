"""What the plug-in's summary says of the operations that tests used."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from fakes.proofs import lay_proof, wrong

USES = """
    def test_one(troth):
        create(troth("acmepay"))

    def test_two(troth_session):
        acmepay = troth_session("acmepay")
        httpx.get(f"{acmepay.url}/v1/charges/ch_unknown", headers=KEY)
"""


def told(result: pytest.RunResult) -> list[str]:
    """The plug-in's lines of the summary."""
    return [line for line in result.outlines if line.startswith("troth: ") and "not run on a sandbox" not in line]


def test_each_operation_that_was_used_has_its_line(project):
    project.contract()
    project.tests(USES)
    lay_proof(project.path, {"create_charge": {"created": 3}})

    assert told(project.run("tests")) == [
        "troth: acmepay get_charge: never proven",
        "troth: acmepay create_charge: last proven 3 days ago",
    ]


def test_what_is_known_wrong_comes_first(project):
    """When it is about a response that was used."""
    project.contract()
    project.tests(USES)
    about = {"create_charge": wrong("create_charge", "created"), "get_charge": wrong("get_charge", "found")}
    lay_proof(project.path, {"create_charge": {"created": 3}, "get_charge": {"missing": 0, "found": 0}}, about)

    assert told(project.run("tests")) == [
        "troth: acmepay create_charge: known wrong: TR301 breaking $.status; last proven 3 days ago",
        "troth: acmepay get_charge: last proven today",
    ]


def test_without_a_proof_there_is_one_line(project):
    """That says how to get one."""
    project.contract()
    project.tests(USES)
    (line,) = told(project.run("tests"))

    assert line.startswith("troth: 2 operations that the tests used: no night is known")
    assert "troth history pull --proof" in line


def test_tests_without_a_simulator_hear_nothing(project):
    project.contract()
    project.tests("def test_one():\n    pass\n")

    assert told(project.run("tests")) == []


@pytest.mark.parametrize(
    ("ages", "stale"),
    [
        ({"create_charge": {"created": 3}, "get_charge": {"missing": 13}}, ""),
        ({"create_charge": {"created": 15}, "get_charge": {"missing": 0}}, "acmepay create_charge"),
        ({"create_charge": {"created": 0}}, "acmepay get_charge"),
        ({}, "acmepay create_charge, acmepay get_charge"),
    ],
    ids=["fresh", "old", "never", "nothing"],
)
def test_what_is_older_than_allowed_fails(project, ages, stale):
    """What the tests used, and no more."""
    project.contract()
    project.tests(USES)
    lay_proof(project.path, ages | {"list_charges": {"page": 100}})
    result = project.run("tests", "--troth-max-age", "14d")

    assert result.ret == (1 if stale else 0)
    assert [line for line in told(result) if "FAILED" in line] == (
        [f"troth: FAILED: not proven within 14d: {stale}"] if stale else []
    )


def test_without_a_proof_nothing_is_young_enough(project):
    """A check that could not be made is no pass."""
    project.contract()
    project.tests(USES)

    assert project.run("tests", "--troth-max-age", "14d").ret == 1


def test_a_failure_of_a_test_stays_what_it_is(project):
    """The session's own exit code says more."""
    project.contract()
    project.tests("def test_one(troth):\n    create(troth('acmepay'))\n    raise KeyboardInterrupt\n")

    assert project.run_apart("tests", "--troth-max-age", "14d").ret == 2


def test_an_age_that_is_none_is_a_usage_error(project):
    project.contract()
    project.tests(USES)
    result = project.run("tests", "--troth-max-age", "soon")

    assert result.ret == 4
    assert "such as 14d" in str(result.stderr)


def test_with_workers_the_controller_says_it_once(project):
    project.contract()
    project.tests(USES)
    lay_proof(project.path, {"create_charge": {"created": 15}})
    result = project.run_apart("tests", "-p", "xdist", "-n", "2", "--troth-max-age", "14d")

    assert result.ret == 1
    assert told(result) == [
        "troth: acmepay get_charge: never proven",
        "troth: acmepay create_charge: last proven 15 days ago",
        "troth: FAILED: not proven within 14d: acmepay create_charge, acmepay get_charge",
    ]


def recorded(project) -> dict[str, list[list[str]]]:
    """What ``usage.json`` says of each test."""
    data = json.loads((project.path / "out" / "usage.json").read_text())
    assert data["format"] == 1
    return data["tests"]


CREATED, MISSING = ["acmepay", "create_charge", "created"], ["acmepay", "get_charge", "missing"]


@pytest.mark.parametrize("workers", [(), ("-p", "xdist", "-n", "2")], ids=["one process", "workers"])
def test_what_each_test_used_is_recorded(project, workers):
    """Each with its own; also of a simulator that lives on, and one that a fixture asks on its way out."""
    project.contract()
    project.tests(
        USES
        + """
    def test_three(troth_session):
        create(troth_session("acmepay"))

    @pytest.fixture
    def late(troth):
        yield
        create(troth("acmepay"))

    def test_four(late):
        pass

    def test_idle(troth_session):
        troth_session("acmepay")
    """
    )
    assert project.run_apart("tests", "--troth-usage", "out/usage.json", *workers).ret == 0

    assert recorded(project) == {
        "tests/test_mine.py::test_one": [CREATED],
        "tests/test_mine.py::test_two": [MISSING],
        "tests/test_mine.py::test_three": [CREATED],
        "tests/test_mine.py::test_four": [CREATED],
    }


def test_a_record_that_cannot_be_written_is_told(project):
    """The tests are as they were."""
    project.contract()
    project.tests(USES)
    (project.path / "out").write_text("a file")
    result = project.run("tests", "--troth-usage", "out/usage.json")

    assert result.ret == 0
    assert any("was not recorded: out/usage.json" in line for line in told(result))


@pytest.mark.parametrize("workers", [(), ("-p", "xdist", "-n", "2")], ids=["one process", "workers"])
def test_what_somebody_answers_for_is_not_known_wrong(project, workers):
    """By the file beside the contract as it is today, whatever the last night knew."""
    project.contract()
    project.tests(USES)
    known = {"create_charge": replace(wrong("create_charge", "created"), fingerprint="v1:5f0c2a913b7e")}
    lay_proof(project.path, {"create_charge": {"created": 3}, "get_charge": {"missing": 0}}, known)
    file = project.path / "contracts" / "acmepay" / "accepted.yaml"
    entry = 'accepted:\n  - {finding: "v1:5f0c2a913b7e", owner: ada, reason: soon, until: 2999-01-31}\n'
    file.write_text(entry)
    accepted = told(project.run_apart("tests", *workers))
    file.write_text(entry.replace("2999", "2026"))
    expired = told(project.run_apart("tests", *workers))

    assert (
        "troth: acmepay create_charge: accepted until 2999-01-31 by ada: TR301 breaking $.status; "
        "last proven 3 days ago" in accepted
    )
    assert "troth: acmepay create_charge: known wrong: TR301 breaking $.status; last proven 3 days ago" in expired
