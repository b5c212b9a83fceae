"""What must hold for every contract: samples are judged well, and damage to a reply is noticed.

10,000 exchanges are shared out among the contracts here; ``make test-long`` runs 100,000.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from troth.contracts.contract import Contract
from troth.contracts.document.folder import pack_names
from troth.contracts.exchange import Response
from troth.contracts.judgement import Judgement
from troth.contracts.loader import load
from troth.contracts.model.explore import START, Explored, Explorer
from troth.contracts.model.model import Model
from troth.contracts.nodes.base import Node, json_type
from troth.contracts.nodes.leaf import Ref
from troth.runners.credentials import fitting

DATA = Path(__file__).parents[1] / "data" / "contracts"
CONTRACTS = ["stripe_draft", "documents", "either", *pack_names()]

WALK = 50


def contract(name: str) -> Contract:
    """Loaded once for each process."""
    if name not in _LOADED:
        _LOADED[name] = load(DATA / name if (DATA / name).is_dir() else name)
    return _LOADED[name]


_LOADED: dict[str, Contract] = {}


def explorer(name: str, seed: int) -> Explorer:
    """One that sends credentials as the contract wants them."""
    found = contract(name)
    credentials = fitting(found)
    return Explorer(
        found, seed, lambda request, operation: credentials.sign(request, operation.auth or found.auth, START)
    )


def judge(model: Model, step: Explored, response: Response) -> Judgement:
    return model.judge(step.request, response, step.when, step.operation.name, (step.name or "",))


def check_walk(name: str, seed: int, length: int) -> Counter[str]:
    """Every sample of a walk is judged without a finding, as the response that it is."""
    found = contract(name)
    model = Model(found, world="open")
    seen: Counter[str] = Counter()
    for step in explorer(name, seed).walk(length):
        judgement = judge(model, step, step.response)
        assert judgement.mismatches == (), (step.operation.name, step.name, step.request, step.response.body)
        assert judgement.unobserved is None
        assert judgement.response == step.name
        seen[f"{step.operation.name}.{step.name}"] += 1
    return seen


@pytest.mark.parametrize("name", CONTRACTS)
@settings(
    max_examples=10_000 // WALK // len(CONTRACTS), deadline=None, suppress_health_check=list(HealthCheck), database=None
)
@given(seed=st.integers(0, 2**32))
def test_samples_judged_by_a_fresh_judge_give_no_finding(name: str, seed: int) -> None:
    """10,000 exchanges in walks of 50, over all contracts together."""
    check_walk(name, seed, WALK)


@pytest.mark.long
@pytest.mark.parametrize("name", CONTRACTS)
def test_samples_judged_by_a_fresh_judge_give_no_finding_at_length(name: str) -> None:
    """100,000 exchanges in long walks, over all contracts together."""
    length = 1_000
    for seed in range(100_000 // length // len(CONTRACTS) + 1):
        check_walk(name, seed + int(os.environ.get("TROTH_TEST_SEED", "0")), length)


# Damage


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every scalar, and of every empty list or object."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    parts = list(parts)
    if not parts and path:
        yield path
    for key, part in parts:
        yield from leaves(part, (*path, key))


def altered(body: Any, path: tuple[Any, ...], new: Any) -> bytes:
    copy = json.loads(json.dumps(body))
    place = copy
    for key in path[:-1]:
        place = place[key]
    if new is DROPPED:
        del place[path[-1]]
    else:
        place[path[-1]] = new
    return json.dumps(copy).encode()


DROPPED = object()


def node_at(node: Node | None, path: tuple[Any, ...]) -> Node | None:
    """The matcher of a path; None where the contract lists nothing."""
    for key in path:
        while isinstance(node, Ref) or getattr(node, "inner", None) is not None:
            node = node.target if isinstance(node, Ref) else node.inner  # type: ignore[union-attr]
        branches = getattr(node, "branches", None)
        if branches is not None:
            return node
        if isinstance(key, int):
            items = getattr(node, "items", None)
            node = items[key] if items is not None else getattr(node, "item", None)
        elif node is not None and node.name == "map":
            node = node.item  # type: ignore[attr-defined]
        else:
            field = getattr(node, "by_name", {}).get(key)
            node = field.node if field is not None else None
    return node


def optional_at(node: Node | None, path: tuple[Any, ...]) -> bool:
    parent = node_at(node, path[:-1])
    while isinstance(parent, Ref) or getattr(parent, "inner", None) is not None:
        parent = parent.target if isinstance(parent, Ref) else parent.inner  # type: ignore[union-attr]
    field = getattr(parent, "by_name", {}).get(path[-1])
    return field is None or field.optional or isinstance(path[-1], int)


def retyped(value: Any) -> Any:
    """A value of another JSON type."""
    return {"null": [], "boolean": 1, "integer": "12", "number": "x", "string": 7, "array": "x", "object": "x"}[
        json_type(value)
    ]


def walk_with_bodies(name: str, seed: int, length: int) -> Iterator[tuple[Explored, Any, Node]]:
    """Replies with a JSON object, each with the matcher of its body."""
    for step in explorer(name, seed).walk(length):
        shape = step.operation.response(step.name or "")
        if shape is None or shape.body is None or shape.codec != "json" or not step.response.body:
            continue
        yield step, json.loads(step.response.body), shape.body


@pytest.mark.parametrize("name", CONTRACTS)
def test_every_retyped_or_dropped_leaf_is_caught(name: str) -> None:
    """One leaf of one reply in another type, or gone: always a finding (optional ones may go)."""
    random = Random(5)
    caught = 0
    for seed in range(4):
        model = Model(contract(name), world="open")
        for step, body, node in walk_with_bodies(name, seed, 60):
            listed = [path for path in leaves(body) if node_at(node, path) is not None]
            for path in random.sample(listed, min(3, len(listed))):
                found = node_at(node, path)
                if found is not None and found.name != "any":
                    value = body
                    for key in path:
                        value = value[key]
                    damaged = Response(step.response.status, step.response.headers, altered(body, path, retyped(value)))
                    assert judged_apart(model, step, damaged).mismatches, ("retyped", step.operation.name, path)
                    caught += 1
                if not optional_at(node, path):
                    damaged = Response(step.response.status, step.response.headers, altered(body, path, DROPPED))
                    assert judged_apart(model, step, damaged).mismatches, ("dropped", step.operation.name, path)
            judge(model, step, step.response)
    assert caught > 40


def judged_apart(model: Model, step: Explored, response: Response) -> Judgement:
    """Judge without letting the model learn from it."""
    import copy

    kept = model.state
    model.state = copy.copy(kept)
    model.state.rows = {name: dict(rows) for name, rows in kept.rows.items()}
    model.state.deleted = {name: dict(rows) for name, rows in kept.deleted.items()}
    model.state.keys, model.state.pages = dict(kept.keys), dict(kept.pages)
    try:
        return judge(model, step, response)
    finally:
        model.state = kept


def excused(node: Node | None, path: tuple[Any, ...]) -> str:
    """Why a changed value may pass: what nobody promised. Empty when it must be caught."""
    found = node_at(node, path)
    while isinstance(found, Ref) or getattr(found, "inner", None) is not None:
        if found is not None and found.default is not None:
            return "default"
        found = found.target if isinstance(found, Ref) else found.inner  # type: ignore[union-attr]
    if found is None:
        return "unlisted"
    if found.opaque:
        return "seen for the first time, or prose"
    if found.default is not None:
        return "default"
    if found.changes != "never":
        return "changes"
    if getattr(found, "branches", None) is not None or found.name in ("page", "any", "open_enum"):
        return "open"
    if any(source.unsure for source in found.sources):
        return "the request takes what the reply does not"
    if found.is_ is None and not found.sources and getattr(found, "constant", None) is None:
        return "left open"
    return ""


def changed(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        # A second more is still `now`; a day more is not.
        return value + (86_400 if value > 1_000_000_000 else 1)
    if isinstance(value, str):
        return value[:-1] + ("y" if value[-1:] != "y" else "z")
    return value


@pytest.mark.parametrize("name", CONTRACTS)
def test_every_changed_value_is_caught_or_excused(name: str) -> None:
    """A value that is demanded (a literal, an expression, an echo) and comes back changed is a finding."""
    excuses: Counter[str] = Counter()
    caught = 0
    for seed in range(4):
        model = Model(contract(name), world="open")
        for step, body, node in walk_with_bodies(name, seed, 60):
            for path in list(leaves(body))[:12]:
                value = body
                for key in path:
                    value = value[key]
                new = changed(value)
                if new == value:
                    continue
                damaged = Response(step.response.status, step.response.headers, altered(body, path, new))
                if judged_apart(model, step, damaged).mismatches:
                    caught += 1
                    continue
                reason = excused(node, path)
                assert reason, ("changed", step.operation.name, step.name, path, value, new)
                excuses[reason] += 1
            judge(model, step, step.response)
    assert caught > 40
