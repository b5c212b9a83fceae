"""No secret survives capture, in any of the forms in which it may stand on the wire."""

from __future__ import annotations

import html
import json
from base64 import b64decode, b64encode, urlsafe_b64encode
from urllib.parse import quote, quote_plus

import pytest

from troth.runners.redact import Redactor

CANARY = 'sk_test_canary/ü+"9'


def redactor(**secrets: str) -> Redactor:
    made = Redactor(b"key of the run")
    made.hide(secrets.items())
    return made


@pytest.mark.parametrize(
    "form",
    [
        CANARY,
        quote(CANARY),
        quote(CANARY, safe=""),
        quote(CANARY, safe="").lower(),
        quote_plus(CANARY),
        json.dumps(CANARY)[1:-1],
        json.dumps(CANARY, ensure_ascii=False)[1:-1],
        json.dumps(CANARY)[1:-1].replace("/", "\\/"),
        CANARY.encode().decode("latin-1"),
        b64encode(CANARY.encode()).decode(),
        b64encode(f"{CANARY}:".encode()).decode(),
        urlsafe_b64encode(CANARY.encode()).decode(),
        json.dumps(json.dumps(CANARY)[1:-1])[1:-1],
        json.dumps(CANARY.encode().decode("latin-1"))[1:-1],
        quote(quote(CANARY, safe=""), safe=""),
        html.escape(CANARY),
        html.escape(CANARY).replace("&quot;", "&#34;"),
        repr(CANARY)[1:-1],
        repr("'" + CANARY)[3:-1],
        repr(CANARY.encode())[2:-1],
        json.dumps(repr(CANARY.encode()))[3:-2],
        CANARY.encode().hex(),
        CANARY.encode().hex().upper(),
    ],
)
def test_every_form_of_a_secret_is_replaced(form: str) -> None:
    """Raw, percent-encoded, in JSON, in Latin-1, in base64."""
    text = redactor(key=CANARY).text(f"before {form} after")
    assert form not in text
    assert text.startswith("before [secret:key:")
    assert text.rstrip("= ").endswith("after")


def test_equal_secrets_have_equal_tokens_and_others_do_not() -> None:
    """Comparison still works; the key of the run keeps tokens from being guessed."""
    one = redactor(a="first-secret", b="other-secret")
    assert one.text("first-secret") == one.text("first-secret")
    assert one.text("first-secret") != one.text("other-secret")
    other = Redactor(b"another run")
    other.hide([("a", "first-secret")])
    assert other.text("first-secret") != one.text("first-secret")


def test_a_secret_inside_another_goes_with_it() -> None:
    """The longest form is replaced as a whole, whichever was learnt first."""
    made = redactor(short="sk_test_1", long="sk_test_1_and_more")
    assert made.text("sk_test_1_and_more") == made.token("long", "sk_test_1_and_more")


def test_a_short_secret_is_replaced_only_as_a_word() -> None:
    """A three-digit code does not tear numbers and ids apart."""
    made = redactor(cvc="123")
    assert made.text('{"cvc": "123", "amount": 1234, "id": "a123"}') == (
        f'{{"cvc": "{made.token("cvc", "123")}", "amount": 1234, "id": "a123"}}'
    )


def test_headers_that_carry_credentials_are_replaced_whole() -> None:
    """Also when nobody named their value a secret; scheme and cookie names stay readable."""
    made = redactor(key="sk_test_1234")
    headers = dict(
        made.headers(
            [
                (b"Authorization", b"Bearer sk_test_1234"),
                (b"Proxy-Authorization", b"Basic abc="),
                (b"X-Api-Key", b"plain"),
                (b"Cookie", b"sid=abc; theme=dark"),
                (b"Set-Cookie", b"sid=abc; Path=/; HttpOnly; Max-Age=5"),
                (b"X-Echo", b"you sent sk_test_1234"),
                (b"Date", b"Mon, 30 Nov 2026 03:00:00 GMT"),
            ]
        )
    )
    shown = "\n".join(headers.values())
    for hidden in ("sk_test_1234", "abc", "plain", "dark"):
        assert hidden not in shown
    assert headers["Authorization"].startswith("Bearer [secret:key:")
    assert headers["Set-Cookie"].startswith("sid=[secret:cookie:")
    assert headers["Set-Cookie"].endswith("Path=/; HttpOnly; Max-Age=5")
    assert headers["Cookie"].split("=")[1].split(";")[0] == headers["Set-Cookie"].split("=")[1].split(";")[0]
    assert headers["Date"] == "Mon, 30 Nov 2026 03:00:00 GMT"


def test_values_are_replaced_in_depth() -> None:
    """Keys, lists, bytes; what is not text stays the same object."""
    made = redactor(key="sk_test_1234")
    marker = object()
    value = {"sk_test_1234": [1, None, "x sk_test_1234", b"sk_test_1234", ("sk_test_1234",), marker]}
    out = made.value(value)
    assert "sk_test_1234" not in repr(out)
    assert next(iter(out.values()))[5] is marker
    assert redactor().value(value) is value


def test_the_redactor_shows_nothing_itself() -> None:
    """Its repr counts, and an empty secret hides nothing."""
    made = redactor(key="sk_test_1234", empty="")
    assert "sk_test" not in repr(made)
    assert made.text("plain text") == "plain text"


@pytest.mark.parametrize("before", ["", "a", "ab", "user:"])
def test_a_secret_in_the_middle_of_base64(before: str) -> None:
    """Whatever stands in front of it, as in Basic credentials: no stretch of letters is left that decodes to it."""
    text = redactor(key=CANARY).text(b64encode(f"{before}{CANARY} and more".encode()).decode())
    assert "[secret:key:" in text
    for start in range(4):
        left = text.partition("[secret:")[0][start:]
        assert b"canary" not in b64decode(left[: len(left) // 4 * 4])


def test_a_field_of_a_reply_is_looked_for_in_its_usual_forms_only() -> None:
    """There are many of them in a run."""
    made = Redactor(b"key of the run")
    made.learning([("client_secret", "cs_12345678")])
    assert "cs_12345678" not in made.text("cs_12345678")
    assert repr(made) == "Redactor(3 hidden)"
