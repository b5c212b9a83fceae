"""``troth sweep``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from troth.cli.arguments import AsJson, Gate
from troth.cli.one_provider import OneProvider, contract_of

if TYPE_CHECKING:
    from troth.cli.session import Session
    from troth.runners.sweeping import Cleaned

__all__ = ["sweep"]


def sweep(
    context: typer.Context,
    provider: OneProvider,
    sandbox: Gate = False,
    url: Annotated[
        str | None, typer.Option("--url", metavar="PROVIDER=URL", help="Where the sandbox is, for this once.")
    ] = None,
    older_than: Annotated[
        str,
        typer.Option("--older-than", metavar="AGE", help="Leave alone what is younger; 0s when no run is going on."),
    ] = "1h",
    all_names: Annotated[
        bool, typer.Option("--all-names", help="Also what holds the names of runs that this machine does not know.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Take back what killed runs left in a provider's sandbox.

    It goes by the undo log beside the store and, where no id is known, by the unique names that runs give to things.
    """
    from troth.cli.addresses import addresses
    from troth.runners.drift_settings import request_limits
    from troth.runners.sweeping import Broom, clean

    session: Session = context.obj
    contract = contract_of(session, provider)
    settings = session.settings
    broom = Broom(
        log=settings.store_path.parent / "undo.jsonl",
        environment=os.environ,
        sandbox=sandbox,
        url=addresses([url] if url else (), settings, [contract.provider]).get(contract.provider),
        grace=_seconds(older_than),
        all_names=all_names,
        limits=request_limits(settings.timeout_seconds),
    )
    _tell(session, clean(contract, broom), as_json)


def _seconds(older_than: str) -> float:
    from troth.contracts.quantity import QuantityError, duration
    from troth.errors import UsageError

    try:
        return duration(older_than)
    except QuantityError as error:
        raise UsageError("E906", "--older-than with a duration such as 1h", error.found) from None


def _tell(session: Session, cleaned: Cleaned, as_json: bool) -> None:
    from dataclasses import asdict

    if as_json:
        shut = cleaned.shut.reason if cleaned.shut is not None else ""
        session.json({**asdict(cleaned), "shut": shut})
        raise typer.Exit(int(cleaned.exit_code))
    if cleaned.shut is not None:
        session.say(f"{cleaned.provider}: nothing was sent: {cleaned.shut.reason}")
    for words in cleaned.taken:
        session.say(f"taken back  {words}")
    for words in cleaned.left:
        session.say(f"left        {words}")
    for words in cleaned.alone:
        session.say(f"let be      {words}")
    if cleaned.shut is None:
        session.say(f"{cleaned.provider}: {len(cleaned.taken)} taken back, {len(cleaned.left)} left")
    raise typer.Exit(int(cleaned.exit_code))
