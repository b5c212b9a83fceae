"""Simulators as fixtures, and what happens when a request is unexpected."""

from __future__ import annotations

NEAREST = "*answers DELETE /v1/charges/ch_1*"


def test_a_simulator_is_new_for_each_test(project):
    project.tests("""
        def test_one(troth):
            assert create(troth("acmepay")).status_code == 201
            assert len(troth("acmepay").journal) == 1

        def test_two(troth):
            assert len(troth("acmepay").journal) == 0
    """)

    project.run("tests").assert_outcomes(passed=2)


def test_a_session_simulator_stays(project):
    project.tests("""
        def test_one(troth_session):
            create(troth_session("acmepay"))

        def test_two(troth_session):
            assert len(troth_session("acmepay").journal) == 1
    """)

    project.run("tests").assert_outcomes(passed=2)


def test_a_contract_that_is_not_configured_is_named_by_path(project):
    project.contract("elsewhere")
    (project.path / "contracts").rename(project.path / "moved")
    (project.path / "tox.ini").write_text("[pytest]\n")
    project.tests("""
        def test_one(troth):
            assert create(troth("moved/elsewhere")).status_code == 201
    """)

    project.run("tests").assert_outcomes(passed=1)


def test_a_provider_is_found_by_the_name_in_its_contract(project):
    (project.path / "contracts" / "acmepay").rename(project.path / "contracts" / "another_name")
    project.tests("""
        def test_one(troth):
            assert create(troth("acmepay")).status_code == 201
    """)

    project.run("tests").assert_outcomes(passed=1)


def test_a_name_that_is_nothing_fails_with_words(project):
    project.tests("""
        def test_one(troth):
            troth("acmepaid")
    """)

    result = project.run("tests")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*'acmepaid', which is none of them. Did you mean 'acmepay'?*"])
    result.stdout.no_fnmatch_line("During handling of the above exception*")


def test_an_unexpected_request_fails_the_test_that_caused_it_and_no_other(project):
    project.tests("""
        def test_one(troth):
            assert unexpected(troth("acmepay")).status_code == 501

        def test_two(troth):
            assert create(troth("acmepay")).status_code == 201
    """)

    result = project.run("tests", "-rf")

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([NEAREST, "*nearest: *", "FAILED tests/test_mine.py::test_one*"])


def test_beside_another_failure_the_explanation_is_a_section(project):
    project.tests("""
        def test_one(troth):
            assert unexpected(troth("acmepay")).status_code == 204
    """)

    result = project.run("tests")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*assert 501 == 204*", "*unexpected requests*", NEAREST])


def test_a_session_simulator_blames_each_request_on_one_test(project):
    project.tests("""
        def test_one(troth_session):
            unexpected(troth_session("acmepay"))

        def test_two():
            pass

        def test_three(troth_session):
            unexpected(troth_session("acmepay"))
    """)

    result = project.run("tests", "-rA")

    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["PASSED tests/test_mine.py::test_two"])


def test_an_unexpected_request_of_a_fixture_counts_too(project):
    project.tests("""
        @pytest.fixture
        def before(troth):
            unexpected(troth("acmepay"))

        @pytest.fixture
        def after(troth):
            yield
            unexpected(troth("acmepay"))

        def test_before(before):
            pass

        def test_after(after):
            pass
    """)

    project.run("tests").assert_outcomes(failed=1, passed=1, errors=1)


def test_who_means_it_clears_the_journal(project):
    project.tests("""
        def test_one(troth):
            unexpected(troth("acmepay"))
            troth("acmepay").journal.clear()
    """)

    project.run("tests").assert_outcomes(passed=1)


def test_the_official_transport_needs_no_socket(project):
    project.tests("""
        from troth.simulators.transport import SimulatorTransport

        def test_one(troth):
            client = httpx.Client(transport=SimulatorTransport(troth("acmepay")), base_url="http://acmepay")
            assert client.get("/v1/charges/ch_1", headers=KEY).status_code == 404
    """)

    project.run("tests").assert_outcomes(passed=1)


def test_a_test_that_fails_shows_which_of_its_requests_the_contract_refused(project):
    project.tests("""
        import httpx

        def refused(simulator):
            key = {"Authorization": "Bearer sk_test_1"}
            return httpx.post(simulator.url + "/v1/charges", headers=key, json={"amount": "a lot"})

        def test_that_passes(troth_session):
            assert refused(troth_session("acmepay")).status_code == 400

        def test_that_fails(troth, troth_session):
            troth_session("acmepay")
            assert refused(troth("acmepay")).status_code == 201
    """)

    result = project.run("tests")

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*requests that the contract refuses*",
            "*answered by create_charge.invalid*",
            "*body.amount: wants *got 'a lot'*",
        ]
    )
    assert result.stdout.str().count("answered by create_charge.invalid") == 1


def test_steering_that_cannot_be_followed_fails_the_test(project):
    project.tests("""
        def test_one(troth):
            troth("acmepay").steer("declined")
    """)

    result = project.run("tests")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*E304 *'declined', which no request leaves open*"])
