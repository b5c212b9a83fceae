"""``troth doctor``: one safe request to a real server, and what it shows."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import time
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from fakes.acmepay import KEY, AcmePay, acmepay
from fakes.runs import QUICK
from fakes.tiny_server import HANG_UP, SILENCE, Reply, Seen, TinyServer

from troth.contracts.contract import Contract
from troth.contracts.loader import load
from troth.reports.diagnosis import diagnosis_lines
from troth.runners.doctor import Diagnosis, examine
from troth.runners.finding import Verdict


def doctor(url: str, contract: Contract | None = None, **environment: str) -> Diagnosis:
    """What the doctor says of the sandbox at ``url``."""
    given = {"ACMEPAY_KEY": KEY, **environment}
    return examine(contract or acmepay(), {name: value for name, value in given.items() if value}, url, QUICK)


def signs(diagnosis: Diagnosis) -> dict[str, str]:
    """Subject to state."""
    return {sign.subject: sign.state for sign in diagnosis.signs}


def words(diagnosis: Diagnosis, subject: str) -> str:
    """What is said about a subject."""
    return next(sign.words for sign in diagnosis.signs if sign.subject == subject)


def dated(seconds: float = 0.0, **changes: Any) -> Any:
    """A handler that answers well, with a clock that is so far off."""
    return lambda seen: Reply(
        **{"body": {"data": []}, "headers": {"Date": formatdate(time.time() + seconds, usegmt=True)}, **changes}
    )


def test_one_safe_request_and_a_line_for_each_thing() -> None:
    """The contract's health request, signed, and no other."""
    with AcmePay() as provider:
        found = doctor(provider.url)

    (seen,) = provider.seen
    assert (seen.method, seen.target, seen.headers["authorization"]) == ("GET", "/charges", f"Bearer {KEY}")
    assert (found.verdict, found.exit_code) == (Verdict.AGREE, 0)
    assert words(found, "credentials") == "ACMEPAY_KEY: accepted (200)"
    lines = list(diagnosis_lines(found))
    assert [line.split()[0] for line in lines[1:]] == ["credentials", "TLS", "proxy", "CA", "clock"]
    assert KEY not in "\n".join(lines) + repr(found)


def test_without_a_health_request_an_operation_that_needs_nothing_is_called() -> None:
    """Never one that changes something."""
    contract = acmepay()
    bare = replace(contract, targets={"sandbox": replace(contract.targets["sandbox"], health=None)})
    with AcmePay() as provider:
        found = doctor(provider.url, bare)

    assert [(seen.method, seen.target) for seen in provider.seen] == [("GET", "/charges")]
    assert found.exit_code == 0


def test_an_operation_whose_fields_all_may_be_left_out_needs_nothing(tmp_path: Path) -> None:
    """Also where the contract says what counts in their place; one that needs a value is passed over."""
    file = tmp_path / "contract.yaml"
    file.write_text("""\
troth: 1
provider: lists
targets: {sandbox: {url: "http://lists.example"}}
operations:
  search: {request: {method: GET, path: /search, query: {q: $string}}, responses: {found: {status: 200}}}
  list:
    request: {method: GET, path: /things, query: {limit?: {$integer: {min: 1}, default: 10}}}
    responses: {page: {status: 200}}
scenarios: {a page: {steps: [{call: list, expect: page}]}}
""")
    with TinyServer(dated()) as server:
        doctor(server.url, load(file))

    assert [seen.target for seen in server.seen] == ["/things"]


@pytest.mark.parametrize(
    ("answer", "credentials", "verdict", "code"),
    [
        (Reply(401, {}), "wrong", Verdict.UNAUTHORIZED, 6),
        (Reply(403, {}), "wrong", Verdict.UNAUTHORIZED, 6),
        (Reply(429, {}), "unknown", Verdict.EXHAUSTED, 6),
        (Reply(402, {}), "unknown", Verdict.EXHAUSTED, 6),
        (Reply(500, {}), "unknown", Verdict.UNREACHABLE, 6),
        (Reply(404, {}), "unknown", Verdict.UNREACHABLE, 6),
        (Reply(302, b"", {"Location": "/login"}), "unknown", Verdict.UNREACHABLE, 6),
        (Reply(200, b"<html>", {"Content-Type": "text/html"}), "ok", Verdict.UNREACHABLE, 6),
        (HANG_UP, "unknown", Verdict.UNREACHABLE, 6),
        (SILENCE, "unknown", Verdict.UNREACHABLE, 6),
    ],
)
def test_an_answer_that_is_none(answer: Any, credentials: str, verdict: Verdict, code: int) -> None:
    """What it says of the credentials, and the exit code of a run that got it. No redirect is followed."""
    with TinyServer(lambda seen: answer) as server:
        found = doctor(server.url)

    assert (signs(found)["credentials"], found.verdict, found.exit_code) == (credentials, verdict, code)
    assert {seen.target for seen in server.seen} == {"/charges"}


@pytest.mark.parametrize(
    ("environment", "code", "told"),
    [
        ({"ACMEPAY_KEY": ""}, 6, "not set: ACMEPAY_KEY"),
        ({"ACMEPAY_KEY": "ak_live_CANARY"}, 4, "does not fit 'ak_test_*'"),
    ],
)
def test_without_a_usable_credential_nothing_is_sent(environment: dict[str, str], code: int, told: str) -> None:
    """And the variable is named."""
    with TinyServer(lambda seen: None) as server:
        found = doctor(server.url, **environment)

    assert server.seen == []
    assert found.exit_code == code
    assert told in words(found, "credentials")
    assert "CANARY" not in "\n".join(diagnosis_lines(found)) + repr(found)


def test_an_address_that_nobody_gives_and_one_where_nobody_is() -> None:
    """Both cannot be checked."""
    with TinyServer(lambda seen: None) as server:
        gone = server.url
    unknown = examine(acmepay(), {"ACMEPAY_KEY": KEY})

    assert doctor(gone).exit_code == unknown.exit_code == 6
    assert "refuses connections" in doctor(gone).asked
    assert "nothing says where acmepay's sandbox is" in unknown.asked


@pytest.mark.parametrize(
    ("seconds", "state", "told"),
    [
        (0, "ok", "as ours, to the second"),
        (20, "ok", "seconds ahead of ours"),
        (-300, "wrong", "seconds behind ours"),
        (300, "wrong", "seconds ahead of ours"),
    ],
)
def test_the_clock(seconds: float, state: str, told: str) -> None:
    """By the ``Date`` of the answer; it does not set the exit code."""
    with TinyServer(dated(seconds)) as server:
        found = doctor(server.url)

    assert (signs(found)["clock"], found.exit_code) == (state, 0)
    assert told in words(found, "clock")


@pytest.mark.parametrize("headers", [{}, {"Date": "yesterday"}])
def test_a_clock_that_does_not_show(headers: dict[str, str]) -> None:
    """Not known, rather than right."""
    with TinyServer(dated(headers=headers)) as server:
        assert signs(doctor(server.url))["clock"] == "unknown"


def test_a_proxy_is_used_and_shown_without_its_password() -> None:
    """The proxy gets the request for the sandbox."""
    contract = acmepay()
    with TinyServer(dated()) as proxy:
        through = proxy.url.replace("http://", "http://me:CANARY@")
        target = replace(contract.targets["sandbox"], proxy=through)
        found = doctor("http://sandbox.example", replace(contract, targets={"sandbox": target}))

    assert [seen.target for seen in proxy.seen] == ["http://sandbox.example/charges"]
    assert words(found, "proxy") == f"through {proxy.url}"
    assert signs(found)["TLS"] == "wrong"  # the sandbox itself is asked in the clear
    assert "CANARY" not in "\n".join(diagnosis_lines(found))


def test_what_the_environment_says_and_runs_do_not_read_is_told() -> None:
    """A proxy or a bundle in a variable is the usual reason for "works with curl"."""
    with TinyServer(dated()) as server:
        found = doctor(server.url, HTTPS_PROXY="http://127.0.0.1:1", SSL_CERT_FILE="/ca.pem")

    assert "HTTPS_PROXY is set and not read: write targets.sandbox.proxy" in words(found, "proxy")
    assert "SSL_CERT_FILE is set and not read: write targets.sandbox.ca" in words(found, "CA")


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that nobody signed, and its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs openssl")
    made, key = tmp_path / "made.pem", tmp_path / "key.pem"
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=127.0.0.1"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(made)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return made, key


def test_tls_with_the_ca_of_the_target_and_without(certificate: tuple[Path, Path]) -> None:
    """The version and how long the certificate lasts; a signer that nobody knows is a matter of the CA."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    contract = acmepay()
    target = replace(contract.targets["sandbox"], ca=str(certificate[0]))

    def handler(seen: Seen) -> Any:
        return dated()(seen)

    with TinyServer(handler, tls=context) as server:
        known = doctor(server.url, replace(contract, targets={"sandbox": target}))
        unknown = doctor(server.url)

    assert (known.exit_code, unknown.exit_code, len(server.seen)) == (0, 6, 1)
    assert words(known, "TLS").startswith("TLSv1.")
    assert "certificate valid for 29 more days" in words(known, "TLS")
    assert words(known, "CA") == str(certificate[0])
    assert (signs(unknown)["TLS"], signs(unknown)["CA"]) == ("wrong", "wrong")
