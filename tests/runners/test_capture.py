"""What is kept of an exchange is text, bounded, and free of secrets."""

from __future__ import annotations

from troth.contracts.exchange import Request, Response
from troth.contracts.judgement import Choice, Judgement, Unobserved, Why
from troth.contracts.matcher import Mismatch, Origin
from troth.runners.capture import BODY_LIMIT, Stamp, capture, redact_judgement
from troth.runners.classify import Failure
from troth.runners.client import Attempt
from troth.runners.redact import Redactor
from troth.runners.secret_fields import secret_values

CANARY = "sk_test_CANARY"
STAMP = Stamp("sandbox", "s", 3, "create")


def redactor() -> Redactor:
    made = Redactor(b"key")
    made.hide([("key", CANARY)])
    return made


def attempt(response: Response | None = None, failure: Failure | None = None) -> Attempt:
    headers = [(b"Authorization", f"Bearer {CANARY}".encode()), (b"X-Trace", b"t")]
    request = Request("POST", f"/v1/{CANARY}", f"key={CANARY}", headers, f'{{"k": "{CANARY}"}}'.encode())
    return Attempt(request, f"http://h/v1/{CANARY}?key={CANARY}", 10.0, 10.5, 0.5, response, failure)


def test_an_exchange_has_everything_but_the_secret() -> None:
    """Method, address, headers, bodies, times; the secret is a token everywhere."""
    answer = Response(200, [(b"X-Echo", CANARY.encode())], f"you are {CANARY}".encode())
    kept = capture(attempt(answer), STAMP, redactor(), "created")
    token = redactor().token("key", CANARY)
    assert CANARY not in repr(kept)
    assert kept.url == f"http://h/v1/{token}?key={token}"
    assert kept.request_headers == (("Authorization", f"Bearer {token}"), ("X-Trace", "t"))
    assert kept.response_headers == (("X-Echo", token),)
    assert kept.response_body == f"you are {token}"
    assert (kept.status, kept.response_name, kept.started, kept.elapsed) == (200, "created", 10.0, 0.5)


def test_a_failure_is_kept_in_words() -> None:
    """Without a status; its words are cleaned too."""
    kept = capture(attempt(failure=Failure("reset", f"it broke at {CANARY}")), STAMP, redactor(), None)
    assert kept.status is None
    assert kept.error is not None
    assert CANARY not in kept.error


def test_bodies_are_cut_after_they_were_cleaned() -> None:
    """A secret across the cut would otherwise leave its first half."""
    body = b"x" * (BODY_LIMIT - 5) + CANARY.encode() + b"y" * 100
    kept = capture(attempt(Response(200, (), body)), STAMP, redactor(), None)
    assert "sk_te" not in kept.response_body
    assert kept.response_body.endswith(f"\n[cut here: {len(body)} bytes in all]")
    assert len(kept.response_body) < BODY_LIMIT + 100


def test_bytes_that_are_no_text_are_kept_as_far_as_they_go() -> None:
    """Invalid UTF-8 does not stop a run."""
    kept = capture(attempt(Response(200, (), b"\xff\xfeok")), STAMP, redactor(), None)
    assert kept.response_body == "\ufffd\ufffdok"


def test_a_judgement_is_cleaned_in_every_part() -> None:
    """Findings, choices, reasons, decoded body and headers, keys of records."""
    origin = Origin("Charge", ".x")
    judgement = Judgement(
        "create",
        "created",
        mismatches=(Mismatch("value", f"$['{CANARY}']", CANARY, {"a": CANARY}, origin, f"not {CANARY}"),),
        unjudged=(Why("unknown", CANARY),),
        unobserved=Unobserved("unreachable", CANARY),
        choices={f"$.{CANARY}": Choice("default", CANARY, origin)},
        body={"a": [CANARY]},
        headers={"x_echo": CANARY, "set_cookie": "sid=other; Path=/", "age": 3},
        created=(("charges", CANARY),),
    )
    clean = redact_judgement(judgement, redactor())
    assert CANARY not in repr(clean)
    assert "other" not in repr(clean)
    assert clean.headers["age"] == 3
    assert (clean.operation, clean.response) == ("create", "created")


def test_secret_fields_are_found_at_any_depth() -> None:
    """Everything below a marked name, numbers too; booleans hide nothing."""
    value = {"a": [{"pin": "739"}, {"pin": 12}], "card": {"number": "42", "live": True}, "amount": 739}
    assert sorted(secret_values(value, frozenset({"pin", "card"}))) == [("card", "42"), ("pin", "12"), ("pin", "739")]
