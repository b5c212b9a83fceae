"""The ways in which a value stands inside of a text: JSON, Base64, XML, or what a hook gives."""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Callable
from typing import Final, Protocol

from troth.contracts.codecs import XmlOptions, build_json, parse_json
from troth.contracts.codecs.spelling import PLAIN, Spelling, read_spelled, write_spelled
from troth.contracts.leaves import Fault
from troth.contracts.values import ABSENT, Json
from troth.errors import ContractError, Place, Problem

__all__ = ["CODERS", "Coder", "XmlCoder", "text_of_value"]


class Coder(Protocol):
    """Both directions. ``texts``: are the values inside texts, which their matchers decode?"""

    texts: bool

    def encode(self, value: Json) -> str:
        """The text. Raises ContractError for a value that cannot stand in one."""
        ...

    def decode(self, text: str) -> Json | Fault:
        """The value in a text, or why there is none."""
        ...


class _Json:
    texts = False

    def encode(self, value: Json) -> str:
        return build_json(value).decode()

    def decode(self, text: str) -> Json | Fault:
        return parse_json(text.encode())


class _Text:
    texts = True

    def encode(self, value: Json) -> str:
        return text_of_value(value)

    def decode(self, text: str) -> Json | Fault:
        return text


class _Base64:
    texts = False

    def encode(self, value: Json) -> str:
        return base64.b64encode(value if isinstance(value, bytes) else text_of_value(value).encode()).decode()

    def decode(self, text: str) -> Json | Fault:
        raw = _unpacked(text)
        try:
            return raw.decode() if isinstance(raw, bytes) else raw
        except UnicodeDecodeError:
            return raw


class _Floats:
    """Little-endian, 32 bits each."""

    texts = False

    def encode(self, value: Json) -> str:
        try:
            return base64.b64encode(struct.pack(f"<{len(value)}f", *value)).decode()
        except (struct.error, TypeError, OverflowError):
            raise unsayable("a list of 32-bit floats", value) from None

    def decode(self, text: str) -> Json | Fault:
        raw = _unpacked(text)
        if not isinstance(raw, bytes):
            return raw
        if len(raw) % 4:
            return Fault("format", "whole 32-bit floats")
        return list(struct.unpack(f"<{len(raw) // 4}f", raw))


class XmlCoder:
    """A document as the contract's XML codec has it; the value is an object with one member, the root element."""

    texts = True

    def __init__(self, options: XmlOptions, spelling: Callable[[], Spelling]) -> None:
        self.options = options
        self._made = spelling
        self._spelling: Spelling = PLAIN

    @property
    def spelling(self) -> Spelling:
        """Known only when all types are, so it is asked for when it is needed."""
        if self._spelling is PLAIN:
            self._spelling = self._made()
        return self._spelling

    def encode(self, value: Json) -> str:
        """The document."""
        from troth.contracts.codecs.xml_body import build_xml  # noqa: PLC0415 - few contracts have XML

        return build_xml(write_spelled(value, self.spelling), self.options).decode()

    def decode(self, text: str) -> Json | Fault:
        """What is in the document."""
        from troth.contracts.codecs.xml_body import parse_xml  # noqa: PLC0415

        value = parse_xml(text.encode(), self.options)
        return value if isinstance(value, Fault) else read_spelled(value, self.spelling)


CODERS: Final[dict[str, Coder]] = {"json": _Json(), "text": _Text(), "base64": _Base64(), "base64_f32": _Floats()}
"""Those that need to know nothing of the contract."""


def unsayable(asked: str, value: Json) -> ContractError:
    """That a value cannot be written."""
    return ContractError([Problem("E272", Place(), asked, f"{type(value).__name__} {value!r}"[:80])])


def _unpacked(text: str) -> bytes | Fault:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return Fault("format", "valid Base64")


def text_of_value(value: Json) -> str:
    """A scalar as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None or value is ABSENT else str(value)
