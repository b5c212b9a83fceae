"""A target as the engine sees it: where it is, how to talk to it, and how time passes there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from troth.contracts.contract import Contract, Operation, Target
from troth.runners.client import Client, RequestLimits, Sender
from troth.runners.clock import Clock, RealClock, Skew
from troth.runners.credentials import Credentials, fitting
from troth.simulators.transport import SimulatorTransport

if TYPE_CHECKING:
    from troth.runners.gate import Open
    from troth.simulators.simulator import Simulator

__all__ = ["RunTarget", "sandbox_target", "simulator_target"]


@dataclass(frozen=True, slots=True)
class RunTarget:
    """``name`` and ``url`` are shown; ``steer`` exists on a simulator only, where time is turned and not waited for."""

    name: str
    url: str
    client: Sender
    clock: Clock
    credentials: Credentials
    skew: Skew
    limits: Target
    hosts: Mapping[str, str] = field(default_factory=dict)
    steer: Callable[[str], None] | None = None
    give: Callable[..., None] | None = None
    """Puts a record (collection, fields) there; on a sandbox somebody has done that."""
    wires: tuple[str, ...] = ()
    """Those that it speaks; empty: all. A simulator speaks all, and these first, to be compared with who does not."""

    @property
    def simulated(self) -> bool:
        """Is it a simulator?"""
        return self.steer is not None

    def speaks(self, wire: str) -> bool:
        """Can it be called on that wire?"""
        return self.simulated or not self.wires or wire in self.wires

    def spoken(self, operation: Operation) -> Operation | None:
        """The operation on its first wire that is spoken here; None: it has none."""
        if not self.wires or not operation.wires:
            return operation
        found = next((found for wire, found in operation.wires.items() if wire in self.wires), None)
        return operation if found is None and self.simulated else found

    def base(self, operation: Operation) -> str:
        """The base URL for an operation."""
        return self.hosts.get(operation.request.host or "", self.url)


def sandbox_target(opened: Open, limits: RequestLimits | None = None) -> RunTarget:
    """The target behind an open gate."""
    clock = RealClock()
    proxy, ca, shown = opened.target.proxy, opened.target.ca, opened.identities
    client = Client(opened.credentials, clock, limits, proxy=proxy, ca=ca, identities=shown)
    return RunTarget(
        name=opened.target.name,
        url=opened.url,
        client=client,
        clock=clock,
        credentials=opened.credentials,
        skew=Skew(),
        limits=opened.target,
        hosts=opened.hosts,
        wires=opened.target.wires,
    )


def simulator_target(contract: Contract, simulator: Simulator, wires: tuple[str, ...] = ()) -> RunTarget:
    """A simulator in this process, without a socket. ``wires``: those of the target that it is compared with."""
    credentials = fitting(contract)
    clock = _SimulatorClock(simulator)
    return RunTarget(
        name="simulator",
        url="http://simulator",
        client=Client(credentials, clock, transport=SimulatorTransport(simulator)),
        clock=clock,
        credentials=credentials,
        skew=Skew(base=0.0),
        limits=Target("simulator"),
        steer=partial(simulator.steer, must=False),
        give=simulator.given,
        wires=wires,
    )


class _SimulatorClock:
    """The simulator's clock, turned forward instead of waited for."""

    def __init__(self, simulator: Simulator) -> None:
        self._clock = simulator.clock

    def now(self) -> float:
        return self._clock.now()

    async def sleep(self, seconds: float) -> None:
        self._clock.advance(seconds)
