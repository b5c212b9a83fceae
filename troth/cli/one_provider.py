"""The one provider that a command is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from troth.cli.session import Session
    from troth.contracts.contract import Contract

__all__ = ["OneProvider", "contract_of"]

OneProvider = Annotated[
    str, typer.Argument(metavar="PROVIDER", help="A provider of the settings' contracts, a path, or a pack.")
]


def contract_of(session: Session, provider: str) -> Contract:
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
