"""Did you mean ...?"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["closest", "did_you_mean"]

_SHOWN = 12


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known name that ``word`` was most likely meant to be; None when none is near."""
    names = list(dict.fromkeys(known))
    plain = {_plain(name): name for name in reversed(names)}
    if _plain(word) in plain:
        return plain[_plain(word)]
    near = get_close_matches(_plain(word), list(plain), n=1, cutoff=0.65)
    return plain[near[0]] if near else None


def did_you_mean(word: str, known: Iterable[str], what: str = "names") -> str:
    """A sentence that helps: the nearest known name, else all of them (at most a dozen), else nothing."""
    names = list(dict.fromkeys(known))
    near = closest(word, names)
    if near is not None:
        return f"Did you mean {near!r}?"
    if not names:
        return f"There are no {what} here"
    shown = ", ".join(names[:_SHOWN])
    return f"Known {what}: {shown}" + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def _plain(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "").replace(" ", "").rstrip("?s")
