"""The simulator: in process, over a port, from several threads."""

from __future__ import annotations

import gc
import json
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from fakes.raw_client import RawClient, get, post
from fakes.responder import FakeModel, failing

from troth.contracts.exchange import Request, Response
from troth.contracts.judgement import Answer
from troth.errors import UsageError
from troth.simulators.simulator import Simulator

SECRET = "sk_live_canary_77"


@pytest.fixture
def model() -> FakeModel:
    return FakeModel({"/fail": failing})


@pytest.fixture
def simulator(model: FakeModel) -> Iterator[Simulator]:
    with Simulator(model, frozen=1000.0) as running:
        yield running


@pytest.fixture
def client(simulator: Simulator) -> Iterator[RawClient]:
    with RawClient(simulator.url) as connected:
        yield connected


def ask(simulator: Simulator, path: str) -> Response:
    return simulator.handle(Request("GET", path))


def test_it_answers_over_its_url(client: RawClient) -> None:
    assert [client.ask(get("/count")).body for _ in range(2)] == [b"1", b"2"]


def test_it_answers_without_a_socket() -> None:
    assert ask(Simulator(FakeModel()), "/count").body == b"1"


def test_the_url_is_known_only_while_it_listens(model: FakeModel) -> None:
    simulator = Simulator(model)
    for _ in range(2):
        with pytest.raises(UsageError, match=r"E305 the URL .* Use it as a context manager"):
            _ = simulator.url
        with simulator:
            assert simulator.url.startswith("http://127.0.0.1:")


def test_starting_twice_is_an_error(simulator: Simulator) -> None:
    with pytest.raises(UsageError, match=r"E305 start .* it listens already"):
        simulator.__enter__()


def test_a_port_in_use_is_an_error_of_the_caller(simulator: Simulator, model: FakeModel) -> None:
    port = int(simulator.url.rpartition(":")[2])
    second = Simulator(model, port=port)
    with pytest.raises(UsageError, match="E300"), second:
        pass


def test_dates_follow_the_simulators_clock(simulator: Simulator, client: RawClient, model: FakeModel) -> None:
    assert client.ask(get("/count")).headers["date"] == "Thu, 01 Jan 1970 00:16:40 GMT"
    simulator.clock.advance(86400)
    assert client.ask(get("/count")).headers["date"] == "Fri, 02 Jan 1970 00:16:40 GMT"
    assert [now for _, now, _ in model.asked] == [1000.0, 87400.0]


def test_steering_is_for_the_next_request_only(simulator: Simulator, model: FakeModel) -> None:
    simulator.steer("review", "at_once")
    ask(simulator, "/count")
    ask(simulator, "/count")
    assert [steer for _, _, steer in model.asked] == [("review", "at_once"), None]


def test_reset_goes_back_to_the_start(simulator: Simulator, model: FakeModel) -> None:
    ask(simulator, "/count")
    ask(simulator, "/nowhere")
    simulator.clock.advance(5)
    simulator.steer("anything")
    simulator.reset()
    assert (len(simulator.journal), simulator.journal.unmatched, simulator.clock.now()) == (0, (), 1000.0)
    assert ask(simulator, "/count").body == b"1"
    assert model.asked == [("/count", 1000.0, None)]


def test_the_same_requests_give_the_same_bytes(simulator: Simulator) -> None:
    def run() -> bytes:
        with RawClient(simulator.url) as client:
            client.send(get("/count") + post(b"x", "/echo") + get("/nowhere") + get("/count", "Connection: close"))
            return client.file.read()

    first = run()
    simulator.reset()
    assert run() == first


# What nothing answers


def test_an_unexpected_request_gets_a_501_that_explains_itself(simulator: Simulator, client: RawClient) -> None:
    reply = client.ask(get("/pong"))
    assert (reply.status, reply.code) == (501, "E310")
    said = json.loads(reply.body)["troth"]
    assert said["message"] == "nothing in the contract of FakeModel answers GET /pong"
    assert said["nearest"][0]["why"] == [{"at": "path", "want": "/ping", "got": "/pong"}]


def test_an_unexpected_request_is_kept(simulator: Simulator, client: RawClient) -> None:
    client.ask(get("/count"))
    client.ask(get("/pong"))
    (entry,) = simulator.journal.unmatched
    assert (entry.request.path, entry.response.status) == ("/pong", 501)
    assert "path: wants /ping, got /pong" in entry.explanation


def test_a_model_that_fails_is_a_500_without_its_text(
    simulator: Simulator, client: RawClient, caplog: pytest.LogCaptureFixture
) -> None:
    reply = client.ask(get(f"/fail?{SECRET}", f"Authorization: Bearer {SECRET}"))
    assert (reply.status, reply.code) == (500, "E311")
    assert b"broke" not in reply.body
    assert "RuntimeError at" in caplog.text
    assert "broke on [redacted]" in caplog.text
    assert SECRET not in caplog.text
    assert "broke on [redacted]" in simulator.journal.unmatched[0].explanation
    assert client.ask(get("/count")).status == 200


def test_the_explanation_does_not_echo_credentials(client: RawClient) -> None:
    reply = client.ask(get(f"/{SECRET}", f"Authorization: Bearer {SECRET}"))
    assert SECRET.encode() not in reply.body
    assert b"[redacted]" in reply.body


# Threads


def test_requests_from_many_threads_are_answered_one_after_another(simulator: Simulator) -> None:
    def call(number: int) -> bytes:
        if number % 2:
            return ask(simulator, "/count").body
        with RawClient(simulator.url) as client:
            return client.ask(get("/count")).body

    with ThreadPoolExecutor(8) as pool:
        answers = sorted(int(body) for body in pool.map(call, range(200)))
    assert answers == list(range(1, 201))
    assert len(simulator.journal.for_operation("count")) == 200


def test_resetting_during_requests_never_mixes_states(simulator: Simulator) -> None:
    stop = threading.Event()

    def load() -> None:
        with RawClient(simulator.url) as client:
            while not stop.is_set():
                assert client.ask(get("/count")).status == 200

    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(load) for _ in range(2)]
        for _ in range(200):
            simulator.reset()
            _ = simulator.journal.entries
        stop.set()
        for future in running:
            future.result(10)


def test_the_lock_is_free_again_after_an_error(simulator: Simulator) -> None:
    ask(simulator, "/fail")
    assert ask(simulator, "/count").body == b"1"


# Start and stop


def test_nothing_is_left_behind(model: FakeModel) -> None:
    def open_files() -> int:
        return len(os.listdir("/proc/self/fd"))

    with Simulator(model):
        pass
    gc.collect()
    files, threads = open_files(), threading.active_count()
    for _ in range(20):
        with Simulator(model) as simulator, RawClient(simulator.url) as client:
            client.ask(get("/count"))
    assert threading.active_count() == threads
    assert open_files() == files


def test_many_live_at_once(model: FakeModel) -> None:
    simulators = [Simulator(FakeModel()) for _ in range(20)]
    for simulator in simulators:
        simulator.__enter__()
    try:
        assert len({simulator.url for simulator in simulators}) == 20
        for simulator in simulators:
            with RawClient(simulator.url) as client:
                assert client.ask(get("/count")).body == b"1"
    finally:
        for simulator in simulators:
            simulator.__exit__(None, None, None)


def test_stopping_does_not_wait_for_a_client_that_does_not_read() -> None:
    big = FakeModel({"/big": lambda request: Answer(Response(200, [], b"x" * 8_000_000), "big", "big")})
    with Simulator(big) as simulator:
        client = RawClient(simulator.url)
        client.send(get("/big") * 3)
        assert client.file.peek(1)
        began = time.monotonic()
    assert time.monotonic() - began < 5
    client.__exit__(None, None, None)


def test_an_error_in_the_block_comes_through_and_the_simulator_stops(model: FakeModel) -> None:
    simulator = Simulator(model)
    with pytest.raises(KeyError), simulator:
        raise KeyError("mine")
    with pytest.raises(UsageError):
        _ = simulator.url


def test_it_names_itself(simulator: Simulator) -> None:
    assert repr(simulator) == f"Simulator('FakeModel', {simulator.url})"
