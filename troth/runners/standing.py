"""How far each operation can be relied on: when it was last proven, and what is known to be wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from troth.contracts.contract import Contract, Operation, ResponseShape
from troth.contracts.document.accepted_document import AcceptanceDoc
from troth.contracts.kinds import Severity
from troth.runners.acceptance import side_of
from troth.runners.finding import Blame
from troth.runners.proof import OperationProof, ProviderProof, Wrong

__all__ = ["Standing", "age_words", "declared", "never_comes", "standings"]

DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Standing:
    """One operation; ``proven`` maps each response that matters to when it was last proven (Unix seconds) or None."""

    operation: str
    proven: Mapping[str, float | None]
    wrong: tuple[Wrong, ...] = ()
    accepted: tuple[tuple[Wrong, AcceptanceDoc | None], ...] = ()
    """What is known to be wrong and somebody answers for today; None where only the night knows who."""
    edited: bool = False
    """Was the operation's part of the contract edited since?"""

    @property
    def last(self) -> float | None:
        """When any of the responses was last proven."""
        return max((at for at in self.proven.values() if at is not None), default=None)

    @property
    def never(self) -> tuple[str, ...]:
        """The responses that were never proven."""
        return tuple(name for name, at in self.proven.items() if at is None)

    def stale(self, now: float, most: float) -> bool:
        """Is one of the responses proven longer than ``most`` seconds ago, or was it never?"""
        return any(at is None or now - at > most for at in self.proven.values())

    def words(self, now: float) -> str:
        """``last proven 3 days ago``, ``never proven``, ``known wrong: TR301 breaking $.amount``."""
        parts = [f"known wrong: {', '.join(_wrong(item) for item in self.wrong[:3])}{_more(self.wrong)}"] * bool(
            self.wrong
        )
        parts += [_accepted(*item) for item in self.accepted[:3]]
        if self.last is None:
            parts.append("never proven")
        else:
            oldest = min(at for at in self.proven.values() if at is not None)
            parts.append(f"last proven {age_words(now - oldest)}")
            parts += [f"never proven: {', '.join(self.never)}"] * bool(self.never)
        parts += ["the contract was edited since"] * self.edited
        return "; ".join(parts)


def age_words(seconds: float) -> str:
    """``today``, ``1 day ago``, ``12 days ago``."""
    days = int(max(seconds, 0.0) // DAY)
    return "today" if days == 0 else f"{days} day{'s' if days != 1 else ''} ago"


def declared(contract: Contract) -> dict[str, tuple[str, ...]]:
    """The responses of each operation that say something of the contract, and can come."""
    return {
        operation.name: tuple(
            shape.name for shape in operation.responses if shape.means is None and not never_comes(operation, shape)
        )
        for operation in contract.operations.values()
    }


def never_comes(operation: Operation, shape: ResponseShape) -> bool:
    """Does the response come only for a wrong request, where no request can be wrong?"""
    request = operation.request
    if shape.when is None or shape.when.names != {"mismatch"} or not request.undemanding or request.body is not None:
        return False
    parts = (request.query, request.headers, request.cookies)
    return not any(part.fields or part.unlisted == "reject" for part in parts)


def standings(
    used: Mapping[str, Iterable[str]],
    proof: ProviderProof | None,
    edition: Callable[[str], str] | None = None,
    entries: Sequence[AcceptanceDoc] | None = None,
    day: str = "",
) -> tuple[Standing, ...]:
    """Of the operations and responses that matter; ``edition`` gives an operation's edition of today.

    ``entries`` are those of ``accepted.yaml`` about the provider, held against ``day``; None: that cannot be read, and
    what was accepted on the last night still is.
    """
    known = proof.operations if proof is not None else {}
    return tuple(
        _with_accepted(_standing(operation, tuple(responses), proof_of, edition), proof_of, entries, day)
        for operation, responses in used.items()
        for proof_of in (known.get(operation, OperationProof()),)
    )


def _with_accepted(
    standing: Standing, proof: OperationProof, entries: Sequence[AcceptanceDoc] | None, day: str
) -> Standing:
    """What is wrong, by whether somebody answers for it today."""
    silent = [item for item in proof.accepted if _about(item, standing.operation, standing.proven)]
    if entries is None:
        return replace(standing, accepted=tuple((item, None) for item in silent))
    held = {entry.finding: entry for entry in entries if entry.until >= day}
    found = [*standing.wrong, *silent]
    valid = {item.fingerprint: held[item.fingerprint] for item in found if _covers(held.get(item.fingerprint), item)}
    return replace(
        standing,
        wrong=tuple(item for item in found if item.fingerprint not in valid),
        accepted=tuple((item, valid[item.fingerprint]) for item in found if item.fingerprint in valid),
    )


def _covers(entry: AcceptanceDoc | None, item: Wrong) -> bool:
    """Is it for this finding, and is that no worse, and on the same side?"""
    if entry is None or entry.side not in (None, side_of(Blame(item.blame))):
        return False
    return entry.severity is None or Severity(item.severity).rank >= Severity(entry.severity).rank


def _standing(
    operation: str, responses: tuple[str, ...], proof: OperationProof, edition: Callable[[str], str] | None
) -> Standing:
    shown = {name: proof.responses[name] for name in responses if name in proof.responses}
    today = edition(operation) if edition is not None else ""
    edited = any(today and item.edition and item.edition != today for item in shown.values())
    proven = {name: shown[name].at if name in shown else None for name in responses}
    wrong = tuple(item for item in proof.wrong if _about(item, operation, proven))
    return Standing(operation, proven, wrong, edited=edited)


def _about(item: Wrong, operation: str, responses: Mapping[str, object]) -> bool:
    """Was the finding seen in one of the responses, or in none that is known?"""
    own = [name.rpartition(".")[2] for name in item.responses if name.rpartition(".")[0] == operation]
    return not own or any(name in responses for name in own)


def _wrong(item: Wrong) -> str:
    return f"{item.code} {item.severity} {item.path}"


def _accepted(item: Wrong, entry: AcceptanceDoc | None) -> str:
    who = f" until {entry.until} by {entry.owner}" if entry is not None else ""
    return f"accepted{who}: {_wrong(item)}"


def _more(wrong: tuple[Wrong, ...]) -> str:
    return f" and {len(wrong) - 3} more" if len(wrong) > 3 else ""
