"""stripe-stateful-mock, another independent implementation of part of Stripe's API. MIT; from npm."""

from __future__ import annotations

from contextlib import AbstractContextManager

from sandboxes.installing import LOCKS, node_environment
from sandboxes.serving import Server, serve

__all__ = ["stateful_mock"]


def stateful_mock() -> AbstractContextManager[str]:
    """Its base URL, while it runs, with nothing in it at the start. Raises Unavailable when it cannot be had."""
    program = node_environment(LOCKS / "stripe-stateful-mock") / "node_modules" / "stripe-stateful-mock"
    return serve(
        Server(
            name="stripe-stateful-mock",
            command=lambda port: ["node", str(program / "dist" / "cli.js")],
            environment=lambda port: {"PORT": str(port)},
            probe="/v1/customers",
        )
    )
