"""The evidence for a blame: how contract, simulator and provider stand to each other, tonight and on earlier nights."""

from __future__ import annotations

from datetime import UTC, datetime

from troth.runners.blame import Past, night_words
from troth.runners.disagreement import Disagreement, Row
from troth.runners.finding import Corner
from troth.runners.history import History

__all__ = ["corners"]

_TABLE = {
    Row.PROVIDER: ("agree", "differ", "differ"),
    Row.SIMULATOR: ("differ", "agree", "differ"),
    Row.STALE: ("differ", "differ", "agree"),
    Row.ALL: ("differ", "differ", "differ"),
    Row.LOOSE: ("agree", "agree", "differ"),
    Row.UNOBSERVED: ("agree", "unobserved", "unobserved"),
}
"""Contract and simulator, contract and provider, simulator and provider. The other rows are about our own fault."""


def corners(item: Disagreement, past: Past, history: History, fingerprint: str) -> tuple[Corner, ...]:
    """The three corners of one finding; none where the blame does not rest on them."""
    if item.row not in _TABLE:
        return ()
    with_simulator, with_provider, between = _TABLE[item.row]
    if item.on_simulator is None:
        with_simulator, between = "unobserved", "unobserved"
    if item.on_sandbox is None:
        with_provider, between = "unobserved", "unobserved"
    earlier = _earlier(item, past, history, fingerprint)
    return (
        Corner("contract and simulator", with_simulator, _tonight(with_simulator, "simulator", item)),
        Corner("contract and provider", with_provider, f"{_tonight(with_provider, 'provider', item)}; {earlier}"),
        Corner("simulator and provider", between, _tonight(between, "", item)),
    )


def _tonight(now: str, side: str, item: Disagreement) -> str:
    if now == "unobserved":
        return f"the {side} was not observed here" if side else "one of them was not observed here"
    if side == "":
        return "they were compared tonight"
    result = item.on_simulator if side == "simulator" else item.on_sandbox
    return f"judged tonight in {item.scenario}, step {result.trail}" if result is not None else "judged tonight"


def _earlier(item: Disagreement, past: Past, history: History, fingerprint: str) -> str:
    """What earlier nights say of contract and provider."""
    if not history.nights:
        return "no earlier night is known"
    known = f"{len(history.nights)} earlier night{'s' if len(history.nights) != 1 else ''} known"
    if item.row is not Row.PROVIDER:
        return known
    agreed = past.agreed
    seen = history.times_seen(fingerprint, agreed.time if agreed else None)
    times = f", and seen to differ in {seen} run{'s' if seen != 1 else ''} since" if seen else ""
    if agreed is None:
        return f"agreed in none of the {known}{times}"
    nights = f"agreed in {agreed.nights} night{'s' if agreed.nights != 1 else ''}, last in "
    nights += f"{night_words(past.night, agreed.run_id)} of {datetime.fromtimestamp(agreed.time, UTC):%Y-%m-%d}"
    again = {True: " (judged again with today's contract: fits)", False: " (judged again: does not fit any more)"}
    lost = "" if past.stands else " (under another contract, and not to be judged again)"
    return nights + (again[bool(past.stands)] if past.again else lost) + times
