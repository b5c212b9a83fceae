"""Where a name in ``with`` goes: path, query, headers, cookies or body of the operation that is called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from troth.contracts.contract import Operation, RequestShape
from troth.contracts.document.document_base import header_name
from troth.contracts.expressions.expression import Expression
from troth.contracts.expressions.said import Said, compile_said
from troth.contracts.model.effects import shape_of
from troth.contracts.suggest import did_you_mean
from troth.contracts.yaml_files.placed import Map
from troth.errors import Place, Problems

__all__ = ["compile_values", "expressions_of", "field_names", "full_name"]

SECTIONS = ("path", "query", "headers", "cookies", "body")
_MATCHERS = re.compile(
    r"\$(any|array|boolean|bytes|date|decimal|encoded|enum|etag|file|id|integer|link|links|map|null|nullable|number"
    r"|open_enum|optional|pattern|signed|string|text|timestamp|token|unique|url|uuid|[A-Z]\w*)"
)
"""What stands for a matcher elsewhere in a contract."""


def compile_values(
    raw: Mapping[str, Any] | None, operation: Operation | None, place: Place, problems: Problems
) -> dict[str, Said]:
    """The values of a step's (or an undo's) ``with``, by full name: ``body.amount``, ``headers.Idempotency-Key``.

    Reports names that the operation does not have (E354) and names that stand in two sections (E355).
    """
    values: dict[str, Said] = {}
    for name, value in (raw or {}).items():
        key_place = raw.key_place(name) if isinstance(raw, Map) else place
        at = raw.place(name) if isinstance(raw, Map) else place
        full = name if operation is None else full_name(name, operation, key_place, problems)
        said = compile_said(value, at, problems)
        _no_matcher(value, at, problems)
        if full is None or said is None:
            continue
        if full in values:
            problems.add("E355", key_place, "each field once", f"{name!r}, which is also {full!r}", "Leave one out")
        values[full] = said
    return values


def expressions_of(values: Mapping[str, Said]) -> list[Expression]:
    """Every expression in some values."""
    return [expression for said in values.values() for expression in said.expressions]


def field_names(request: RequestShape) -> dict[str, list[str]]:
    """The fields of a request by section; headers in the spelling that is sent."""
    body = shape_of(request.body)
    return {
        "path": list(request.path_fields.by_name),
        "query": list(request.query.by_name),
        "headers": [request.header_names.get(name, name) for name in request.headers.by_name],
        "cookies": list(request.cookies.by_name),
        "body": list(body.by_name) if body is not None else [],
    }


def full_name(name: str, operation: Operation, place: Place, problems: Problems) -> str | None:
    """Where a name goes: ``body.amount``; None, and a problem, when it goes nowhere."""
    request = operation.request
    fields = field_names(request)
    section, dot, rest = name.partition(".")
    if dot and section in SECTIONS:
        return _prefixed(section, rest, name, operation, place, problems)
    found = [full for section in SECTIONS if (full := _in_section(section, name, fields[section]))]
    if len(found) > 1:
        asked = f"a name that says where {name!r} of {operation.name} goes"
        problems.add("E355", place, asked, f"it stands in {' and '.join(found)}", f"Write {' or '.join(found)}")
        return None
    if found:
        return found[0]
    if name == "body":
        return "body"
    if request.body is not None and shape_of(request.body) is None:
        # A body that is no plain object (a map, alternatives, anything) takes any name.
        return f"body.{name}"
    known = [field for section in SECTIONS for field in fields[section]]
    hint = did_you_mean(name, known, "fields")
    asked = f"a field of {operation.name}"
    stop = "" if hint.endswith("?") else "."
    problems.add("E354", place, asked, repr(name), f"{hint}{stop} To send it all the same, write body.{name}")
    return None


def _in_section(section: str, name: str, fields: list[str]) -> str | None:
    if section == "headers":
        plain = {_header(field): field for field in fields}
        return f"headers.{plain[_header(name)]}" if _header(name) in plain else None
    return f"{section}.{name}" if name in fields else None


def _prefixed(section: str, rest: str, name: str, operation: Operation, place: Place, problems: Problems) -> str | None:
    fields = field_names(operation.request)["path"]
    if section == "path" and rest not in fields:
        hint = did_you_mean(rest, fields, "parameters")
        problems.add("E354", place, f"a parameter in the path of {operation.name}", repr(name), hint)
        return None
    if section == "headers" and not header_name(rest):
        problems.add("E354", place, "the name of a header, without spaces and colons", repr(rest))
        return None
    return name


def _header(name: str) -> str:
    return name.lower().replace("_", "-")


def _no_matcher(value: Any, place: Place, problems: Problems) -> None:
    """A matcher in a value would be sent as the text that it is."""
    if isinstance(value, str) and _MATCHERS.fullmatch(value):
        fix = f"{{$unique: text}} makes a value; for the text itself write \"{{{{ '{value}' }}}}\""
        problems.add("E361", place, "a value to send", value, fix)
    elif isinstance(value, Map):
        for key, item in value.items():
            _no_matcher(item, value.place(key), problems)
    elif isinstance(value, list):
        for item in value:
            _no_matcher(item, place, problems)
