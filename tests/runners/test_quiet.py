"""What our client sends is in nobody's log; what other clients send is logged as before."""

from __future__ import annotations

import asyncio
import logging

import httpx
import pytest
from fakes.tiny_server import Reply, TinyServer

from troth.contracts.contract import Auth
from troth.contracts.exchange import Request
from troth.contracts.expressions.said import compile_said
from troth.errors import Place, Problems
from troth.runners.client import Client
from troth.runners.clock import RealClock
from troth.runners.credentials import Credentials
from troth.runners.quiet import LOGGERS

KEY = "sk_test_quiet"


def test_only_other_clients_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Also while ours is open, and at the finest level."""
    caplog.set_level(logging.DEBUG)
    auth = Auth("bearer", token=compile_said("{{ secrets.key }}", Place(), Problems()))

    async def both(url: str) -> None:
        async with Client(Credentials({"key": KEY}), RealClock()) as ours, httpx.AsyncClient() as theirs:
            await ours.send(Request("GET", "/ours", f"key={KEY}"), url, auth)
            await theirs.get(f"{url}/theirs")

    with TinyServer(lambda seen: Reply(200, {}, {"X-Echo": seen.headers.get("authorization", "none")})) as server:
        asyncio.run(both(server.url))

    assert "/theirs" in caplog.text
    assert KEY not in caplog.text
    assert "/ours" not in caplog.text


def test_the_loggers_are_left_as_they_were() -> None:
    """When the client is closed."""
    before = {name: list(logging.getLogger(name).filters) for name in LOGGERS}

    async def once() -> None:
        async with Client(Credentials({}), RealClock()):
            assert {name: len(logging.getLogger(name).filters) for name in LOGGERS} == {
                name: len(filters) + 1 for name, filters in before.items()
            }

    asyncio.run(once())
    assert {name: list(logging.getLogger(name).filters) for name in LOGGERS} == before


def test_every_logger_of_the_library_is_known() -> None:
    """A new version may bring another one."""
    assert {name for name in logging.root.manager.loggerDict if name.split(".")[0] == "httpx"} <= set(LOGGERS)
    parts = {name for name in logging.root.manager.loggerDict if name.startswith("httpcore.")}
    assert parts <= set(LOGGERS)
