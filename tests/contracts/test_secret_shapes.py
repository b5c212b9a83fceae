"""Texts that look like credentials."""

import pytest

from troth.contracts.secret_shapes import hide_secrets, secrets_in

# Put together here, so that no scanner takes this file for a leak.
LOOKS = [
    ("sk_live_" + "a1" * 12, "a Stripe key"),
    ("sk_test_" + "a1" * 12, "a Stripe key"),
    ("rk_live_" + "a1" * 12, "a Stripe key"),
    ("whsec_" + "a1" * 16, "a webhook secret"),
    ("AKIA" + "A1" * 8, "an AWS access key"),
    ("ghp_" + "a1" * 18, "a GitHub token"),
    ("github_pat_" + "a1" * 30, "a GitHub token"),
    ("xoxb-" + "12345-abcdef", "a Slack token"),
    ("AIza" + "a" * 35, "a Google API key"),
    ("sk-ant-" + "a1" * 20, "an OpenAI or Anthropic key"),
    ("eyJ" + "hbGciOiJI" + ".eyJ" + "zdWIiOiIx" + "." + "SflKxwRJSM", "a JSON web token"),
    ("-----BEGIN " + "RSA PRIVATE KEY-----", "a private key"),
    ("-----BEGIN " + "PRIVATE KEY-----", "a private key"),
]


@pytest.mark.parametrize(("text", "what"), LOOKS)
def test_looks_like_a_credential(text: str, what: str) -> None:
    """Each shape is found inside other text, whole."""
    (shape,) = secrets_in(f"key: '{text}'!")

    assert shape == (what, 6, 6 + len(text))


@pytest.mark.parametrize(("text", "what"), LOOKS)
def test_hidden_text_keeps_its_length(text: str, what: str) -> None:
    """What is left tells the kind and not the secret."""
    hidden = hide_secrets(f"a {text} b")

    assert text not in hidden
    assert len(hidden) == len(text) + 4
    assert hidden.startswith(f"a {text[:8]}•")


@pytest.mark.parametrize(
    "text",
    [
        "sk_test_*",
        "sk_test_short",
        "whsec_*",
        "xoxb-*",
        "AKIAIOSFODNN7",
        "pm_card_visa_chargeDeclinedInsufficientFunds",
        "tok_visa",
        "pi_3MtwBwLkdIwHu7ix28a3tqPa",
        "eyJhbGciOiJIUzI1NiJ9",
        "-----BEGIN CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----",
        "{{ secrets.key }}",
        "task-list-of-the-very-long-operation-name",
    ],
)
def test_is_no_credential(text: str) -> None:
    """Patterns, ids, test values and public things are left alone."""
    assert list(secrets_in(text)) == []
