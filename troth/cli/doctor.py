"""``troth doctor``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from troth.cli.session import Session
    from troth.contracts.contract import Contract

__all__ = ["doctor"]


def doctor(
    context: typer.Context,
    provider: Annotated[
        str, typer.Argument(metavar="PROVIDER", help="A provider of the settings' contracts, a path, or a pack.")
    ],
    url: Annotated[
        str | None, typer.Option("--url", metavar="PROVIDER=URL", help="Where the sandbox is, for this once.")
    ] = None,
) -> None:
    """Send one safe request to a provider's sandbox, and report credentials, TLS, proxy, CA and clock.

    The command itself opens the gate; without credentials that the contract allows, nothing is sent.
    """
    from troth.cli.addresses import addresses
    from troth.reports.diagnosis import diagnosis_lines
    from troth.runners.doctor import examine
    from troth.runners.drift_settings import request_limits

    session: Session = context.obj
    contract = _contract(session, provider)
    urls = addresses([url] if url else (), session.settings, [contract.provider])
    limits = request_limits(session.settings.timeout_seconds)
    diagnosis = examine(contract, os.environ, urls.get(contract.provider), limits)
    for line in diagnosis_lines(diagnosis):
        session.say(line)
    raise typer.Exit(int(diagnosis.exit_code))


def _contract(session: Session, provider: str) -> Contract:
    """By the provider's name among the settings' contracts, else by path or pack."""
    from troth.cli.usable import load_usable
    from troth.contracts.contract import Contract
    from troth.contracts.loader import load_all
    from troth.contracts.suggest import closest
    from troth.errors import ContractError, UsageError

    paths = session.settings.contract_paths
    known = [item for item in load_usable(paths) if isinstance(item, Contract)] if paths else []
    found = [item for item in known if item.provider == provider]
    if not found:
        try:
            found = load_all([provider])
        except ContractError as error:
            near = closest(provider, [item.provider for item in known])
            if near is None:
                raise
            asked = f"a provider of the contracts in the settings ({', '.join(item.provider for item in known)})"
            raise UsageError("E910", asked, repr(provider), f"Did you mean {near!r}?") from error
    if len(found) > 1:
        names = ", ".join(item.provider for item in found)
        raise UsageError("E910", "one provider", f"{len(found)} in {provider}: {names}", "Name one of them")
    return found[0]
