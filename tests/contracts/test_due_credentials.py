"""A request that is turned away for its credentials: the explanation names the place, the kind and the secret."""

from __future__ import annotations

import base64

import pytest
from fakes.talk import contract_of

from troth.contracts.exchange import Request
from troth.simulators.simulator import Simulator

CONTRACT = """
troth: 1
provider: shop
secrets: {key: {env: K, allow: "sk_test_*"}, id: {env: I, allow: "me_*"}, any: {env: A}}
auth: AUTH
operations:
  get:
    request: {method: GET, path: /a}
    responses:
      unauthorized: {when: not auth.ok, status: 401}
      found: {status: 200}
"""
BEARER = '{bearer: "{{ secrets.key }}"}'
BASIC = '{basic: ["{{ secrets.id }}", "{{ secrets.key }}"]}'
HEADER = '{header: X-Api-Key, value: "{{ secrets.key }}"}'
QUERY = '{query: api_key, value: "{{ secrets.key }}"}'
WRONG = b"Bearer sk_live_1"
PAIR = b"Basic " + base64.b64encode(b"you:sk_live_1")


@pytest.mark.parametrize(
    ("auth", "header", "query", "told"),
    [
        (BEARER, None, "", "headers.authorization: wants Bearer credentials: the secret key that fits sk_test_*"),
        (BEARER, None, "", "the secret key that fits sk_test_*, got absent"),
        (BEARER, WRONG, "", "the secret key that fits sk_test_*, got one that does not fit"),
        (BEARER, b"Token sk_live_1", "", "got credentials of another scheme"),
        (BASIC, WRONG, "", "the secret id that fits me_*, the secret key that fits sk_test_*, got Bearer credentials"),
        (BASIC, PAIR, "", "got one that does not fit"),
        (HEADER, None, "", "headers.x-api-key: wants an API key: the secret key that fits sk_test_*, got absent"),
        (QUERY, None, "", "query.api_key: wants an API key: the secret key that fits sk_test_*, got absent"),
        (QUERY, None, "api_key=sk_live_1", "got one that does not fit"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("declared", [True, False])
def test_what_was_due(auth: str, header: bytes | None, query: str, told: str, declared: bool) -> None:
    """Also where the contract has no answer for it; and never what was sent."""
    text = CONTRACT.replace("AUTH", auth)
    if not declared:
        text = text.replace("      unauthorized: {when: not auth.ok, status: 401}\n", "")
    simulator = Simulator(contract_of(text))
    headers = ((b"Authorization", header),) if header else ()
    response = simulator.handle(Request("GET", "/a", query, headers))
    (entry,) = simulator.journal.entries

    assert response.status == (401 if declared else 501)
    assert told in entry.explanation
    assert "sk_live_1" not in entry.explanation
    assert (entry in simulator.journal.refused) is declared


def test_who_shows_what_is_due_is_not_told_anything() -> None:
    """A 401 for another reason is not one for credentials."""
    simulator = Simulator(contract_of(CONTRACT.replace("AUTH", BEARER).replace("not auth.ok", "body is absent")))
    simulator.handle(Request("GET", "/a", "", ((b"Authorization", b"Bearer sk_test_1"),)))
    (entry,) = simulator.journal.entries

    assert (entry.name, entry.explanation) == ("unauthorized", "")
