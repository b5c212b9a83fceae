"""What the provider keeps, and how it makes ids, times and numbers."""

from __future__ import annotations

import random
import time
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import formatdate
from typing import Any

__all__ = ["Books", "Record"]

Record = dict[str, Any]
LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass
class Books:
    """All records of the provider by id, oldest first, and its clock, ``ahead`` seconds off the machine's."""

    random: random.Random
    ahead: float = 0.0
    customers: dict[str, Record] = field(default_factory=dict)
    deleted: dict[str, Record] = field(default_factory=dict)
    """Customers that were deleted; no answer of the provider looks at them."""
    payments: dict[str, Record] = field(default_factory=dict)
    payouts: dict[str, Record] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    """Media types of files."""
    etags: dict[str, str] = field(default_factory=dict)
    keys: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    """Idempotency keys: the request they came with, and its answer."""
    due: dict[str, float] = field(default_factory=dict)
    """Payouts and when they settle."""
    number: int = 0
    settles: float = 0.1
    """Seconds until an instant payout is paid."""
    digits: int = 3
    """Digits of a second's fraction."""
    zone: str = "Z"
    """How UTC is spelled."""

    def id(self, prefix: str, length: int = 12) -> str:
        """A new id."""
        return prefix + "".join(self.random.choices(LETTERS, k=length))

    def uuid(self) -> str:
        """A new version 4 UUID."""
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def now(self) -> float:
        """Unix seconds."""
        return time.time() + self.ahead

    def iso(self, at: float | None = None) -> str:
        """RFC 3339, UTC."""
        moment = datetime.fromtimestamp(self.now() if at is None else at, UTC)
        fraction = f".{moment.microsecond:06d}"[: self.digits + 1] if self.digits else ""
        return moment.strftime("%Y-%m-%dT%H:%M:%S") + fraction + self.zone

    def date(self) -> str:
        """For the ``Date`` header."""
        return formatdate(self.now(), usegmt=True)

    def next_number(self) -> int:
        """Numbers of payments go up by one, whoever makes them."""
        self.number += 1
        return self.number
