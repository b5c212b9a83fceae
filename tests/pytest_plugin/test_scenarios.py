"""Scenarios of contracts as tests."""

from __future__ import annotations

import subprocess
import sys

SCENARIOS = 5


def test_each_scenario_is_a_test_against_the_simulator(project):
    result = project.run("-v")

    result.assert_outcomes(passed=SCENARIOS)
    result.stdout.fnmatch_lines(["contracts/acmepay/contract.yaml::a charge is kept[[]simulator] PASSED*"])


def test_they_are_collected_beside_the_testpaths(project):
    (project.path / "tox.ini").write_text("[pytest]\ntroth_contracts = contracts\ntestpaths = tests\n")
    project.tests("def test_mine(): pass")

    project.run().assert_outcomes(passed=SCENARIOS + 1)


def test_they_are_collected_once_where_the_testpaths_hold_them(project):
    (project.path / "tox.ini").write_text("[pytest]\ntroth_contracts = contracts\ntestpaths = . contracts\n")

    project.run().assert_outcomes(passed=SCENARIOS)


def test_arguments_decide_what_runs(project):
    project.tests("def test_mine(): pass")

    project.run("tests").assert_outcomes(passed=1)
    project.run("contracts").assert_outcomes(passed=SCENARIOS)
    project.run("contracts/acmepay/contract.yaml::a charge is kept[simulator]").assert_outcomes(passed=1)
    project.run("-k", "declined").assert_outcomes(passed=1, deselected=SCENARIOS)


def test_each_row_of_cases_is_a_test(project):
    project.contract(
        change=(
            "  a declined card says so:\n    steps:\n",
            "  a declined card says so:\n    cases: {visa: {to: eur}, amex: {to: usd}}\n    steps:\n",
        )
    )

    result = project.run("-v")

    result.assert_outcomes(passed=SCENARIOS + 1)
    result.stdout.fnmatch_lines(["*::a declined card says so[[]amex][[]simulator] PASSED*"])


def test_an_expectation_that_does_not_hold_fails_and_says_where(project):
    project.contract(
        change=("expect: {response: found, json: {amount: 1200,", "expect: {response: found, json: {amount: 1201,")
    )

    result = project.run("-rf")

    result.assert_outcomes(passed=SCENARIOS - 1, failed=1)
    result.stdout.fnmatch_lines(["step 2, get_charge: GET * gave 200", "*$.amount: expect: wanted 1201, got 1200"])
    assert "Traceback" not in result.stdout.str()


def test_a_contract_with_errors_is_an_error_with_all_of_them(project):
    project.contract(change=("operations:", "operation:"))

    result = project.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*contract.yaml:*E0*"])
    assert "Traceback" not in result.stdout.str()


def test_a_configured_path_that_is_not_there_is_a_usage_error(project):
    (project.path / "tox.ini").write_text("[pytest]\ntroth_contracts = nowhere\n")

    result = project.run()

    assert result.ret == 4
    result.stderr.fnmatch_lines(["*troth_contracts: *nowhere*"])


def test_with_the_gate_closed_the_summary_counts_what_no_sandbox_saw(project):
    result = project.run()

    result.stdout.fnmatch_lines([f"*{SCENARIOS} scenarios*sandbox*--sandbox*TROTH_SANDBOX*"])


def test_over_several_processes_everything_runs_and_counts_once(project):
    project.tests("""
        @pytest.mark.parametrize("turn", range(6))
        def test_mine(troth, turn):
            assert create(troth("acmepay")).status_code == 201

        def test_bad(troth):
            unexpected(troth("acmepay"))
    """)

    result = project.run_apart("-p", "xdist", "-n", "2")

    result.assert_outcomes(passed=SCENARIOS + 6, failed=1)
    result.stdout.fnmatch_lines([f"*{SCENARIOS} scenarios*sandbox*", "FAILED tests/test_mine.py::test_bad*"])


def test_with_the_gate_open_and_no_credentials_nothing_passes_for_checked(project):
    result = project.run("--sandbox")

    result.assert_outcomes(passed=SCENARIOS, failed=SCENARIOS)
    result.stdout.fnmatch_lines(["*ACMEPAY_TEST_KEY*"])


def test_without_contracts_nothing_of_troth_is_loaded(tmp_path):
    (tmp_path / "test_mine.py").write_text(
        "import sys\n"
        "def test_mine():\n"
        "    mine = {name for name in sys.modules if name.partition('.')[0] == 'troth'}\n"
        "    assert mine == {'troth', 'troth.pytest_plugin'}\n"
    )

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:schemathesis", str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done.stdout
