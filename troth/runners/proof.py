"""``proof.json``: when each response of each provider was last proven, and what is known to be wrong.

It is small and free of secrets and values, so that pull requests, forks and laptops can have it without the history.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from troth.runners.packets import PROOF, HistoryError

__all__ = ["OperationProof", "Proof", "ProviderProof", "Shown", "Wrong", "proof_beside", "read_proof", "write_proof"]

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Shown:
    """A response was last seen to be as the contract says in run ``run``, at ``at`` (Unix seconds).

    ``edition`` is the hash of what the operation depended on in the contract of that night.
    """

    at: float
    run: str
    night: int | None
    edition: str = ""


@dataclass(frozen=True, slots=True)
class Wrong:
    """An open finding, without values."""

    fingerprint: str
    code: str
    kind: str
    severity: str
    blame: str
    path: str
    responses: tuple[str, ...] = ()
    run: str = ""
    """The last run that saw it."""


@dataclass(frozen=True, slots=True)
class OperationProof:
    """One operation; ``responses`` by name."""

    responses: Mapping[str, Shown] = field(default_factory=dict)
    wrong: tuple[Wrong, ...] = ()
    accepted: tuple[Wrong, ...] = ()
    """Open findings that somebody answered for that night; whether that still holds, ``accepted.yaml`` says."""


@dataclass(frozen=True, slots=True)
class ProviderProof:
    """One provider, after its last night."""

    night: int
    run: str
    at: float
    """When that was, in Unix seconds."""
    operations: Mapping[str, OperationProof] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Proof:
    """All providers, by name."""

    providers: Mapping[str, ProviderProof] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """As JSON; the same proof gives the same bytes."""
        data = {"format": FORMAT, "providers": {name: asdict(one) for name, one in sorted(self.providers.items())}}
        return json.dumps(data, indent=1, sort_keys=True).encode() + b"\n"

    @classmethod
    def from_bytes(cls, content: bytes, label: str) -> Proof:
        """HistoryError E424 for what is no proof, E422 for a newer Troth's; ``label`` says where it is from."""
        try:
            data = json.loads(content)
            version = data["format"]
            if version > FORMAT:
                asked = f"a {label} of format {FORMAT} or older"
                raise HistoryError("E422", asked, f"format {version}, written by a newer Troth", "Update Troth")
            return cls({str(name): _provider(one) for name, one in data["providers"].items()})
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            fix = "Fetch it again: troth history pull --proof"
            raise HistoryError("E424", f"a proof that Troth wrote, in {label}", repr(error)[:200], fix) from error


def proof_beside(store: Path) -> Path:
    """Where the proof of the store at ``store`` is: the file that pull requests and laptops read."""
    return store.with_name(PROOF)


def read_proof(path: Path) -> Proof | None:
    """The proof in a file; None when there is none. HistoryError E424 when it cannot be read."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise HistoryError("E424", f"a proof that can be read, in {path}", error.strerror or str(error)) from error
    return Proof.from_bytes(content, str(path))


def write_proof(path: Path, content: bytes) -> None:
    """Write the file whole or not at all. HistoryError E424."""
    half = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        half.write_bytes(content)
        half.replace(path)
    except OSError as error:
        raise HistoryError("E424", f"a place to write {path}", error.strerror or str(error)) from error


def _provider(data: Any) -> ProviderProof:
    operations = {str(name): _operation(one) for name, one in data["operations"].items()}
    return ProviderProof(int(data["night"]), str(data["run"]), float(data["at"]), operations)


def _operation(data: Any) -> OperationProof:
    responses = {str(name): _shown(one) for name, one in data["responses"].items()}
    accepted = data.get("accepted", ())  # older ones do not tell
    return OperationProof(responses, *(tuple(map(_wrong, found)) for found in (data["wrong"], accepted)))


def _shown(data: Any) -> Shown:
    night = data["night"]
    return Shown(float(data["at"]), str(data["run"]), None if night is None else int(night), str(data["edition"]))


def _wrong(data: Any) -> Wrong:
    texts = ("fingerprint", "code", "kind", "severity", "blame", "path", "run")
    return Wrong(**{name: str(data[name]) for name in texts}, responses=tuple(map(str, data["responses"])))
