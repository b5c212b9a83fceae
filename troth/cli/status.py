"""``troth status``."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from troth.cli.arguments import AsJson, Paths

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from troth.cli.session import Session
    from troth.contracts.contract import Contract
    from troth.runners.proof import ProviderProof
    from troth.runners.standing import Standing

__all__ = ["status"]

SHORTFALL = 7


def status(
    context: typer.Context,
    paths: Paths = None,
    max_age: Annotated[
        str | None, typer.Option("--max-age", metavar="AGE", help="Fail when something is proven longer ago, as 14d.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say of each operation when it was last proven, and what is known to be wrong.

    It reads proof.json beside the store, which each night writes and `troth history pull --proof` fetches.
    """
    from troth.cli.usable import load_usable
    from troth.contracts.contract import Contract
    from troth.runners.proof import Proof, proof_beside, read_proof

    session: Session = context.obj
    most = _seconds(max_age)
    path = proof_beside(session.settings.store_path)
    proof = read_proof(path)
    if proof is None:
        session.note(f"There is no {path}: no night is known. `troth history pull --proof` fetches it.")
    now = time.time()
    stale = False
    data: dict[str, Any] = {}
    for contract in load_usable(session.paths(paths)):
        if not isinstance(contract, Contract):
            session.note(str(contract.error))
            continue
        known = (proof or Proof()).providers.get(contract.provider)
        found = _standings(contract, known, session.settings.root)
        stale |= most is not None and any(one.stale(now, most) for one in found)
        data[contract.provider] = _as_data(known, found)
        if not as_json:
            _say(session, contract.provider, known, found, now)
    if as_json:
        session.json(data)
    raise typer.Exit(SHORTFALL if stale else 0)


def _seconds(max_age: str | None) -> float | None:
    from troth.contracts.quantity import QuantityError, duration
    from troth.errors import UsageError

    try:
        return None if max_age is None else duration(max_age)
    except QuantityError as error:
        raise UsageError("E906", "--max-age with a duration such as 14d", error.found) from None


def _standings(contract: Contract, known: ProviderProof | None, root: Path) -> Sequence[Standing]:
    from troth.contracts.accepted import accepted_of
    from troth.contracts.document.folder import read_document
    from troth.runners.acceptance import today
    from troth.runners.editions import Editions
    from troth.runners.places import Spot
    from troth.runners.standing import declared, standings

    editions = Editions.of(read_document(contract.path).root)
    return standings(
        declared(contract),
        known,
        lambda operation: editions.at(Spot("", f"{operation}.")),
        accepted_of(contract, root),
        today(time.time()),
    )


def _say(session: Session, provider: str, known: ProviderProof | None, found: Sequence[Standing], now: float) -> None:
    from troth.runners.standing import age_words

    night = f"night {known.night}, {age_words(now - known.at)} (run {known.run})" if known else "no night is known"
    session.say(f"{provider}: {night}")
    width = max((len(one.operation) for one in found), default=0)
    for one in found:
        session.say(f"  {one.operation:<{width}}  {one.words(now)}")


def _as_data(known: ProviderProof | None, found: Sequence[Standing]) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "night": known.night if known else 0,
        "run": known.run if known else None,
        "at": known.at if known else None,
        "operations": {
            one.operation: {
                "proven": dict(one.proven),
                "edited": one.edited,
                "wrong": [asdict(item) for item in one.wrong],
                "accepted": [
                    {**asdict(item), "until": entry.until if entry else None, "owner": entry.owner if entry else None}
                    for item, entry in one.accepted
                ],
            }
            for one in found
        },
    }
