"""Explanations of requests that nothing answers."""

from __future__ import annotations

from troth.contracts.exchange import Request
from troth.contracts.judgement import NearMiss
from troth.simulators.explain import explanation_json, explanation_text

POST = Request("POST", "/v1/chargs", "a=1")


def miss(*reasons: tuple[str, str, str], name: str = "create_charge") -> NearMiss:
    return NearMiss(name, "POST", "/v1/charges", reasons)


def test_the_text_names_request_operations_and_reasons() -> None:
    text = explanation_text(POST, [miss(("path", "/v1/charges", "/v1/chargs"))], "stripe")
    assert text.splitlines() == [
        "nothing in the contract of stripe answers POST /v1/chargs?a=1",
        "  nearest: create_charge (POST /v1/charges)",
        "    path: wants /v1/charges, got /v1/chargs",
        "  Correct the request, or describe it in the contract.",
    ]


def test_the_json_says_the_same_as_data() -> None:
    assert explanation_json(POST, [miss(("path", "/v1/charges", "/v1/chargs"))], "stripe") == {
        "message": "nothing in the contract of stripe answers POST /v1/chargs?a=1",
        "nearest": [
            {
                "operation": "create_charge",
                "method": "POST",
                "path": "/v1/charges",
                "why": [{"at": "path", "want": "/v1/charges", "got": "/v1/chargs"}],
            }
        ],
        "fix": "Correct the request, or describe it in the contract",
    }


def test_no_two_lines_are_alike() -> None:
    reason = ("method", "GET", "POST")
    near = [miss(reason, reason), miss(reason, name="list"), miss(reason, name="get")]
    lines = explanation_text(POST, near, "stripe").splitlines()
    assert len(set(lines)) == len(lines)
    assert sum("method" in line for line in lines) == 3


def test_what_prints_alike_is_told_apart() -> None:
    for want, got in (("a b", "a  b"), ("a", "a "), ("a", "a\t")):
        why = explanation_json(POST, [miss(("x", want, got))], "stripe")["nearest"][0]["why"][0]
        assert (why["want"], why["got"]) == (ascii(want), ascii(got))


def test_what_is_the_same_even_when_escaped_says_that_it_differs_elsewhere() -> None:
    why = explanation_json(POST, [miss(("body.amount", "1", "1"))], "stripe")["nearest"][0]["why"][0]
    assert why["want"] != why["got"]
    assert "in its type" in why["got"]


def test_long_values_are_cut_and_say_so() -> None:
    why = explanation_json(POST, [miss(("body", "short", "x" * 5000))], "stripe")["nearest"][0]["why"][0]
    assert len(why["got"]) < 300
    assert why["got"].endswith("... (5000 characters)")


def test_without_near_operations_there_is_still_advice() -> None:
    assert "Correct the request" in explanation_text(POST, [], "stripe")
