"""Ideas about fields: whether they are there, what they may be, which value they have, how they may change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from troth.contracts.compiler.patterns import matcher_key
from troth.contracts.json_path import segments
from troth.contracts.repair.emit import literal
from troth.contracts.repair.infer import constant, inferred
from troth.contracts.repair.matchers import accepting, is_literal, modified, parts, widened
from troth.contracts.repair.places import Entry, beneath, copies, demands, overrides, respelled, type_of
from troth.contracts.repair.proposal import Bench, Complaint, Idea
from troth.contracts.repair.shown import described_at
from troth.contracts.repair.yaml_text import NoEdit, Splice
from troth.contracts.values import ABSENT
from troth.contracts.yaml_files.placed import Map, Seq

__all__ = ["FIELDS", "places"]


def places(bench: Bench, complaint: Complaint) -> list[Entry]:
    """Where the demand is written, and where responses say more of it.

    A demand of a whole type may be meant for the one field that shows it, so that comes first then.
    """
    origin, responses = complaint.origin, complaint.responses
    shown = [described_at(bench.root, response, complaint.path) for response in responses]
    at = [entry for entry in shown if entry is not None]
    own = demands(bench.root, origin, responses)
    named = type_of(origin, bench.root)
    found = [*at, *own] if named is not None and not named[1] else [*own, *at]
    seen: dict[object, Entry] = {}
    for entry in (*found, *overrides(bench.root, origin, responses)):
        seen.setdefault(entry.place, entry)
    return list(seen.values())


def _fitting(bench: Bench, complaint: Complaint) -> Iterator[Idea]:
    found = [entry for entry in places(bench, complaint) if not _expression(entry)]
    for number, entry in enumerate(found):
        said = [other for other in found[number + 1 :] if is_literal(other.raw)]
        for idea in accepting(bench, entry, complaint.seen):
            yield idea
            if said:
                yield Idea(idea.name, f"{idea.words}, and say so", partial(_also_said, bench, idea, said, complaint))


def _sized(bench: Bench, complaint: Complaint) -> Iterator[Idea]:
    """Of a list that is too long or too short only the number of its items was noted."""
    lists = [[None] * size for size in complaint.seen if isinstance(size, int)]
    for entry in places(bench, complaint):
        yield from widened(bench, entry, lists)


def _expression(entry: Entry) -> bool:
    return isinstance(entry.raw, str) and "{{" in entry.raw


def _also_said(bench: Bench, idea: Idea, said: list[Entry], complaint: Complaint) -> tuple[Splice, ...]:
    """An idea for a matcher, with the new value where responses say the old one."""
    return (*idea.splices(), *(bench.said(entry, complaint.seen) for entry in said))


# Is it there?


def _missing(bench: Bench, complaint: Complaint) -> Iterator[Idea]:
    found = [entry for entry in places(bench, complaint) if entry.owner is not bench.root.get("types")]
    entries = [entry for entry in found if not entry.optional and isinstance(entry.owner, Map)]
    for entry in entries:
        yield Idea("optional", f"make `{entry.key}` optional", partial(_optional, bench, [entry]))
    if len(entries) > 1:
        yield Idea("optional", f"make `{entries[0].key}` optional", partial(_optional, bench, entries))
    for entry in entries:
        yield Idea("optional", f"let `{entry.key}` come and go", partial(_may_go, bench, entry, f"{entry.key}?"))
    if entries:
        words = f"take `{entries[0].key}` away"
        yield Idea("remove", words, partial(_removed, bench, entries))


def _removed(bench: Bench, entries: list[Entry]) -> tuple[Splice, ...]:
    return tuple(bench.removed(entry) for entry in entries)


def _optional(bench: Bench, entries: list[Entry]) -> tuple[Splice, ...]:
    for entry in entries:
        if matcher_key({entry.key: None}) is not None:
            raise NoEdit("a whole reply")
    return tuple(bench.renamed(entry, f"{entry.key}?") for entry in entries)


def _new(bench: Bench, complaint: Complaint) -> Iterator[Idea]:
    steps = segments(complaint.path)
    if not steps or not complaint.seen:
        return
    name = str(steps[-1])
    parent = complaint.origin.removesuffix(f".{name}").removesuffix(f"['{name}']")
    for entry in demands(bench.root, parent, complaint.responses):
        add = partial(_added, bench, _structure(entry), complaint)
        yield Idea("field", f"add `{name}`, which may be absent", partial(add, f"{name}?"))
        yield Idea("required-field", f"add `{name}`, which is always there", partial(add, name))


def _added(bench: Bench, holder: Entry, complaint: Complaint, name: str) -> Splice:
    return bench.added(holder, str(literal(name)), inferred(complaint.seen))


def _structure(entry: Entry) -> Entry:
    """The mapping with the fields, inside of ``$closed`` and its like."""
    key = matcher_key(entry.raw) if isinstance(entry.raw, Map) else None
    return entry if key is None else _structure(Entry(entry.raw, key))


def _gone(bench: Bench, complaint: Complaint) -> Iterator[Idea]:
    for entry in places(bench, complaint):
        name = entry.key if entry.optional else f"{entry.key}?"
        may_go = partial(_may_go, bench, entry, str(name))
        yield Idea("optional", f"let `{str(name).rstrip('?')}` come and go", may_go)
    yield from _missing(bench, complaint)


def _may_go(bench: Bench, entry: Entry, name: str) -> tuple[Splice, ...]:
    renamed = () if entry.optional else (bench.renamed(entry, name),)
    return (*renamed, *modified(bench, entry, changes="freely"))


def _appeared(bench: Bench, complaint: Complaint) -> Iterator[Idea]:
    for entry in places(bench, complaint):
        if isinstance(entry.raw, str) and entry.raw.replace(" ", "") == "{{absent}}":
            yield Idea("remove", "do not demand that it is absent", partial(bench.removed, entry))
        else:
            yield Idea("changes", "let it come later", partial(modified, bench, entry, changes="once"))
            yield Idea("changes-freely", "let it come and go", partial(modified, bench, entry, changes="freely"))


def _changed(bench: Bench, complaint: Complaint) -> Iterator[Idea]:
    for entry in places(bench, complaint):
        yield Idea("changes", "let it change", partial(modified, bench, entry, changes="freely"))


# Which value is it?


def _value(bench: Bench, complaint: Complaint) -> Iterator[Idea]:
    for entry in places(bench, complaint):
        if is_literal(entry.raw):
            yield from _another(bench, entry, complaint)
        said = entry.raw.get("is") if isinstance(entry.raw, Map) else None
        if said is not None and not isinstance(said, str):
            yield Idea("value", "say the new value", partial(bench.said, Entry(entry.raw, "is"), complaint.seen))
        if said is not None:
            yield Idea("unsaid", "do not say which value it is", partial(bench.removed, Entry(entry.raw, "is")))
    yield from _uncopied(bench, complaint)


def _uncopied(bench: Bench, complaint: Complaint) -> Iterator[Idea]:
    """Where `from` copies the value of the request: let the response say no more than its type does."""
    steps = segments(complaint.path) or ()
    typed = demands(bench.root, complaint.origin)
    for use in copies(bench.root, complaint.responses) if len(steps) == 1 and typed else ():
        name = str(steps[0])
        if use.raw is None or (isinstance(use.raw, Map) and respelled(use.raw, name) is None):
            add = partial(bench.added, use, name, typed[0].raw)
            yield Idea("uncopied", f"do not copy `{name}` from the request", add)


def _another(bench: Bench, entry: Entry, complaint: Complaint) -> Iterator[Idea]:
    types = beneath(bench.root, entry, complaint.path, complaint.responses)
    lists = [Entry(other.raw, "$enum") for other in types if isinstance(other.raw, Map) and "$enum" in other.raw]
    yield Idea("value", "say the new value", partial(bench.said, entry, complaint.seen))
    for items in lists:
        if isinstance(items.raw, Seq):
            words = "say the new value, and add it to the list of the type"
            yield Idea("value", words, partial(_said_and_listed, bench, entry, items, complaint))
    if isinstance(entry.owner, Map):
        yield Idea("unsaid", "leave the value to its type", partial(bench.removed, entry))
    yield from accepting(bench, entry, complaint.seen)


def _said_and_listed(bench: Bench, entry: Entry, items: Entry, complaint: Complaint) -> tuple[Splice, ...]:
    return bench.said(entry, complaint.seen), bench.more(items, [constant(complaint.seen)])


def _header(bench: Bench, complaint: Complaint) -> Iterator[Idea]:
    yield from _value(bench, complaint)
    yield from _fitting(bench, complaint)


# What the contract leaves open


def _default(bench: Bench, complaint: Complaint) -> Iterator[Idea]:
    for entry in places(bench, complaint):
        if complaint.seen:
            say = partial(_with_default, bench, entry, complaint)
            yield Idea("default", "say the provider's value as the default", say)
        yield from _no_default(bench, entry)


def _with_default(bench: Bench, entry: Entry, complaint: Complaint) -> tuple[Splice, ...]:
    return modified(bench, entry, default=constant(complaint.seen))


def _no_default(bench: Bench, entry: Entry) -> Iterator[Idea]:
    if "default" in parts(entry.raw)[2]:
        yield Idea("no-default", "say no default", partial(bench.removed, Entry(entry.raw, "default")))


def _presence(bench: Bench, complaint: Complaint) -> Iterator[Idea]:
    there = complaint.simulator is ABSENT
    for entry in places(bench, complaint):
        if there and entry.optional:
            name = str(entry.key)[:-1]
            yield Idea("required", f"make `{name}` required", partial(bench.renamed, entry, name))
            yield Idea("default", "give it a default", partial(_with_default, bench, entry, complaint))
        elif not there:
            yield from _no_default(bench, entry)


FIELDS: dict[str, Callable[[Bench, Complaint], Iterator[Idea]]] = {
    "appeared": _appeared,
    "bounds": _fitting,
    "decreased": _changed,
    "enum": _fitting,
    "format": _fitting,
    "gone": _gone,
    "header": _header,
    "list_size": _sized,
    "loose_null": _default,
    "loose_presence": _presence,
    "loose_value": _default,
    "missing_field": _missing,
    "missing_header": _missing,
    "new_field": _new,
    "null": _fitting,
    "stored": _changed,
    "type": _fitting,
    "value": _value,
    "variant": _fitting,
}
"""By kind of finding."""
