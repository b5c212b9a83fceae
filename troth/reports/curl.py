"""A recorded request as a cURL command, and an exchange as the text that went over the wire.

Secrets were replaced when the exchange was recorded; their tokens stay, so the command must be given the real ones.
"""

from __future__ import annotations

import shlex
from urllib.parse import urlsplit

from troth.reports.visible import visible
from troth.runners.finding import RecordedExchange

__all__ = ["curl", "request_head", "response_head"]

_MADE_BY_CURL = frozenset({"connection", "content-length", "host", "transfer-encoding"})
"""Headers that cURL works out from the rest; a stale one would break the request."""
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "'": "\\'", "\\": "\\\\"}


def curl(exchange: RecordedExchange) -> str:
    """One command, several lines; paste it into a POSIX shell (bash or zsh when it holds control characters)."""
    words = ["curl", *_method(exchange), f"--url {_quote(exchange.url)}"]
    if any(char in exchange.url for char in "[]{}"):
        words.insert(1, "--globoff")
    words += [f"--header {_header(*pair)}" for pair in exchange.request_headers if pair[0].lower() not in _MADE_BY_CURL]
    if exchange.request_body and all(name.lower() != "content-type" for name, _ in exchange.request_headers):
        # Else cURL says that it is a form.
        words.append("--header 'content-type:'")
    command = " \\\n  ".join(words)
    if not exchange.request_body:
        return command
    if "\0" in exchange.request_body or "\ufffd" in exchange.request_body:
        return f"{command} \\\n  --data-binary @BODY\n# The body is not text: put it into the file BODY."
    return f"{command} \\\n  --data-raw {_quote(exchange.request_body)}"


def request_head(exchange: RecordedExchange) -> list[str]:
    """The request line and headers, safe to show."""
    host, target = _split(exchange.url)
    first = [visible(f"{exchange.method} {target or '/'}"), visible(f"host: {host}")]
    return first + [visible(f"{name}: {value}") for name, value in exchange.request_headers if name.lower() != "host"]


def response_head(exchange: RecordedExchange) -> list[str]:
    """The status line and headers, safe to show; nothing when no answer came."""
    if exchange.status is None:
        return []
    return [f"HTTP {exchange.status}", *(visible(f"{name}: {value}") for name, value in exchange.response_headers)]


def _split(url: str) -> tuple[str, str]:
    """Host and port, and path with query; a URL that cannot be split is all path."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", url
    return parts.netloc, parts.path + (f"?{parts.query}" if parts.query else "")


def _method(exchange: RecordedExchange) -> list[str]:
    if exchange.method == "HEAD":
        return ["--head"]
    if exchange.method == ("POST" if exchange.request_body else "GET"):
        return []
    return [f"--request {_quote(exchange.method)}"]


def _header(name: str, value: str) -> str:
    # ``name:`` without a value would take the header away.
    return _quote(f"{name}: {value}" if value else f"{name};")


def _quote(text: str) -> str:
    """For a shell: control characters are written as escapes, so that pasting them does nothing by itself."""
    if text.replace("\n", "").isprintable():
        return shlex.quote(text)
    return "$'" + "".join(_shell_escape(char) for char in text) + "'"


def _shell_escape(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
