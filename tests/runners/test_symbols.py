"""Symbols for created ids, and times that say now."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import pytest
from fakes.target_runs import NIGHT, step

from troth.runners.symbols import Symbols, near_time

ARN = "arn:aws:sqs:eu:1:orders"
UUID = "0b0c6a5e-21f7-4a7d-9d2b-0123456789ab"
MADE = [("intents", "pi_1abc"), ("charges", "ch_long_id"), ("charges", "ch_long_id_2"), ("queues", ARN), ("docs", UUID)]
SYMBOLS = Symbols([step(created=[*MADE, ("rows", 7), ("rows", "abc")]), step(created=[("charges", "ch_third")])])


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ("ch_long_id", "charges#1"),
        ("ch_long_id_2", "charges#2"),
        ("ch_third", "charges#3"),
        ("/v1/charges/ch_long_id/refunds?after=ch_third", "/v1/charges/charges#1/refunds?after=charges#3"),
        ("pi_1abc_secret_x1y2", "intents#1_secret_x1y2"),
        ("xch_long_id", "xch_long_id"),
        ("ch_long_idx", "ch_long_idx"),
        (f"queue {ARN}!", "queue queues#1!"),
        (f'"{UUID}"', '"docs#1"'),
        (UUID[:-1], UUID[:-1]),
        (7, "rows#1"),
        (True, True),
        ("7", "7"),
        ("abc", "rows#2"),
        ("abc def", "abc def"),
        (["ch_long_id", {"id": "pi_1abc"}], ["charges#1", {"id": "intents#1"}]),
        (None, None),
        (1.5, 1.5),
    ],
)
def test_created_ids_become_symbols(value: Any, want: Any) -> None:
    """As whole words; short keys only as whole values, for they turn up by accident."""
    assert SYMBOLS.value(value) == want


def test_records_that_texts_mention() -> None:
    """In any of the texts, each once."""
    texts = ["http://t/ch_long_id", '{"a": "pi_1abc_secret", "b": "ch_long_id"}', ARN]

    assert SYMBOLS.touched(*texts) == {"charges#1", "intents#1", "queues#1"}
    assert SYMBOLS.touched("nothing of it") == frozenset()


def test_a_scenario_that_made_nothing_has_no_symbols() -> None:
    """Everything stays as it is."""
    empty = Symbols([step()])

    assert empty.value({"id": "ch_long_id"}) == {"id": "ch_long_id"}
    assert empty.touched("ch_long_id") == frozenset()
    assert "ch_long_id" not in empty
    assert "ch_long_id" in SYMBOLS


MOMENT = datetime.fromtimestamp(NIGHT, UTC)


@pytest.mark.parametrize(
    "value", [NIGHT, int(NIGHT), int(NIGHT) * 1000, MOMENT.isoformat(), format_datetime(MOMENT), "2027-01-15T08:00:30Z"]
)
def test_times_that_say_now(value: Any) -> None:
    """In every usual format."""
    assert near_time(value, NIGHT)
    assert not near_time(value, NIGHT + 3600)


@pytest.mark.parametrize("value", ["soon", "12 monkeys", True, None, [], "2027-13-45", 1e300, ""])
def test_what_is_no_time(value: Any) -> None:
    """Is near none."""
    assert not near_time(value, NIGHT)
