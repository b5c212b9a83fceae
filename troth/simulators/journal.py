"""The bounded record of the requests that a simulator got.

What is kept is exactly what came; secrets are replaced when an entry is read. The raw form is reachable through no
public name and no ``repr``, so no report, log or failing test can show it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from itertools import chain
from threading import Lock
from typing import TypeAlias

import orjson

from troth.contracts.exchange import Headers, Request, Response
from troth.contracts.judgement import Answer, NearMiss
from troth.contracts.suggest import did_you_mean
from troth.contracts.values import ABSENT, Value
from troth.errors import UsageError
from troth.simulators.explain import explanation_text, refusal_text
from troth.simulators.redaction import Redactor

__all__ = ["Entry", "Journal"]

_OVERHEAD = 500
"""Bytes that an entry costs beside what was sent and the body of the answer, about."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One request and what it was answered, secrets replaced by ``[redacted]``."""

    index: int
    """Counts from 1 over the simulator's life; a gap means that entries were dropped."""
    time: float
    """When it came, Unix seconds on the simulator's clock."""
    request: Request
    response: Response
    operation: str | None
    """None when no operation answers such a request."""
    name: str | None
    """Of the declared response that was given."""
    near: tuple[NearMiss, ...] = ()
    failure: str = ""
    """Set when the simulator itself failed: where."""
    provider: str = ""
    refused: tuple[tuple[str, str, str], ...] = ()
    """Why the contract turns the request away (path, want, got): its answer is the one for invalid ones, or for bad
    credentials."""
    unsteered: str = ""
    """Set when the simulator was steered to a response that this request could not get: why."""

    @property
    def json(self) -> Value:
        """The request's body read as JSON; ABSENT when it is none."""
        try:
            return orjson.loads(self.request.body)
        except orjson.JSONDecodeError:
            return ABSENT

    @property
    def explanation(self) -> str:
        """Why no operation answered, or the contract refused the request, in lines of text; "" for any other."""
        if self.failure:
            request = self.request
            return f"the simulator of {self.provider} failed on {request.method} {request.path}: {self.failure}"
        if self.unsteered:
            return f"{self.request.method} {self.request.path} to the simulator of {self.provider}: {self.unsteered}"
        if self.operation is None:
            return explanation_text(self.request, self.near, self.provider)
        if self.refused:
            return refusal_text(self.request, f"{self.operation}.{self.name}", self.refused, self.provider)
        return ""


_Record: TypeAlias = tuple[int, float, Request, Answer, str, int]
"""Number, time, request, answer, failure, size: a plain tuple, since one is made for every request."""


class _Ring:
    """The last records, bounded by count and by bytes; the newest one is kept whatever its size."""

    __slots__ = ("_bytes", "_entries", "dropped", "records", "size")

    def __init__(self, entries: int, most_bytes: int) -> None:
        self.records: deque[_Record] = deque()
        self._entries = entries
        self._bytes = most_bytes
        self.clear()

    def clear(self) -> None:
        self.records.clear()
        self.size = 0
        self.dropped = 0

    def add(self, record: _Record) -> None:
        records = self.records
        records.append(record)
        self.size += record[5]
        if len(records) > self._entries:
            self.size -= records.popleft()[5]
            self.dropped += 1
        if self.size > self._bytes:
            self._trim()

    def _trim(self) -> None:
        records = self.records
        while self.size > self._bytes and len(records) > 1:
            self.size -= records.popleft()[5]
            self.dropped += 1


class Journal:
    """Keeps the last ``entries`` requests in at most ``most_bytes``.

    Beside them the last 100 unmatched ones are kept: a flood of good requests cannot hide a bad one.

    ``operations`` are the names that can be asked for; any when there are none. The simulator adds to it while it holds
    ``lock``; reading takes the same lock.
    """

    def __init__(
        self,
        provider: str = "",
        entries: int = 1000,
        most_bytes: int = 16 * 1024 * 1024,
        redactor: Redactor | None = None,
        lock: Lock | None = None,
        operations: Collection[str] = (),
    ) -> None:
        self._operations = operations
        self._provider = provider
        self._redactor = redactor or Redactor()
        self._lock = lock or Lock()
        self._all = _Ring(entries, most_bytes)
        self._missed = _Ring(100, most_bytes)
        self._last_headers: Headers = ()
        self._last_size = 0
        self._index = 0

    def __len__(self) -> int:
        return len(self._all.records)

    def __repr__(self) -> str:
        return f"Journal({len(self)} entries, {len(self._missed.records)} unmatched, {self.dropped} dropped)"

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All that are kept, oldest first."""
        return self._read(self._all, lambda answer: True)

    @property
    def unmatched(self) -> tuple[Entry, ...]:
        """Requests that no operation answers, and those on which the simulator failed, oldest first."""
        return self._read(self._missed, lambda answer: True)

    def for_operation(self, name: str) -> tuple[Entry, ...]:
        """What the operation ``name`` answered, oldest first. UsageError E308 when there is no such operation."""
        if self._operations and name not in self._operations:
            fix = did_you_mean(name, sorted(self._operations), "operations")
            raise UsageError("E308", f"an operation of {self._provider}", repr(name), fix)
        return self._read(self._all, lambda answer: answer.operation == name)

    @property
    def refused(self) -> tuple[Entry, ...]:
        """Requests that the contract calls invalid, or without credentials, answered as it says, oldest first."""
        return self._read(self._all, lambda answer: bool(answer.refused))

    def answered(self, after: int = 0) -> tuple[int, frozenset[tuple[str, str]]]:
        """The operations and responses that were given since the entry ``after``, and the number of the last entry."""
        found: set[tuple[str, str]] = set()
        with self._lock:
            for number, _, _, answer, _, _ in reversed(self._all.records):
                if number <= after:
                    break
                if answer.operation is not None and answer.name is not None:
                    found.add((answer.operation, answer.name))
            return self._index, frozenset(found)

    @property
    def dropped(self) -> int:
        """How many entries gave way to newer ones since the last ``clear``."""
        return self._all.dropped

    @property
    def unmatched_dropped(self) -> int:
        """How many unmatched ones did."""
        return self._missed.dropped

    def clear(self) -> None:
        """Forget everything, the counts of what was dropped included."""
        with self._lock:
            self.clear_locked()

    def clear_locked(self) -> None:
        """The same, for a caller that holds the lock."""
        self._all.clear()
        self._missed.clear()

    def add_locked(self, request: Request, answer: Answer, now: float, failure: str = "") -> _Record:
        """Record one exchange, for ``entry`` to read; the caller holds the lock."""
        self._index += 1
        if request.headers is not self._last_headers:
            self._last_headers, self._last_size = request.headers, _size(request.headers)
        size = len(request.path) + len(request.query) + len(request.body) + len(answer.response.body)
        record = (self._index, now, request, answer, failure, _OVERHEAD + self._last_size + size)
        self._all.add(record)
        if answer.operation is None:
            self._missed.add(record)
        return record

    def entry(self, record: _Record) -> Entry:
        """What ``add_locked`` gave, as it may be shown."""
        return next(iter(self._entries([record])))

    def _read(self, ring: _Ring, wanted: Callable[[Answer], bool]) -> tuple[Entry, ...]:
        with self._lock:
            records = [record for record in ring.records if wanted(record[3])]
        return tuple(self._entries(records))

    def _entries(self, records: Iterable[_Record]) -> Iterable[Entry]:
        redactor = self._redactor
        for number, time, request, answer, failure, _ in records:
            yield Entry(
                number,
                time,
                redactor.request(request),
                redactor.response(answer.response, request),
                answer.operation,
                answer.name,
                redactor.near(answer.near, request),
                redactor.text(failure, request),
                self._provider,
                redactor.reasons(answer.refused, request),
                answer.unsteered,
            )


def _size(headers: Headers) -> int:
    return sum(map(len, chain.from_iterable(headers)))
