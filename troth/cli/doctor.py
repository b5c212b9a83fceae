"""``troth doctor``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from troth.cli.one_provider import OneProvider, contract_of

if TYPE_CHECKING:
    from troth.cli.session import Session

__all__ = ["doctor"]


def doctor(
    context: typer.Context,
    provider: OneProvider,
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
    contract = contract_of(session, provider)
    urls = addresses([url] if url else (), session.settings, [contract.provider])
    limits = request_limits(session.settings.timeout_seconds)
    diagnosis = examine(contract, os.environ, urls.get(contract.provider), limits)
    for line in diagnosis_lines(diagnosis):
        session.say(line)
    raise typer.Exit(int(diagnosis.exit_code))
