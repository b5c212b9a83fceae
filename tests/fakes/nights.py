"""Nights of drift runs against a provider that can be made to change, and a contract that can be edited."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from fakes.acmepay import CONTRACT, KEY, SCENARIOS, AcmePay
from fakes.tiny_server import Reply, Seen

from troth.contracts.loader import load
from troth.runners.client import RequestLimits
from troth.runners.drift import DriftSettings, run_drift
from troth.runners.events import OnEvent, silent
from troth.runners.finding import Finding, Run

__all__ = ["KEPT", "ChangingPay", "Nights", "renamed", "with_field"]

KEPT = "a charge is kept"
QUICK = RequestLimits(connect=2.0, read=2.0, total=5.0)


class ChangingPay(AcmePay):
    """AcmePay, with ``change`` applied to each of its good answers."""

    def __init__(self, change: Callable[[Seen, dict[str, Any]], dict[str, Any]] | None = None) -> None:
        super().__init__()
        self.change = change

    def _handle(self, seen: Seen) -> Any:
        answer = super()._handle(seen)
        if self.change is None or not isinstance(answer, Reply) or answer.status >= 400:
            return answer
        return replace(answer, body=self.change(seen, answer.body))


def with_field(name: str, value: Any) -> Callable[[Seen, dict[str, Any]], dict[str, Any]]:
    """A change of one field wherever a charge is shown."""

    def change(seen: Seen, body: dict[str, Any]) -> dict[str, Any]:
        if "data" in body:
            return {"data": [change(seen, item) for item in body["data"]]}
        return {**body, name: value} if name in body else body

    return change


def renamed(old: str, new: str) -> Callable[[Seen, dict[str, Any]], dict[str, Any]]:
    """A change of a field's name wherever a charge is shown."""

    def change(seen: Seen, body: dict[str, Any]) -> dict[str, Any]:
        if "data" in body:
            return {"data": [change(seen, item) for item in body["data"]]}
        return {new if name == old else name: value for name, value in body.items()}

    return change


class Nights:
    """A project folder with a contract and a store."""

    def __init__(self, folder: Path, scenarios: str = SCENARIOS) -> None:
        self.folder = folder
        self.contract_file = folder / "acmepay" / "contract.yaml"
        self.contract_file.parent.mkdir(exist_ok=True)
        self.contract_file.write_text(CONTRACT + scenarios)
        self.store = folder / ".troth" / "troth.db"

    def edit(self, old: str, new: str) -> None:
        """Edit the contract."""
        text = self.contract_file.read_text()
        assert old in text
        self.contract_file.write_text(text.replace(old, new))

    @contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        """The store, as another program sees and changes it."""
        connection = sqlite3.connect(self.store, isolation_level=None)
        try:
            yield connection
        finally:
            connection.close()

    def settings(self, url: str = "", **changes: Any) -> DriftSettings:
        """Settings of one night; with a URL the gate is open."""
        usual = DriftSettings(
            sandbox=bool(url),
            urls={"acmepay": url} if url else {},
            environment={"ACMEPAY_KEY": KEY},
            root=self.folder,
            store=self.store,
            limits=QUICK,
        )
        return replace(usual, **changes)

    def night(self, url: str = "", on_event: OnEvent = silent, **changes: Any) -> Run:
        """One run of the contract as it is now."""
        return run_drift([load(self.contract_file)], self.settings(url, **changes), on_event)

    def findings(self, url: str, **changes: Any) -> dict[str, Finding]:
        """The findings of one night in the scenario ``a charge is kept``, by kind and operation."""
        (provider,) = self.night(url, **changes).providers
        return {f"{item.kind} {item.operation}": item for item in provider.findings if item.scenario == KEPT}
