"""The headers of a request, looked through once."""

from __future__ import annotations

from fakes.talk import contract_of

from troth.contracts.contract import Auth
from troth.contracts.exchange import Request
from troth.contracts.model.head import Head
from troth.contracts.model.model import Model

REQUEST = Request("GET", "/shut")
GUARDED = """
troth: 1
provider: guarded
secrets: {key: {env: KEY, allow: "sk_test_*"}}
auth: {bearer: "{{ secrets.key }}"}
operations:
  open:
    auth: none
    request: {method: GET, path: /open}
    responses: {ok: {status: 200, json: {seen: "{{ headers.x_seen | default('nothing') }}"}}}
  shut:
    request: {method: GET, path: /shut}
    responses:
      no: {when: not auth.ok, status: 401, json: {}}
      ok: {status: 200, json: {}}
"""


def test_the_first_of_duplicates_counts() -> None:
    """As for expressions: names in lower case, whatever their spelling."""
    head = Head(((b"X-A", b"1"), (b"x-a", b"2"), (b"Content-Type", b"text/plain")))
    assert head.text(b"x-a") == "1"
    assert head.text(b"x-b") is None
    assert head.content_type == "text/plain"


def test_credentials_are_looked_at_for_each_demand() -> None:
    """What one operation does not ask for, the next may."""
    contract = contract_of(GUARDED)
    head = Head(((b"Authorization", b"Bearer sk_live_x"),))
    assert head.authorized(Auth("none"), REQUEST)
    assert not head.authorized(contract.auth, REQUEST)
    assert head.authorized(None, REQUEST)


def test_the_same_headers_serve_several_operations() -> None:
    """Clients repeat themselves; what was found for one request must not be taken for the answer to another."""
    model = Model(contract_of(GUARDED))
    bad, good = (
        ((b"Authorization", b"Bearer sk_live_x"),),
        ((b"Authorization", b"Bearer sk_test_x"), (b"X-Seen", b"it")),
    )
    answers = [
        model.respond(Request("GET", path, "", headers), 1.0)
        for headers in (bad, good, bad)
        for path in ("/open", "/shut", "/open")
    ]
    assert [answer.response.status for answer in answers] == [200, 401, 200, 200, 200, 200, 200, 401, 200]
    assert [answer.response.body for answer in answers[::3]] == [
        b'{"seen":"nothing"}',
        b'{"seen":"it"}',
        b'{"seen":"nothing"}',
    ]
