"""Findings and verdicts in words."""

from __future__ import annotations

from dataclasses import replace
from string import Formatter
from typing import Any

import pytest
from fakes.report_runs import NASTY, drifted_findings, exchange, finding, provider_run

from troth.contracts.kinds import KINDS, Severity
from troth.contracts.values import ABSENT
from troth.reports.phrases import PHRASES
from troth.reports.words import (
    BLAME_TITLES,
    BLAME_WORDS,
    VERDICT_TITLES,
    VERDICT_WORDS,
    Code,
    advice,
    brief,
    fails,
    plain,
    proof,
    sentence,
    side_of,
    side_words,
    steadiness,
    title,
    verdict_sentence,
)
from troth.runners.finding import Blame, Verdict


def test_an_invalid_request_with_another_refusal_is_not_called_accepted() -> None:
    """What came may be a 404 as well as a 200; the finding says which, and where the request is wrong."""
    one = finding("invalid_accepted", path="limit", sandbox="missing")

    assert (
        plain(title(one)) == "The sandbox answers \"missing\" to a request that the contract calls invalid at 'limit'"
    )


@pytest.mark.parametrize(
    ("came", "seen", "runs", "words"),
    [
        ("", 1, 1, ""),
        ("confirmed", 3, 3, "seen in 3 of 3 runs: confirmed"),
        ("intermittent", 2, 5, "seen in 2 of 5 runs: intermittent"),
        ("dismissed", 1, 4, "seen in 1 of 4 runs: it did not come again"),
        ("unconfirmed", 1, 1, "seen in 1 of 1 run: it was to be looked at again, and was not"),
    ],
)
def test_how_steadily_something_was_seen(came: str, seen: int, runs: int, words: str) -> None:
    """Where it was looked at again; and nobody is told to change a contract for a fluke."""
    one = finding(steadiness=came, seen=seen, runs=runs)

    assert steadiness(one) == words
    assert plain(advice(one)).startswith("Change nothing yet") == (came in ("intermittent", "dismissed"))


_PLACEHOLDERS = {"who", "got", "want", "path", "operation", "simulator", "sandbox"}


def test_every_kind_has_a_phrase_and_no_phrase_is_left_over() -> None:
    """A new kind without words would be shown as its code."""
    assert list(PHRASES) == list(KINDS)


@pytest.mark.parametrize("kind", PHRASES)
def test_phrases_are_well_formed(kind: str) -> None:
    """A title has no full stop, a fix ends with one, and both use known names only."""
    phrase = PHRASES[kind]
    assert not phrase.title.endswith(".")
    assert phrase.fix.endswith(".")
    assert phrase.fix[0].islower()
    for text in phrase:
        assert {name for _, name, _, _ in Formatter().parse(text) if name} <= _PLACEHOLDERS


@pytest.mark.parametrize("blame", Blame)
@pytest.mark.parametrize("kind", KINDS)
def test_every_finding_has_words(kind: str, blame: Blame) -> None:
    """Whatever the kind and the blame: a title, a sentence, advice; capitals and full stops in place."""
    one = finding(kind, blame=blame, contract=ABSENT, simulator=1, sandbox=None)
    for words in (title(one), sentence(one), advice(one)):
        text = plain(words)
        assert "{" not in text
        assert "  " not in text
        assert text[0].isupper() or isinstance(words[0], Code)
    assert plain(sentence(one)).endswith(".")
    assert plain(advice(one)).endswith(".")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({}, "The sandbox gives the response 'refunded' where the contract predicts 'too_much'"),
        (
            {"kind": "value", "path": "$.status", "contract": "a", "sandbox": 1},
            '$.status is 1, the contract says "a"',
        ),
        (
            {"kind": "value", "path": "$.data", "contract": {"a": 1}, "sandbox": {"b": 1}},
            "$.data is not what the contract says",
        ),
        ({"kind": "missing_header", "path": "headers.request_id"}, "The header request-id is missing"),
        (
            {"kind": "expect", "path": "response", "contract": ["pending", "at_once"], "sandbox": "review"},
            "The scenario expects 'pending' or 'at_once', the sandbox gives 'review'",
        ),
        (
            {"kind": "expect", "path": "check", "contract": "this.n == 2", "sandbox": {"this.n": 1}},
            "The scenario expects this.n == 2, the sandbox gives this.n = 1",
        ),
        (
            {"kind": "idempotency_ignored", "blame": Blame.SIMULATOR},
            "The simulator answers a repeated idempotency key as if it were new",
        ),
    ],
)
def test_titles_name_what_differs(changes: dict[str, Any], says: str) -> None:
    """In a sentence that a newcomer reads."""
    changes = dict(changes)
    assert plain(title(finding(changes.pop("kind", "response"), **changes))) == says


@pytest.mark.parametrize(
    ("changes", "ends"),
    [
        ({"kind": "value", "message": "the sum"}, "The contract wants: the sum."),
        ({"kind": "response", "message": "status 200"}, "It came with status 200."),
        ({"kind": "missing_field", "message": "required"}, "a required field is not there."),
        ({"kind": "unobserved", "message": "HTML for JSON."}, "Reason: HTML for JSON."),
        ({"kind": "leak", "message": "cus_1 is left"}, "Reason: cus_1 is left."),
    ],
)
def test_the_message_is_said_as_what_it_is(changes: dict[str, Any], ends: str) -> None:
    """A demand, a status, a reason, or nothing new."""
    assert plain(sentence(finding(**changes))).endswith(ends)


def test_advice_says_who_has_to_do_something() -> None:
    """By blame; a consequence sends its reader to the cause, a leak says what to do whoever is to blame."""
    assert plain(advice(finding("enum"))).startswith("Find out whether the provider means it")
    assert plain(advice(finding("enum", blame=Blame.CONTRACT))).startswith("Change the contract: add")
    assert plain(advice(finding("enum", blame=Blame.SIMULATOR))).startswith("Mend the simulator")
    assert "another finding" in plain(advice(finding(caused_by="v1:x")))
    assert plain(advice(finding("leak", blame=Blame.UNOBSERVED))).startswith("Correct the 'undo'")


def test_a_kind_of_tomorrow_has_words_too() -> None:
    """A run.json of a newer Troth is still readable."""
    one = replace(finding(), kind="new{kind}", code="TR999")
    assert plain(title(one)) == "'status': newkind"
    assert plain(sentence(one)).endswith(".")


@pytest.mark.parametrize("text", NASTY)
def test_nasty_texts_are_safe_pieces(text: str) -> None:
    """Braces are no placeholders, and what does not print is shown as its escape."""
    one = finding("value", path=text, contract=text, sandbox=text + "x", operation=text, scenario=text, message=text)
    for words in (title(one), sentence(one), advice(one)):
        assert all(piece.isprintable() or "\u200d" in piece for piece in words)


def test_values_are_brief() -> None:
    """A text in quotes, a name without, a structure by its size, a megabyte by its beginning."""
    assert plain(brief("a")) == '"a"'
    assert brief("a", named=True) == ("a",)
    assert brief("") == ('""',)
    assert brief(ABSENT) == ("nothing",)
    assert brief({"a": 1}) == ("an object with 1 member",)
    assert brief([1, 2]) == ("a list with 2 items",)
    assert len(plain(brief("x" * 1_000_000))) < 70
    assert plain(brief([f"r{n}" for n in range(9)], named=True)) == "'r0' or 'r1' or 'r2' or 'r3' or 5 others"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"since": None, "claim": ""}, "claimed by the contract"),
        ({"since": None}, "claimed by the contract: documentation, 2026-10-01"),
        ({"since": "r1", "proof": "none"}, "none yet: nothing shows that the provider ever did so; seen since run r1"),
        (
            {"since": "r2", "proof": "history", "last_agreed": "r1"},
            "by an earlier run; agreed until run r1; seen since run r2",
        ),
        ({"since": None, "blame": Blame.LOOSE}, ""),
    ],
)
def test_proof_says_why_and_since_when(changes: dict[str, Any], says: str) -> None:
    """History, a claim, or nothing yet."""
    assert proof(finding(**changes)) == says


def test_the_side_that_a_finding_is_about() -> None:
    """The sandbox, unless the simulator is to blame or only the simulator was there."""
    assert side_of(finding()) == "sandbox"
    assert side_of(finding(blame=Blame.SIMULATOR)) == "simulator"
    assert side_of(finding("leak", origin="simulator")) == "simulator"
    alone = finding("expect", blame=Blame.CONTRACT, sandbox=ABSENT, exchanges=(exchange("simulator"),))
    assert side_of(alone) == "simulator"


def test_an_empty_side_says_what_that_means() -> None:
    """Absent, not observed, and no single value are three things."""
    assert side_words(finding("missing_field", sandbox=ABSENT), "sandbox") == "absent"
    assert side_words(finding("unobserved", blame=Blame.UNOBSERVED, sandbox=ABSENT), "sandbox") == "not observed"
    alone = finding("expect", blame=Blame.CONTRACT, sandbox=ABSENT, exchanges=(exchange("simulator"),))
    assert side_words(alone, "sandbox") == "not observed"
    assert side_words(finding("type", contract=ABSENT, message="an integer"), "contract") == "an integer"
    assert side_words(finding("type", contract=ABSENT, message=""), "contract") == "no single value"
    assert side_words(finding("new_field", contract=ABSENT), "contract") == "absent"


def test_what_was_not_observed_never_fails_a_run() -> None:
    """It has an exit code of its own."""
    assert fails(finding(), Severity.BREAKING)
    assert not fails(finding("enum"), Severity.BREAKING)
    assert fails(finding("enum"), Severity.RISKY)
    assert not fails(finding(blame=Blame.UNOBSERVED), Severity.NOTICE)


def test_every_verdict_and_blame_has_words() -> None:
    """A report never shows a bare code word where a sentence is due."""
    assert set(VERDICT_TITLES) == set(VERDICT_WORDS) == set(Verdict)
    assert set(BLAME_TITLES) == set(BLAME_WORDS) == set(Blame)


def test_a_verdict_gives_its_reason() -> None:
    """The first line of it; agreement with findings says so."""
    down = provider_run(Verdict.UNREACHABLE, "https://x refused\nand more")
    assert verdict_sentence(down).endswith("drift. Reason: https://x refused.")
    assert "worth reading" in verdict_sentence(provider_run(Verdict.AGREE, findings=drifted_findings()))
