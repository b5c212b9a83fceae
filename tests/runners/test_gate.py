"""The sandbox is called only when everything is in order, and a refused credential never shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import certifi
import pytest
from fakes.handmade import ReadsSecret, contract, operation, scenario, step

from troth.contracts.contract import Auth, Contract, Secret, Step, Target
from troth.errors import Place, RefusedCredential, Unauthorized, Unreachable, UsageError
from troth.runners.finding import Verdict
from troth.runners.gate import Open, Passport, Shut, open_gate
from troth.runners.needs import runnable

KEY: Any = ReadsSecret("key")
SANDBOX = Target("sandbox", url="https://sandbox.acmepay.example/", url_env="ACMEPAY_URL")
GOOD = {"ACMEPAY_KEY": "sk_test_fine"}


def acmepay(
    *steps: Step,
    allow: str | None = "sk_test_*",
    target: Target | None = SANDBOX,
    extra: tuple[Secret, ...] = (),
    auth: Auth | None = Auth("bearer", token=KEY),  # noqa: B008 - frozen
) -> Contract:
    return contract(
        scenario("a charge is kept", *(steps or (step("create"),))),
        operations=(
            operation("create", undo="cancel"),
            operation("cancel"),
            operation("upload", host="files"),
            operation("open", auth=Auth("none")),
            operation("hook", lets={"signed": ReadsSecret("webhook")}),
        ),
        secrets=(Secret("key", "ACMEPAY_KEY", allow), Secret("webhook", "ACMEPAY_HOOK", "whsec_*"), *extra),
        targets=(target,) if target else (),
        auth=auth,
    )


def decide(made: Contract, environment: dict[str, str], *, flag: bool = True, url: str | None = None) -> Open | Shut:
    return open_gate(made, runnable(made), Passport(flag, environment, url))


def test_without_the_flag_the_gate_is_shut_and_nothing_is_wrong() -> None:
    """Credentials alone open nothing."""
    decision = decide(acmepay(), GOOD, flag=False)
    assert isinstance(decision, Shut)
    assert decision.verdict is Verdict.SKIPPED
    assert decision.error is None
    assert "--sandbox" in decision.reason


@pytest.mark.parametrize(("value", "opens"), [("1", True), ("0", False), ("", False), ("yes", False)])
def test_the_variable_opens_it_too(value: str, opens: bool) -> None:
    """``TROTH_SANDBOX=1`` is the flag; nothing else is."""
    decision = decide(acmepay(), {**GOOD, "TROTH_SANDBOX": value}, flag=False)
    assert isinstance(decision, Open) is opens


def test_open_gives_address_and_credentials() -> None:
    """The variable's address goes before the contract's, ``--url`` before both; no value is readable."""
    made = acmepay()
    decision = decide(made, GOOD)
    assert isinstance(decision, Open)
    assert decision.url == "https://sandbox.acmepay.example"
    assert decision.credentials.headers(made.auth) == ((b"Authorization", b"Bearer sk_test_fine"),)
    assert "sk_test_fine" not in repr(decision)
    assert "sk_test_fine" not in repr(Passport(True, GOOD))
    other = decide(made, {**GOOD, "ACMEPAY_URL": "http://localhost:1"})
    assert isinstance(other, Open)
    assert other.url == "http://localhost:1"
    given = decide(made, {**GOOD, "ACMEPAY_URL": "http://localhost:1"}, url="http://127.0.0.1:2")
    assert isinstance(given, Open)
    assert given.url == "http://127.0.0.1:2"


def test_missing_credentials_are_named() -> None:
    """With the gate open that is a failure of the check (exit 6), and says which variable to set."""
    decision = decide(acmepay(), {"ACMEPAY_KEY": ""})
    assert isinstance(decision, Shut)
    assert decision.verdict is Verdict.UNAUTHORIZED
    assert isinstance(decision.error, Unauthorized)
    assert decision.error.exit_code == 6
    assert "ACMEPAY_KEY" in decision.reason
    assert "ACMEPAY_HOOK" not in decision.reason


@pytest.mark.parametrize(
    ("allow", "value"),
    [
        ("sk_test_*", "sk_live_canary"),
        (None, "sk_live_canary"),
        ("sk_test_*", "SK_TEST_canary"),
        ("*", "canary\n"),
        ("*", " canary"),
        ("*", "can\tary"),
    ],
)
def test_a_refused_credential_never_shows(allow: str | None, value: str) -> None:
    """Outside ``allow``, no ``allow`` at all, or with line breaks: exit 4, and the value is nowhere."""
    decision = decide(acmepay(allow=allow), {"ACMEPAY_KEY": value})
    assert isinstance(decision, Shut)
    assert isinstance(decision.error, RefusedCredential)
    assert decision.error.exit_code == 4
    assert "ACMEPAY_KEY" in decision.reason
    assert value.strip() not in repr(decision) + str(decision.error)


def test_a_refused_credential_weighs_more_than_a_missing_one() -> None:
    """It might be live, so that is what must be said."""
    made = acmepay(step("create"), step("hook"))
    decision = decide(made, {"ACMEPAY_HOOK": "live"})
    assert isinstance(decision, Shut)
    assert isinstance(decision.error, RefusedCredential)


@pytest.mark.parametrize(
    ("steps", "needs"),
    [
        ((step("open"),), False),
        ((step("open", note=KEY),), True),
        ((step("open"), step("cancel")), True),
        ((step("cancel", auth=False),), True),
    ],
)
@pytest.mark.parametrize("environment", [{}, {"ACMEPAY_KEY": "sk_live_1"}], ids=["missing", "refused"])
def test_only_secrets_that_are_used_are_asked_for(
    steps: tuple[Step, ...], needs: bool, environment: dict[str, str]
) -> None:
    """Only operations that are open to everybody need none; a refusal is not proven without credentials either."""
    assert isinstance(decide(acmepay(*steps), environment), Shut if needs else Open)


def test_operations_need_the_secrets_that_they_read() -> None:
    """And those alone."""
    decision = decide(acmepay(step("hook")), GOOD)
    assert isinstance(decision, Shut)
    assert "ACMEPAY_HOOK" in decision.reason


def test_parts_and_cleanup_count() -> None:
    """What a scenario reaches through a part or its cleanup needs its secrets as well."""
    made = contract(
        scenario("whole", Step(Place(), include="piece")),
        scenario("piece", step("cancel", auth=False), part=True, cleanup=(step("cancel"),)),
        operations=(operation("cancel"),),
        secrets=(Secret("key", "ACMEPAY_KEY", "sk_test_*"),),
        targets=(SANDBOX,),
        auth=Auth("bearer", token=KEY),
    )
    assert isinstance(decide(made, {}), Shut)
    assert isinstance(decide(made, GOOD), Open)


def test_another_target_has_variables_of_its_own() -> None:
    """A target may keep a secret in another variable."""
    target = Target("sandbox", url="https://eu.example", secrets={"key": "ACMEPAY_EU_KEY"})
    decision = decide(acmepay(target=target), GOOD)
    assert isinstance(decision, Shut)
    assert "ACMEPAY_EU_KEY" in decision.reason
    assert isinstance(decide(acmepay(target=target), {"ACMEPAY_EU_KEY": "sk_test_eu"}), Open)


@pytest.mark.parametrize("target", [None, Target("sandbox", url_env="ACMEPAY_URL")])
def test_no_address_is_said_so(target: Target | None) -> None:
    """With the gate open and no address nothing can be checked."""
    decision = decide(acmepay(target=target), GOOD)
    assert isinstance(decision, Shut)
    assert decision.verdict is Verdict.UNREACHABLE
    assert isinstance(decision.error, Unreachable)
    assert "--url acmepay=URL" in decision.reason
    assert isinstance(decide(acmepay(target=target), GOOD, url="http://localhost:1"), Open)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://x",
        "localhost:8080",
        "http://",
        "http://user:pw@host",
        "http://host?a=1",
        "http://host:99999",
        "http://h:0",
    ],
)
def test_an_address_that_cannot_be_used_is_a_mistake(url: str) -> None:
    """Not http, no host, credentials in it, a query: exit 4, without showing the address's password."""
    decision = decide(acmepay(), GOOD, url=url)
    assert isinstance(decision, Shut)
    assert isinstance(decision.error, UsageError)
    assert "pw" not in str(decision.error)


def test_an_address_without_its_scheme_is_told_how_to_write_it() -> None:
    """The sentence stands alone where a run tells why the sandbox was not called."""
    decision = decide(acmepay(), GOOD, url="127.0.0.1:8931")
    assert isinstance(decision, Shut)
    assert decision.reason.endswith("is no http or https address. Write it in full: https://HOST or http://HOST:PORT")


def test_an_operation_on_an_unknown_host_is_refused() -> None:
    """A named host must be one that the target lists; with ``--url`` all calls go to that address."""
    made = acmepay(step("upload"))
    decision = decide(made, GOOD)
    assert isinstance(decision, Shut)
    assert "'files'" in decision.reason
    listed = Target("sandbox", url="https://a.example", hosts={"files": "https://files.example"})
    allowed = decide(acmepay(step("upload"), target=listed), GOOD)
    assert isinstance(allowed, Open)
    assert allowed.hosts == {"files": "https://files.example"}
    given = decide(made, GOOD, url="http://localhost:1")
    assert isinstance(given, Open)
    assert given.hosts == {}


def test_a_missing_certificate_file_is_a_mistake(tmp_path: Path) -> None:
    """It is found before the first call."""
    target = Target("sandbox", url="https://a.example", ca=str(tmp_path / "none.pem"))
    decision = decide(acmepay(target=target), GOOD)
    assert isinstance(decision, Shut)
    assert isinstance(decision.error, UsageError)
    assert "none.pem" in decision.reason


def test_certificates_are_found_from_the_folder_of_the_contract(tmp_path: Path) -> None:
    """Wherever the command is called; an absolute path stays."""
    (tmp_path / "company.pem").write_bytes(Path(certifi.where()).read_bytes())
    for ca in ("company.pem", str(tmp_path / "company.pem")):
        made = acmepay(target=Target("sandbox", url="https://a.example", ca=ca))
        decision = decide(replace(made, path=tmp_path / "contract.yaml"), GOOD)
        assert isinstance(decision, Open)
        assert decision.target.ca == str(tmp_path / "company.pem")


def test_a_proxy_must_be_an_address() -> None:
    """It is found before the first call; its address may hold a password and is not shown."""
    decision = decide(acmepay(target=Target("sandbox", url="https://a.example", proxy="user:pw@proxy")), GOOD)
    assert isinstance(decision, Shut)
    assert isinstance(decision.error, UsageError)
    assert "pw" not in str(decision.error)
    good = Target("sandbox", url="https://a.example", proxy="http://user:pw@proxy:3128")
    assert isinstance(decide(acmepay(target=good), GOOD), Open)


def test_nothing_to_run_opens_nothing() -> None:
    """Without scenarios no credentials are read."""
    decision = open_gate(acmepay(), (), Passport(True, {}))
    assert isinstance(decision, Shut)
    assert decision.verdict is Verdict.SKIPPED
