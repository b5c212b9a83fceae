"""Serves the simulators of several contracts until the process is told to stop: the core of ``troth simulate``."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from types import FrameType

from troth.contracts.contract import Contract
from troth.contracts.document.collector import collector_seldom
from troth.errors import UsageError
from troth.simulators.limits import Limits
from troth.simulators.listener import listen
from troth.simulators.simulator import Simulator
from troth.simulators.thread import ServerThread

__all__ = ["Served", "serving"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Served:
    """Simulators that listen; ``urls`` and ``simulators`` are by provider."""

    def __init__(self, urls: Mapping[str, str], simulators: Mapping[str, Simulator]) -> None:
        self.urls = urls
        self.simulators = simulators
        self._stop = threading.Event()

    def stop(self) -> None:
        """Let ``wait`` return; from any thread or signal handler."""
        self._stop.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Until ``stop``, SIGINT or SIGTERM; False when ``seconds`` went by first."""
        return self._stop.wait(seconds)


@contextmanager
def serving(
    contracts: Sequence[Contract],
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    seed: int = 0,
    journal: int = 1000,
    limits: Limits | None = None,
) -> Iterator[Served]:
    """Each contract on a port of its own: ``port`` if there is one contract, else any free ones; all on one thread.

    Inside the block the garbage collector runs seldom, and (when entered from the main thread) SIGINT and SIGTERM call
    ``stop``; a second one acts as usual.
    Raises UsageError: E303 for a provider given twice, or a port for several; E300 to E302 as ``listen`` does.
    """
    _check(contracts, port)
    simulators = {
        contract.provider: Simulator(contract, seed=seed, journal=journal, limits=limits) for contract in contracts
    }
    with ExitStack() as stack:
        stack.enter_context(collector_seldom())
        pairs = []
        for simulator in simulators.values():
            sock = listen(host, port)
            stack.callback(sock.close)
            pairs.append((simulator.server(), sock))
        thread = ServerThread(pairs, "serving")
        stack.callback(thread.stop)
        urls = {provider: server.url for provider, (server, _) in zip(simulators, pairs, strict=True)}
        served = Served(urls, simulators)
        stack.enter_context(_signals(served))
        yield served


def _check(contracts: Sequence[Contract], port: int) -> None:
    providers = [contract.provider for contract in contracts]
    if not providers:
        raise UsageError("E303", "contracts to serve", "none", "Name a file, a folder or a pack")
    twice = sorted({provider for provider in providers if providers.count(provider) > 1})
    if twice:
        raise UsageError(
            "E303", "one contract for each provider", f"several for {', '.join(twice)}", "Leave all but one out"
        )
    if port and len(providers) > 1:
        found = f"port {port} for {len(providers)} of them"
        raise UsageError(
            "E303", "a port of its own for each provider", found, "Leave the port out, or serve one contract"
        )


@contextmanager
def _signals(served: Served) -> Iterator[None]:
    """The first signal stops; handlers are as before from then on, so that a second one ends a stop that hangs."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def stop(number: int, frame: FrameType | None) -> None:
        restore()
        served.stop()

    for number in _SIGNALS:
        signal.signal(number, stop)
    try:
        yield
    finally:
        restore()
