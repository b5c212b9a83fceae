"""Runs of the Stripe contract against a stand-in for Stripe's sandbox, each made once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from troth.contracts.contract import Contract
from troth.contracts.loader import load
from troth.runners.drift import DriftSettings, run_drift
from troth.runners.finding import Finding, ProviderRun

__all__ = ["Findings", "StripeRuns", "stripe_contract"]


def stripe_contract() -> Contract:
    """The contract, in a hurry: a stand-in on this machine has no rate limit."""
    contract = load("stripe")
    sandbox = replace(contract.targets["sandbox"], rate=None)
    return replace(contract, targets={**contract.targets, "sandbox": sandbox})


@dataclass(frozen=True)
class Findings:
    """What a run found, by fingerprint."""

    provider: ProviderRun

    @cached_property
    def by_fingerprint(self) -> dict[str, Finding]:
        return {finding.fingerprint: finding for finding in self.provider.findings}

    def where(self, **wanted: Any) -> list[Finding]:
        """Those whose attributes are these; a callable is asked."""
        return [finding for finding in self.provider.findings if _fits(finding, wanted)]

    def without(self, other: Findings) -> Findings:
        """Those that another run does not have."""
        left = tuple(finding for key, finding in self.by_fingerprint.items() if key not in other.by_fingerprint)
        return Findings(replace(self.provider, findings=left))


def _fits(finding: Finding, wanted: dict[str, Any]) -> bool:
    for name, value in wanted.items():
        found = getattr(finding, name)
        if not (value(found) if isinstance(value, Callable) else found == value):
            return False
    return True


@dataclass
class StripeRuns:
    """A stand-in at ``url``, and the runs against it so far."""

    url: str
    _made: dict[tuple[tuple[str, ...], int], Findings] = field(default_factory=dict)

    def run(self, *only: str, number: int = 1) -> Findings:
        """The findings of run ``number``, of all scenarios or ``only`` some; nothing is known from before."""
        key = (only, number)
        if key not in self._made:
            settings = DriftSettings(
                sandbox=True,
                urls={"stripe": self.url},
                only=only,
                environment={"STRIPE_TEST_KEY": "sk_test_12345"},
            )
            (provider,) = run_drift([stripe_contract()], settings).providers
            self._made[key] = Findings(provider)
        return self._made[key]
