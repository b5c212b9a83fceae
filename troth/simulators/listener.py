"""A listening socket, or an error that says what to do."""

from __future__ import annotations

import errno
import socket
from typing import Any

from troth.errors import UsageError

__all__ = ["listen", "url_of"]

_BACKLOG = 1024
_ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def listen(host: str, port: int) -> socket.socket:
    """A TCP socket that listens on ``host`` (name or address) and ``port`` (0: any free one).

    Raises UsageError E300 (port in use), E301 (host not ours or unknown) or E302 (not allowed).
    """
    family, address = _resolve(host, port)
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setblocking(False)
        sock.bind(address)
        sock.listen(_BACKLOG)
    except OSError as error:
        sock.close()
        raise _refused(host, port, error) from None
    return sock


def url_of(sock: socket.socket) -> str:
    """Where a client reaches ``sock`` from this machine: ``http://127.0.0.1:4010``, without a slash at the end."""
    host, port = sock.getsockname()[:2]
    host = _ANYWHERE.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _resolve(host: str, port: int) -> tuple[socket.AddressFamily, Any]:
    asked = f"listen on {host}:{port}"
    if not 0 <= port <= 65535:
        raise UsageError("E301", asked, f"port {port}", "Ports go from 0 (any free one) to 65535")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise UsageError("E301", asked, f"no address for this host ({error})", "Use 127.0.0.1 or 0.0.0.0") from None
    found.sort(key=lambda item: item[0] != socket.AF_INET)  # "localhost" is both; most clients try IPv4 without delay
    family, _, _, _, address = found[0]
    return family, address


def _refused(host: str, port: int, error: OSError) -> UsageError:
    asked = f"listen on {host}:{port}"
    if error.errno == errno.EADDRINUSE:
        return UsageError(
            "E300", asked, "the port is in use", "Stop what holds it, or leave the port out: a free one is taken"
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return UsageError("E302", asked, "the system does not allow it", "Take a port above 1023")
    found = error.strerror or str(error)
    return UsageError("E301", asked, found, "Use an address of this machine: 127.0.0.1 or 0.0.0.0")
