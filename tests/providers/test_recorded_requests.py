"""What the official stripe SDK sends, byte for byte as it was recorded, is understood."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes.raw_client import Message, RawClient

from troth.simulators.simulator import Simulator

RECORDINGS = Path(__file__).parents[1] / "data" / "sdk-requests"
KEY = b"sk_test_12345"


def wire(recorded: dict[str, Any]) -> bytes:
    """The request as it went over the wire, with a key in place of the one that was taken out."""
    lines = [f"{recorded['method']} {recorded['path']} {recorded['http_version']}"]
    lines += [f"{name}: {value}" for name, value in recorded["headers"]]
    head = "\r\n".join([*lines, "", ""]).encode().replace(b"<redacted>", KEY)
    return head + str(recorded["body"]).encode()


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    """A simulator of Stripe; whatever it could not place fails the test."""
    with Simulator("stripe") as running:
        yield running
        assert [entry.explanation for entry in running.journal.unmatched] == []


def replay(simulator: Simulator, name: str) -> list[Message]:
    """The answers to a recording, over one connection."""
    requests = json.loads((RECORDINGS / f"stripe_{name}.json").read_text())["requests"]
    with RawClient(simulator.url) as client:
        return [client.ask(wire(request), request["method"]) for request in requests]


def test_raw_brackets_lists_escapes_and_an_empty_text(simulator: Simulator) -> None:
    (answer,) = replay(simulator, "customer_create")

    made = json.loads(answer.body)
    assert (answer.status, made["email"], made["name"]) == (200, "a@b.c", None)
    assert made["metadata"] == {"plan": "gold", "é": "ü"}
    assert made["preferred_locales"] == ["fr", "en"]
    assert (made["address"]["line1"], made["address"]["country"], made["address"]["city"]) == ("1 rue", "FR", None)


def test_module_style(simulator: Simulator) -> None:
    (answer,) = replay(simulator, "module_style")

    assert (answer.status, json.loads(answer.body)["metadata"]) == (200, {"a": "1"})


def test_escaped_brackets_in_a_query(simulator: Simulator) -> None:
    (answer,) = replay(simulator, "list_filters")

    assert answer.status == 200
    assert json.loads(answer.body) == {"object": "list", "url": "/v1/customers", "has_more": False, "data": []}


def test_expansions_and_options_of_an_intent(simulator: Simulator) -> None:
    (answer,) = replay(simulator, "payment_intent_confirm")

    made = json.loads(answer.body)
    assert (answer.status, made["status"], made["customer"]) == (200, "succeeded", None)
    assert (made["latest_charge"]["object"], made["latest_charge"]["amount"]) == ("charge", 1099)


@pytest.mark.parametrize("name", ["delete", "error_402"])
def test_ids_that_nobody_made(simulator: Simulator, name: str) -> None:
    """They were made up when the requests were recorded."""
    (answer,) = replay(simulator, name)

    assert (answer.status, json.loads(answer.body)["error"]["code"]) == (404, "resource_missing")


def test_retries_under_one_key_are_one_charge(simulator: Simulator) -> None:
    """Three tries, as the SDK makes them after a server error."""
    answers = replay(simulator, "retry_5xx")

    assert [answer.status for answer in answers] == [200, 200, 200]
    assert len({answer.body for answer in answers}) == 1
    assert [answer.headers.get("idempotent-replayed") for answer in answers] == [None, "true", "true"]
