"""Ideas about replies and requests as a whole: a response that nobody declared, a status, what a request may be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from troth.contracts.compiler.patterns import matcher_key
from troth.contracts.json_path import segments
from troth.contracts.repair.infer import inferred
from troth.contracts.repair.matchers import accepting
from troth.contracts.repair.places import BODY_KEYS, Entry, demands, entry_at, responses_of
from troth.contracts.repair.proposal import Bench, Complaint, Idea
from troth.contracts.repair.yaml_text import NoEdit, Splice
from troth.contracts.values import ABSENT
from troth.contracts.yaml_files.placed import Map

__all__ = ["REPLIES"]

_PAGE = re.compile(r"\{\{\s*(\w+)\.items\s*\}\}")


def _undeclared(bench: Bench, complaint: Complaint) -> Iterator[Idea]:
    operation = entry_at(bench.root, "operations", complaint.operation)
    own = entry_at(bench.root, "operations", complaint.operation, "responses")
    if operation is None or own is None or complaint.status is None:
        return
    yield from _replaced(bench, complaint)
    name = f"status_{complaint.status}"
    if name in own.raw:
        return
    for body in _bodies(bench, complaint):
        response: dict[str, Any] = {"when": "maybe", "status": complaint.status, **body}
        words = f"declare the response {name}, which may come at any time; say `when` it does as soon as you know"
        yield Idea("response", words, partial(_declared, bench, own, name, response))


def _replaced(bench: Bench, complaint: Complaint) -> Iterator[Idea]:
    """One of the responses that were due may have got another status of its class, and another body."""
    for name in complaint.expected.split(", ") if isinstance(complaint.expected, str) else ():
        due = responses_of(bench.root, f"{complaint.operation}.{name}")
        status = entry_at(due.raw, "status") if due is not None else None
        if due is None or status is None or complaint.status is None or not isinstance(status.raw, int):
            continue
        key = next((key for key in BODY_KEYS if key in due.raw), None)
        if key is None or status.raw // 100 != complaint.status // 100:
            continue
        for new in (body[key] for body in _bodies(bench, complaint) if key in body):
            words = f"let the response `{name}` have the status {complaint.status} and what came with it"
            edits = partial(_instead, bench, status, Entry(due.raw, key), (complaint.status, new))
            yield Idea("instead", words, edits)


def _instead(bench: Bench, status: Entry, body: Entry, new: tuple[int, Any]) -> tuple[Splice, ...]:
    return bench.replaced(status, new[0]), bench.replaced(body, new[1])


def _declared(bench: Bench, own: Entry, name: str, response: dict[str, Any]) -> Splice:
    if own.place == Map().at:
        raise NoEdit("the operation has no responses of its own")
    return bench.added(own, name, response)


def _bodies(bench: Bench, complaint: Complaint) -> Iterator[dict[str, Any]]:
    """What the reply may be described by: the type of another refusal, else what was seen."""
    if complaint.body is ABSENT:
        yield {}
        return
    if isinstance(complaint.body, str):
        yield {"text": "$text"}
        return
    if isinstance(complaint.body, dict) and complaint.status is not None and complaint.status >= 400:
        responses = entry_at(bench.root, "operations", complaint.operation, "responses")
        names = [_type(response) for response in (responses.raw.values() if responses else ()) if _refuses(response)]
        yield from ({"json": name} for name in dict.fromkeys(names) if name)
    yield {"json": inferred([complaint.body])}


def _refuses(response: Any) -> bool:
    return isinstance(response, Map) and isinstance(response.get("status"), int) and response["status"] >= 400


def _type(response: Map) -> str:
    raw = next((response[key] for key in BODY_KEYS if key in response), None)
    name = matcher_key(raw) if isinstance(raw, Map) else raw
    return name if isinstance(name, str) and name[1:2].isupper() else ""


def _status(bench: Bench, complaint: Complaint) -> Iterator[Idea]:
    for entry in demands(bench.root, complaint.origin, complaint.responses):
        say = partial(bench.replaced, entry, complaint.status)
        yield Idea("status", f"say the status {complaint.status}", say)


def _accepted(bench: Bench, complaint: Complaint) -> Iterator[Idea]:
    """A request that the contract calls invalid, and that the provider takes."""
    origins = [f"{complaint.operation}.request.{carrier}{complaint.path}" for carrier in ("body.", "query.", "")]
    origin = next((origin for origin in origins if demands(bench.root, origin)), origins[0])
    for entry in demands(bench.root, origin):
        if complaint.sent is not ABSENT:
            yield from accepting(bench, entry, [complaint.sent])
        elif not entry.optional and isinstance(entry.owner, Map):
            words = f"make `{entry.key}` optional"
            yield Idea("optional", words, partial(bench.renamed, entry, f"{entry.key}?"))
    steps = segments(f"$.{complaint.path}")
    if complaint.sent is not ABSENT and steps:
        for parent in demands(bench.root, origin.removesuffix(f".{steps[-1]}")):
            add = partial(bench.added, parent, f"{steps[-1]}?", inferred([complaint.sent]))
            yield Idea("field", f"let requests have `{steps[-1]}`", add)


def _order(bench: Bench, complaint: Complaint) -> Iterator[Idea]:
    """The order of a selection."""
    for entry in demands(bench.root, complaint.origin, complaint.responses):
        page = _PAGE.fullmatch(entry.raw) if isinstance(entry.raw, str) else None
        for response in complaint.responses if page else ():
            own = responses_of(bench.root, response)
            lets = [own and entry_at(own.raw, "let"), entry_at(bench.root, "operations", complaint.operation, "let")]
            for let in lets:
                select = entry_at(let.raw, page[1], "order") if let and page else None
                if select is not None:
                    say = partial(bench.replaced, select, "any")
                    yield Idea("any-order", "promise no order", say)


REPLIES: dict[str, Callable[[Bench, Complaint], Iterator[Idea]]] = {
    "invalid_accepted": _accepted,
    "list_order": _order,
    "status": _status,
    "undeclared": _undeclared,
}
"""By kind of finding."""
