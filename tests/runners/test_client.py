"""The client gives every outcome as data, whatever the other side does."""

from __future__ import annotations

import asyncio
import gzip

import pytest
from fakes.bad_provider import BadProvider, down
from fakes.tiny_server import Reply, Seen, TinyServer

from troth.contracts.contract import Auth
from troth.contracts.exchange import Request
from troth.runners.classify import unusable
from troth.runners.client import Attempt, Client, RequestLimits
from troth.runners.clock import RealClock
from troth.runners.credentials import Credentials

QUICK = RequestLimits(connect=10.0, read=0.2, total=30.0)
PATIENT = RequestLimits()


def send(
    url: str, request: Request | None = None, limits: RequestLimits = PATIENT, within: float | None = None
) -> Attempt:
    async def once() -> Attempt:
        async with Client(Credentials({}), RealClock(), limits) as client:
            return await client.send(request or Request("GET", "/things"), url, None, within)

    return asyncio.run(once())


@pytest.mark.parametrize(
    ("kind", "failure", "words"),
    [
        ("closes", "closed", "closed the connection without an answer"),
        ("resets", "reset", "broke the connection"),
        ("silent", "timeout", "did not answer in time"),
        ("garbage", "protocol", "did not answer in HTTP"),
        ("truncated", "closed", "in the middle of its answer"),
        ("huge", "too_large", "sent more than 8388608 bytes"),
        ("bad_gzip", "undecodable", "Content-Encoding does not decode"),
    ],
)
def test_a_broken_reply_is_a_failure_in_words(kind: str, failure: str, words: str) -> None:
    """Every way in which a connection goes wrong has a kind of its own and says which host it was."""
    with BadProvider(kind) as provider:
        attempt = send(provider.url, limits=QUICK if kind == "silent" else PATIENT)
    assert attempt.failure is not None
    assert attempt.failure.kind == failure
    assert words in attempt.failure.words
    assert provider.url.removeprefix("http://") in attempt.failure.words


def test_a_request_takes_no_longer_than_the_target_has_left() -> None:
    """Its own limits are far away."""
    with BadProvider("silent") as provider:
        attempt = send(provider.url, within=0.2)
    assert attempt.failure is not None
    assert (attempt.failure.kind, attempt.elapsed < 10) == ("timeout", True)


def test_nobody_there() -> None:
    """A refused connection and a name without address are told apart."""
    with down() as url:
        attempt = send(url)
    assert attempt.failure is not None
    assert attempt.failure.kind == "refused"
    nowhere = send("http://no-such-host.invalid")
    assert nowhere.failure is not None
    assert nowhere.failure.kind == "dns"
    assert "no-such-host.invalid" in nowhere.failure.words


def test_plain_http_where_tls_is_asked_for() -> None:
    """A TLS failure is said to be one."""
    with TinyServer(lambda seen: Reply(200)) as server:
        attempt = send(server.url.replace("http:", "https:"))
    assert attempt.failure is not None
    assert attempt.failure.kind in ("tls", "protocol")
    assert "127.0.0.1" in attempt.failure.words


def test_a_reply_that_drips_ends_at_the_total_limit() -> None:
    """Each read is quick enough, the whole is not."""
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    with TinyServer(lambda seen: head) as server:
        attempt = send(server.url, limits=RequestLimits(connect=2.0, read=30.0, total=0.2))
    assert attempt.failure is not None
    assert attempt.failure.kind in ("timeout", "closed")


@pytest.mark.parametrize("kind", ["html", "bad_utf8", "bad_json", "bad_gateway"])
def test_front_door_replies_are_unusable(kind: str) -> None:
    """HTML, and JSON that does not parse, come back whole and are known as unusable."""
    with BadProvider(kind) as provider:
        attempt = send(provider.url)
    assert attempt.failure is None
    assert attempt.response is not None
    assert unusable(attempt.response)


def test_bytes_go_out_as_they_are() -> None:
    """Brackets, dot segments and percent signs are not tidied, and the base path stands before."""
    with TinyServer(lambda seen: Reply(201, {"ok": True}, {"X-One": "1"})) as server:
        request = Request("POST", "/v1/../a%2Fb", "expand[]=x&a%5Bb%5D=c", [(b"X-Mixed-Case", b"y")], b"k[0]=1")
        attempt = send(server.url + "/base/", request)
    assert server.seen == [Seen("POST", "/base/v1/../a%2Fb?expand[]=x&a%5Bb%5D=c", server.seen[0].headers, b"k[0]=1")]
    assert server.seen[0].headers["x-mixed-case"] == "y"
    assert attempt.response is not None
    assert attempt.response.status == 201
    assert (b"X-One", b"1") in attempt.response.headers
    assert attempt.request.path == "/v1/../a%2Fb"
    assert (b"X-Mixed-Case", b"y") in attempt.request.headers


def test_redirects_are_replies_and_cookies_are_not_kept() -> None:
    """A redirect is not followed; what one reply sets the next request does not send."""
    with TinyServer(lambda seen: Reply(302, b"", {"Location": "/other", "Set-Cookie": "sid=1"})) as server:

        async def twice() -> list[Attempt]:
            async with Client(Credentials({}), RealClock()) as client:
                return [await client.send(Request("GET", "/"), server.url, None) for _ in range(2)]

        attempts = asyncio.run(twice())
    assert [attempt.response and attempt.response.status for attempt in attempts] == [302, 302]
    assert [seen.path for seen in server.seen] == ["/", "/"]
    assert all("cookie" not in seen.headers for seen in server.seen)


def test_a_safe_request_is_sent_once_more_when_the_connection_breaks() -> None:
    """A GET is tried twice, a POST never."""
    with BadProvider("closes") as provider:
        send(provider.url, Request("GET", "/"))
        assert len(provider.seen) == 2
        send(provider.url, Request("POST", "/", body=b"x"))
        assert len(provider.seen) == 3


def test_gzip_is_decoded() -> None:
    """A target that compresses against our wish is still read."""
    body = gzip.compress(b'{"a": 1}')
    with TinyServer(lambda seen: Reply(200, body, {"Content-Encoding": "gzip"})) as server:
        attempt = send(server.url)
    assert attempt.response is not None
    assert attempt.response.body == b'{"a": 1}'


class Constant:
    """A text of a contract with the secret in it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def value(self, scope: object) -> object:
        return scope.get("secrets").item(self.name)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("auth", "header"),
    [
        (Auth("bearer", token=Constant("key")), "Bearer sk_1"),  # type: ignore[arg-type]
        (Auth("basic", username=Constant("key")), "Basic c2tfMTo="),  # type: ignore[arg-type]
        (Auth("basic", username=Constant("key"), password=Constant("pass")), "Basic c2tfMTpw"),  # type: ignore[arg-type]
        (Auth("bearer", token=Constant("other")), None),  # type: ignore[arg-type]
        (Auth("none"), None),
        (None, None),
    ],
)
def test_credentials_are_applied_when_sent(auth: Auth | None, header: str | None) -> None:
    """The header is made from the secrets that the client holds, and shows in no repr."""
    with TinyServer(lambda seen: Reply(200)) as server:

        async def once() -> tuple[Attempt, Client, Credentials]:
            credentials = Credentials({"key": "sk_1", "pass": "p"})
            async with Client(credentials, RealClock()) as client:
                return await client.send(Request("GET", "/"), server.url, auth), client, credentials

        attempt, client, credentials = asyncio.run(once())
    assert server.seen[0].headers.get("authorization") == header
    assert "sk_1" not in repr((attempt, client, credentials, credentials.secrets))
