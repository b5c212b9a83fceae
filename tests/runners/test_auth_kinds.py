"""Credentials of every kind on a real provider: sent, fetched, fetched again, refused, and never shown."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from fakes.clocks import HandClock
from fakes.runs import PATIENT, findings, outcomes, plan
from fakes.talk import contract_of
from fakes.tiny_server import Reply, Seen, TinyServer

from troth.contracts.contract import Contract, Target
from troth.contracts.model.credentials import auth_ok
from troth.runners.certificates import subject_of
from troth.runners.client import Client
from troth.runners.clock import Skew
from troth.runners.doctor import examine
from troth.runners.engine import run_target
from troth.runners.finding import Verdict
from troth.runners.gate import Open, Passport, Shut, open_gate
from troth.runners.needs import runnable
from troth.runners.step_result import TargetRun
from troth.runners.target import RunTarget

CONTRACT = """
troth: 1
provider: guarded
secrets:
  key: {{env: GUARDED_KEY, allow: "ak_test_*"}}
  id: {{env: GUARDED_ID, allow: "AKIA*"}}
  secret: {{env: GUARDED_SECRET, allow: "*-fake"}}
auth: {auth}
targets: {{sandbox: {{url: {{env: GUARDED_URL}}}}}}
operations:
  get_token:
    auth: {{basic: ["{{{{ secrets.id }}}}", "{{{{ secrets.secret }}}}"]}}
    request: {{method: POST, path: /token, form: {{grant_type: client_credentials}}}}
    responses:
      granted:
        status: 200
        json: {{access_token: {{$token: {{}}, secret: true}}, expires_in: {{$integer: {{min: 60}}, default: 300}}}}
  list:
    request: {{method: GET, path: /things, query: {{page?: $string}}}}
    responses:
      shut: {{when: not auth.ok, status: 401, means: unauthorized, json: {{error: $text}}}}
      found: {{status: 200, json: {{n: $integer}}}}
scenarios:
  things are listed: {{steps: [{{call: list, with: {{page: "a b"}}, expect: found}}]}}
  once more: {{steps: [{{call: list, expect: found}}, {{wait: 120s}}, {{call: list, expect: found}}]}}
"""
KEY, ID, SECRET = "ak_test_fakekey", "AKIAFAKEFAKE", "wJalr/EXAMPLE-fake"
ENVIRONMENT = {"GUARDED_KEY": KEY, "GUARDED_ID": ID, "GUARDED_SECRET": SECRET}
OAUTH2 = "{oauth2: get_token, with: {grant_type: client_credentials}, expires: this.expires_in}"
SIGV4 = "{sigv4: {service: sqs, id: '{{ secrets.id }}', key: '{{ secrets.secret }}', region: eu-central-1}}"
FOUND = Reply(200, {"n": 1})
SHUT = Reply(401, {"error": "who are you?"})


def guarded(auth: str) -> Contract:
    return contract_of(CONTRACT.format(auth=auth))


def run(contract: Contract, url: str, environment: dict[str, str] | None = None) -> TargetRun:
    """Through the gate, on a clock of our own."""
    opened = open_gate(contract, runnable(contract), Passport(True, environment or ENVIRONMENT, url))
    assert isinstance(opened, Open), opened

    async def walk() -> TargetRun:
        clock = HandClock()
        client = Client(opened.credentials, clock, PATIENT, ca=opened.target.ca, identities=opened.identities)
        target = RunTarget("sandbox", url, client, clock, opened.credentials, Skew(), Target("sandbox"))
        return await run_target(contract, target, plan())

    return asyncio.run(walk())


def shown(run: TargetRun) -> str:
    """Everything that a run tells."""
    return repr((run.results, run.outcomes))


@pytest.mark.parametrize(
    ("auth", "fits"),
    [
        ("{header: X-Api-Key, value: '{{ secrets.key }}'}", lambda seen: seen.headers.get("x-api-key") == KEY),
        ("{query: api_key, value: '{{ secrets.key }}'}", lambda seen: seen.query.get("api_key") == KEY),
    ],
)
def test_an_api_key(auth: str, fits: Callable[[Seen], bool]) -> None:
    """In a header or in the query, beside what is there; no trace of it is kept."""
    with TinyServer(lambda seen: FOUND if fits(seen) else SHUT) as server:
        done = run(guarded(auth), server.url)
    assert set(outcomes(done).values()) == {"ok"}
    assert findings(done) == []
    assert server.seen[0].query["page"] == "a b"
    assert KEY not in shown(done)


def test_a_signed_request() -> None:
    """What the provider gets is a signature that the simulator's own check takes, on every request anew."""
    contract = guarded(SIGV4)

    def answer(seen: Seen) -> Reply:
        first = {name.encode(): value.encode() for name, value in seen.headers.items()}
        return FOUND if auth_ok(contract.auth, first, "") else SHUT

    with TinyServer(answer) as server:
        done = run(contract, server.url)
    assert set(outcomes(done).values()) == {"ok"}
    stamps = [seen.headers["x-amz-date"] for seen in server.seen]
    assert len(set(stamps)) > 1
    assert f"Credential={ID}/" in server.seen[0].headers["authorization"]
    assert SECRET not in shown(done)
    assert ID not in shown(done)


@dataclass
class Issuer:
    """A provider with tokens, which are refused when ``ends`` of them were used so often; records what was asked."""

    lifetime: Any = 300
    ends: int = 1000
    refuses: int = 0
    issued: int = 0
    used: int = 0

    def __call__(self, seen: Seen) -> Reply:
        if seen.path == "/token":
            if self.refuses:
                return Reply(self.refuses, {"error": "invalid_client"})
            self.issued, self.used = self.issued + 1, 0
            return Reply(200, {"access_token": f"tok-fake-{self.issued}", "expires_in": self.lifetime})
        self.used += 1
        good = self.issued and seen.headers.get("authorization") == f"Bearer tok-fake-{self.issued}"
        return FOUND if good and self.used <= self.ends else SHUT


def asked(server: TinyServer) -> list[str]:
    return [seen.path for seen in server.seen]


def test_one_token_serves_many_requests() -> None:
    """It is fetched before the first request with the credentials of its operation, and hidden everywhere."""
    issuer = Issuer()
    with TinyServer(issuer) as server:
        done = run(guarded(OAUTH2), server.url)
    assert set(outcomes(done).values()) == {"ok"}
    assert asked(server) == ["/token", "/things", "/things", "/things"]
    assert server.seen[0].headers["authorization"].startswith("Basic ")
    assert server.seen[0].body == b"grant_type=client_credentials"
    assert "tok-fake" not in shown(done)


@pytest.mark.parametrize("lifetime", [140, "140"])
def test_an_old_token_is_fetched_again(lifetime: Any) -> None:
    """Before its end, so that no request meets it."""
    issuer = Issuer(lifetime=lifetime)
    with TinyServer(issuer) as server:
        done = run(guarded(OAUTH2), server.url)
    assert outcomes(done)["once more"] == "ok"
    assert asked(server) == ["/token", "/things", "/things", "/token", "/things"]


def test_a_token_that_is_refused_early_is_fetched_again_once() -> None:
    """The provider may end it whenever it wants to."""
    issuer = Issuer(ends=2)
    with TinyServer(issuer) as server:
        done = run(guarded(OAUTH2), server.url)
    assert set(outcomes(done).values()) == {"ok"}
    assert asked(server) == ["/token", "/things", "/things", "/things", "/token", "/things"]


def test_a_token_that_is_never_let_in_is_no_reason_to_ask_for_ever() -> None:
    """A fresh one that is refused stops the provider, and the variables are named."""
    with TinyServer(lambda seen: Issuer()(seen) if seen.path == "/token" else SHUT) as server:
        done = run(guarded(OAUTH2), server.url)
    assert "ok" not in outcomes(done).values()
    assert asked(server) == ["/token", "/things"]
    assert "GUARDED_ID, GUARDED_SECRET" in shown(done)


@pytest.mark.parametrize(("status", "verdict"), [(401, "unauthorized"), (400, "unauthorized"), (503, "unreachable")])
def test_no_token_stops_the_provider(status: int, verdict: str) -> None:
    """After one request, with the names of the variables and of the operation."""
    with TinyServer(Issuer(refuses=status)) as server:
        done = run(guarded(OAUTH2), server.url)
    assert asked(server) == ["/token"]
    assert "ok" not in outcomes(done).values()
    assert f"no token from get_token: it answered {status} (credentials: GUARDED_ID, GUARDED_SECRET)" in shown(done)
    assert SECRET not in shown(done)
    assert done.stopped is not None
    assert done.stopped.verdict == verdict


def test_a_key_that_is_refused_stops_the_provider() -> None:
    """One request, and the variable by its name on that target."""
    with TinyServer(lambda seen: SHUT) as server:
        done = run(guarded("{header: X-Api-Key, value: '{{ secrets.key }}'}"), server.url)
    assert len(server.seen) == 1
    assert "(credentials: GUARDED_KEY)" in shown(done)


def test_doctor_asks_for_a_token() -> None:
    """That is the request which shows whether the credentials are good."""
    contract = guarded(OAUTH2)
    with TinyServer(Issuer()) as server:
        good = examine(contract, ENVIRONMENT, server.url, PATIENT)
        assert asked(server) == ["/token"]
    with TinyServer(Issuer(refuses=401)) as server:
        bad = examine(contract, ENVIRONMENT, server.url, PATIENT)
    assert (good.verdict, bad.verdict) == (Verdict.AGREE, Verdict.UNAUTHORIZED)
    assert "GUARDED_ID, GUARDED_SECRET: not accepted (401)" in {sign.words for sign in bad.signs}


# Client certificates


@dataclass(frozen=True)
class Papers:
    """A signer, a server's certificate and a client's, as PEM files."""

    folder: Path

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def context(self) -> ssl.SSLContext:
        """A server that demands a certificate of our signer."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path("server.pem"), self.path("server.key"))
        context.load_verify_locations(self.path("ca.pem"))
        context.verify_mode = ssl.CERT_REQUIRED
        return context


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    """Made by openssl, as people make them."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs openssl")
    folder = tmp_path_factory.mktemp("papers")

    def call(*words: str) -> None:
        subprocess.run([openssl, *words], cwd=folder, check=True, capture_output=True, timeout=60)

    new = ("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30")
    constraint = ("-addext", "basicConstraints=critical,CA:TRUE")
    call(*new, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=signer", *constraint)
    for name, subject in (("server", "/CN=127.0.0.1"), ("client", "/C=DE/O=Acmé Ltd/CN=acme")):
        more = ("-CA", "ca.pem", "-CAkey", "ca.key", "-addext", "subjectAltName=IP:127.0.0.1", "-utf8")
        call(*new, "-keyout", f"{name}.key", "-out", f"{name}.pem", "-subj", subject, *more)
    call(*new, "-keyout", "stranger.key", "-out", "stranger.pem", "-subj", "/O=Other/CN=acme")
    return Papers(folder)


MTLS = "{mtls: {cert: {env: CERT}, key: {env: CERT_KEY}}, subject: 'CN=acme,*'}"


@contextlib.contextmanager
def refusing(context: ssl.SSLContext) -> Iterator[str]:
    """A server that ends every handshake with the alert that TLS has for it (asyncio's servers only hang up)."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection, contextlib.suppress(OSError):
                    connection.settimeout(10)
                    context.wrap_socket(connection, server_side=True).recv(1)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"https://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(10)
            assert not thread.is_alive()


def with_ca(contract: Contract, papers: Papers) -> Contract:
    target = replace(contract.targets["sandbox"], ca=papers.path("ca.pem"))
    return replace(contract, targets={"sandbox": target})


def owner(papers: Papers, name: str) -> dict[str, str]:
    return {"CERT": papers.path(f"{name}.pem"), "CERT_KEY": papers.path(f"{name}.key")}


def test_a_client_certificate(papers: Papers) -> None:
    """Shown to a server that demands one; doctor says which files it used."""
    contract = with_ca(guarded(MTLS), papers)
    with TinyServer(lambda seen: FOUND, tls=papers.context()) as server:
        done = run(contract, server.url, owner(papers, "client"))
        found = examine(contract, owner(papers, "client"), server.url, PATIENT)
    assert set(outcomes(done).values()) == {"ok"}
    assert found.verdict is Verdict.AGREE
    assert "CERT, CERT_KEY: accepted (200)" in {sign.words for sign in found.signs}


def test_a_certificate_that_the_server_refuses_stops_the_provider(papers: Papers) -> None:
    """That is a matter of credentials, not of the network."""
    contract = with_ca(guarded(MTLS), papers)
    with refusing(papers.context()) as url:
        done = run(contract, url, owner(papers, "stranger"))
    assert "ok" not in outcomes(done).values()
    assert done.stopped is not None
    assert done.stopped.verdict == "unauthorized"
    assert "CERT, CERT_KEY" in done.stopped.reason


def test_the_subject_is_read_as_the_contract_writes_it(papers: Papers) -> None:
    """The most particular first; what is no certificate is an error."""
    assert subject_of(Path(papers.path("client.pem")).read_text()) == "CN=acme,O=Acmé Ltd,C=DE"
    for text in ("", "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----"):
        with pytest.raises(ValueError, match="no certificate"):
            subject_of(text)


@pytest.mark.parametrize(
    ("auth", "change", "code", "words"),
    [
        (MTLS, {"CERT_KEY": ""}, "E372", "not set: CERT_KEY"),
        (MTLS, {"CERT": "/no/such/file.pem"}, "E372", "CERT and CERT_KEY do not lead to such files"),
        (MTLS, {"CERT": "-----BEGIN fake-secret"}, "E372", "do not lead to such files"),
        (MTLS.replace("CN=acme,*", "CN=other"), {}, "E371", "'CN=acme,O=Acmé Ltd,C=DE'"),
        (MTLS.replace(", subject: 'CN=acme,*'", ""), {}, "E371", "which certificates guarded may be shown"),
    ],
)
def test_a_certificate_that_may_not_be_shown(
    papers: Papers, auth: str, change: dict[str, str], code: str, words: str
) -> None:
    """The gate stays shut, and says what to set without a word of what is in the variable."""
    contract = guarded(auth)
    environment = {**owner(papers, "client"), **change}
    shut = open_gate(contract, runnable(contract), Passport(True, environment, "https://127.0.0.1:1"))
    assert isinstance(shut, Shut)
    assert shut.error is not None
    assert shut.error.code == code
    assert words in shut.error.found
    assert "fake-secret" not in json.dumps([shut.reason, str(shut.error)])
