"""What one HTTP server takes from its clients before it refuses."""

from __future__ import annotations

from troth.frozen import frozen

__all__ = ["Limits"]

_MiB = 1024 * 1024


@frozen
class Limits:
    """Sizes in bytes, times in seconds. Each limit has an answer of its own, so that a test sees which one it met."""

    headers: int = 100
    """Header lines of one request; more is a 431."""
    head_bytes: int = 32 * 1024
    """Request line and headers together; more is a 414 or a 431."""
    body_bytes: int = 32 * _MiB
    """Decoded body of one request; more is a 413."""
    connections: int = 2000
    """Open at the same time; the next one gets a 503."""
    write_buffer: int = 256 * 1024
    """Answers that wait for a slow reader; above it the connection is neither read nor answered."""
    head_seconds: float = 30.0
    """From the first byte of a request to the end of its headers; longer is a 408."""
    silence_seconds: float = 60.0
    """Without a byte in the middle of a body (408), or without a reader for a waiting answer (closed)."""
    request_seconds: float = 600.0
    """From the first byte of a request to its last; longer is a 408."""
    idle_seconds: float = 300.0
    """Between two requests; then the connection is closed."""
    linger_seconds: float = 2.0
    """After a refusal the client's remaining bytes are read and dropped for so long: closing at once would make the
    kernel reset the connection, and the client would lose the answer."""

    @property
    def sweep_seconds(self) -> float:
        """How often the times above are looked at: a quarter of the shortest, at most once a second."""
        shortest = min(
            self.head_seconds, self.silence_seconds, self.request_seconds, self.idle_seconds, self.linger_seconds
        )
        return min(1.0, max(0.005, shortest / 4))
