"""The JSON Schema of contracts for editors, out of the same models that check them."""

from __future__ import annotations

from typing import Any

from troth.contracts.document.document import Document
from troth.contracts.document.drift_document import DriftDoc

__all__ = ["editor_schema"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_MATCHERS = {
    "string": "A text, with min, max, length, pattern",
    "text": "Prose, compared only by fit",
    "integer": "A whole number, with min, max",
    "number": "A number, with min, max",
    "decimal": "A decimal number written as text, with exact digits; places",
    "boolean": "true or false",
    "null": "null",
    "any": "Anything",
    "enum": "One of a list",
    "open_enum": "One of a list, or a value that came later",
    "id": "An id that the provider gives, with prefix, length, alphabet",
    "token": "An opaque text",
    "uuid": "A UUID",
    "timestamp": "A point in time: unix, unix_ms, rfc3339, rfc2822, http, date",
    "bytes": "Bytes, with max, type",
    "file": "A file in a multipart body, with max, type",
    "nullable": "A matcher, or null",
    "optional": "A matcher, or nothing",
    "array": "A list of one matcher, with size, key, order",
    "map": "An object with any names and one matcher for the values, with size, keys",
    "any_of": "One of several matchers",
    "open": "A structure that allows members it does not list",
    "closed": "A structure that allows no other members",
    "partial": "A structure in which every field is optional",
    "if": "A matcher under a condition: then, else",
    "case": "A matcher by the value of a path: of",
    "each": "A list with an item for each item of another: as, where, of",
    "link": "The key of a record of a collection",
    "select": "Records of a collection: where, order, size, after, at, lag, complete",
    "pattern": "A text with {parts}",
    "encoded": "A value inside a text: as json, text, base64, base64_f32",
    "unique": "A text that is new in each run; in scenarios",
    "url": "A URL",
    "links": "A Link header, relation to URL",
    "etag": "An entity tag",
}
_MODIFIERS: dict[str, dict[str, Any]] = {
    "default": {"description": "What samples say; not demanded"},
    "is": {"description": "What is said and demanded"},
    "not": {"description": "What it must not be"},
    "changes": {"description": "May a stored value change?", "enum": ["never", "up", "once", "freely"]},
    "secret": {"description": "Replaced in everything that is kept or shown", "type": "boolean"},
    "since": {"description": "The first version that has it", "type": "string"},
    "until": {"description": "The first version that no longer has it", "type": "string"},
}
_NULL_REMOVES = ("OperationDoc", "TraitDoc", "RequestDoc", "PartialResponseDoc", "IdempotencyDoc", "UndoDoc")


def editor_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a contract file, and of the files that its `parts` name."""
    made = Document.model_json_schema(by_alias=True, mode="validation")
    definitions = made.pop("$defs")
    drift = DriftDoc.model_json_schema(by_alias=True, mode="validation")
    definitions |= {**drift.pop("$defs"), "DriftDoc": drift}
    document = {**made, "$defs": definitions}
    # The document itself reads it only where there is one.
    about = document["properties"]["drift"]["description"]
    document["properties"]["drift"] = {"$ref": "#/$defs/DriftDoc", "description": about}
    # One schema serves parts too, which have neither key.
    document.pop("required", None)
    document["dependentRequired"] = {"troth": ["provider"], "provider": ["troth"]}
    for name in _NULL_REMOVES:
        _let_null_remove(definitions[name])
    for name in ("operations", "traits"):
        _let_null_remove_entries(document, definitions, name)
    definitions["Matcher"] = _matcher()
    definitions["Structure"] = {"type": "object", "additionalProperties": {"$ref": "#/$defs/Matcher"}}
    schema: dict[str, Any] = _linked(document)
    return {"$schema": _DIALECT, **schema, "title": "Troth contract"}


def _matcher() -> dict[str, Any]:
    properties = {f"${name}": {"description": about} for name, about in _MATCHERS.items()}
    names = "|".join(_MATCHERS)
    return {
        "description": "A literal, an expression in {{ }}, a matcher ($name or a mapping with one $ key), a structure",
        "anyOf": [
            {"type": ["string", "number", "boolean", "null"]},
            {"type": "array", "items": {"$ref": "#/$defs/Matcher"}},
            {
                "type": "object",
                "properties": properties,
                "patternProperties": {rf"^\$(?!({names})$)(?![A-Z$])": False},
                "if": {"propertyNames": {"not": {"pattern": r"^\$[^$]"}}},
                "then": {"additionalProperties": {"$ref": "#/$defs/Matcher"}},
                "else": {"properties": _MODIFIERS},
            },
        ],
    }


def _let_null_remove(definition: dict[str, Any]) -> None:
    for name, schema in definition.get("properties", {}).items():
        kept = {key: schema[key] for key in ("description", "default", "title") if key in schema}
        rest = {key: value for key, value in schema.items() if key not in kept}
        if rest.get("x-troth") != "matcher":
            definition["properties"][name] = {"anyOf": [rest, {"type": "null"}], **kept}


def _let_null_remove_entries(document: dict[str, Any], definitions: dict[str, Any], section: str) -> None:
    model = document["properties"][section]["additionalProperties"]["$ref"].rsplit("/", 1)[1]
    responses = definitions[model]["properties"]["responses"]["anyOf"][0]
    responses["additionalProperties"] = {"anyOf": [responses["additionalProperties"], {"type": "null"}]}


def _linked(value: Any) -> Any:
    """Positions that the models leave open become references to the shape of matchers; generated titles go."""
    if isinstance(value, list):
        return [_linked(item) for item in value]
    if not isinstance(value, dict):
        return value
    mark = value.get("x-troth")
    if mark:
        about = {"description": value["description"]} if "description" in value else {}
        return {"$ref": f"#/$defs/{mark.capitalize()}", **about}
    return {
        key: _linked(item)
        for key, item in value.items()
        if not (key == "title" and isinstance(item, str)) and not (key == "default" and item is None)
    }
