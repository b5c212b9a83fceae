"""What is made of secrets, and what a provider hands out, is as secret: tokens, signatures, sessions."""

from __future__ import annotations

import asyncio
import re
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes.clocks import HandClock
from fakes.runs import PATIENT, plan
from fakes.tiny_server import Reply, Seen, TinyServer

from troth.contracts.contract import Target
from troth.contracts.loader import load
from troth.runners.client import Client
from troth.runners.clock import Skew
from troth.runners.derived_secrets import sessions
from troth.runners.engine import run_target
from troth.runners.gate import Open, Passport, open_gate
from troth.runners.needs import runnable
from troth.runners.redact import LEARNT_MOST, Redactor
from troth.runners.target import RunTarget

CONTRACT = """
troth: 1
provider: telling
hooks: [hooks.py]
secrets:
  key: {{env: TELLING_KEY, allow: "*-fake-*"}}
auth: {auth}
targets: {{sandbox: {{url: {{env: TELLING_URL}}}}}}
operations:
  get_token:
    auth: none
    request: {{method: POST, path: /token, form: {{key: $string}}}}
    responses: {{granted: {{status: 200, json: {{access_token: $token}}}}}}
  list:
    request: {{method: GET, path: /things, headers: {{Cookie?: $string}}}}
    responses: {{found: {{status: 200, json: {{n: $integer}}}}}}
scenarios:
  things are listed: {{steps: [{{call: list, expect: found}}, {{call: list}}]}}
"""
HOOKS = """
import hashlib
from troth import hookimpl


class Mac:
    def sign(self, request, given, at):
        return {"X-Mac": "v1=" + hashlib.sha256(given["key"].encode() + request.path.encode()).hexdigest()}

    def check(self, request, fits):
        return any(name.lower() == b"x-mac" for name, _ in request.headers)


@hookimpl
def troth_auth_kinds():
    return {"mac": Mac()}

"""
KEY = "very-fake-key"
AUTHS = {
    "oauth2": "{oauth2: get_token, with: {key: '{{ secrets.key }}'}}",
    "sigv4": "{sigv4: {service: sqs, id: '{{ secrets.key }}', key: '{{ secrets.key }}', region: eu-central-1}}",
    "hook": "{hook: mac, with: {key: '{{ secrets.key }}'}}",
    "none": "none",
}


def told(tmp_path: Path, auth: str, provider: Callable[[Seen], Reply]) -> str:
    """Everything that a run on ``provider`` keeps and tells."""
    (tmp_path / "contract.yaml").write_text(CONTRACT.format(auth=AUTHS[auth]))
    (tmp_path / "hooks.py").write_text(HOOKS)
    contract = load(tmp_path)
    with TinyServer(provider) as server:
        opened = open_gate(contract, runnable(contract), Passport(True, {"TELLING_KEY": KEY}, server.url))
        assert isinstance(opened, Open), opened

        async def walk() -> str:
            clock = HandClock()
            client = Client(opened.credentials, clock, PATIENT)
            target = RunTarget("sandbox", server.url, client, clock, opened.credentials, Skew(), Target("sandbox"))
            done = await run_target(contract, target, plan())
            return repr((done.results, done.outcomes, done.notes))

        return asyncio.run(walk())


def forms(value: str) -> set[str]:
    """As it is, and in the base64 that a provider may quote it in."""
    return {value, b64encode(value.encode()).decode().rstrip("=")}


def test_a_fetched_token(tmp_path: Path) -> None:
    """Wherever the provider says it again."""
    token = "fetched-token-4711"

    def answer(seen: Seen) -> Reply:
        if seen.path == "/token":
            return Reply(200, {"access_token": token})
        text = f"{token} {b64encode(token.encode()).decode()}"
        return Reply(200, {"n": text, token: 1}, {"X-Told": token})

    run = told(tmp_path, "oauth2", answer)
    assert "[secret:token:" in run
    assert not [form for form in forms(token) if form in run]


@pytest.mark.parametrize(("auth", "header"), [("sigv4", "authorization"), ("hook", "x-mac")])
def test_a_signature_that_an_error_quotes(tmp_path: Path, auth: str, header: str) -> None:
    """As AWS does: SignatureDoesNotMatch shows what it was given."""
    signed: list[str] = []

    def answer(seen: Seen) -> Reply:
        value = seen.headers[header]
        signed.append(re.search("[0-9a-f]{64}", value)[0])
        return Reply(400, {"error": f"does not match: {signed[-1]}", "whole": value})

    run = told(tmp_path, auth, answer)
    assert signed
    assert f"[secret:{header}:" in run
    assert not [one for one in signed if one in run]


def test_a_session_that_the_provider_opens(tmp_path: Path) -> None:
    """Where it is set, where it is said again, and in all that follows; a language is none."""
    session = "c2Vzc2lvbi1vZi1ub2JvZHk"

    def answer(seen: Seen) -> Reply:
        return Reply(200, {"n": f"{session} english"}, {"Set-Cookie": f'sid="{session}"; Path=/; HttpOnly'})

    run = told(tmp_path, "none", answer)
    assert "[secret:cookie:" in run
    assert session not in run
    assert "english" in run
    assert list(sessions(((b"Cookie", b"lang=english; sid=" + session.encode()),), ())) == [("cookie", session)]


def test_a_flood_of_sessions_is_hidden_and_does_not_slow_the_run() -> None:
    """Beyond a bound each is looked for in its own exchange alone."""
    redactor = Redactor(b"key")
    for number in range(LEARNT_MOST + 5):
        redactor.learning([("cookie", f"session-number-{number:06}")])
    last = f"session-number-{LEARNT_MOST + 9:06}"
    assert last not in redactor.learning([("cookie", last)]).text(last)
    assert redactor.text(last) == last
    assert "session" not in redactor.text("session-number-000001")
