"""Which scenarios of which contracts a run is to do."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from troth.contracts.contract import Contract
from troth.contracts.suggest import did_you_mean
from troth.errors import UsageError
from troth.runners.plan import Planned, planned

__all__ = ["chosen", "distinct_providers"]


def chosen(contracts: Sequence[Contract], only: Sequence[str]) -> list[tuple[Planned, ...]]:
    """For each contract the items to run. ``only`` holds names of scenarios, with or without a case, or patterns.

    Raises UsageError E376 for a name or pattern that fits nothing in any contract.
    """
    every = [planned(contract) for contract in contracts]
    for name in only:
        if not any(_fits(item, name) for items in every for item in items):
            names = [item.scenario.name for items in every for item in items]
            raise UsageError(
                "E376", "a scenario of these contracts", repr(name), did_you_mean(name, names, "scenarios")
            )
    if not only:
        return every
    return [tuple(item for item in items if any(_fits(item, name) for name in only)) for items in every]


def _fits(item: Planned, name: str) -> bool:
    # Cases stand in brackets, which would mean something else in a pattern: names are tried first.
    names = (item.label, item.scenario.name)
    return name in names or any(fnmatchcase(each, name) for each in names)


def distinct_providers(contracts: Sequence[Contract]) -> None:
    """Raises UsageError E414 when two contracts speak of the same provider: their histories would be mixed."""
    paths: dict[str, Contract] = {}
    for contract in contracts:
        other = paths.setdefault(contract.provider, contract)
        if other is not contract:
            raise UsageError(
                "E414",
                "one contract for each provider",
                f"two for {contract.provider}: {other.path} and {contract.path}",
                "Name one of them, or give one another provider name",
            )
