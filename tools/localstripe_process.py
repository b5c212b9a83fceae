"""localstripe, an independent implementation of Stripe, as a process of its own in an environment of its own.

It stands in for the provider's sandbox in the demonstration and in tests. It is licensed under the GPL and is never
imported: it is installed apart, started on a free port, talked to over HTTP, and stopped.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["CURRENT", "EARLIER", "installed", "localstripe"]

CURRENT = "1.15.10"
EARLIER = "1.13.0"

ROOT = Path(__file__).parents[1]
PATIENCE = 30.0
"""Seconds that it may take to start."""


def installed(version: str) -> Path:
    """The Python of an environment under ``.cache`` that has this version; made on first use.

    Raises CalledProcessError when it cannot be installed.
    """
    home = ROOT / ".cache" / f"localstripe-{version}"
    python = home / "bin" / "python"
    done = home / ".done"
    if not done.exists():
        # A name of its own until it is whole, so that two runs at once do not share half an environment.
        half = Path(tempfile.mkdtemp(prefix=f"localstripe-{version}-", dir=_cache()))
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(half)], check=True)
        subprocess.run(
            [
                *(str(half / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
                *("--constraint", str(ROOT / "tools" / "localstripe.lock")),
                *(f"localstripe=={version}", "setuptools"),
            ],
            check=True,
        )
        (half / ".done").touch()
        if not home.exists():
            half.rename(home)
    return python


def _cache() -> Path:
    folder = ROOT / ".cache"
    folder.mkdir(exist_ok=True)
    return folder


@contextmanager
def localstripe(version: str = CURRENT) -> Iterator[str]:
    """Its base URL, while it runs."""
    python = installed(version)
    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    # It keeps its state in one file of the temporary folder, so two at once need two folders.
    with tempfile.TemporaryDirectory(prefix="localstripe-") as folder, tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [str(python), "-m", "localstripe", "--port", str(port), "--from-scratch"],
            env={**os.environ, "TMPDIR": folder},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            if not _answers(url, process):
                log.seek(0)
                raise RuntimeError(f"localstripe {version} did not start: {log.read().decode(errors='replace')}")
            yield url
        finally:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _answers(url: str, process: subprocess.Popen[bytes]) -> bool:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/v1/", timeout=1):
                return True
        except urllib.error.HTTPError:
            return True
        except OSError:
            time.sleep(0.05)
    return False
