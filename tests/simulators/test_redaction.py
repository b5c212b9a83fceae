"""No secret is shown."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from troth.contracts.exchange import Request, Response
from troth.contracts.judgement import NearMiss
from troth.contracts.loader import load
from troth.simulators.redaction import REDACTED, Redactor, redactor_for

TOKEN = "sk_test_canary_4242"


def request(*headers: tuple[str, str], query: str = "", body: bytes = b"") -> Request:
    return Request("POST", "/v1", query, [(name.encode(), value.encode()) for name, value in headers], body)


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("Authorization", f"Bearer {TOKEN}", f"Bearer {REDACTED}"),
        ("authorization", f"bearer   {TOKEN}", f"bearer   {REDACTED}"),
        ("Proxy-Authorization", f"Basic {TOKEN}", f"Basic {REDACTED}"),
        ("AUTHORIZATION", TOKEN, REDACTED),
        ("Authorization", f"Unheard {TOKEN}", REDACTED),
        ("Cookie", f"session={TOKEN}", REDACTED),
        ("X-Api-Key", TOKEN, REDACTED),
        ("Accept", "*/*", "*/*"),
    ],
)
def test_credentials_go_and_their_scheme_stays(name: str, value: str, shown: str) -> None:
    assert Redactor().request(request((name, value))).headers == ((name.encode(), shown.encode()),)


def test_what_a_header_brought_is_replaced_everywhere_in_the_exchange() -> None:
    asked = request(("Authorization", f"Bearer {TOKEN}"), query=f"key={TOKEN}", body=TOKEN.encode())
    clean = Redactor().request(asked)
    assert (clean.query, clean.body) == (f"key={REDACTED}", REDACTED.encode())
    answer = Redactor().response(Response(200, [(b"X", TOKEN.encode())], f"echo {TOKEN}".encode()), asked)
    assert (answer.headers, answer.body) == (((b"X", REDACTED.encode()),), f"echo {REDACTED}".encode())
    near = Redactor().near((NearMiss("a", "GET", "/", (("headers.x", "y", TOKEN),)),), asked)
    assert near[0].reasons == (("headers.x", "y", REDACTED),)


def test_both_parts_of_a_basic_credential_are_secret() -> None:
    basic = base64.b64encode(b"account-7:pass-word-9").decode()
    clean = Redactor().request(request(("Authorization", f"Basic {basic}"), body=b"account-7 pass-word-9"))
    assert clean.body == f"{REDACTED} {REDACTED}".encode()


def test_a_basic_credential_that_is_not_base64_is_only_replaced() -> None:
    assert Redactor().request(request(("Authorization", "Basic ???"))).headers[0][1] == f"Basic {REDACTED}".encode()


def test_declared_values_are_replaced_also_when_escaped_for_a_url() -> None:
    redactor = Redactor(["s/ecret+1"])
    clean = redactor.request(request(query="k=s%2Fecret%2B1", body=b"s/ecret+1"))
    assert (clean.query, clean.body) == (f"k={REDACTED}", REDACTED.encode())


def test_the_beginning_of_an_allow_pattern_marks_a_secret() -> None:
    redactor = Redactor(patterns=["sk_test_*", "*", "ab*"])
    assert redactor.text(f"ab {TOKEN}, {TOKEN}") == f"ab {REDACTED}, {REDACTED}"
    assert redactor.text("risk_test_x") == "risk_test_x"


def test_short_values_are_not_searched_for() -> None:
    assert Redactor(["abc"]).text("abc") == "abc"


def test_a_longer_secret_is_not_left_in_part() -> None:
    assert Redactor(["secret-1", "secret-1-long"]).text("secret-1-long") == REDACTED


def test_it_has_no_readable_repr() -> None:
    assert TOKEN not in repr(Redactor([TOKEN]))


def test_a_contracts_secrets_are_known_on_every_target(tmp_path: Path) -> None:
    (tmp_path / "contract.yaml").write_text(
        'troth: 1\nprovider: pay\nsecrets: {key: {env: PAY_KEY, allow: "sk_test_*"}}\n'
        'auth: {bearer: "{{ secrets.key }}"}\n'
        "targets:\n"
        '  sandbox: {url: "https://pay.example"}\n'
        '  eu: {url: "https://eu.pay.example", secrets: {key: {env: PAY_EU_KEY}}}\n'
        "operations:\n  ping: {request: {method: GET, path: /ping}, responses: {pong: {status: 204}}}\n"
    )
    redactor = redactor_for(
        load(tmp_path), {"PAY_KEY": "first-value", "PAY_EU_KEY": "second-value", "OTHER": "plain-text"}
    )
    shown = redactor.text(f"first-value second-value plain-text {TOKEN}")
    assert shown == f"{REDACTED} {REDACTED} plain-text {REDACTED}"
