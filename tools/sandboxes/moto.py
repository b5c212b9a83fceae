"""moto, an independent and stateful implementation of Amazon's APIs, served by its own server. Apache-2.0."""

from __future__ import annotations

from contextlib import AbstractContextManager

from sandboxes.installing import LOCKS, python_environment
from sandboxes.serving import Server, serve

__all__ = ["CURRENT", "EARLIER", "moto"]

CURRENT = "5.2.5"
EARLIER = "4.2.14"
_SERVER = "import sys; from moto.server import main; sys.argv[0] = 'moto_server'; main()"


def moto(version: str = CURRENT) -> AbstractContextManager[str]:
    """Its base URL, while it runs, with nothing in it at the start. Raises Unavailable when it cannot be had."""
    python = python_environment(LOCKS / f"moto-{version}.txt")
    return serve(
        Server(
            name=f"moto-{version}",
            command=lambda port: [str(python), "-c", _SERVER, "-H", "127.0.0.1", "-p", str(port)],
            probe="/moto-api/",
        )
    )
