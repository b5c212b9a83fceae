"""One client connection: answers requests in order, one write a batch, and waits for a client that reads slowly."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import cast

from troth.contracts.exchange import Request
from troth.simulators.known_heads import KnownHeads
from troth.simulators.limits import Limits
from troth.simulators.refusal import Refusal, Refused
from troth.simulators.replier import Replier
from troth.simulators.request_reader import RequestReader
from troth.simulators.response_writer import CONTINUE
from troth.simulators.turns import Turns

__all__ = ["HttpConnection"]


class HttpConnection(asyncio.Protocol):
    """Its states: open; *ending* (no further request is read, what waits is still answered); *closing* (nothing left
    to say: the transport flushes, or the client's remaining bytes are dropped, until a deadline).
    """

    __slots__ = (
        "_began",
        "_began_for",
        "_connections",
        "_deadline",
        "_ending",
        "_heard",
        "_held",
        "_idle_for",
        "_idle_since",
        "_limits",
        "_linger",
        "_out",
        "_out_size",
        "_paused_at",
        "_reader",
        "_received",
        "_replier",
        "_transport",
        "_turns",
        "_waiting",
    )

    def __init__(
        self, replier: Replier, limits: Limits, known: KnownHeads, connections: set[HttpConnection], turns: Turns
    ) -> None:
        self._replier = replier
        self._turns = turns
        self._received: list[bytes] = []
        self._limits = limits
        self._connections = connections
        self._reader = RequestReader(limits, self, known)
        self._transport: asyncio.Transport | None = None
        self._out: list[bytes] = []
        self._out_size = 0
        self._waiting: deque[Callable[[], bytes]] = deque()
        self._ending = False
        self._linger = False
        self._held = False
        self._deadline = 0.0
        self._paused_at = 0.0
        self._began = self._heard = 0.0
        self._began_for = -1
        self._idle_since = monotonic()
        self._idle_for = 0

    # What the loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = made = cast(asyncio.Transport, transport)
        made.set_write_buffer_limits(high=self._limits.write_buffer)
        self._connections.add(self)
        most = self._limits.connections
        if len(self._connections) > most:
            found = f"more than {most} connections are open"
            self.refuse(Refusal(503, "E318", found, "Close some, or raise Limits.connections"))

    def data_received(self, data: bytes) -> None:
        self._received.append(data)
        if len(self._received) == 1:
            self._turns.join(self)

    def eof_received(self) -> bool:
        """The client sends no more, but may still read: what waits is answered before the connection closes."""
        self.answer()
        self._flush()
        self._linger = False
        if self._reader.reading and not self._ending:
            self.refuse(Refusal(400, "E312", "the connection was closed before the request was complete"), linger=False)
        self._ending = True
        return bool(self._waiting)

    def pause_writing(self) -> None:
        self._paused_at = monotonic()
        self._hold()

    def resume_writing(self) -> None:
        self._paused_at = 0.0
        self._settle()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._ending = True
        self._connections.discard(self)
        self._waiting.clear()
        self._received.clear()
        self._reader.close()

    # What its turn calls

    def answer(self) -> None:
        """Read what was received, and work out the answers."""
        received, self._received = self._received, []
        try:
            for data in received:
                if not self._ending:
                    self._reader.feed(data)
        except Refused as refused:
            self.refuse(refused.refusal)
        if self._reader.reading:
            self._note_time()

    def send(self) -> None:
        """Write what is worked out, and do what then has to be done."""
        if self._waiting or self._ending or self._held:
            self._settle()
        else:
            self._flush()

    # What the reader calls

    def on_request(self, request: Request, keep_alive: bool, version: str) -> None:
        if self._ending:
            return
        self._ending = not keep_alive
        if self._waiting or self._paused_at or self._out_size > self._limits.write_buffer:
            self._waiting.append(partial(self._replier.reply, request, keep_alive, version))
        else:
            data = self._replier.reply(request, keep_alive, version)
            self._out.append(data)
            self._out_size += len(data)

    def on_continue(self) -> None:
        if self._waiting:
            self._waiting.append(lambda: CONTINUE)
        elif not self._ending:
            self._put(CONTINUE)

    # What the server calls

    def refuse(self, refusal: Refusal, linger: bool = True) -> None:
        """Answer what waits, then say ``refusal``, then close."""
        if not self._ending:
            self._ending = True
            self._linger = linger
            self._waiting.append(partial(self._replier.refuse, refusal))
        self._settle()

    def close(self) -> None:
        """Send what is written already, then close."""
        self._ending = True
        self._waiting.clear()
        self._flush()
        self._finish()

    def abort(self) -> None:
        """Close at once."""
        if self._transport is not None:
            self._transport.abort()

    def look_at_time(self, now: float) -> None:
        """Give up a client that lets us wait too long; ``now`` is ``time.monotonic()``."""
        limits = self._limits
        if self._deadline:
            if now > self._deadline:
                self.abort()
        elif self._paused_at:
            if now - self._paused_at > limits.silence_seconds:
                self.abort()
        elif self._reader.reading:
            if self._is_late(now):
                found = "the rest of the request did not come in time"
                self.refuse(Refusal(408, "E315", found, "Raise the times in Limits"))
        elif self._reader.count != self._idle_for:
            self._idle_for, self._idle_since = self._reader.count, now
        elif now - self._idle_since > limits.idle_seconds:
            self.close()

    def _is_late(self, now: float) -> bool:
        limits = self._limits
        whole = limits.head_seconds if self._reader.in_head else limits.request_seconds
        return now - self._began > whole or now - self._heard > limits.silence_seconds

    def _note_time(self) -> None:
        self._heard = monotonic()
        if self._began_for != self._reader.count:
            self._began_for, self._began = self._reader.count, self._heard

    # Writing

    def _put(self, data: bytes) -> None:
        self._out.append(data)
        self._out_size += len(data)

    def _flush(self) -> None:
        out = self._out
        if out and self._transport is not None:
            data = out[0] if len(out) == 1 else b"".join(out)
            self._out_size = 0
            out.clear()
            self._transport.write(data)

    def _settle(self) -> None:
        """Write, then answer what waits as far as the client reads, then close or read on."""
        self._flush()
        waiting = self._waiting
        while waiting and not self._paused_at and self._transport is not None:
            while waiting and self._out_size <= self._limits.write_buffer:
                self._put(waiting.popleft()())
            self._flush()
        if waiting:
            self._hold()
        elif self._ending:
            self._finish()
        else:
            self._release()

    def _finish(self) -> None:
        transport = self._transport
        if transport is None or self._deadline:
            return
        if self._linger and transport.can_write_eof():
            self._deadline = monotonic() + self._limits.linger_seconds
            transport.write_eof()
            self._release()
        else:
            self._deadline = monotonic() + self._limits.silence_seconds
            transport.close()

    def _hold(self) -> None:
        if not self._held and self._transport is not None and not self._transport.is_closing():
            self._held = True
            self._transport.pause_reading()

    def _release(self) -> None:
        if self._held and not self._paused_at and self._transport is not None and not self._transport.is_closing():
            self._held = False
            self._transport.resume_reading()
