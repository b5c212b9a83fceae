"""What a client says and what the provider answers, as plain data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import parse_qs

__all__ = ["Answer", "Asked", "Raw", "error"]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request. Header names are in lower case, ``operation`` is the route it took."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes
    operation: str = ""
    key: str = ""
    """What stands for ``{id}`` in the path."""

    @property
    def path(self) -> str:
        """Without the query."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> dict[str, list[str]]:
        """Every parameter, empty ones too."""
        return parse_qs(self.target.partition("?")[2], keep_blank_values=True)

    @property
    def form(self) -> dict[str, str]:
        """The body, read as a form."""
        read = parse_qs(self.body.decode(), keep_blank_values=True)
        return {name: values[-1] for name, values in read.items()}

    @property
    def json(self) -> Any:
        """The body, read as JSON; {} without one."""
        return json.loads(self.body) if self.body else {}


@dataclass(slots=True)
class Answer:
    """One reply. ``body`` is JSON as Python has it, unless it is bytes; None is no body."""

    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)

    def payload(self, *, spaced: bool = False, ascii: bool = False) -> bytes:  # noqa: A002 - as json calls it
        """The body as bytes, indented when ``spaced``; ``ascii`` escapes everything else."""
        if self.body is None:
            return b""
        if isinstance(self.body, bytes):
            return self.body
        separators = (", ", " : ") if spaced else (",", ":")
        text = json.dumps(self.body, indent=3 if spaced else None, separators=separators, ensure_ascii=ascii)
        return text.encode()


class Raw(NamedTuple):
    """Bytes that go out as they are, or nothing; then the connection is closed, or kept silent."""

    wire: bytes = b""
    silent: bool = False


def error(status: int, kind: str, code: str, param: str = "") -> Answer:
    """The provider's error body."""
    said = {"type": kind, "code": code, "message": f"This did not work: {code}."}
    return Answer(status, {"error": said | ({"param": param} if param else {})})
