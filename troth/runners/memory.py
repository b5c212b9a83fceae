"""The store as a run uses it: history before, everything kept afterwards, and words instead of errors.

A store that is locked, broken or unwritable costs the history. The run and its report are there all the same.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import TracebackType

from troth import __version__
from troth.contracts.contract import Contract
from troth.contracts.document.folder import read_document
from troth.errors import TrothError
from troth.runners.caller import where
from troth.runners.editions import Editions
from troth.runners.evidence import Evidence
from troth.runners.finding import Remembered, Run
from troth.runners.habits import Habits
from troth.runners.history import Agreement, History, Stamp
from troth.runners.lifecycle import Look
from troth.runners.looking_back import look_back
from troth.runners.order import Queued, Record, queue
from troth.runners.places import Spot, agreed_spots
from troth.runners.proof import proof_beside, write_proof
from troth.runners.rejudge import Rejudged, rejudge, still_fits
from troth.runners.step_result import TargetRun
from troth.runners.store import Store
from troth.runners.usage import Usage, read_usage, usage_beside

__all__ = ["Memory"]


class Memory:
    """What is remembered of earlier runs, and what will be of this one. ``store`` None: nothing."""

    def __init__(self, store: Store | None, run_id: str, started: float, notes: list[str]) -> None:
        self._store = store
        self.run_id = run_id
        self.started = started
        """Unix seconds."""
        self.notes = notes
        """What could not be looked up or kept, and what was dropped to stay within bounds."""
        self._agreements: dict[str, list[Agreement]] = {}
        self._hashes: dict[str, str] = {}
        self._habits: dict[str, Habits] = {}
        self._edition_of: dict[str, Editions] = {}

    @classmethod
    def open(cls, path: Path | None, run_id: str, started: float) -> Memory:
        """Open the store at ``path``; without one, or when it cannot be used, remember nothing."""
        notes: list[str] = []
        store = None
        if path is not None:
            try:
                store = Store.open(path)
            except TrothError as error:
                notes.append(f"the history was not used and this run is not kept: {error}")
        return cls(store, run_id, started, notes)

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._store is not None:
            self._store.close()

    def replace(self, runs: Collection[str], providers: Collection[str]) -> None:
        """Forget earlier parts of this run, which are in it now; what was seen once counts once."""
        if self._store is None or not runs:
            return
        try:
            self._store.forget(runs, providers)
        except TrothError as error:
            self.notes.append(f"the earlier part of this run counts as a night of its own: {error}")

    def history(self, provider: str) -> History:
        """What earlier runs say of a provider; empty when they cannot be asked."""
        if self._store is None:
            return History()
        try:
            return self._store.history(provider)
        except TrothError as error:
            self.notes.append(f"the history of {provider} was not used: {error}")
            return History()

    def looks(self, provider: str) -> tuple[Look, ...] | None:
        """What earlier runs saw of a provider, oldest first; None when they cannot be asked."""
        if self._store is None:
            return None
        try:
            return self._store.looks(provider)
        except TrothError as error:
            self.notes.append(f"the life of {provider}'s findings is not known: {error}")
            return None

    def queue(self, contract: Contract, labels: Sequence[str]) -> tuple[Queued, ...]:
        """The scenarios in the order in which they run; that of the contract where the history cannot be asked."""
        records: Mapping[str, Record] = {}
        if self._store is not None:
            try:
                records = self._store.records(contract.provider)
            except TrothError as error:
                self.notes.append(f"the scenarios of {contract.provider} ran in the contract's order: {error}")
        return queue(labels, records, lambda spot: _stamp(self._editions(contract), spot))

    def habits(self, provider: str) -> tuple[Habits, ...]:
        """What the sandbox did on earlier nights where the contract leaves something open; () when nobody knows."""
        if self._store is None:
            return ()
        try:
            return self._store.habits(provider)
        except (TrothError, LookupError, TypeError, AttributeError) as error:
            self.notes.append(f"what the sandbox of {provider} did on earlier nights is not known: {error}")
            return ()

    def watch(self, provider: str, habits: Habits) -> None:
        """Note what the sandbox did in this run."""
        self._habits[provider] = habits

    def usage(self) -> Usage:
        """Which tests of the project rely on which responses."""
        return read_usage(usage_beside(self._store.path)) if self._store is not None else Usage()

    def look_back(self, history: History, called: bool) -> Remembered:
        """What this run can look back on; ``called``: did it call the sandbox?"""
        return look_back(history, self.started, called, kept=self._store is not None)

    def evidence(self, contract: Contract, history: History) -> Evidence:
        """What ``history`` proves of a contract."""

        editions = self._editions(contract)

        @cache
        def answers(run_id: str, scenario: str) -> tuple[Rejudged, ...]:
            return self._judged_again(contract, run_id, scenario)

        @cache
        def scenarios(run_id: str) -> tuple[str, ...]:
            return self._scenarios(contract, run_id)

        def judge_again(spot: Spot, agreed: Agreement) -> bool | None:
            fits = still_fits(answers(agreed.run_id, agreed.scenario), spot)
            if not fits or spot.reply or spot.scenario or (agreed.origin, agreed.where) != (spot.origin, spot.where):
                return fits
            # Every scenario of that night agreed there; a value that only another one showed may fit no more. Where the
            # place had another name, nothing says that all of them did.
            others = (name for name in scenarios(agreed.run_id) if name != agreed.scenario)
            return not any(still_fits(answers(agreed.run_id, name), spot) is False for name in others)

        return Evidence(history, lambda spot: _stamp(editions, spot), judge_again)

    def _scenarios(self, contract: Contract, run_id: str) -> tuple[str, ...]:
        """The scenarios of an earlier night whose answers are kept."""
        if self._store is None:
            return ()
        try:
            return self._store.scenarios(run_id, contract.provider, "sandbox")
        except TrothError as error:
            self.notes.append(f"earlier answers of {contract.provider} could not be looked up: {error}")
            return ()

    def _judged_again(self, contract: Contract, run_id: str, scenario: str) -> tuple[Rejudged, ...]:
        """The answers of one scenario of an earlier night, judged with the contract of today."""
        if self._store is None:
            return ()
        try:
            exchanges = self._store.exchanges(run_id, contract.provider, "sandbox", scenario)
            base = self._store.sandbox_url(run_id, contract.provider)
        except TrothError as error:
            self.notes.append(f"an earlier answer of {contract.provider} could not be looked up: {error}")
            return ()
        return rejudge(contract, base, exchanges)

    def agree(self, contract: Contract, sandbox: TargetRun | None) -> None:
        """Note where a sandbox run agreed with its contract."""
        self._hashes[contract.provider] = contract.content_hash
        if sandbox is None or self._store is None:
            return
        editions = self._editions(contract)
        self._agreements[contract.provider] = [
            Agreement(
                origin=spot.origin,
                where=spot.where,
                **_stamp(editions, spot)._asdict(),
                run_id=self.run_id,
                time=self.started,
                scenario=scenario,
                contract_hash=contract.content_hash,
            )
            for spot, scenario in agreed_spots(sandbox).items()
        ]

    def keep(self, run: Run) -> None:
        """Store the run and its agreements."""
        if self._store is None:
            return
        try:
            self.notes += self._store.save(run, self._agreements, self._hashes, self._habits)
            if any(provider.history.night for provider in run.providers):
                write_proof(proof_beside(self._store.path), self._store.proof().to_bytes())
        except TrothError as error:
            self.notes.append(f"this run is not kept, so the next one cannot say what changed since: {error}")
        except Exception as error:  # a defect must not cost the report
            self.notes.append(f"this run is not kept: E415 Troth itself failed to store it: {where(error)}")

    def _editions(self, contract: Contract) -> Editions:
        """Today's editions; the whole contract is one where its files cannot be read (any more)."""
        known = self._edition_of.get(contract.provider)
        if known is None:
            try:
                document = read_document(contract.path)
                hooks = document.loaded_hooks
                known = Editions.of(document.root, hooks.hash if hooks is not None else "")
            except (TrothError, OSError):
                known = Editions(dict.fromkeys(contract.operations, contract.content_hash), {})
            self._edition_of[contract.provider] = known
        return known


def _stamp(editions: Editions, spot: Spot) -> Stamp:
    """What an agreement of today at a place rests on."""
    return Stamp(editions.at(spot), editions.hooks, __version__)
