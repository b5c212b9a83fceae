"""A third-party server on a free port of this machine, for as long as somebody needs it."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from sandboxes.installing import Unavailable

__all__ = ["Server", "serve"]

ATTEMPTS = 3
"""How many ports are tried: a port that was free can be taken before the server has it."""
START_LIMIT = 60.0
"""Seconds that a server may take to answer."""
STOP_LIMIT = 10.0
"""Seconds that it may take to stop before it is made to."""
PAUSE = 0.05
"""Seconds between two questions whether it answers."""

LEASH = Path(__file__).with_name("leash.py")


@dataclass(frozen=True)
class Server:
    """How to start a server, and where to ask whether it is ready: any HTTP answer there will do."""

    name: str
    command: Callable[[int], Sequence[str]]
    """The command for a port."""
    environment: Callable[[int], Mapping[str, str]] = field(default=lambda port: {})
    """What it needs in its environment for a port."""
    probe: str = "/"


@contextmanager
def serve(server: Server, attempts: int = ATTEMPTS, limit: float = START_LIMIT) -> Iterator[str]:
    """Its base URL, while it runs: in a process group and a temporary folder of its own, which go with it.

    Raises Unavailable, with what it wrote, when it does not answer within ``limit`` seconds or ends by itself.
    """
    with tempfile.TemporaryDirectory(prefix=f"{server.name}-") as folder:
        for attempt in range(1, attempts + 1):
            port = _free_port()
            url = f"http://127.0.0.1:{port}"
            with tempfile.TemporaryFile() as log:
                process = _start(server, port, folder, log)
                try:
                    answers = _answers(url + server.probe, process, limit)
                    if answers:
                        yield url
                        return
                    last = process.poll() is None or attempt == attempts
                finally:
                    _stop(process)
                if last:
                    log.seek(0)
                    said = log.read().decode(errors="replace").strip() or "it wrote nothing"
                    raise Unavailable(f"{server.name} did not start on port {port}: {said}")


def _start(server: Server, port: int, folder: str, log: IO[bytes]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, str(LEASH), *server.command(port)],
        # Some keep their state in one fixed file of the temporary folder, which two of them would share.
        env={**os.environ, "TMPDIR": folder, **server.environment(port)},
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def _free_port() -> int:
    """A port that nothing has, on any address."""
    with socket.create_server(("", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def _answers(url: str, process: subprocess.Popen[bytes], limit: float) -> bool:
    """Wait until something answers at ``url``; False when the process ended or the time is up."""
    end = time.monotonic() + limit
    while not _asked(url):
        if time.monotonic() > end or _ended(process, PAUSE):
            return False
    return process.poll() is None


def _asked(url: str) -> bool:
    # No proxy is between this machine and itself, whatever the environment says.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(url, headers={"Authorization": "Bearer sk_test_12345"})
    try:
        with opener.open(request, timeout=5):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def _ended(process: subprocess.Popen[bytes], limit: float) -> bool:
    """Wait for its end for up to ``limit`` seconds; has it ended?"""
    try:
        process.wait(limit)
    except subprocess.TimeoutExpired:
        return False
    return True


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stop it and everything that it started."""
    assert process.stdin is not None
    process.stdin.close()
    if not _ended(process, STOP_LIMIT):
        process.kill()
        process.wait()
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError):  # nobody is left of the group
            os.killpg(process.pid, signal.SIGKILL)
