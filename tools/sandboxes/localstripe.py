"""localstripe, an independent and stateful implementation of Stripe's API. GPL-3, so it stays a process of its own."""

from __future__ import annotations

from contextlib import AbstractContextManager

from sandboxes.installing import LOCKS, python_environment
from sandboxes.serving import Server, serve

__all__ = ["CURRENT", "EARLIER", "localstripe"]

CURRENT = "1.15.10"
EARLIER = "1.13.0"


def localstripe(version: str = CURRENT) -> AbstractContextManager[str]:
    """Its base URL, while it runs, with nothing in it at the start. Raises Unavailable when it cannot be had."""
    python = python_environment(LOCKS / f"localstripe-{version}.txt")
    return serve(
        Server(
            name=f"localstripe-{version}",
            command=lambda port: [str(python), "-m", "localstripe", "--port", str(port), "--from-scratch"],
            probe="/v1/balance",
        )
    )
