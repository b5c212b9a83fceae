"""Findings and verdicts in plain words: pure functions, the same for page, console, Markdown and JUnit.

Words come as pieces, so that each kind of report can show code as code: a ``Code`` is something from the contract or
the wire, a plain ``str`` is prose.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter
from typing import TypeAlias

from troth.contracts.kinds import KINDS, Severity
from troth.contracts.values import ABSENT, Kind, Value
from troth.reports.difference import literal
from troth.reports.outcome import VERDICT_WORDS, verdict_words
from troth.reports.phrases import PHRASES, Phrase
from troth.reports.visible import shorten, visible
from troth.runners.finding import Blame, Finding, ProviderRun, Verdict
from troth.runners.trails import step_words

__all__ = [
    "BLAME_TITLES",
    "BLAME_WORDS",
    "VERDICT_TITLES",
    "VERDICT_WORDS",
    "Code",
    "Words",
    "advice",
    "brief",
    "corner_lines",
    "fails",
    "plain",
    "proof",
    "relying",
    "sentence",
    "severity_words",
    "side_of",
    "side_words",
    "steadiness",
    "title",
    "verdict_sentence",
]


class Code(str):
    """A piece of the contract or of the wire, already safe to show."""

    __slots__ = ()


Words: TypeAlias = tuple[str, ...]

_BRIEF = 60

VERDICT_TITLES: dict[Verdict, str] = {
    Verdict.AGREE: "Agree",
    Verdict.DRIFT: "Drift",
    Verdict.UNREACHABLE: "Unreachable",
    Verdict.UNAUTHORIZED: "Unauthorized",
    Verdict.EXHAUSTED: "Exhausted",
    Verdict.FLAKY: "Flaky",
    Verdict.STALE: "Stale",
    Verdict.SKIPPED: "Skipped",
    Verdict.BROKEN: "Broken",
}

BLAME_TITLES: dict[Blame, str] = {
    Blame.PROVIDER: "The provider",
    Blame.CONTRACT: "The contract",
    Blame.SIMULATOR: "The simulator",
    Blame.ALL: "All three differ",
    Blame.LOOSE: "Left open by the contract",
    Blame.UNOBSERVED: "Not observed",
}

BLAME_WORDS: dict[Blame, str] = {
    Blame.PROVIDER: (
        "The simulator does what the contract says, and so did the provider, by an earlier run or by what the "
        "contract cites. The sandbox does not."
    ),
    Blame.CONTRACT: "The provider does not do what the contract says, and nothing shows that it ever did.",
    Blame.SIMULATOR: "The provider does what the contract says and the simulator does not: tests ran against a lie.",
    Blame.ALL: "Contract, simulator and sandbox each say something else. A person must decide.",
    Blame.LOOSE: (
        "The contract allows it. Simulator and sandbox differ, so that the simulator is not typical here; or the "
        "sandbox does otherwise than on earlier nights."
    ),
    Blame.UNOBSERVED: "This says nothing about the contract: neither agreement nor drift.",
}

_AFTER: dict[Blame, str] = {
    Blame.PROVIDER: "Find out whether the provider means it. If it does, change the contract: {fix}",
    Blame.CONTRACT: "Change the contract: {fix}",
    Blame.SIMULATOR: "Mend the simulator: {path} must be as the contract says.",
    Blame.ALL: "Look at the exchanges, decide who is right, then change the contract: {fix}",
    Blame.LOOSE: "Leave it if your code does not rely on it. Otherwise close the gap in the contract: {fix}",
    Blame.UNOBSERVED: "Make the sandbox answer (credentials, quota, network), then run again.",
}

_FLAKY = (
    "Change nothing yet, and run again later. If it goes on coming and going, ask the provider: a change may be on "
    "some of its servers only."
)
_COMPARES = frozenset({"value", "stored", "reference", "header", "expect"})
_NAMES_RESPONSES = frozenset({"response", "response_variant", "undeclared", "loose_response", "unobserved"})
"""Kinds whose values are names of responses, which stand without quotes."""
_TICKED = re.compile(r"`([^`]+)`")
_WITHOUT_CONTRACT = frozenset({"leak", "schema", "server_error", "broken", "unobserved"})
"""Kinds whose advice stands by itself, whoever is to blame."""


def title(finding: Finding) -> Words:
    """What is wrong, in one short sentence without a full stop."""
    names = _names(finding)
    if finding.kind in _COMPARES and names["got"] == names["want"]:
        # Two structures, or two texts whose beginnings are alike: naming both tells nothing.
        return _say("{path} is not what the contract says", names)
    return _say(_phrase(finding).title, names)


def sentence(finding: Finding) -> Words:
    """What happened, where."""
    where = "{step} of “{scenario}” calls {operation}. There, " if finding.scenario else "In {operation}, "
    means = KINDS[finding.kind].means if finding.kind in KINDS else "something differs"
    names = {
        **_names(finding),
        "step": visible(step_words(finding.step, finding.trail)),
        "scenario": visible(finding.scenario),
        "means": means,
        "message": visible(finding.message).rstrip("."),
    }
    return _say(where + "{means}." + _said(finding), names)


def _said(finding: Finding) -> str:
    """What the message adds, as a template."""
    if finding.message in ("", "required"):
        return ""
    if finding.kind in _WITHOUT_CONTRACT:
        return " Reason: {message}."
    return " It came with {message}." if finding.message.startswith("status ") else " The contract wants: {message}."


def advice(finding: Finding) -> Words:
    """What to do about it."""
    phrase, names = _phrase(finding), _names(finding)
    if finding.caused_by is not None:
        return _say("Nothing by itself: this follows from another finding. Deal with that one first.", names)
    if finding.flaky:
        return _say(_FLAKY, names)
    if finding.kind in _WITHOUT_CONTRACT:
        return _capital(_say(phrase.fix, names))
    return _say(_AFTER[finding.blame].replace("{fix}", phrase.fix), names)


def proof(finding: Finding) -> str:
    """Why the blame may be trusted, and since when; "" where there is nothing to say."""
    first = f"seen since run {visible(finding.since)}" if finding.since else ""
    if finding.blame not in (Blame.PROVIDER, Blame.CONTRACT):
        return first
    words = _PROOFS.get(finding.proof, "")
    if finding.proof == "claimed" and finding.claim:
        words += f": {visible(finding.claim)}"
    if finding.last_agreed:
        words += f"; agreed until run {visible(finding.last_agreed)}"
    return f"{words}; {first}" if first else words


def steadiness(finding: Finding) -> str:
    """How often it was seen, where its scenario was run again; "" where it was not."""
    if not finding.steadiness:
        return ""
    counts = f"seen in {finding.seen} of {finding.runs} run{'' if finding.runs == 1 else 's'}"
    words = {"dismissed": "it did not come again", "unconfirmed": "it was to be looked at again, and was not"}
    return f"{counts}: {words.get(finding.steadiness, visible(finding.steadiness))}"


def corner_lines(finding: Finding) -> tuple[str, ...]:
    """The evidence for the blame, a line for each two of contract, simulator and provider."""
    return tuple(
        f"{corner.between}: {corner.now}" + (f" ({corner.evidence})" if corner.evidence else "")
        for corner in finding.corners
    )


_PROOFS = {
    "history": "by an earlier run",
    "claimed": "claimed by the contract",
    "none": "none yet: nothing shows that the provider ever did so",
}


def verdict_sentence(provider: ProviderRun) -> str:
    """The verdict on one provider, with its reason."""
    reason = visible(provider.reason.strip().partition("\n")[0]).rstrip(".")
    if provider.verdict is Verdict.AGREE and provider.findings:
        return "Nothing that fails the run; there are findings worth reading."
    return verdict_words(provider) + (f" Reason: {reason}." if reason else "")


def side_of(finding: Finding) -> str:
    """Whose behaviour the finding is about: ``simulator`` or ``sandbox``."""
    if finding.kind == "leak":
        return "simulator" if finding.origin == "simulator" else "sandbox"
    if finding.blame is Blame.SIMULATOR or finding.kind == "schema":
        return "simulator"
    targets = {exchange.target for exchange in finding.exchanges}
    return "simulator" if finding.sandbox is ABSENT and targets == {"simulator"} else "sandbox"


def side_words(finding: Finding, side: str) -> str:
    """What an empty side means: ``absent``, ``not observed``, or what the contract demands instead of a value."""
    if side == "contract":
        if finding.kind in _CONTRACT_ABSENT:
            return "absent"
        return visible(finding.message) or ("left open" if finding.blame is Blame.LOOSE else "no single value")
    targets = {exchange.target for exchange in finding.exchanges}
    there = not targets or (side == "simulator" if targets == {"simulator"} else side in targets or side == "sandbox")
    judged = not (side == "sandbox" and finding.blame is Blame.UNOBSERVED)
    return "absent" if there and judged and finding.kind not in _ONE_SIDED else "not observed"


_ONE_SIDED = frozenset({"schema", "server_error"})
_CONTRACT_ABSENT = frozenset({"new_field", "appeared", "undeclared", "list_filter", "list_duplicate"})


_TESTS = 5


def relying(finding: Finding) -> str:
    """The tests that rely on what the finding is about; "" where none is known."""
    if not finding.tests:
        return ""
    more = f" and {len(finding.tests) - _TESTS} more" if len(finding.tests) > _TESTS else ""
    return "these tests rely on it: " + ", ".join(map(visible, finding.tests[:_TESTS])) + more


def fails(finding: Finding, fail_on: Severity) -> bool:
    """Does the finding fail the run?"""
    return finding.fails(fail_on)


def brief(value: Value, named: bool = False) -> Words:
    """A value in a few words; a text stands in quotes unless it is the name of a response."""
    if value is ABSENT:
        return ("nothing",)
    if isinstance(value, Kind):
        return (visible(value.words),)
    if isinstance(value, Mapping) and named and value:
        # A check that does not hold: what each name in it stands for.
        return _joined([f"{key} = {literal(member)}" for key, member in value.items()], " and ")
    if isinstance(value, Mapping):
        return (f"an object with {_count(len(value), 'member')}",)
    if isinstance(value, list | tuple):
        if named and value and all(isinstance(item, str) for item in value):
            return _joined([visible(item) for item in value], " or ")
        return (f"a list with {_count(len(value), 'item')}",)
    if isinstance(value, str) and named:
        return (Code(shorten(visible(value), _BRIEF) or '""'),)
    if isinstance(value, str):
        return (Code(literal(shorten(value, _BRIEF))),)
    return (Code(shorten(literal(value), _BRIEF)),)


def plain(words: Words) -> str:
    """The words as plain text; code that could be taken for prose stands in quotes."""
    return "".join(f"'{word}'" if isinstance(word, Code) and _like_prose(word) else word for word in words)


def _like_prose(word: str) -> bool:
    return word.isidentifier() and word not in ("null", "true", "false")


def _phrase(finding: Finding) -> Phrase:
    known = PHRASES.get(finding.kind)
    # A run.json of a newer Troth may hold kinds that this one does not know.
    return known or Phrase(
        "{path}: " + visible(finding.kind).replace("{", "").replace("}", ""), "look at the exchanges."
    )


def _names(finding: Finding) -> dict[str, Words | str]:
    side = side_of(finding)
    got = finding.simulator if side == "simulator" else finding.sandbox
    named = finding.kind in _NAMES_RESPONSES or finding.path in ("response", "status", "check")
    return {
        "who": f"the {side}",
        "got": brief(got, named),
        "want": brief(finding.contract, named),
        "path": Code(shorten(visible(_place(finding)), 120) or "the reply"),
        "operation": Code(visible(finding.operation) or "the request"),
        "simulator": brief(finding.simulator, named),
        "sandbox": brief(finding.sandbox, named),
    }


def _place(finding: Finding) -> str:
    """The path; of a header, its name as it is sent."""
    if finding.path.startswith("headers."):
        return finding.path.removeprefix("headers.").replace("_", "-")
    return finding.path


def _say(template: str, names: Mapping[str, Words | str]) -> Words:
    """The template with its names put in, and what stands in backticks made code; the first letter a capital."""
    pieces: list[str] = []
    for text, name, _, _ in Formatter().parse(template):
        for number, part in enumerate(_TICKED.split(text)):
            if part:
                pieces.append(Code(part) if number % 2 else part)
        if name is not None:
            value = names[name]
            pieces.extend([value] if isinstance(value, str) else value)
    return _capital(tuple(pieces))


def _capital(words: Words) -> Words:
    first, *rest = words
    return words if isinstance(first, Code) else (first[:1].upper() + first[1:], *rest)


def _joined(texts: list[str], word: str) -> Words:
    pieces: list[str] = []
    for number, text in enumerate(texts[:4]):
        if number:
            pieces.append(word)
        pieces.append(Code(shorten(visible(text), _BRIEF)))
    return (*pieces, f"{word}{len(texts) - 4} others") if len(texts) > 4 else tuple(pieces)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def severity_words(severity: Severity) -> str:
    """What a severity means, for a tooltip or a legend."""
    return _SEVERITIES[severity]


_SEVERITIES: dict[Severity, str] = {
    Severity.BREAKING: "code that calls the provider will fail",
    Severity.RISKY: "code that calls the provider may fail",
    Severity.NOTICE: "worth knowing",
    Severity.COSMETIC: "no code should notice",
}
