"""Fetches the history from a shelf, and keeps it there: nights are merged, never overwritten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from troth.runners.packets import (
    MARKER,
    PROOF,
    HistoryError,
    Packet,
    PacketError,
    check_marker,
    exchanges_name,
    marker,
    pack,
    run_name,
    runs_in,
    unpack,
)
from troth.runners.proof import Proof, write_proof
from troth.runners.shelf import Shelf
from troth.runners.store import Store

__all__ = ["Moved", "pull", "pull_proof", "push"]

ATTEMPTS = 20
"""So often others may be faster before a push gives up."""


@dataclass(frozen=True, slots=True)
class Moved:
    """What a pull or a push did. ``nights``: how many the store holds now."""

    fetched: int
    kept: int
    nights: int
    notes: tuple[str, ...] = ()


def pull(store: Store, shelf: Shelf, proof: Path) -> Moved:
    """Add the nights of ``shelf`` that the store does not have, and write the proof of all of them to ``proof``.

    A file that cannot be read is left out, and told. Raises HistoryError and StoreError.
    """
    absence = shelf.absence()
    moved = _pulled(store, shelf).moved
    if absence:
        moved = replace(moved, notes=(absence, *moved.notes))
    if moved.nights:
        write_proof(proof, store.proof().to_bytes())
    return moved


def pull_proof(shelf: Shelf, proof: Path) -> bool:
    """Fetch the proof alone; False when there is none yet."""
    _names(shelf)
    content = shelf.read(PROOF)
    if content is None:
        return False
    Proof.from_bytes(content, f"{PROOF} of {shelf.label}")  # nothing that cannot be read takes the place of another
    write_proof(proof, content)
    return True


def push(store: Store, shelf: Shelf, proof: Path) -> Moved:
    """Merge with what is there, then keep the nights that are missing there, and the proof of all of them.

    Whoever comes second merges again. HistoryError E425 when others are faster twenty times in a row.
    """
    fetched, kept, notes = 0, 0, dict[str, None]()
    for _ in range(ATTEMPTS):
        pulled = _pulled(store, shelf)
        moved = pulled.moved
        fetched += moved.fetched
        notes |= dict.fromkeys(moved.notes)
        content = store.proof().to_bytes()
        add, remove = _changes(store, pulled, shelf, content)
        if not add and not remove:
            write_proof(proof, content)
            return Moved(fetched, kept, moved.nights, tuple(notes))
        if shelf.publish(add, remove):
            kept += len(runs_in(add))
    raise HistoryError(
        "E425", f"a moment in which nobody else writes to {shelf.label}", f"{ATTEMPTS} others", "Try again"
    )


@dataclass(frozen=True, slots=True)
class _Pulled:
    """``names`` is what the shelf held; ``dropped`` are nights of it that are beyond the bounds of the store."""

    moved: Moved
    names: frozenset[str]
    dropped: frozenset[str]


def _pulled(store: Store, shelf: Shelf) -> _Pulled:
    names = _names(shelf)
    before = store.night_ids()
    missing = runs_in(names) - before
    unread: dict[str, str] = {}
    refused, dropped = store.take_in(_packets(shelf, sorted(missing), names, unread))
    unread |= refused
    after = store.night_ids()
    notes = [f"the night {run_id} cannot be used and was left out: {why}" for run_id, why in unread.items()]
    moved = Moved(len(after - before), 0, len(after), (*notes, *dropped))
    return _Pulled(moved, names, missing - after - unread.keys())


def _names(shelf: Shelf) -> frozenset[str]:
    names = shelf.names()
    content = shelf.read(MARKER) if MARKER in names else None
    if content is not None:
        check_marker(content, shelf.label)
    return names


def _packets(shelf: Shelf, missing: list[str], names: frozenset[str], unread: dict[str, str]) -> Iterator[Packet]:
    """The nights that can be read; ``unread`` gets why the others cannot."""
    for run_id in missing:
        more = exchanges_name(run_id)
        try:
            head = shelf.read(run_name(run_id))
            if head is None:
                continue  # dropped meanwhile by somebody who has it all
            packet = unpack(head, shelf.read(more) if more in names else None)
            if packet.run["run_id"] != run_id:
                raise PacketError("the file tells of another run")
        except PacketError as error:
            unread[run_id] = str(error)
            continue
        yield packet


def _changes(store: Store, pulled: _Pulled, shelf: Shelf, proof: bytes) -> tuple[dict[str, bytes], frozenset[str]]:
    """What to add to the shelf, and what to remove because the store dropped it to stay within its bounds."""
    nights, names = store.night_ids(), pulled.names
    add: dict[str, bytes] = {}
    for run_id in sorted(nights - runs_in(names)):
        add |= pack(store.packet(run_id))
    if MARKER not in names:
        add[MARKER] = marker()
    if PROOF not in names or shelf.read(PROOF) != proof:
        add[PROOF] = proof
    bare = nights - store.ids_with_exchanges()
    gone = {run_name(run_id) for run_id in pulled.dropped}
    gone |= {exchanges_name(run_id) for run_id in bare | pulled.dropped}
    return add, frozenset(gone & names)
