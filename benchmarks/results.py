"""``RESULTS.md`` has two parts, which are measured apart: the simulator's first, then the runner's."""

from __future__ import annotations

from pathlib import Path

__all__ = ["RESULTS", "RUNNER", "keep_runner", "keep_simulator"]

RESULTS = Path(__file__).parent / "RESULTS.md"
RUNNER = "## The runner"
"""Where the second part begins."""


def keep_simulator(path: Path, part: str) -> None:
    """Write the simulator's part anew; the runner's stays."""
    _, runner = _parts(path)
    path.write_text(f"{part.rstrip()}\n" + (f"\n{runner}" if runner else ""))


def keep_runner(path: Path, part: str) -> None:
    """Write the runner's part anew; the simulator's stays."""
    simulator, _ = _parts(path)
    path.write_text((f"{simulator}\n" if simulator else "") + f"{part.rstrip()}\n")


def _parts(path: Path) -> tuple[str, str]:
    text = path.read_text() if path.exists() else ""
    simulator, mark, runner = text.partition(RUNNER)
    return (f"{simulator.rstrip()}\n" if simulator.strip() else ""), (f"{mark}{runner.rstrip()}\n" if mark else "")
