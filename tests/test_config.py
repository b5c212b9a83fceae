"""Settings: one tree, strict, every mistake at once and with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from troth.cli.confirmation import confirmation
from troth.config import Settings, load_settings, read_settings
from troth.contracts.kinds import Severity
from troth.errors import ContractError, Problem, UsageError
from troth.runners.client import RequestLimits
from troth.runners.drift_settings import request_limits
from troth.runners.trial import Rule


def problems_of(folder: Path) -> tuple[Problem, ...]:
    with pytest.raises(ContractError) as caught:
        read_settings(folder)
    return caught.value.problems


def test_without_a_file_the_settings_are_the_defaults(tmp_path):
    (tmp_path / ".git").mkdir()

    settings = load_settings(tmp_path)

    assert settings == Settings(root=tmp_path)
    assert settings.report_path == tmp_path / "troth-report"


def test_own_file_and_tool_table_mean_the_same(tmp_path):
    own, shared = tmp_path / "own", tmp_path / "shared"
    own.mkdir()
    shared.mkdir()
    (own / "troth.toml").write_text('seed = 7\n[providers.stripe]\nurl = "http://localhost:1"\n')
    (shared / "pyproject.toml").write_text(
        '[tool.troth]\nseed = 7\n[tool.troth.providers.stripe]\nurl = "http://localhost:1"\n'
    )

    one, other = read_settings(own), read_settings(shared)

    assert one.seed == 7
    assert one.providers["stripe"].url == "http://localhost:1"
    assert one.model_dump() == other.model_dump()


def test_the_nearest_file_upwards_counts_and_paths_start_there(tmp_path):
    (tmp_path / "troth.toml").write_text('contracts = ["contracts", "stripe"]\nstore = "x/y.db"\n')
    (tmp_path / "contracts").mkdir()
    inside = tmp_path / "a" / "b"
    inside.mkdir(parents=True)

    settings = load_settings(inside)

    assert settings.store_path == tmp_path / "x/y.db"
    assert settings.contract_paths == (str(tmp_path / "contracts"), "stripe")


def test_the_search_ends_at_the_repository(tmp_path):
    (tmp_path / "troth.toml").write_text("seed = 7\n")
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)

    assert load_settings(repository).seed == 0


def test_settings_in_two_files_are_refused(tmp_path):
    (tmp_path / "troth.toml").write_text("seed = 1\n")
    (tmp_path / "pyproject.toml").write_text("[tool.troth]\nseed = 2\n")

    (problem,) = problems_of(tmp_path)

    assert problem.code == "E902"
    assert "pyproject.toml" in problem.found


def test_a_pyproject_without_our_table_leaves_troth_toml_alone(tmp_path):
    (tmp_path / "troth.toml").write_text("seed = 1\n")
    (tmp_path / "pyproject.toml").write_text("[tool.other]\nseed = 2\n")

    assert read_settings(tmp_path).seed == 1


def test_all_mistakes_come_at_once_in_the_order_of_the_file(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        "[tool.troth]\n"
        'contracs = ["a"]\n'
        'seed = "1"\n'
        "[tool.troth.nightly]\n"
        'timezone = "Mars/Olympus"\n'
        "zone = 1\n"
        "[tool.troth.providers.stripe]\n"
        'url = "stripe.example"\n'
    )

    problems = problems_of(tmp_path)

    assert [(problem.code, problem.place.line) for problem in problems] == [
        ("E903", 2),
        ("E904", 3),
        ("E904", 5),
        ("E903", 6),
        ("E904", 8),
    ]
    assert problems[0].fix == "Did you mean 'contracts'?"
    assert problems[3].fix == "Did you mean 'timezone'?"


def test_an_unknown_name_like_none_we_know_lists_those_we_know(tmp_path):
    (tmp_path / "troth.toml").write_text("[providers.stripe]\nxyzzy = 1\n")

    (problem,) = problems_of(tmp_path)

    assert problem.found == "'providers.stripe.xyzzy'"
    assert problem.fix == "Known here: url"


def test_where_the_file_lies_is_not_a_setting(tmp_path):
    (tmp_path / "troth.toml").write_text('root = "/"\n')

    (problem,) = problems_of(tmp_path)

    assert problem.code == "E903"


@pytest.mark.parametrize("value", ['"cosmetic"', '"bad"', "1"])
def test_fail_on_takes_a_severity_that_can_fail(tmp_path, value):
    (tmp_path / "troth.toml").write_text(f"fail_on = {value}\n")

    (problem,) = problems_of(tmp_path)

    assert "one of breaking, risky, notice" in problem.asked


def test_fail_on_is_a_severity(tmp_path):
    (tmp_path / "troth.toml").write_text('fail_on = "risky"\n')

    assert read_settings(tmp_path).fail_on is Severity.RISKY


@pytest.mark.parametrize("url", ["", "ftp://x", "https://", "x.example", "http://x:port", "http://[::1"])
def test_a_url_without_scheme_or_host_is_refused(tmp_path, url):
    (tmp_path / "troth.toml").write_text(f'[providers.p]\nurl = "{url}"\n')

    (problem,) = problems_of(tmp_path)

    assert problem.code == "E904"
    assert problem.place.line == 2


@pytest.mark.parametrize("content", [b"seed = = 1\n", b'seed = "\xff"\n'])
def test_a_file_that_is_not_toml_is_explained(tmp_path, content):
    (tmp_path / "troth.toml").write_bytes(content)

    (problem,) = problems_of(tmp_path)

    assert problem.code == "E900"
    assert problem.place.file.endswith("troth.toml")


def test_settings_do_not_change():
    with pytest.raises(ValueError, match="frozen"):
        Settings().seed = 1  # type: ignore[misc]


@pytest.mark.parametrize("value", ["10", '"10"', '"ten seconds"', '"0s"', '"2h"', "true"])
def test_a_timeout_is_a_duration(tmp_path, value):
    (tmp_path / "troth.toml").write_text(f"timeout = {value}\n")

    (problem,) = problems_of(tmp_path)

    assert (problem.code, problem.place.line) == ("E904", 1)
    assert "timeout: a duration from 100ms to 1h, such as 10s" in problem.asked


def test_a_timeout_limits_every_part_of_a_request(tmp_path):
    (tmp_path / "troth.toml").write_text('timeout = "5s"\n')

    limits = request_limits(read_settings(tmp_path).timeout_seconds)

    assert (limits.connect, limits.read, limits.total) == (5, 5, 10)
    assert request_limits(Settings().timeout_seconds) == RequestLimits()


@pytest.mark.parametrize("value", ["10", '"ten minutes"', '"25h"', "true"])
def test_a_spread_is_a_duration_up_to_a_day(tmp_path, value):
    (tmp_path / "troth.toml").write_text(f"[confirm]\nover = {value}\n")

    (problem,) = problems_of(tmp_path)

    assert (problem.code, problem.place.line) == ("E904", 2)
    assert "confirm.over: a duration up to 24h, such as 10m" in problem.asked


@pytest.mark.parametrize(
    ("line", "code"), [("sightings = 0", "E904"), ("misses = 21", "E904"), ("sighting = 3", "E903")]
)
def test_confirmation_has_limits_and_names(tmp_path, line, code):
    (tmp_path / "troth.toml").write_text(f"[confirm]\n{line}\n")

    (problem,) = problems_of(tmp_path)

    assert problem.code == code


def test_options_of_confirmation_go_before_the_settings(tmp_path):
    (tmp_path / "troth.toml").write_text('[confirm]\nsightings = 4\nmisses = 3\nover = "2m"\n')
    settings = read_settings(tmp_path)

    assert confirmation(Settings()) == Rule(3, 2, 0.0)
    assert confirmation(settings) == Rule(4, 3, 120.0)
    assert confirmation(settings, 1, "10m") == Rule(1, 3, 600.0)
    with pytest.raises(UsageError, match="E911"):
        confirmation(settings, None, "soon")
