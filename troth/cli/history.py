"""``troth history``."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from troth.cli.session import Session
    from troth.runners.history_sync import Moved
    from troth.runners.shelf import Shelf

__all__ = ["history"]


class Direction(StrEnum):
    """Which way the nights go."""

    PUSH = "push"
    PULL = "pull"


def history(
    context: typer.Context,
    direction: Annotated[Direction, typer.Argument(help="push keeps this store's nights there, pull fetches them.")],
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="TARGET", help="A directory, git:BRANCH, git:REMOTE#BRANCH or postgresql://user@host/database."
        ),
    ] = None,
    proof: Annotated[bool, typer.Option("--proof", help="Fetch proof.json alone; for pull.")] = False,
) -> None:
    """Keep the history of nights where it outlives the machine, and fetch it.

    Without TARGET, TROTH_HISTORY or the setting `history` says where. Nights are merged, never overwritten.
    """
    from troth.errors import UsageError
    from troth.runners.history_sync import pull, pull_proof, push
    from troth.runners.proof import proof_beside
    from troth.runners.store import Store

    session: Session = context.obj
    path = session.settings.store_path
    shelf = _shelf(session, target)
    if proof:
        if direction is Direction.PUSH:
            raise UsageError("E906", "--proof with `troth history pull`", "it with push", "A push publishes it anyway")
        there = pull_proof(shelf, proof_beside(path))
        session.say(f"proof of {shelf.label}: " + (str(proof_beside(path)) if there else "there is none yet"))
        return
    with Store.open(path) as store:
        moved = (push if direction is Direction.PUSH else pull)(store, shelf, proof_beside(path))
    for line in _words(direction, moved, shelf):
        session.say(line)
    for note in moved.notes:
        session.note(note)


def _shelf(session: Session, target: str | None) -> Shelf:
    from troth.errors import UsageError
    from troth.runners.shelf import open_shelf

    settings = session.settings
    named = target or os.environ.get("TROTH_HISTORY") or settings.history
    if not named:
        raise UsageError(
            "E423",
            "where the history is kept",
            "no TARGET, no TROTH_HISTORY and no setting `history`",
            "Name a directory, git:BRANCH or postgresql://user@host/database",
        )
    return open_shelf(named, settings.root)


def _words(direction: Direction, moved: Moved, shelf: Shelf) -> list[str]:
    known = f"{_nights(moved.nights)} known"
    if direction is Direction.PUSH:
        return [f"history pushed to {shelf.label}: {_nights(moved.kept)} new there, {known}"]
    lines = [f"history pulled from {shelf.label}: {_nights(moved.fetched)} new here, {known}"]
    if not moved.nights:
        lines.append("There is no history: this is the first night, or it was lost. Nothing can be called changed yet.")
    return lines


def _nights(count: int) -> str:
    return f"{count} night{'s' if count != 1 else ''}"
