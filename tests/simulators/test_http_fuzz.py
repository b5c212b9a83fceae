"""Any split of valid requests gives the same answers; nonsense never stops the server."""

from __future__ import annotations

import itertools
import socket
from dataclasses import dataclass, field

from fakes.raw_client import Echo, RawClient, chunked, get, post, served
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from troth.contracts.exchange import Request
from troth.simulators.known_heads import KnownHeads
from troth.simulators.limits import Limits
from troth.simulators.refusal import Refused
from troth.simulators.request_reader import RequestReader

quick = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))

tokens = st.text("abcXYZ019-_", min_size=1, max_size=8)
paths = tokens.map(lambda text: f"/{text}")
bodies = st.binary(max_size=40)
extras = st.lists(st.tuples(tokens, tokens).map(lambda pair: f"X-{pair[0]}: {pair[1]}"), max_size=3)


def _chunked_post(path: str, parts: list[bytes]) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    return head + chunked(*(part for part in parts if part))


requests = st.one_of(
    st.builds(lambda path, more: get(path, *more), paths, extras),
    st.builds(lambda body, path, more: post(body, path, *more), bodies, paths, extras),
    st.builds(_chunked_post, paths, st.lists(bodies, max_size=3)),
    st.builds(lambda body, path: post(body, path, "Connection: upgrade", "Upgrade: h2c"), bodies, paths),
)


@dataclass
class Seen:
    """A sink that keeps what it is given."""

    events: list[tuple[Request, bool, str]] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)

    def on_request(self, request: Request, keep_alive: bool, version: str) -> None:
        self.events.append((request, keep_alive, version))

    def on_continue(self) -> None:
        pass


def read(pieces: list[bytes], known: KnownHeads) -> Seen:
    """What a reader makes of ``pieces``, fed one after another."""
    seen = Seen()
    reader = RequestReader(Limits(head_bytes=2000, body_bytes=2000), seen, known)
    try:
        for piece in pieces:
            reader.feed(piece)
    except Refused as refused:
        seen.refusals.append(refused.refusal.code)
    return seen


def split(data: bytes, cuts: list[int]) -> list[bytes]:
    """``data`` cut at ``cuts`` (taken modulo its length)."""
    at = sorted({cut % len(data) for cut in cuts} | {0, len(data)}) if data else [0, 0]
    return [data[a:b] for a, b in itertools.pairwise(at)]


@quick
@given(st.lists(requests, min_size=1, max_size=6), st.lists(st.integers(0, 10_000), max_size=12))
def test_any_split_gives_the_same_requests(pipelined: list[bytes], cuts: list[int]) -> None:
    data = b"".join(pipelined)
    known = KnownHeads()
    one_by_one = read(pipelined, known)
    assert len(one_by_one.events) == len(pipelined)
    for pieces in (pipelined, [data], split(data, cuts), [bytes([byte]) for byte in data]):
        assert read(pieces, known) == one_by_one


@quick
@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=5))
def test_any_split_of_nonsense_gives_the_same_requests_and_refusals(data: bytes, cuts: list[int]) -> None:
    assert read(split(data, cuts), KnownHeads()) == read([data], KnownHeads())


@quick
@given(st.lists(requests, min_size=1, max_size=3), st.integers(0, 10_000), st.binary(min_size=1, max_size=3))
def test_a_damaged_request_is_read_or_refused_in_any_split(pipelined: list[bytes], at: int, noise: bytes) -> None:
    data = b"".join(pipelined)
    place = at % len(data)
    damaged = data[:place] + noise + data[place + 1 :]
    assert read([bytes([byte]) for byte in damaged], KnownHeads()) == read([damaged], KnownHeads())


@given(st.binary(min_size=1, max_size=6).filter(lambda text: text.strip() == text))
@settings(max_examples=300, deadline=None)
def test_the_shortcut_takes_no_request_line_that_the_parser_refuses(text: bytes) -> None:
    line = b"GET /" + text + b" HTTP/1.1\r\nHost: test\r\n\r\n"
    known = KnownHeads()
    read([get()], known)
    assert read([line], known) == read([line], KnownHeads())


def test_the_shortcut_agrees_with_the_parser_on_every_byte() -> None:
    known = KnownHeads()
    read([get()], known)
    for byte in range(256):
        for target in (b"/a%bb", b"/a?x%by", b"%b/", b"/?%b"):
            line = b"GET " + target % bytes([byte]) + b" HTTP/1.1\r\nHost: test\r\n\r\n"
            assert read([line], known) == read([line], KnownHeads()), line


def test_the_shortcut_is_taken() -> None:
    known = KnownHeads()
    assert known.find(post(b"abc")) is None
    first = read([post(b"abc", "/a", "X: 1")], known).events[0][0]
    second = known.find(post(b"xyz", "/b?c=d", "X: 1"))
    assert second is not None
    assert (second.path, second.query, second.body, second.host) == ("/b", "c=d", b"xyz", "test")
    assert second.headers is first.headers


def test_the_shortcut_is_bounded() -> None:
    known = KnownHeads()
    for number in range(1000):
        read([get("/", f"X: {number}")], known)
    assert known.find(get("/", "X: 0")) is None
    assert known.find(get("/", "X: 999")) is not None


def test_split_pipelined_requests_over_a_socket() -> None:
    """The same through the real server: forty cuts, forty writes."""
    wanted = [get("/a"), post(b"body", "/b"), _chunked_post("/c", [b"one", b"two"]), get("/d")]
    data = b"".join(wanted)
    with served(Echo()) as server:
        for step in (1, 7, len(data)):
            with RawClient(server.url) as client:
                client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for start in range(0, len(data), step):
                    client.send(data[start : start + step])
                bodies = [client.read().body for _ in wanted]
                assert bodies == [b"GET /a ? ", b"POST /b ? body", b"POST /c ? onetwo", b"GET /d ? "]


def test_nonsense_never_stops_the_server() -> None:
    echo = Echo()
    with served(echo, Limits(head_bytes=2000, body_bytes=2000)) as server:

        @settings(max_examples=60, deadline=None)
        @given(st.binary(min_size=1, max_size=400))
        def send(data: bytes) -> None:
            with RawClient(server.url) as client:
                client.send(data)
                client.socket.shutdown(socket.SHUT_WR)
                answer = client.file.read()
                assert not answer or answer.startswith(b"HTTP/1.1 ")

        send()
        with RawClient(server.url) as client:
            assert client.ask(get("/still")).body == b"GET /still ? "
