"""Proofs of nights, as they lie beside the store of a project."""

from __future__ import annotations

import time
from pathlib import Path

from troth.runners.proof import OperationProof, Proof, ProviderProof, Shown, Wrong

__all__ = ["DAY", "lay_proof", "wrong"]

DAY = 86_400.0


def wrong(operation: str, response: str) -> Wrong:
    """An open finding about one response."""
    return Wrong("v1:x", "TR301", "value", "breaking", "provider", "$.status", (f"{operation}.{response}",), "n1")


def lay_proof(
    root: Path, ages: dict[str, dict[str, float]], wrongs: dict[str, Wrong] | None = None, edition: str = ""
) -> None:
    """Write ``.troth/proof.json``: ``ages`` gives the days since each response of each operation was last proven."""
    now = time.time()
    operations = {
        operation: OperationProof(
            {name: Shown(now - days * DAY - 60, "n1", 1, edition) for name, days in responses.items()},
            (wrongs[operation],) if wrongs and operation in wrongs else (),
        )
        for operation, responses in ages.items()
    }
    proof = Proof({"acmepay": ProviderProof(1, "n1", now - 60, operations)})
    (root / ".troth").mkdir(exist_ok=True)
    (root / ".troth" / "proof.json").write_bytes(proof.to_bytes())
