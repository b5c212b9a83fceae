"""Runs of ``troth drift`` against the twin, each in a project folder of its own, after nights of agreement."""

from __future__ import annotations

import gc
import shutil
import socket
import ssl
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from troth.contracts.contract import Contract
from troth.contracts.loader import load
from troth.runners.client import RequestLimits
from troth.runners.drift import DriftSettings, run_drift
from troth.runners.finding import Run

from .rows import Edit
from .twin.provider import KEY, Plant, Provider
from .twin.wire import Manners, Wire

__all__ = ["CONTRACT", "Night", "Nights", "NoAgreement", "closed_port", "nights", "no_certificate"]

CONTRACT = Path(__file__).parent / "contract"
QUICK = RequestLimits(connect=2.0, read=2.0, total=4.0)
PLAIN = Manners()


class NoAgreement(Exception):
    """A night that plants nothing did not agree: there is nothing to measure from."""


class TwinFailed(Exception):
    """A defect in the twin, or in what was planted in it: the night says nothing."""


class Night(NamedTuple):
    """How a night differs from the first."""

    plants: Sequence[Plant] = ()
    seed: int = 1
    ahead: float = 0.0
    """Seconds that the provider's clock is ahead of ours."""
    manners: Manners = PLAIN
    contract: Contract | None = None
    url: str = ""
    past: int = 1
    """So many nights of agreement come first."""


@dataclass
class Nights:
    """A twin, and stores that hold nights of agreement with it."""

    provider: Provider
    wire: Wire
    folder: Path

    def __post_init__(self) -> None:
        self.contract = load(shutil.copytree(CONTRACT, self.folder / "twin") / "contract.yaml")
        self._agreed: list[Path] = []
        """Stores with one, two, three ... nights of agreement."""
        self._edits = 0

    def agreed(self, nights: int = 1) -> Path:
        """A store with so many nights of agreement. Raises ``NoAgreement`` when one of them is none."""
        while len(self._agreed) < nights:
            number = len(self._agreed)
            store = self.folder / f"agreed{number}.db"
            if self._agreed:
                shutil.copyfile(self._agreed[-1], store)
            run = self._run(Night(seed=-number), store)
            (provider,) = run.providers
            if run.exit_code != 0 or provider.findings:
                found = [f"{one.kind} {one.operation} {one.path}" for one in provider.findings]
                raise NoAgreement(f"night {number + 1}: {run.verdict.value}; {provider.reason or found}")
            self._agreed.append(store)
        return self._agreed[nights - 1]

    def run(self, night: Night) -> Run:
        """A night after these."""
        store = self.folder / "night.db"
        shutil.copyfile(self.agreed(night.past), store)
        return self._run(night, store)

    def edited(self, edit: Edit) -> Contract:
        """The contract after an edit, in the same place."""
        shutil.rmtree(self.folder / "twin")
        folder = shutil.copytree(CONTRACT, self.folder / "twin")
        files = sorted(folder.rglob("*.yaml")) if edit.file == "*" else [folder / edit.file]
        found = 0
        for file in files:
            text = file.read_text(encoding="utf-8")
            found += text.count(edit.old)
            file.write_text(text.replace(edit.old, edit.new), encoding="utf-8")
        if not found:
            raise LookupError(f"the edit {edit.name!r} finds nothing to change")
        return load(folder / "contract.yaml")

    def restore(self) -> None:
        """The contract as it was."""
        shutil.rmtree(self.folder / "twin")
        shutil.copytree(CONTRACT, self.folder / "twin")

    def _run(self, night: Night, store: Path) -> Run:
        self.provider.reset(night.plants, night.seed, night.ahead)
        self.wire.manners = night.manners
        contract = night.contract or self.contract
        settings = DriftSettings(
            sandbox=True,
            urls={contract.provider: night.url or self.wire.url},
            environment={"TWIN_KEY": KEY},
            root=self.folder,
            store=store,
            limits=QUICK,
        )
        run = run_drift([contract], settings)
        if self.wire.defects:
            raise TwinFailed("the twin itself failed") from self.wire.defects.pop()
        # A run leaves cycles, and loading a contract makes Python think that all of it is old: without this, 7 MB of
        # every night would stay.
        gc.collect()
        return run


@contextmanager
def nights() -> Iterator[Nights]:
    """A twin that serves, and its first night."""
    provider = Provider()
    with Wire(provider.handle) as wire, tempfile.TemporaryDirectory(prefix="troth-selftest-") as folder:
        made = Nights(provider, wire, Path(folder))
        made.agreed()
        yield made


@contextmanager
def closed_port() -> Iterator[str]:
    """An address where nothing listens: a port that is taken, and not listened on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


@contextmanager
def no_certificate(provider: Provider) -> Iterator[str]:
    """The same provider behind TLS without a certificate, so that no handshake succeeds."""
    with Wire(provider.handle, ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)) as wire:
        yield wire.url
