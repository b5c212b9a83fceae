"""The JSON Schema of ``run.json``, made from the data classes.

``run.schema.json`` beside this file is what ``schema_text()`` gives; a test compares them. To write it anew::

    python -m troth.reports.run_schema > troth/reports/run.schema.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any, get_args, get_origin

from troth.reports.run_codec import hints_of, optional, required
from troth.runners.finding import (
    SCHEMA_VERSION,
    Check,
    Corner,
    Coverage,
    Finding,
    PastFinding,
    ProviderRun,
    RecordedExchange,
    Remembered,
    Run,
    ScenarioRun,
    Volatile,
)
from troth.runners.stage import Accepted

__all__ = ["DESCRIPTIONS", "schema", "schema_text"]

DESCRIPTIONS: dict[type, dict[str, str]] = {
    Run: {
        "run_id": "Names the run; also part of the unique names that it used on the targets.",
        "started": "Unix seconds.",
        "finished": "Unix seconds.",
        "verdict": "The worst verdict of its providers.",
        "providers": "One for each contract, in the order of the command.",
        "exit_code": "What the command exited with.",
        "seed": "The seed of the simulator's draws.",
        "command": "The command that made the run.",
        "troth": "The version of Troth that made the run.",
        "gate": "Was the sandbox allowed to be called?",
        "fail_on": "The lowest severity that fails the run.",
        "interrupted": "Was the run stopped before its end?",
    },
    ProviderRun: {
        "provider": "The name in the contract.",
        "verdict": "What the run says of this provider. A check that did not run is never `agree`.",
        "coverage": "What was checked, and what was not.",
        "findings": "Every disagreement, worst first.",
        "scenarios": "How each scenario went on each target.",
        "reason": "Why skipped, unreachable, unauthorized, exhausted or broken; else empty.",
        "title": "The contract's title.",
        "contract": "The path of the contract, relative to the project where it can be.",
        "sandbox_url": "The base URL of the sandbox; empty when there was none.",
        "checks": "What the run did besides scenarios.",
        "exchanges": "Every recorded request and answer, secrets replaced.",
        "history": "The earlier nights that the run could look back on.",
        "past": "What earlier nights found and this one did not.",
        "volatile": "Where simulator and sandbox differ and the sandbox is shown to differ from itself.",
        "refused": "Broken because the contract cannot be used or a credential was refused.",
    },
    Coverage: {
        "scenarios": "Scenarios in the contract, each case counted.",
        "ran": "Scenarios that ran to a result.",
        "skipped": "Scenarios that did not run, or not to their end.",
        "over_budget": "Of the skipped ones, those that a limit of the target kept from it.",
        "unobserved": "Scenarios whose answers say nothing about the contract.",
        "checks": "Judged exchanges.",
        "undecided": "Exchanges that the contract could not judge exactly.",
        "responses": "`operation.response` to whether the sandbox gave it.",
        "notes": "Each thing that could not be checked, in words.",
    },
    ScenarioRun: {
        "scenario": "Its name, with the case in brackets.",
        "target": "Where it ran: `simulator`, `sandbox`, or another target.",
        "outcome": "`ok`, `findings`, `unobserved`, `skipped` or `broken`.",
        "reason": "Why, when it is not `ok`.",
        "steps": "Calls made.",
        "seconds": "How long it took.",
    },
    Check: {
        "name": "What was done.",
        "outcome": "How it went, in one word.",
        "detail": "More about it, in words.",
    },
    Finding: {
        "code": "`TR` and three digits, never renumbered; docs/findings.md lists them.",
        "kind": "The name of the code, in snake_case.",
        "severity": "How much it matters to code that calls the provider.",
        "blame": "Who the disagreement is laid on.",
        "provider": "The provider's name.",
        "operation": "The operation that was called.",
        "scenario": "The scenario, with its case in brackets.",
        "step": "The step as the scenario writes it, from 1; of cleanup steps, among those. 0 for none.",
        "path": "Where in the exchange: a JSONPath into the body, `status`, `headers.NAME`, or a part of the request.",
        "contract": "What the contract says there.",
        "simulator": "What the simulator said there.",
        "sandbox": "What the sandbox said there.",
        "fingerprint": "The same in every run that finds the same.",
        "message": "What the contract demands there, in words.",
        "count": "How many places show it.",
        "proof": "Why the blame may be trusted: agreed in an earlier run, claimed by the contract, or not at all.",
        "since": "The first run that found it, after agreement.",
        "last_agreed": "The last run that did not.",
        "caused_by": "The fingerprint of the finding that explains this one.",
        "reproduce": "A command that shows it again.",
        "origin": "Where in the contract the demand is written: a type or an operation's response, and the path in it.",
        "exchanges": "The exchange on each target at this step, simulator first.",
        "written": "Where the contract demands it, file and line: `acmepay/contract.yaml:31`; or empty.",
        "places": "Every place where it was met: operation, scenario, step in full; at most 50.",
        "claim": "Where the contract says that it was proven.",
        "why": "Why the blame falls where it does, in a sentence.",
        "trail": "The step in full: `2`, `2.repeat4`, `1.a paid intent.2`, `cleanup.1`, `undo.3`; empty for none.",
        "standing": "What the history makes of it: `changed since night 2`, `never proven`, `loose`, and so on.",
        "corners": "The evidence for the blame: how each two of contract, simulator and provider stand to each other.",
        "responses": "Every `operation.response` that showed it.",
        "steadiness": "What came of running its scenario again: `confirmed`, `intermittent`, `dismissed` (it did not "
        "come again), `unconfirmed` (nobody could look again often enough); empty where that was not done.",
        "seen": "How many of the `runs` of its scenario showed it.",
        "runs": "How often its scenario was run in this run.",
        "usual": "The severity of its kind, which the contract's `drift.policy` may have changed.",
        "stage": "Where it stands in its life: `new`, `ongoing`, `intermittent`, `returned` or `acknowledged`; null "
        "where no history is kept.",
        "first_seen": "The first run that saw it, since it was last fixed.",
        "nights": "How many runs saw it since then, this one included; 0 where no history is kept.",
        "accepted": "Who answers for it, or did: the entry of accepted.yaml about it, or about what it follows from.",
        "tests": "Tests that rely on it: `troth drift` knows them from what pytest recorded; at most 50.",
    },
    Volatile: {
        "where": "The `operation.response`, or the operation where the question is which response comes.",
        "path": "Where in the answer, without indexes.",
        "kind": "How simulator and sandbox differ there.",
        "repeats": "How many runs of a scenario followed another one of the same contract, in one night or over many.",
        "differed": "In how many of them the sandbox differed from itself.",
        "bound": "The share in which it differs at least, by Clopper and Pearson.",
        "confidence": "Of the bound.",
        "alike": "Does the simulator do one of the things that the sandbox does? Then it is no difference.",
        "refused": "Why the difference is told all the same; empty when it is not.",
    },
    Accepted: {
        "owner": "Who answers for it.",
        "reason": "Why it may stay for now.",
        "until": "The last day on which the entry is valid, in UTC.",
        "link": "Where more is written about it.",
        "severity": "The worst that it was accepted for; empty for any.",
        "state": "`valid`: it does not fail the run. `expired`: it does, whatever its severity. `void`: it changed, "
        "and counts as any other.",
        "finding": "The fingerprint that was accepted.",
        "words": "What is wrong with the entry; empty while it is valid.",
    },
    PastFinding: {
        "fingerprint": "The same in every run that found the same.",
        "code": "`TR` and three digits.",
        "kind": "The name of the code.",
        "severity": "As it was when it was last seen.",
        "blame": "As it was when it was last seen.",
        "operation": "Where it was.",
        "scenario": "Where it was.",
        "path": "Where it was.",
        "stage": "`fixed`: so many nights looked and did not see it. `clearing`: not yet so many. `unchecked`: this "
        "run could not look.",
        "last_seen": "The last run that saw it.",
        "nights": "How many runs saw it.",
        "clean": "Nights since then that looked and did not see it, this one included.",
        "fixed_after": "So many of them make it fixed.",
    },
    Corner: {
        "between": "Which two: `contract and simulator`, `contract and provider`, `simulator and provider`.",
        "now": "How they stand in this run: `agree`, `differ` or `unobserved`.",
        "evidence": "What shows it, in this run and in earlier nights, in words.",
    },
    Remembered: {
        "night": "Which night of the provider this is, from 1; 0 when the sandbox was not called.",
        "nights": "How many earlier nights are known.",
        "last_run": "The last of them.",
        "last_time": "When that was, in Unix seconds.",
        "warning": "What must be said aloud: that there is no history, or that it is old.",
    },
    RecordedExchange: {
        "target": "Which target it was sent to.",
        "scenario": "The scenario, with its case in brackets.",
        "step": "The call within the scenario, from 1.",
        "operation": "The operation that was called.",
        "method": "The method.",
        "url": "The whole URL.",
        "request_headers": "Pairs of name and value, as sent.",
        "request_body": "As text; what is no UTF-8 is replaced; cut when long.",
        "status": "Null when no answer came.",
        "response_headers": "Pairs of name and value, as received.",
        "response_body": "As text; what is no UTF-8 is replaced; cut when long.",
        "response_name": "Which declared response it is; null for none.",
        "error": "What went wrong when no answer came.",
        "started": "Unix seconds.",
        "elapsed": "Seconds from sending to the whole answer.",
        "trail": "The step in full, as in a finding; calls that wait for something to happen share one.",
    },
}

_CHOICES = {
    (Corner, "now"): ["agree", "differ", "unobserved"],
    (Finding, "proof"): ["history", "claimed", "none"],
}
_SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean"}

_VALUE = {
    "description": (
        'Any JSON value. {"$absent": true} is no value (or not observed); {"$unknown": label}, {"$kind": words}, '
        '{"$bytes": base64}, {"$decimal": digits}, {"$number": "NaN", "Infinity" or "-Infinity"}, {"$text": text} and '
        '{"$cut": text} stand for '
        "what JSON cannot write. A real key that begins with $ has another $ in front."
    )
}


def schema() -> dict[str, Any]:
    """The schema, draft 2020-12, as plain data."""
    top = _record(Run)
    version = {"const": SCHEMA_VERSION, "description": "Goes up when a reader of the old version would misread this."}
    top["properties"] = {"schema_version": version, **top["properties"]}
    top["required"] = ["schema_version", *top["required"]]
    records = {cls.__name__: _record(cls) for cls in DESCRIPTIONS if cls is not Run}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Troth run",
        "description": "run.json in a Troth report. Readers must accept members that are not listed here.",
        **top,
        "$defs": {**records, "Value": _VALUE},
    }


def schema_text() -> str:
    """What ``run.schema.json`` holds."""
    return json.dumps(schema(), indent=2) + "\n"


def _record(cls: Any) -> dict[str, Any]:
    hints, words = hints_of(cls), DESCRIPTIONS[cls]
    properties: dict[str, Any] = {}
    for field in fields(cls):
        node = _node(hints[field.name])
        if choices := _CHOICES.get((cls, field.name)):
            node = {"enum": choices}
        properties[field.name] = {**node, "description": words[field.name]}
    # Troth writes every field; a reader of older files must do without those that have a default.
    return {
        "type": "object",
        "properties": properties,
        "required": [field.name for field in fields(cls) if required(field)],
    }


def _node(hint: Any) -> dict[str, Any]:
    if hint is Any:
        return {"$ref": "#/$defs/Value"}
    if (inner := optional(hint)) is not None:
        return {"anyOf": [_node(inner), {"type": "null"}]}
    if is_dataclass(hint):
        assert isinstance(hint, type)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return {"enum": [member.value for member in hint]}
    if get_origin(hint) is tuple:
        return _list(get_args(hint))
    if get_origin(hint) is Mapping:
        return {"type": "object", "additionalProperties": _node(get_args(hint)[1])}
    return {"type": _SCALARS[hint]}


def _list(arms: tuple[Any, ...]) -> dict[str, Any]:
    if len(arms) == 2 and arms[1] is Ellipsis:
        return {"type": "array", "items": _node(arms[0])}
    return {"type": "array", "prefixItems": [_node(arm) for arm in arms], "minItems": len(arms), "maxItems": len(arms)}


if __name__ == "__main__":
    sys.stdout.write(schema_text())
