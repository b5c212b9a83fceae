"""Values for secrets that fit what the contract allows, and that no provider accepts."""

from __future__ import annotations

from troth.contracts.contract import Secret

__all__ = ["fitting_value"]


def fitting_value(secret: Secret) -> str:
    """A value that fits a secret's ``allow``, a shell pattern.

    ``*`` becomes a word, ``?`` a letter, ``[abc]`` its first member.
    """
    if secret.allow is None:
        return f"troth-simulated-{secret.name}"
    out, rest = "", secret.allow
    while rest:
        head, rest = rest[0], rest[1:]
        if head == "*":
            out += "trothsimulated"
        elif head == "?":
            out += "x"
        elif head == "[" and "]" in rest[1:]:
            end = rest.index("]", 1)
            out += _member(rest[:end])
            rest = rest[end + 1 :]
        else:
            out += head
    return out


def _member(group: str) -> str:
    if not group.startswith("!"):
        return group[0]
    return next(letter for letter in "xyz0123456789abc" if letter not in group)
