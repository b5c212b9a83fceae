"""Turns an attempt into the exchange that may be stored and shown: secrets replaced, bodies as text, bounded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from sys import intern

from troth.contracts.judgement import Choice, Judgement, Unobserved, Why
from troth.contracts.matcher import Mismatch
from troth.contracts.values import Json
from troth.runners.client import Attempt
from troth.runners.finding import RecordedExchange
from troth.runners.redact import Redactor

__all__ = ["BODY_LIMIT", "Stamp", "capture", "redact_judgement", "redact_mismatch", "redact_unobserved"]

BODY_LIMIT = 64 * 1024
"""Characters of a body that are kept."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """Where in a run an exchange belongs."""

    target: str
    scenario: str
    number: int
    operation: str
    trail: str = ""


def capture(attempt: Attempt, stamp: Stamp, redactor: Redactor, response_name: str | None) -> RecordedExchange:
    """The exchange without secrets."""
    response, failure = attempt.response, attempt.failure
    return RecordedExchange(
        target=stamp.target,
        scenario=stamp.scenario,
        step=stamp.number,
        operation=stamp.operation,
        method=attempt.request.method,
        url=redactor.text(attempt.url),
        request_headers=redactor.headers(attempt.request.headers),
        request_body=_text(attempt.request.body, redactor),
        status=None if response is None else response.status,
        response_headers=() if response is None else redactor.headers(response.headers),
        response_body="" if response is None else _text(response.body, redactor),
        response_name=response_name,
        error=None if failure is None else redactor.text(failure.words),
        started=attempt.sent,
        elapsed=attempt.elapsed,
        trail=stamp.trail,
    )


def _text(body: bytes, redactor: Redactor) -> str:
    """Replace first, cut then: half a secret at the end would not be found."""
    text = redactor.text(body.decode("utf-8", "replace"))
    if len(text) <= BODY_LIMIT:
        return text
    return f"{text[:BODY_LIMIT]}\n[cut here: {len(body)} bytes in all]"


def redact_judgement(judgement: Judgement, redactor: Redactor) -> Judgement:
    """The judgement without secrets, in every value and word that came from the target."""
    return replace(
        judgement,
        mismatches=tuple(redact_mismatch(mismatch, redactor) for mismatch in judgement.mismatches),
        unjudged=tuple(Why(why.reason, redactor.text(why.what)) for why in judgement.unjudged),
        unobserved=redact_unobserved(judgement.unobserved, redactor),
        choices=_choices(judgement.choices, redactor),
        news=_choices(judgement.news, redactor),
        body=redactor.value(judgement.body),
        headers=_headers(judgement.headers, redactor),
        created=tuple((collection, redactor.value(key)) for collection, key in judgement.created),
    )


def _choices(choices: Mapping[str, Choice], redactor: Redactor) -> dict[str, Choice]:
    return {
        intern(redactor.text(path)): Choice(choice.what, redactor.value(choice.value), choice.origin)
        for path, choice in choices.items()
    }


def _headers(headers: Mapping[str, Json], redactor: Redactor) -> dict[str, Json]:
    """Decoded headers; those that carry credentials are replaced whole, as they are on the wire."""
    return {
        name: redactor.header(name, value) if isinstance(value, str) else redactor.value(value)
        for name, value in headers.items()
    }


def redact_mismatch(mismatch: Mismatch, redactor: Redactor) -> Mismatch:
    """The mismatch without secrets."""
    return replace(
        mismatch,
        path=redactor.text(mismatch.path),
        expected=redactor.value(mismatch.expected),
        observed=redactor.value(mismatch.observed),
        want=redactor.text(mismatch.want),
    )


def redact_unobserved(why: Unobserved | None, redactor: Redactor) -> Unobserved | None:
    """The reason without secrets."""
    return why and Unobserved(why.verdict, redactor.text(why.reason))
