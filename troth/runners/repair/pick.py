"""Which finding of a run is meant: by its fingerprint, the beginning of it, or its code and path."""

from __future__ import annotations

from typing import NamedTuple

from troth.errors import UsageError
from troth.runners.finding import Blame, Finding, ProviderRun, Run
from troth.runners.known import KnownFinding

__all__ = ["Picked", "means", "pick", "refusal"]

_SHORTEST = 4
"""Digits of a fingerprint that may stand for it."""
_LISTED = 12


class Picked(NamedTuple):
    """A finding and the provider it is about."""

    provider: ProviderRun
    finding: Finding


def pick(run: Run, name: str) -> Picked:
    """The finding that ``name`` means: ``v1:0f3a9c5b21de``, ``0f3a``, ``TR203 $.amount`` or ``TR203:$.amount``.

    Raises UsageError: E480 none, E481 several.
    """
    known = [Picked(provider, finding) for provider in run.providers for finding in provider.findings]
    found = [item for item in known if means(name, item.finding)]
    if len(found) == 1:
        return found[0]
    if found:
        asked = "one finding; give more of its fingerprint"
        raise UsageError("E481", asked, f"{len(found)} that {name!r} may mean: {_listed(found)}")
    fix = f"There are {_listed(known)}" if known else "The run has no findings"
    raise UsageError("E480", "a finding of the run, by fingerprint or by code and path", repr(name), fix)


def means(name: str, finding: Finding | KnownFinding) -> bool:
    """Is the finding called so: by its fingerprint, the beginning of it, its code, or code and path?"""
    name = name.strip()
    code, _, path = name.partition(" ") if " " in name else name.partition(":")
    if path and code.upper() == finding.code and path.strip() == finding.path:
        return True
    if name.upper() == finding.code:
        return True
    digits = finding.fingerprint.partition(":")[2]
    short = name.removeprefix(f"{finding.fingerprint.partition(':')[0]}:")
    return len(short) >= _SHORTEST and digits.startswith(short)


def _listed(found: list[Picked]) -> str:
    # What stands by itself first: consequences are hardly ever meant.
    ordered = sorted(found, key=lambda item: item.finding.caused_by is not None)
    shown = [f"{item.finding.fingerprint} ({item.finding.code} {item.finding.path})" for item in ordered[:_LISTED]]
    rest = len(found) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")


def refusal(finding: Finding) -> tuple[str, str] | None:
    """Why no change of the contract can settle a finding, and what to do instead; None where one may."""
    if finding.caused_by is not None:
        return "a consequence of another finding", f"Adopt that one: {finding.caused_by}"
    if finding.blame is Blame.SIMULATOR:
        return "a fault of the simulator: the contract is right", "Report it, with the exchange of the report"
    if finding.kind in _NOT_OURS:
        return _NOT_OURS[finding.kind]
    if finding.blame is Blame.UNOBSERVED:
        return "an answer that says nothing about the contract", "Make the sandbox answer, then run again"
    return None


_NOT_OURS = {
    "broken": ("an exchange that Troth could not judge", "Report it: it is a fault of Troth or of a hook"),
    "leak": ("something left behind, which says nothing about the contract", "Correct `undo`, and clean up by hand"),
    "schema": ("a fault of the simulator", "Run `troth check`"),
    "server_error": ("a failure of the target", "Send the request by hand, and look why"),
    "unobserved": ("an answer that says nothing about the contract", "Make the sandbox answer, then run again"),
}
