"""A patch that adopts what the provider does, and all it does besides: for a terminal, and for a pull request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import unified_diff
from pathlib import Path

from troth.contracts.secret_shapes import hide_secrets
from troth.reports.console import finding_lines
from troth.reports.marked import code_span, prose
from troth.reports.visible import shorten, visible
from troth.reports.words import plain, proof, title
from troth.runners.finding import Finding, RecordedExchange
from troth.runners.repair.adopt import Adoption, NightEffect
from troth.runners.trails import step_words

__all__ = ["adoption_lines", "diff_lines", "pull_request"]

_OPERATIONS = 12
_BODY = 1_500
"""Characters of a body that stand in a pull request."""


def adoption_lines(adoption: Adoption, root: Path) -> list[str]:
    """What drifted, the patch, and what it closes and opens."""
    lines = [*finding_lines(adoption.finding)[:2], f"  contract    {_place(adoption, root)}", ""]
    lines += [f"Patch `{adoption.name}`: {'; '.join(adoption.words)}", ""]
    lines += [*(visible(line, "\t") for line in diff_lines(adoption, root)), ""]
    lines += _effects(adoption, _plain)
    if adoption.others:
        ways = ", ".join(f"--as {name} ({words})" for name, words in adoption.others.items())
        lines.append(f"Other ways: {ways}")
    return lines


def diff_lines(adoption: Adoption, root: Path) -> list[str]:
    """The unified diff, without line ends; what looks like a credential is blotted out."""
    lines: list[str] = []
    for file, before in adoption.before.items():
        name = _relative(file, root)
        after = adoption.after[file]
        found = unified_diff(before.splitlines(), after.splitlines(), f"a/{name}", f"b/{name}", lineterm="")
        lines += [hide_secrets(line) for line in found]
    return lines


def pull_request(adoption: Adoption, run_id: str, root: Path) -> str:
    """The text of a pull request, Markdown. There are no secrets in it: a run's were replaced when it was recorded."""
    finding = adoption.finding
    return "\n".join(
        [
            f"## {prose(finding.provider)}: {prose(plain(title(finding)))}",
            "",
            *_drifted(finding, run_id, _place(adoption, root)),
            "",
            f"**Change:** {_ticked('; '.join(adoption.words))}.",
            "",
            "```diff",
            *(visible(line, "\t") for line in diff_lines(adoption, root)),
            "```",
            "",
            "### What it does",
            "",
            *(f"- {line}" for line in _effects(adoption, _marked)),
            *_evidence(finding),
            "",
        ]
    )


def _drifted(finding: Finding, run_id: str, place: str) -> Iterator[str]:
    """What, where, since when, on what evidence."""
    step = step_words(finding.step, finding.trail)
    yield f"- **What:** {finding.code} {finding.kind}, {finding.severity}, at {code_span(finding.path)}"
    yield f"- **Where:** {code_span(finding.operation)}, {prose(finding.scenario)}, {prose(step)}; {code_span(place)}"
    if finding.why:
        yield f"- **Who:** {finding.blame}. {prose(finding.why)}"
    since = "; ".join(text for text in (finding.standing, proof(finding)) if text)
    yield f"- **Since:** {prose(since or f'run {run_id}')}"
    for side in ("contract", "simulator", "sandbox"):
        value = next(line for line in finding_lines(finding) if line.startswith(f"  {side} ")).split(None, 1)[1]
        yield f"- **{side.capitalize()}:** {code_span(value)}"
    for corner in finding.corners:
        yield f"- **{prose(corner.between.capitalize())}:** {corner.now} {prose(corner.evidence)}".rstrip()
    yield f"- **Run:** {code_span(run_id)}, fingerprint {code_span(finding.fingerprint)}"


def _effects(adoption: Adoption, shown: Callable[[Finding], str]) -> list[str]:
    lines = [f"Closes {_listed(adoption.closes, shown)}", f"Opens {_listed(adoption.opens, shown)}"]
    if adoption.left:
        lines.append(f"Leaves {_listed(adoption.left, shown)}")
    names = adoption.operations
    more = f" and {len(names) - _OPERATIONS} more" if len(names) > _OPERATIONS else ""
    says = f"{len(names)} operation{'' if len(names) == 1 else 's'}: {', '.join(names[:_OPERATIONS])}{more}"
    lines.append(f"Changes what the contract says of {says}" if names else "Changes scenarios only")
    return [*lines, *_replays(adoption)]


def _listed(findings: Sequence[Finding], shown: Callable[[Finding], str]) -> str:
    roots = [item for item in findings if item.caused_by is None]
    following = len(findings) - len(roots)
    words = ", ".join(map(shown, roots)) or ("" if following else "nothing")
    more = f"{following} that follow{'s' if following == 1 else ''}" if following else ""
    return " and ".join(text for text in (words, more) if text)


def _replays(adoption: Adoption) -> Iterator[str]:
    if adoption.cut:
        yield f"Not replayed to the end: {', '.join(adoption.cut)}"
    nights = adoption.nights
    if not nights:
        yield "No earlier night is kept to replay"
        return
    count = f"{len(nights)} earlier night{'' if len(nights) == 1 else 's'}"
    opened, closed = [n for n in nights if n.opens], [n for n in nights if n.closes]
    yield f"Replayed on {count}: {len(closed)} with fewer disagreements, {len(opened)} with new ones" + (
        f" ({', '.join(map(_night, opened[:5]))}: the provider did something else then)" if opened else ""
    )
    cut = sum(night.cut for night in nights)
    if cut:
        yield f"Of these nights, {cut} scenario{'' if cut == 1 else 's'} could not be replayed to the end"


def _night(night: NightEffect) -> str:
    return f"night {night.number}" if night.number else f"run {night.run_id}"


def _evidence(finding: Finding) -> Iterator[str]:
    exchange = next((item for item in finding.exchanges if item.target != "simulator"), None)
    if exchange is None:
        return
    yield from (
        "",
        "<details><summary>The exchange</summary>",
        "",
        "```http",
        *_exchange(exchange),
        "```",
        "",
        "</details>",
    )
    if finding.reproduce:
        yield from ("", f"See it again: {code_span(finding.reproduce)}")


def _exchange(exchange: RecordedExchange) -> Iterator[str]:
    yield visible(f"{exchange.method} {exchange.url}")
    yield from _quoted(exchange.request_body)
    yield ""
    yield visible(f"{exchange.status if exchange.status is not None else exchange.error}")
    yield from _quoted(exchange.response_body)


def _quoted(text: str) -> Iterator[str]:
    for line in shorten(hide_secrets(text), _BODY).replace("```", "'''").splitlines():
        yield visible(line, "\t")


def _ticked(text: str) -> str:
    """Prose in which names stand in backticks."""
    parts = text.split("`")
    return "".join(code_span(part) if number % 2 else _spaced(part) for number, part in enumerate(parts))


def _spaced(text: str) -> str:
    return text[: len(text) - len(text.lstrip())] + prose(text) + text[len(text.rstrip()) :] if text.strip() else text


def _plain(finding: Finding) -> str:
    return f"{finding.code} {visible(finding.path)} of {visible(finding.operation)} ({finding.severity})"


def _marked(finding: Finding) -> str:
    return f"{finding.code} {code_span(finding.path)} of {code_span(finding.operation)} ({finding.severity})"


def _place(adoption: Adoption, root: Path) -> str:
    return f"{_relative(adoption.place.file, root)}:{adoption.place.line}"


def _relative(file: str, root: Path) -> str:
    path, base = Path(file).resolve(), root.resolve()
    return path.relative_to(base).as_posix() if path.is_relative_to(base) else path.as_posix()
