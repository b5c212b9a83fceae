"""Forms (``application/x-www-form-urlencoded``) and queries.

Percent-encoding as in the URL standard's form parser: ``+`` is a space, pairs are parted by ``&``, a name without
``=`` has an empty value, and a percent sign that begins no escape stands for itself. Texts are UTF-8.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

from troth.contracts.codecs.nesting import flatten, nest, one_below
from troth.contracts.codecs.options import FormOptions
from troth.contracts.leaves import Fault
from troth.contracts.values import Json

__all__ = ["PAIR_LIMIT", "build_form", "build_query", "parse_form", "parse_pairs", "parse_query"]

PAIR_LIMIT: Final = 10_000
"""More pairs than this are a fault."""
_PLAIN_ESCAPES: Final[Mapping[str, str]] = {
    digits: chr(code)
    for code in range(128)
    if chr(code) not in "&="
    for digits in (f"{code:02x}", f"{code:02X}", f"{code >> 4:x}{code & 15:X}", f"{code >> 4:X}{code & 15:x}")
}
"""The two digits of an escape to its letter, where that is ASCII and parts nothing."""


def parse_pairs(text: str) -> list[tuple[str, str]] | Fault:
    """The decoded pairs, in order, empty names and values kept."""
    if text.count("&") >= PAIR_LIMIT:
        return Fault("bounds", f"at most {PAIR_LIMIT} pairs")
    pairs: list[tuple[str, str]] = []
    for part in text.replace("+", " ").split("&"):
        if part:
            name, _, value = part.partition("=")
            try:
                pairs.append((_decoded(name), _decoded(value)))
            except UnicodeDecodeError:
                return Fault("format", "UTF-8 in percent-encoding", path=name[:80])
    return pairs


def _decoded(text: str) -> str:
    return unquote_to_bytes(text).decode() if "%" in text else text


def _structure(text: str, options: FormOptions) -> dict[str, Json] | Fault:
    """What the pairs describe. Most texts are simple, and are read the short way, which gives the same."""
    nesting = options.nesting
    plain = None if nesting == "dots" or options.first else _unescaped(text)
    if plain is not None:
        simple = _simple(plain, nesting == "brackets")
        if simple is not None:
            return simple
    pairs = parse_pairs(text)
    return pairs if isinstance(pairs, Fault) else nest(pairs, nesting, options.first)


def _unescaped(text: str) -> str | None:
    """The text decoded as a whole; None where it then could not be parted any more, or is not plain ASCII."""
    text = text.replace("+", " ")
    if "%" not in text:
        return text
    first, *rest = text.split("%")
    decoded = [first]
    for piece in rest:
        character = _PLAIN_ESCAPES.get(piece[:2])
        if character is None:
            return None
        decoded += character, piece[2:]
    return "".join(decoded)


def _simple(text: str, brackets: bool) -> dict[str, Json] | None:
    """The values by name, those of ``a[b]`` by both; None when a name comes twice, or anything is unusual."""
    pairs = text.split("&")
    if len(pairs) > PAIR_LIMIT:
        return None
    named: dict[str, Json] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if brackets and "]" in name:
            below = one_below(name)
            if below is None:
                return None
            name, key = below
            members = named.get(name)
            if members is None:
                named[name] = {key: value}
            elif members.__class__ is not dict or key in members:
                return None
            else:
                members[key] = value
        elif name in named or not equals:
            return None
        else:
            named[name] = value
    return named


def parse_query(text: str, options: FormOptions) -> dict[str, Json] | Fault:
    """The structure that a query (without its question mark) describes; its leaves are texts."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return Fault("format", "UTF-8 in the query")
    return _structure(text, options)


def parse_form(body: bytes, options: FormOptions) -> dict[str, Json] | Fault:
    """The structure that a form describes; its leaves are texts. An empty body is an empty form."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return Fault("format", "UTF-8 in the form")
    return _structure(text, options)


def build_form(values: dict[str, Json], options: FormOptions) -> bytes:
    """The form of a structure: brackets in names as they are, everything else escaped."""
    return _joined(values, options, "[]").encode("ascii")


def build_query(values: dict[str, Json], options: FormOptions) -> str:
    """The query of a structure, without a question mark; brackets are escaped, as in URLs they must be."""
    return _joined(values, options, "")


def _joined(values: dict[str, Json], options: FormOptions, safe: str) -> str:
    pairs = flatten(values, options, _no_leaf)
    return "&".join([f"{_encoded(name, safe)}={_encoded(value, '')}" for name, value in pairs])


def _no_leaf(value: Json) -> bool:
    return False


def _encoded(value: Json, safe: str) -> str:
    raw = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
    return quote_from_bytes(raw, safe=f" {safe}").replace(" ", "+")
