"""A server in a process of its own, pinned to one core, and what it has used so far. Linux only: reads /proc."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

__all__ = ["Process"]

_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Process:
    """``with Process(command, core=0) as process``: started at once, killed at the end."""

    def __init__(self, command: Sequence[str], core: int) -> None:
        self._child = subprocess.Popen(
            ["taskset", "-c", str(core), *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def __enter__(self) -> Process:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.kill()
        self._child.communicate()

    def line(self) -> str:
        """The next line that it prints; "" when it has ended."""
        assert self._child.stdout is not None
        return self._child.stdout.readline().strip()

    def cpu_seconds(self) -> float:
        """User and system time so far, all threads."""
        fields = Path(f"/proc/{self._child.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICK

    def memory_mb(self) -> float:
        """Resident now."""
        return int(Path(f"/proc/{self._child.pid}/statm").read_text().split()[1]) * _PAGE / 1e6
