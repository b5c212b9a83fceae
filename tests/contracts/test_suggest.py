"""Did you mean ...?"""

import pytest

from troth.contracts.suggest import closest, did_you_mean

NAMES = ["created", "card_declined", "$string", "Idempotency-Key", "charges"]


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("creatd", "created"),
        ("Created", "created"),
        ("cardDeclined", "card_declined"),
        ("card-declined", "card_declined"),
        ("idempotency_key", "Idempotency-Key"),
        ("charge", "charges"),
        ("$strng", "$string"),
        ("zzz", None),
        ("", None),
    ],
)
def test_closest(word: str, name: str | None) -> None:
    """Slips of the finger, of case and of the dash find the name; a stranger finds none."""
    assert closest(word, NAMES) == name


def test_a_near_name_is_suggested() -> None:
    """One name, as a question."""
    assert did_you_mean("creatd", NAMES) == "Did you mean 'created'?"


def test_otherwise_the_names_are_listed() -> None:
    """At most a dozen, and how many more there are."""
    assert did_you_mean("zzz", ["b", "a", "b"], "types") == "Known types: b, a"
    assert did_you_mean("zzz", [f"n{number:02}" for number in range(14)]).endswith("n10, n11 and 2 more")


def test_no_names_at_all() -> None:
    """An empty list is said to be empty."""
    assert did_you_mean("x", [], "parts") == "There are no parts here"
