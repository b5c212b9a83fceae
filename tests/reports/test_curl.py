"""Exchanges as cURL commands that a shell reads as they were meant."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from fakes.report_runs import NASTY, exchange

from troth.reports.curl import curl, request_head, response_head


def _words(command: str) -> list[str]:
    return [word for word in shlex.split(command) if word != "\n"]


def test_the_command_says_what_was_sent() -> None:
    """URL, headers with their redacted tokens, body; nothing that cURL works out itself."""
    assert _words(curl(exchange())) == [
        "curl",
        "--globoff",
        "--url",
        "http://127.0.0.1:8420/v1/refunds?expand[]=charge",
        "--header",
        "Authorization: Bearer [secret:key:5f0c2a91]",
        "--header",
        "Content-Type: application/x-www-form-urlencoded",
        "--header",
        "Idempotency-Key: k-20261130T0300-k3f9-1-3",
        "--data-raw",
        "charge=ch_3PzK3&amount=501",
    ]


@pytest.mark.parametrize(
    ("method", "body", "expected"),
    [
        ("GET", "", []),
        ("GET", "x", ["--request", "GET"]),
        ("POST", "", ["--request", "POST"]),
        ("POST", "x", []),
        ("DELETE", "", ["--request", "DELETE"]),
        ("HEAD", "", ["--head"]),
    ],
)
def test_the_method_is_said_when_curl_would_take_another(method: str, body: str, expected: list[str]) -> None:
    """No superfluous options."""
    words = _words(curl(exchange(method=method, request_body=body, url="http://h/")))
    assert words[1 : 1 + len(expected)] == expected
    assert ("--request" in words) is ("--request" in expected)


def test_an_empty_header_is_sent_empty() -> None:
    """``name:`` would take it away."""
    assert "X-Empty;" in _words(curl(exchange(request_headers=(("X-Empty", ""),))))


def test_a_body_without_a_content_type_is_sent_without_one() -> None:
    """Else cURL would call it a form."""
    assert "content-type:" in _words(curl(exchange(request_headers=())))


@pytest.mark.parametrize("body", ["\x00\x01", "caf\ufffd"])
def test_a_body_that_is_no_text_is_not_faked(body: str) -> None:
    """A command with another body would mislead."""
    command = curl(exchange(request_body=body))
    assert "--data-binary @BODY" in command
    assert "# The body is not text" in command


@pytest.mark.parametrize("text", [text for text in NASTY if text.isprintable() or "\n" in text or "\x1b" in text])
def test_a_shell_reads_back_what_was_sent(text: str) -> None:
    """bash itself takes the command apart, and nothing in it runs."""
    text = text.replace("\x00", "").replace("\ud800", "")
    command = curl(exchange(request_headers=(), request_body=text or "x")).replace("curl ", "printf '%s\\0' ", 1)
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=True, timeout=20)
    assert done.stdout.decode().split("\0")[-2] == (text or "x")


def test_no_control_character_stands_in_a_command() -> None:
    """Pasting it into a terminal does nothing by itself."""
    command = curl(exchange(request_body="\x1b[2J\x07"))
    assert "\x1b" not in command
    assert "\\x1b[2J\\x07" in command


def test_heads_are_safe_to_show_and_an_answer_may_be_missing() -> None:
    """Request line and headers; nothing for an answer that did not come."""
    head = request_head(exchange(url="http://[broken", request_headers=(("X\x00", "\u202e"),)))
    assert head == ["POST http://[broken", "host: ", "X\\x00: \\u202e"]
    assert response_head(exchange(status=None)) == []
    assert response_head(exchange())[0] == "HTTP 200"
