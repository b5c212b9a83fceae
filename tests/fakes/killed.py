"""Runs of ``troth drift`` in a process of their own, which is killed in the middle: nothing of it can clean up."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event

from fakes.acmepay import KEY, AcmePay
from fakes.tiny_server import Seen

__all__ = ["killed_run"]


def killed_run(folder: Path, contract: Path, provider: AcmePay, when: Callable[[Seen], bool], *arguments: str) -> None:
    """Run until the first request that fits ``when`` is there, and kill the process before it gets an answer."""
    known = Event()
    process: list[subprocess.Popen[bytes]] = []

    def kill(seen: Seen) -> None:
        if process and process[0].returncode is None and when(seen):
            assert known.wait(60)
            process[0].kill()
            process[0].wait(60)

    provider.before = kill
    command = [sys.executable, "-m", "troth", "drift", str(contract), "--sandbox", "--url", f"acmepay={provider.url}"]
    environment = {**os.environ, "ACMEPAY_KEY": KEY}
    with subprocess.Popen(
        [*command, *arguments], cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as child:
        process.append(child)
        known.set()
        assert child.wait(60) == -9
    provider.before = None
