"""The history as it travels: one packet for each night, which never changes once it is written.

Two jobs that keep their nights at the same time write two packets, so nothing is overwritten, and histories are merged
by laying their packets together. A packet is two files: what the run said, and the sandbox's exchanges, which are
dropped earlier. Both are JSON with a version, compressed; secrets were replaced when the exchanges were captured.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from troth.errors import TrothError

__all__ = [
    "FORMAT",
    "MARKER",
    "PROOF",
    "HistoryError",
    "Packet",
    "PacketError",
    "check_marker",
    "exchanges_name",
    "marker",
    "pack",
    "run_name",
    "runs_in",
    "unpack",
]

FORMAT = 1
"""Goes up when an older Troth would misread a packet; what it does not know it passes over."""
MARKER = "troth-history.json"
"""The file that tells a history from something else, and its format."""
PROOF = "proof.json"
LARGEST = 256 * 1024 * 1024
"""Bytes of one file, unpacked."""
_RUN = re.compile(r"runs/([A-Za-z0-9][A-Za-z0-9_-]{0,127})\.json\.gz")


class HistoryError(TrothError):
    """The history cannot be fetched or kept. The store and its runs are as they were."""

    exit_code = 6


class PacketError(ValueError):
    """A file is no packet that this Troth can read."""


@dataclass(frozen=True, slots=True)
class Packet:
    """One night. ``run``, each of ``providers``, ``findings`` and ``exchanges`` are rows of the store as plain data.

    ``exchanges`` None: they were dropped.
    """

    run: Mapping[str, Any]
    providers: tuple[Mapping[str, Any], ...]
    findings: tuple[Mapping[str, Any], ...]
    exchanges: tuple[Mapping[str, Any], ...] | None = None


def run_name(run_id: str) -> str:
    """The file of what a run said."""
    return f"runs/{run_id}.json.gz"


def exchanges_name(run_id: str) -> str:
    """The file of a run's exchanges."""
    return f"exchanges/{run_id}.json.gz"


def runs_in(names: Iterable[str]) -> frozenset[str]:
    """The ids of the runs whose files are among ``names``."""
    return frozenset(found[1] for found in map(_RUN.fullmatch, names) if found)


def pack(packet: Packet) -> dict[str, bytes]:
    """The files of a packet, by name."""
    run_id = str(packet.run["run_id"])
    head = {"run": packet.run, "providers": packet.providers, "findings": packet.findings}
    files = {run_name(run_id): _written(head)}
    if packet.exchanges is not None:
        files[exchanges_name(run_id)] = _written({"exchanges": packet.exchanges})
    return files


def unpack(head: bytes, exchanges: bytes | None) -> Packet:
    """The packet in its files. Raises PacketError."""
    data = _read(head)
    run, providers, findings = (data.get(name) for name in ("run", "providers", "findings"))
    if not isinstance(run, dict) or not isinstance(run.get("run_id"), str):
        raise PacketError("no run in it")
    kept = None if exchanges is None else _rows(_read(exchanges).get("exchanges"), "exchanges")
    return Packet(run, _rows(providers, "providers"), _rows(findings, "findings"), kept)


def marker() -> bytes:
    """The content of ``MARKER``."""
    says = "The history of Troth's nights. Written by `troth history push`; merged, never edited."
    return json.dumps({"format": FORMAT, "what": says}, indent=1).encode() + b"\n"


def check_marker(content: bytes, label: str) -> None:
    """HistoryError E422 for the history of a newer Troth, E420 for something else."""
    try:
        found = json.loads(content)["format"]
    except (ValueError, KeyError, TypeError):
        found = None
    if not isinstance(found, int):
        raise HistoryError("E420", f"a history of Troth in {label}", f"a {MARKER} that tells no format")
    if found > FORMAT:
        asked = f"a history of format {FORMAT} or older in {label}"
        raise HistoryError("E422", asked, f"format {found}, written by a newer Troth", "Update Troth")


def _written(data: Mapping[str, Any]) -> bytes:
    text = json.dumps({"format": FORMAT, **data}, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode("utf-8", "replace"), mtime=0)


def _read(content: bytes) -> dict[str, Any]:
    try:
        reader = zlib.decompressobj(wbits=31)
        text = reader.decompress(content, LARGEST)
        if reader.unconsumed_tail or not reader.eof:
            raise PacketError("cut, or larger than a night can be")
        data = json.loads(text)
    except (zlib.error, ValueError, RecursionError) as error:
        raise PacketError(str(error)) from error
    if not isinstance(data, dict) or not isinstance(data.get("format"), int):
        raise PacketError("no packet")
    if data["format"] > FORMAT:
        raise PacketError(f"format {data['format']}, written by a newer Troth")
    return data


def _rows(data: Any, what: str) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        raise PacketError(f"no {what} in it")
    return tuple(data)
