"""The ways in which APIs write the path of a field: ``a.b.0``, ``a[b][0]``, ``/a/b/0`` (RFC 6901), ``$.a.b[0]``."""

from __future__ import annotations

import re
from typing import Final

from troth.contracts.values import Value

__all__ = ["brackets", "dotted", "pointer", "segments"]

_PART: Final = re.compile(r"\.?([^.\[\]]+)|\[(?:'([^']*)'|\"([^\"]*)\"|([^\]]*))\]")


def segments(path: Value) -> list[str]:
    """The names and indexes of a path in any of these forms; ValueError when it is none."""
    if not isinstance(path, str):
        raise ValueError(f"{path!r} is not the path of a field")
    if path.startswith("/"):
        return [part.replace("~1", "/").replace("~0", "~") for part in path[1:].split("/")]
    rest = path[1:] if path == "$" or path.startswith(("$.", "$[")) else path
    parts, end = [], 0
    for found in _PART.finditer(rest):
        if found.start() != end:
            break
        parts.append(next(group for group in found.groups() if group is not None))
        end = found.end()
    if end != len(rest):
        raise ValueError(f"{path!r} is not the path of a field")
    return parts


def dotted(path: Value) -> str:
    """``a.b.0``."""
    return ".".join(segments(path))


def brackets(path: Value) -> str:
    """``a[b][0]``, as forms write it."""
    head, *rest = segments(path) or [""]
    return head + "".join(f"[{part}]" for part in rest)


def pointer(path: Value) -> str:
    """``/a/b/0``, a JSON Pointer (RFC 6901)."""
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in segments(path))
