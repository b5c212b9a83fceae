"""`auth`: what a contract may say, and what a simulator then demands."""

from __future__ import annotations

import pytest
from fakes.talk import contract_of

from troth.contracts.document.folder import parse_document
from troth.contracts.exchange import Request
from troth.contracts.model.model import Model
from troth.errors import ContractError
from troth.runners.credentials import fitting
from troth.simulators.redaction import redactor_for

CONTRACT = """
troth: 1
provider: guarded
secrets: {{key: {{env: KEY, allow: "ak_test_*"}}, id: {{env: ID, allow: "AKIA*"}}, sign: {{env: SIGN, allow: "*"}}}}
auth: {auth}
operations:
  get_token:
    auth: {{basic: ["{{{{ secrets.id }}}}", "{{{{ secrets.sign }}}}"]}}
    request: {{method: POST, path: /token, form: {{grant_type: client_credentials, scope?: $string}}}}
    responses: {{granted: {{status: 200, json: {{access_token: {{$token: {{}}, secret: true}}, expires_in: 300}}}}}}
  list:
    request: {{method: GET, path: /things, unknown: reject}}
    responses:
      shut: {{when: not auth.ok, status: 401, json: {{}}}}
      odd: {{when: mismatch, status: 400, json: {{}}}}
      found: {{status: 200, json: {{}}}}
"""
HEADER = "{header: X-Api-Key, value: 'Key {{ secrets.key }}'}"
QUERY = "{query: api_key, value: '{{ secrets.key }}'}"
OAUTH2 = "{oauth2: get_token, with: {grant_type: client_credentials}, expires: this.expires_in}"
SIGV4 = "{sigv4: {service: sqs, id: '{{ secrets.id }}', key: '{{ secrets.sign }}', region: eu-central-1}}"
MTLS = "{mtls: {cert: {env: CERT}, key: {env: CERT_KEY}}, subject: 'CN=acme,*'}"
SIGNATURE = (
    "AWS4-HMAC-SHA256 Credential={id}/20261130/{region}/{service}/aws4_request, SignedHeaders={signed}, "
    f"Signature={'0' * 64}"
)
GOOD = {"id": "AKIATEST", "region": "eu-central-1", "service": "sqs", "signed": "host;x-amz-date"}


def status(auth: str, headers: dict[str, str] | None = None, query: str = "") -> int:
    """What a simulator answers to a request with these headers."""
    wire = tuple((name.encode(), value.encode()) for name, value in (headers or {}).items())
    model = Model(contract_of(CONTRACT.format(auth=auth)))
    return model.respond(Request("GET", "/things", query, wire), 1_796_000_000.0).response.status


def signature(date: str = "20261130T220000Z", **changes: str) -> dict[str, str]:
    return {"Authorization": SIGNATURE.format(**GOOD | changes), "X-Amz-Date": date}


@pytest.mark.parametrize(
    ("auth", "headers", "query", "answer"),
    [
        (HEADER, {"X-API-KEY": "Key ak_test_1"}, "", 200),
        (HEADER, {"X-Api-Key": "ak_test_1"}, "", 401),
        (HEADER, {"X-Api-Key": "Key ak_live_1"}, "", 401),
        (HEADER, {"Authorization": "Bearer ak_test_1"}, "", 401),
        (HEADER, {}, "", 401),
        (QUERY, {}, "api_key=ak_test_1", 200),
        (QUERY, {}, "api%5Fkey=ak%5Ftest_1", 200),
        (QUERY, {}, "api_key=ak_live_1", 401),
        (QUERY, {}, "api_key=", 401),
        (QUERY, {}, "", 401),
        (QUERY, {}, "api_key=ak_test_1&other=1", 400),
        (OAUTH2, {"Authorization": "Bearer whatever"}, "", 200),
        (OAUTH2, {"Authorization": "Bearer "}, "", 401),
        (OAUTH2, {"Authorization": "Basic whatever"}, "", 401),
        (OAUTH2, {}, "", 401),
        (SIGV4, signature(), "", 200),
        (SIGV4, signature(id="OTHER"), "", 401),
        (SIGV4, signature(service="sns"), "", 401),
        (SIGV4, signature(region="us-east-1"), "", 401),
        (SIGV4, signature(signed="x-amz-date"), "", 401),
        (SIGV4, signature(date="20261129T220000Z"), "", 401),
        (SIGV4, {"Authorization": "Bearer x"}, "", 401),
        (SIGV4, {}, "", 401),
        (MTLS, {}, "", 200),
    ],
)
def test_a_simulator_demands_the_form(auth: str, headers: dict[str, str], query: str, answer: int) -> None:
    """Every credential that fits is taken; of a certificate nothing can be seen, because it speaks no TLS."""
    assert status(auth, headers, query) == answer


def test_the_same_headers_with_another_query() -> None:
    """What is known of the headers is not taken for the query's."""
    model = Model(contract_of(CONTRACT.format(auth=QUERY)))
    answers = [
        model.respond(Request("GET", "/things", query, ()), 1.0).response.status
        for query in ("api_key=ak_test_1", "", "api_key=ak_test_1")
    ]
    assert answers == [200, 401, 200]


@pytest.mark.parametrize("auth", [HEADER, QUERY, OAUTH2, SIGV4, MTLS])
def test_what_the_runner_sends_the_simulator_takes(auth: str) -> None:
    """Both directions of each kind, without a secret of anybody's."""
    contract = contract_of(CONTRACT.format(auth=auth))
    signed = fitting(contract).sign(Request("GET", "/things", host="sqs.test"), contract.auth, 1_796_000_000.0)
    answer = Model(contract).respond(signed, 1_796_000_000.0)
    assert answer.response.status == 200


@pytest.mark.parametrize(("auth", "secret"), [(HEADER, "Key s3cret-key"), (QUERY, "s3cret-key")])
def test_the_journal_does_not_show_them(auth: str, secret: str) -> None:
    """By the names that the contract gives, whatever the value is."""
    contract = contract_of(CONTRACT.format(auth=auth))
    redactor = redactor_for(contract, {})
    headers = ((b"X-Api-Key", secret.encode()),) if auth == HEADER else ()
    query = "" if auth == HEADER else f"api_key={secret}"
    seen = redactor.request(Request("GET", "/things", query, headers, f"again {secret}".encode()))
    assert "s3cret" not in f"{seen}"


@pytest.mark.parametrize(
    ("auth", "code", "words"),
    [
        ("{oauth: get_token}", "E033", "oauth2"),
        ("{oauth2: get_tokens}", "E061", "Did you mean 'get_token'?"),
        ("{oauth2: list}", "E197", "an `auth` of its own"),
        ("{oauth2: get_token, with: {scop: x}}", "E354", "scope"),
        ("{oauth2: get_token, expires: ths.expires_in}", "E113", "ths"),
        ("{header: X-Api-Key}", "E032", "value"),
        ("{header: 'X Api', value: x}", "E035", "header"),
        ("{bearer: x, value: y}", "E034", "value"),
        ("{sigv4: {service: sqs, id: a}}", "E032", "key"),
        ("{sigv4: {service: sqs, id: a, key: b, regio: c}}", "E030", "region"),
        ("{mtls: {cert: CERT, key: {env: K}}}", "E031", "mapping"),
        ("oauth2", "E031", "oauth2"),
    ],
)
def test_mistakes_are_named_with_their_place(auth: str, code: str, words: str) -> None:
    """One message for one mistake."""
    with pytest.raises(ContractError) as caught:
        contract_of(CONTRACT.format(auth=auth))
    (problem,) = caught.value.problems
    assert problem.code == code
    assert words in f"{problem.asked} {problem.found} {problem.fix}"
    assert problem.place.line == 5


def test_a_document_keeps_each_kind() -> None:
    """The kind is the key that is written."""
    kinds = [
        parse_document(CONTRACT.format(auth=auth)).auth.kind  # type: ignore[union-attr]
        for auth in (HEADER, QUERY, OAUTH2, SIGV4, MTLS)
    ]
    assert kinds == ["header", "query", "oauth2", "sigv4", "mtls"]
