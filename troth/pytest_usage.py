"""Which operations and responses the tests of one pytest session used, and how far these can be relied on."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from troth.config import load_settings
from troth.contracts.document.accepted_document import AcceptanceDoc
from troth.contracts.quantity import QuantityError, duration
from troth.errors import TrothError
from troth.runners.acceptance import today
from troth.runners.proof import Proof, proof_beside, read_proof
from troth.runners.standing import Standing, standings
from troth.simulators.simulator import Simulator

__all__ = ["Accepted", "Reliance", "Used", "reliance", "seconds", "used_by"]

Used: TypeAlias = set[tuple[str, str, str]]
"""Provider, operation, and the response that the simulator gave."""
Accepted: TypeAlias = dict[str, tuple[AcceptanceDoc, ...]]
"""By provider: the findings that somebody answers for."""
_SHOWN = 20


def used_by(simulator: Simulator, after: int) -> tuple[int, Used]:
    """What a simulator was asked for since the entry ``after`` of its journal, and the number of the last one."""
    contract = simulator.contract
    last, answered = simulator.journal.answered(after)
    if contract is None:
        return last, set()
    silent = {
        (operation.name, shape.name)
        for operation in contract.operations.values()
        for shape in operation.responses
        if shape.means is not None
    }
    return last, {(contract.provider, *pair) for pair in answered if pair not in silent}


def seconds(age: str) -> float:
    """The seconds of ``--troth-max-age``; ValueError for what is no duration."""
    try:
        return duration(age)
    except QuantityError as error:
        raise ValueError(f"--troth-max-age must be a duration such as 14d; found {error.found}") from None


@dataclass(frozen=True, slots=True)
class Reliance:
    """``lines`` for the summary; ``stale``: operations that were proven too long ago, or never."""

    lines: tuple[str, ...]
    stale: tuple[str, ...] = ()


def reliance(
    root: Path, used: Iterable[tuple[str, str, str]], most: float | None, accepted: Accepted | None = None
) -> Reliance:
    """How far what was ``used`` can be relied on, by the proof of the project at ``root``.

    ``most``: how many seconds ago it may have been proven at most; None: any time. ``accepted``: what is known to be
    wrong and somebody answers for.
    """
    by_provider: dict[str, dict[str, list[str]]] = {}
    for provider, operation, response in sorted(used):
        by_provider.setdefault(provider, {}).setdefault(operation, []).append(response)
    try:
        proof = read_proof(proof_beside(load_settings(root).store_path))
        why = "no night is known; `troth history pull --proof` fetches what others have proven"
    except TrothError as error:
        proof, why = None, str(error)
    now = time.time()
    found = [
        (provider, one)
        for provider, operations in by_provider.items()
        for one in standings(
            operations,
            (proof or Proof()).providers.get(provider),
            entries=(accepted or {}).get(provider),
            day=today(now),
        )
    ]
    stale = tuple(f"{provider} {one.operation}" for provider, one in found if most is not None and one.stale(now, most))
    if not found:
        return Reliance(())
    if proof is None:
        count = f"{len(found)} operation{'s' if len(found) != 1 else ''}"
        return Reliance((f"{count} that the tests used: {why}",), stale)
    return Reliance(tuple(_lines(found, now)), stale)


def _lines(found: list[tuple[str, Standing]], now: float) -> list[str]:
    """What is known wrong first, then what was never proven, then the oldest."""
    ranked = sorted(found, key=lambda pair: (not pair[1].wrong, pair[1].last is not None, pair[1].last or 0.0))
    lines = [f"{provider} {one.operation}: {one.words(now)}" for provider, one in ranked[:_SHOWN]]
    return [*lines, f"and {len(ranked) - _SHOWN} more operations"] if len(ranked) > _SHOWN else lines
