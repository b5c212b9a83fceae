"""Serving several contracts until told to stop."""

from __future__ import annotations

import dataclasses
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes.raw_client import RawClient, get

from troth.contracts.contract import Contract
from troth.errors import UsageError
from troth.simulators.listener import listen
from troth.simulators.serving import serving

PROGRAM = """\
import json, sys
from troth.contracts.loader import load
from troth.simulators.serving import serving
with serving([load(sys.argv[1])]) as served:
    print(json.dumps(dict(served.urls)), flush=True)
    served.wait()
print("stopped", flush=True)
"""


@pytest.fixture
def two(acmepay: Contract) -> list[Contract]:
    return [acmepay, dataclasses.replace(acmepay, provider="other")]


@pytest.fixture
def program(acmepay_path: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", PROGRAM, str(acmepay_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


def test_each_provider_has_a_port_of_its_own(two: list[Contract]) -> None:
    with serving(two) as served:
        assert list(served.urls) == ["acmepay", "other"]
        for url in served.urls.values():
            with RawClient(url) as client:
                assert client.ask(get("/nowhere")).code == "E310"
        assert [len(simulator.journal.unmatched) for simulator in served.simulators.values()] == [1, 1]


def test_a_port_is_taken_for_one_contract(acmepay: Contract) -> None:
    with listen("127.0.0.1", 0) as sock:
        port = sock.getsockname()[1]
    with serving([acmepay], port=port) as served:
        assert served.urls == {"acmepay": f"http://127.0.0.1:{port}"}


def test_a_port_for_several_is_refused(two: list[Contract]) -> None:
    with pytest.raises(UsageError, match=r"E303 .*found port 4010 for 2 of them"), serving(two, port=4010):
        pass


def test_a_provider_twice_is_refused(acmepay: Contract) -> None:
    with pytest.raises(UsageError, match=r"E303 .*several for acmepay"), serving([acmepay, acmepay]):
        pass


def test_no_contract_is_refused() -> None:
    with pytest.raises(UsageError, match="E303"), serving([]):
        pass


def test_a_port_in_use_is_said_and_leaves_nothing_open(acmepay: Contract) -> None:
    with listen("127.0.0.1", 0) as sock:
        port = sock.getsockname()[1]
        with pytest.raises(UsageError, match="E300"), serving([acmepay], port=port):
            pass


def test_stop_ends_the_wait_from_another_thread(acmepay: Contract) -> None:
    with serving([acmepay]) as served:
        assert not served.wait(0)
        threading.Thread(target=served.stop).start()
        assert served.wait(10)


def test_signal_handlers_are_as_before_afterwards(acmepay: Contract) -> None:
    before = signal.getsignal(signal.SIGINT)
    with serving([acmepay]):
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_cleanly(program: subprocess.Popen[str], number: signal.Signals) -> None:
    assert program.stdout is not None
    url = json.loads(program.stdout.readline())["acmepay"]
    with RawClient(url) as client:
        client.ask(get("/nowhere"))
        program.send_signal(number)
        assert client.at_end()
    out, err = program.communicate(timeout=10)
    assert (program.returncode, out, err) == (0, "stopped\n", "")
