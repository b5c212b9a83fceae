"""Tries a mask before it is used: a change that is planted inside of it, and one beside it, must still be seen.

A mask that hides more than it says makes a green run out of drift. So each is tried in the run itself, on the answer
that it is for: with a value of another type the answer is judged again, and must not fit any more; and with another
field there, or another value next to it, the comparison with the simulator must tell that.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from troth.contracts.contract import Contract
from troth.contracts.json_path import segments
from troth.contracts.judgement import Choice, Judgement
from troth.contracts.matcher import Origin
from troth.contracts.values import Value
from troth.errors import TrothError
from troth.runners.disagreement import Disagreement
from troth.runners.loose import loose
from troth.runners.rejudge import rejudge
from troth.runners.step_result import StepResult, TargetRun
from troth.runners.triangulate import line_up

__all__ = ["MaskTest"]

_PLANTED = "planted by Troth"


class MaskTest:
    """Of the masks of one provider's run."""

    def __init__(self, contract: Contract, simulator: TargetRun, sandbox: TargetRun) -> None:
        self._contract = contract
        self._simulator = simulator
        self._sandbox = sandbox

    def __call__(self, item: Disagreement) -> str:
        """Why a mask at the place of ``item`` must not be used; "" when it was tried and holds."""
        result = item.on_sandbox
        if result is None or result.judgement is None:
            return "there is no answer to try it on"
        try:
            return self._inside(item, result) or self._beside(item, result, result.judgement)
        except (TrothError, ValueError, TypeError, KeyError, IndexError) as error:
            return f"it could not be tried: {type(error).__name__}"

    def _inside(self, item: Disagreement, result: StepResult) -> str:
        """Is another type seen at the place itself?"""
        exchanges = [one.exchange for one in self._sandbox.results if one.scenario == result.scenario]
        before = exchanges[: exchanges.index(result.exchange)]
        body = json.loads(result.exchange.response_body)
        planted = replace(result.exchange, response_body=json.dumps(_with(body, item.path, _other(item.sandbox))))
        if _wrong(self._judged([*before, result.exchange]), item.path):
            return "the answer does not fit when it is judged again without a change"
        if not _wrong(self._judged([*before, planted]), item.path):
            return "a value of another type, planted there, was not seen"
        return ""

    def _judged(self, exchanges: list[Any]) -> Judgement | None:
        answers = rejudge(self._contract, self._sandbox.url, exchanges)
        judgement = answers[-1].judgement if answers else None
        if judgement is None:
            raise ValueError("not judged")
        return judgement

    def _beside(self, item: Disagreement, result: StepResult, judgement: Judgement) -> str:
        """Are a field that is gone, and another value next to it, still told?"""
        gone = {item.path: Choice("presence", False, _origin(item))}
        if not self._told(result, {**judgement.choices, **gone}, item.path, "loose_presence"):
            return "that the field is gone, planted there, was not seen"
        for path, choice in judgement.choices.items():
            if path != item.path and choice.what == "default":
                planted = {**judgement.choices, path: replace(choice, value=_PLANTED)}
                if not self._told(result, planted, path, "loose_value"):
                    return f"another value, planted at {path}, was not seen"
        return ""

    def _told(self, result: StepResult, choices: dict[str, Choice], path: str, kind: str) -> bool:
        judgement = result.judgement and replace(result.judgement, choices=choices)
        changed = replace(result, judgement=judgement)
        results = tuple(changed if one is result else one for one in self._sandbox.results)
        found = loose(line_up(self._simulator, replace(self._sandbox, results=results)), self._contract)
        return any((one.kind, one.path, one.trail) == (kind, path, result.trail) for one in found)


def _origin(item: Disagreement) -> Origin:
    type_, dot, rest = item.origin.partition(".")
    return Origin(type_, dot + rest)


def _other(value: Value) -> Any:
    """A value of another type than ``value``."""
    return {"planted": True} if not isinstance(value, dict) else _PLANTED


def _with(body: Any, path: str, value: Any) -> Any:
    """``body`` with another value at ``path``."""
    parts = segments(path)
    if not parts:
        raise ValueError(path)
    inner = body
    for part in parts[:-1]:
        inner = inner[part]
    inner[parts[-1]] = value
    return body


def _wrong(judgement: Judgement | None, path: str) -> bool:
    """Is something wrong at the place, or was another response taken for it?"""
    return judgement is None or any(
        mismatch.path == path or mismatch.path in ("status", "$") for mismatch in judgement.mismatches
    )
