"""Load by ``wrk`` from one core: 32 connections, one kind of request."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Load", "Shot", "fire"]

_UNITS = {"us": 0.001, "ms": 1.0, "s": 1000.0}


@dataclass(frozen=True)
class Shot:
    """What to send."""

    url: str
    method: str = "GET"
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def script(self) -> str:
        """As wrk's Lua."""
        lines = [f"wrk.method = {_lua(self.method)}", f"wrk.body = {_lua(self.body)}" if self.body else ""]
        lines += [f"wrk.headers[{_lua(name)}] = {_lua(value)}" for name, value in self.headers.items()]
        return "\n".join(lines)


@dataclass(frozen=True)
class Load:
    """What came back: ``bad`` counts answers that are no 2xx, and broken connections."""

    requests: int
    seconds: float
    p99_ms: float
    bad: int


def fire(shot: Shot, folder: Path, core: int, seconds: int) -> Load:
    """Send ``shot`` for ``seconds`` over 32 connections from ``core``."""
    script = folder / "shot.lua"
    script.write_text(shot.script())
    wrk = ["wrk", "-t1", "-c32", f"-d{seconds}s", "--latency"]
    done = subprocess.run(
        ["taskset", "-c", str(core), *wrk, "-s", str(script), shot.url],
        capture_output=True,
        text=True,
        check=True,
    )
    return _read(done.stdout)


def _read(text: str) -> Load:
    total = re.search(r"(\d+) requests in ([\d.]+)(us|ms|s)", text)
    p99 = re.search(r"99%\s+([\d.]+)(us|ms|s)", text)
    if total is None or p99 is None:
        raise RuntimeError(f"wrk said something unexpected:\n{text}")
    bad = sum(int(number) for number in re.findall(r"Non-2xx or 3xx responses: (\d+)", text))
    for kinds in re.findall(r"Socket errors: (.*)", text):
        bad += sum(int(number) for number in re.findall(r"(?:connect|write) (\d+)", kinds))
    seconds = float(total[2]) * _UNITS[total[3]] / 1000
    return Load(int(total[1]), seconds, float(p99[1]) * _UNITS[p99[2]], bad)


def _lua(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
