"""Limits of the HTTP server, slow clients and half-closed connections, each on a real socket."""

from __future__ import annotations

import socket
import threading

from fakes.raw_client import Echo, RawClient, chunked, get, post, served, wait_until

from troth.contracts.exchange import Request, Response
from troth.simulators.limits import Limits

CHUNKED_POST = b"POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n"


def test_a_stated_length_above_the_limit_is_refused_at_once() -> None:
    with served(Echo(), Limits(body_bytes=4)) as server, RawClient(server.url) as client:
        assert client.ask(post(b"12345")[:-5]).code == "E314"


def test_a_chunked_body_is_refused_when_it_passes_the_limit() -> None:
    with served(Echo(), Limits(body_bytes=4)) as server, RawClient(server.url) as client:
        client.send(CHUNKED_POST + b"4\r\nabcd\r\n")
        reply = client.ask(b"1\r\ne\r\n")
        assert (reply.status, reply.code) == (413, "E314")


def test_a_body_at_the_limit_is_taken() -> None:
    with served(Echo(), Limits(body_bytes=4)) as server, RawClient(server.url) as client:
        assert client.ask(post(b"1234")).status == 200
        assert client.ask(CHUNKED_POST + chunked(b"12", b"34")).status == 200


def test_a_client_that_sends_on_after_a_refusal_still_reads_it() -> None:
    """Closing with unread bytes would make the kernel reset the connection, and the answer would be lost."""
    with served(Echo(), Limits(body_bytes=1000)) as server, RawClient(server.url) as client:
        client.send(post(b"x" * 2_000_000))
        assert client.read().code == "E314"


def test_too_many_headers_are_refused() -> None:
    with served(Echo(), Limits(headers=5)) as server, RawClient(server.url) as client:
        assert client.ask(get("/", *(f"X-{n}: 1" for n in range(4)))).status == 200
        reply = client.ask(get("/", *(f"X-{n}: 1" for n in range(5))))
        assert (reply.status, reply.code) == (431, "E313")
        assert client.at_end()


def test_headers_above_their_size_are_refused() -> None:
    with served(Echo(), Limits(head_bytes=300)) as server, RawClient(server.url) as client:
        assert client.ask(get("/", f"X: {'x' * 300}")).status == 431


def test_an_endless_header_is_refused_before_it_ends() -> None:
    with served(Echo(), Limits(head_bytes=300)) as server, RawClient(server.url) as client:
        client.send(b"GET / HTTP/1.1\r\nHost: test\r\nX: ")
        assert client.ask(b"x" * 400).status == 431


def test_an_endless_request_line_is_refused() -> None:
    with served(Echo(), Limits(head_bytes=300)) as server, RawClient(server.url) as client:
        reply = client.ask(b"GET /" + b"x" * 400)
        assert (reply.status, reply.code) == (414, "E313")


def test_endless_trailers_are_refused() -> None:
    with served(Echo(), Limits(head_bytes=300)) as server, RawClient(server.url) as client:
        client.send(CHUNKED_POST + b"1\r\na\r\n0\r\n")
        assert client.ask(b"X: %b\r\n" % (b"x" * 50) * 10).code == "E313"


def test_one_connection_too_many_is_told_so() -> None:
    with served(Echo(), Limits(connections=1)) as server, RawClient(server.url) as first:
        assert first.ask(get()).status == 200
        with RawClient(server.url) as second:
            reply = second.read()
            assert (reply.status, reply.code) == (503, "E318")
            assert second.at_end()
        assert first.ask(get()).status == 200


# Time


def test_a_head_that_never_ends_is_given_up() -> None:
    with served(Echo(), Limits(head_seconds=0.05)) as server, RawClient(server.url) as client:
        reply = client.ask(b"GET / HTTP/1.1\r\nHost:")
        assert (reply.status, reply.code) == (408, "E315")
        assert client.at_end()


def test_a_body_that_stops_coming_is_given_up() -> None:
    with served(Echo(), Limits(silence_seconds=0.05)) as server, RawClient(server.url) as client:
        assert client.ask(post(b"abc")[:-1]).code == "E315"


def test_a_body_that_takes_too_long_is_given_up() -> None:
    with served(Echo(), Limits(request_seconds=0.05)) as server, RawClient(server.url) as client:
        assert client.ask(post(b"abc")[:-1]).code == "E315"


def test_an_idle_connection_is_closed() -> None:
    with served(Echo(), Limits(idle_seconds=0.05)) as server, RawClient(server.url) as client:
        assert client.ask(get()).status == 200
        assert client.at_end()


def test_a_client_that_never_reads_is_dropped() -> None:
    big = Response(200, [], b"x" * 8_000_000)
    limits = Limits(silence_seconds=0.05, write_buffer=1000)
    with served(lambda request: big, limits) as server, RawClient(server.url) as client:
        client.send(get() * 3)
        assert wait_until(lambda: server.connections == 0)


# Half-close and slow readers


def test_a_client_may_close_its_side_and_still_read(client: RawClient) -> None:
    client.send(get("/1") + get("/2"))
    client.socket.shutdown(socket.SHUT_WR)
    assert [client.read().body, client.read().body] == [b"GET /1 ? ", b"GET /2 ? "]
    assert client.at_end()


def test_a_request_cut_off_by_a_half_close_is_refused(client: RawClient) -> None:
    client.send(post(b"abc")[:-1])
    client.socket.shutdown(socket.SHUT_WR)
    assert client.read().code == "E312"
    assert client.at_end()


def test_a_slow_reader_gets_everything_and_is_not_answered_ahead() -> None:
    """Of 200 pipelined requests only so many are answered as the write buffer and the sockets hold."""
    asked: list[str] = []
    first = threading.Event()

    def handler(request: Request) -> Response:
        asked.append(request.path)
        first.set()
        return Response(200, [], b"x" * 500_000)

    with served(handler, Limits(write_buffer=1000)) as server, RawClient(server.url) as client:
        client.send(b"".join(get(f"/{n}") for n in range(200)))
        assert first.wait(10)
        with RawClient(server.url) as other:  # answered, so the loop has done all it could for the slow one
            other.ask(get("/other"))
        assert len(asked) < 100
        assert [len(client.read().body) for _ in range(200)] == [500_000] * 200
        assert [path for path in asked if path != "/other"] == [f"/{n}" for n in range(200)]


def test_a_slow_reader_that_closed_its_side_gets_everything() -> None:
    big = Response(200, [], b"x" * 500_000)
    with served(lambda request: big, Limits(write_buffer=1000)) as server, RawClient(server.url) as client:
        client.send(get() * 20)
        client.socket.shutdown(socket.SHUT_WR)
        assert [len(client.read().body) for _ in range(20)] == [500_000] * 20
        assert client.at_end()
