"""A provider that gives back whatever credential it was sent, in every way in which a real one might.

``CANARY`` is the secret; ``needles()`` are the pieces of text that show it, however it is written.
"""

from __future__ import annotations

import html
import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, quote_plus

from fakes.tiny_server import BREAK_OFF, HANG_UP, Reply, Seen, TinyServer

__all__ = ["CANARY", "SESSION", "WAYS", "Echoes", "contract_text", "leaks", "needles"]

CORE = "CANARY7f3e9dQz"
CANARY = f"sk_test_/{CORE}+\"'&<x>"
"""Obviously no real key; fits ``sk_test_*``; every encoding changes some part of it, and leaves ``CORE`` as it is."""

SESSION = f"session-of-{CORE}-and-no-key"
"""What the provider hands out in a cookie, and says again: as good as a credential, and declared nowhere."""


def _b64(text: str) -> str:
    return b64encode(text.encode()).decode()


def _value(value: Any) -> Reply:
    return Reply(200, {"value": value})


WAYS: dict[str, Callable[[str, str], Any]] = {
    "value": lambda key, auth: _value(auth),
    "page": lambda key, auth: Reply(502, f"<p>{html.escape(auth)} {key}</p>".encode(), {"Content-Type": "text/html"}),
    "nested": lambda key, auth: _value([{"a": [auth, {"b": key}]}]),
    "garbage": lambda key, auth: f"{auth} is no HTTP\r\n\r\n".encode(),
    "name": lambda key, auth: Reply(200, {"value": 1, auth: 2, f"a {key}": {key: 1}}),
    "closes": lambda key, auth: HANG_UP,
    "type": lambda key, auth: _value({"a": key}),
    "crash": lambda key, auth: Reply(500, {"trace": repr({"headers": [("authorization", auth.encode())]})}),
    "header": lambda key, auth: Reply(200, {"value": "x"}, {"X-Echo": auth, "WWW-Authenticate": f"Bearer realm={key}"}),
    "resets": lambda key, auth: BREAK_OFF,
    "cookie": lambda key, auth: Reply(200, {"value": "x"}, {"Set-Cookie": f"session=a.{key}; Path=/; Secure"}),
    "location": lambda key, auth: Reply(302, b"", {"Location": f"http://127.0.0.1/?key={quote(key)}&k={key}"}),
    "media": lambda key, auth: Reply(200, {"value": 1}, {"Content-Type": f"text/plain; key={key}"}),
    "error": lambda key, auth: Reply(400, {"error": f"invalid key {key!r} in {auth}"}),
    "text": lambda key, auth: Reply(200, f"key={key}".encode(), {"Content-Type": "text/plain"}),
    "status": lambda key, auth: f'HTTP/1.1 200 {auth}\r\nContent-Length: 11\r\n\r\n{{"value":1}}'.encode(),
    "base64": lambda key, auth: _value([_b64(key), _b64(f"{key}:"), _b64(f"a{key}zz"), _b64(f"ab{key}")]),
    "percent": lambda key, auth: _value([quote(key, safe=""), quote_plus(key), quote(quote(key, safe=""), safe="")]),
    "json": lambda key, auth: _value(json.dumps(json.dumps({"a": key}))),
    "session": lambda key, auth: Reply(200, {"value": ["x", SESSION]}, {"Set-Cookie": f"sid={SESSION}; Path=/"}),
    "large": lambda key, auth: _value("y" * (64 * 1024 - 30) + key),
}
"""How the credential comes back, given the key and the ``Authorization`` header. A target whose answers say nothing
three times in a row is given up, so those stand between others."""


class Echoes(TinyServer):
    """The provider. ``on_request`` is told of each request before it is answered."""

    def __init__(self, key: str = CANARY, on_request: Callable[[Seen], None] = lambda seen: None) -> None:
        super().__init__(self._answer)
        self._key, self._on_request = key, on_request

    def _answer(self, seen: Seen) -> Any:
        self._on_request(seen)
        auth, key = seen.headers.get("authorization", f"Bearer {self._key}"), self._key
        if seen.path == "/things":
            return Reply(201, {"id": f"id {key}", "value": f"{'x' * 50}{key}"})
        if seen.path.startswith("/things/"):
            return Reply(500, {"error": f"cannot drop {key}"})
        if seen.path == "/form":
            return Reply(200, {"value": seen.body.decode(), "note": auth})
        way = WAYS.get(seen.path.rpartition("/")[2])
        return way(key, auth) if way is not None else _value(f"what is {seen.target}?")


_CONTRACT = """\
troth: 1
provider: echo
{secrets}
targets: {{sandbox: {{url: {{env: ECHO_URL}}, limits: {{seconds: 60}}}}}}
types: {{Echo: {{value: $integer, note?: $string}}}}
state: {{things: {{of: {{id: $string, value: $any}}, key: id}}}}
operations:
  echo:
    request: {{method: GET, path: "/echo/{{way}}", query: {{q?: $string}}, headers: {{X-Mine?: $string}}}}
    responses:
      ok: {{status: 200, json: $Echo}}
  make:
    request: {{method: POST, path: /things, json: {{note: $string}}}}
    responses:
      made: {{status: 201, json: {{id: $string, value: $any}}, effects: [put: things]}}
    undo: {{call: drop, with: {{id: "{{{{ this.id }}}}"}}}}
  drop:
    request: {{method: DELETE, path: "/things/{{id}}"}}
    responses:
      dropped: {{status: 204, effects: [{{delete: state.things(path.id)}}]}}
  form:
    request: {{method: POST, path: /form, form: {{note: $string}}}}
    responses:
      ok: {{status: 200, json: $Echo}}
scenarios:
{ways}
  it is kept and used again:
    steps:
      - call: make
        with: {{note: "{{{{ {key} }}}}"}}
        expect: made
        keep: {{id: this.id, value: this.value}}
      - {{call: echo, with: {{way: "{{{{ id }}}}"}}}}
      - call: form
        with: {{note: "{{{{ id }}}} twice"}}
        expect: {{response: ok, json: {{note: "{{{{ {key} }}}}"}}}}
  it cannot be worked with:
    steps:
      - {{call: make, with: {{note: a}}, keep: {{value: this.value}}, check: [this.value != data.nothing]}}
      - {{call: echo, with: {{way: "{{{{ value | first | first }}}}", q: "{{{{ value + 1 }}}}"}}}}
data: {{nothing: none}}
"""
_WAY = """\
  by {way}:
    steps:
      - {{call: echo, with: {{way: {way}, q: "{{{{ {key} }}}}", headers.X-Mine: "{{{{ {key} }}}}"}}, expect: ok}}
"""
AUTHS = {
    "bearer": '{bearer: "{{ secrets.key }}"}',
    "basic": '{basic: ["{{ secrets.key }}", ""]}',
    "password": '{basic: [me, "{{ secrets.key }}"]}',
}


def contract_text(auth: str) -> str:
    """The contract. ``auth`` is a key of ``AUTHS``; "" for one that does not know that the key is a secret."""
    secrets = f'secrets: {{key: {{env: ECHO_KEY, allow: "sk_test_*"}}}}\nauth: {AUTHS[auth]}' if auth else ""
    key = "secrets.key" if auth else "data.key"
    text = _CONTRACT.format(secrets=secrets, ways="".join(_WAY.format(way=way, key=key) for way in WAYS), key=key)
    return text if auth else text.replace("nothing: none", f"nothing: none, key: {json.dumps(CANARY)}")


def needles() -> frozenset[bytes]:
    """What to look for: pieces that stay as they are in every encoding, and what base64 makes of the middle."""
    found = {CORE, CORE[:6], "test_/C"}
    for before in range(3):
        # Six letters in, the secret alone decides what follows, whatever stands before it in the group.
        found.add(_b64("." * before + CANARY)[12:24])
    return frozenset(text.encode() for text in found)


def leaks(content: bytes) -> list[bytes]:
    """What of the secret is in ``content``, with what stands around it."""
    places = [content.find(needle) for needle in sorted(needles()) if needle in content]
    return [content[max(0, place - 80) : place + 40] for place in places]
