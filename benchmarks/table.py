"""The results as Markdown."""

from __future__ import annotations

import platform
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Round", "Times", "markdown", "medians"]


@dataclass(frozen=True)
class Round:
    """One measurement of one subject."""

    cpu_us: float
    per_second: float
    p99_ms: float
    memory_mb: float


@dataclass(frozen=True)
class Times:
    """Start-up times; None where it was not measured."""

    one_more_ms: float | None
    simulate_s: float | None
    help_s: float | None


Results = Mapping[tuple[str, str], Sequence[Round]]


def medians(results: Results) -> dict[tuple[str, str], Round]:
    """Each column by itself."""
    return {
        key: Round(
            statistics.median(one.cpu_us for one in rounds),
            statistics.median(one.per_second for one in rounds),
            statistics.median(one.p99_ms for one in rounds),
            max(one.memory_mb for one in rounds),
        )
        for key, rounds in results.items()
    }


def markdown(results: Results, times: Times, missing: Sequence[str], command: str, cores: int) -> str:
    """The whole page."""
    rounds = len(next(iter(results.values())))
    lines = [
        "# Benchmarks",
        "",
        f"Made by `{command}`: {rounds} rounds, interleaved, medians.",
        f"{cores} cores, Python {platform.python_version()}, {platform.system()}.",
        "The server has one core, `wrk` (32 connections) another.",
        "Read CPU a request and ratios within one run; requests a second move with whatever else the machine does.",
        "",
        "GET is of a stored object; POST is matched, sampled and stored; the journal is on.",
        "",
        "| server | request | CPU µs/request | x nginx | requests/s | p99 ms | memory MB |",
        "|---|---|---|---|---|---|---|",
    ]
    middle = medians(results)
    for (peer, job), row in middle.items():
        base = middle.get(("nginx, static", job))
        ratio = f"{row.cpu_us / base.cpu_us:.1f}" if base else ""
        cells = [f"{row.cpu_us:.1f}", ratio, f"{row.per_second:,.0f}", f"{row.p99_ms:.1f}", f"{row.memory_mb:.0f}"]
        lines.append(f"| {' | '.join([peer, job, *cells])} |")
    lines += ["", "| target | wanted | measured | met |", "|---|---|---|---|", *_targets(middle, times), ""]
    lines += [f"Not measured: {reason}." for reason in missing]
    return "\n".join(lines).rstrip() + "\n"


def _targets(middle: Mapping[tuple[str, str], Round], times: Times) -> list[str]:
    rows = []

    def row(what: str, most: float, found: float | None, unit: str) -> None:
        said = "not measured" if found is None else f"{found:.2f}{unit}"
        met = "" if found is None else "yes" if found <= most else "no"
        rows.append(f"| {what} | at most {most:g}{unit} | {said} | {met} |")

    def ratio(job: str, peer: str, other: str) -> float | None:
        a, b = middle.get((peer, job)), middle.get((other, job))
        return a.cpu_us / b.cpu_us if a and b else None

    row("stored GET, CPU beside nginx", 4, ratio("GET", "Troth", "nginx, static"), "x")
    for job in ("POST form", "POST JSON"):
        row(f"{job}, CPU beside nginx", 6, ratio(job, "Troth", "nginx, static"), "x")
    for job in ("GET", "POST form", "POST JSON"):
        row(f"{job}, 1,000 operations beside 10", 1.2, ratio(job, "Troth, 1,000 operations", "Troth"), "x")
    row("one more simulator in process", 2, times.one_more_ms, " ms")
    row("`troth simulate` to its first answer", 0.4, times.simulate_s, " s")
    row("`troth --help`", 0.25, times.help_s, " s")
    return rows
