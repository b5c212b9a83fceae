"""The simulator as an httpx transport."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
from fakes.responder import FakeModel, failing

from troth.contracts.exchange import Response
from troth.contracts.judgement import Answer
from troth.simulators.limits import Limits
from troth.simulators.simulator import Simulator
from troth.simulators.transport import SimulatorTransport

BASE = "http://fake.test"


def client(simulator: Simulator, limits: Limits | None = None) -> httpx.Client:
    return httpx.Client(transport=SimulatorTransport(simulator, limits), base_url=BASE)


@pytest.fixture
def simulator() -> Simulator:
    broken = Answer(Response(200, [(b"X", b"a\r\nb")]), "bad", "bad")
    return Simulator(FakeModel({"/fail": failing, "/bad": lambda request: broken}), frozen=1000.0)


def test_a_request_comes_through_as_a_server_would_see_it(simulator: Simulator) -> None:
    with client(simulator) as http:
        reply = http.post("/echo?a=1&a=2", content=b"\x00body")
    assert (reply.status_code, reply.content, reply.headers["x-echo"]) == (200, b"\x00body", "yes")
    request = simulator.journal.entries[0].request
    assert (request.method, request.path, request.query, request.host) == ("POST", "/echo", "a=1&a=2", "fake.test")


def test_date_and_length_are_added(simulator: Simulator) -> None:
    with client(simulator) as http:
        headers = http.post("/echo", content=b"four").headers
    assert (headers["date"], headers["content-length"]) == ("Thu, 01 Jan 1970 00:16:40 GMT", "4")


def test_async_clients_share_state_with_sync_ones(simulator: Simulator) -> None:
    async def ask() -> str:
        async with httpx.AsyncClient(transport=SimulatorTransport(simulator), base_url=BASE) as http:
            return (await http.get("/count")).text

    with client(simulator) as http:
        assert (http.get("/count").text, asyncio.run(ask()), http.get("/count").text) == ("1", "2", "3")


def test_streamed_bodies_are_read(simulator: Simulator) -> None:
    def pieces() -> Iterator[bytes]:
        yield from (b"one ", b"two")

    async def async_pieces() -> AsyncIterator[bytes]:
        for piece in pieces():
            yield piece

    async def ask() -> bytes:
        async with httpx.AsyncClient(transport=SimulatorTransport(simulator), base_url=BASE) as http:
            return (await http.post("/echo", content=async_pieces())).content

    with client(simulator) as http:
        assert http.post("/echo", content=pieces()).content == asyncio.run(ask()) == b"one two"


def test_what_the_body_raises_comes_through(simulator: Simulator) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"one"
        raise ZeroDivisionError

    with client(simulator) as http, pytest.raises(ZeroDivisionError):
        http.post("/echo", content=pieces())
    assert len(simulator.journal) == 0


def test_head_has_no_body(simulator: Simulator) -> None:
    with client(simulator) as http:
        reply = http.head("/count")
    assert (reply.content, reply.headers["content-length"]) == (b"", "1")


def test_unexpected_requests_and_failures_are_answered_as_on_a_port(simulator: Simulator) -> None:
    with client(simulator) as http:
        codes = {path: http.get(path).headers["troth-error"] for path in ("/nowhere", "/fail", "/bad")}
    assert codes == {"/nowhere": "E310", "/fail": "E311", "/bad": "E311"}


def test_a_body_above_the_limit_is_refused(simulator: Simulator) -> None:
    async def ask() -> int:
        transport = SimulatorTransport(simulator, Limits(body_bytes=3))
        async with httpx.AsyncClient(transport=transport, base_url=BASE) as http:
            return (await http.post("/echo", content=b"1234")).status_code

    with client(simulator, Limits(body_bytes=3)) as http:
        reply = http.post("/echo", content=b"1234")
    assert (reply.status_code, reply.headers["troth-error"], asyncio.run(ask())) == (413, "E314", 413)


def test_only_http_is_answered(simulator: Simulator) -> None:
    with client(simulator) as http, pytest.raises(httpx.UnsupportedProtocol, match="and this is 'ftp'"):
        http.get("ftp://fake.test/file")


def test_it_names_itself(simulator: Simulator) -> None:
    assert repr(SimulatorTransport(simulator)) == "SimulatorTransport(Simulator('FakeModel', not listening))"
