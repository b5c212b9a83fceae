"""An event loop: uvloop's where it is installed, else asyncio's own. The server works the same on both."""

from __future__ import annotations

import asyncio

try:
    import uvloop
except ImportError:  # Windows and PyPy have none
    _new_loop = asyncio.new_event_loop
else:
    _new_loop = uvloop.new_event_loop

__all__ = ["new_loop"]


def new_loop() -> asyncio.AbstractEventLoop:
    """A fresh loop, not set as anybody's current one; the caller closes it."""
    return _new_loop()
