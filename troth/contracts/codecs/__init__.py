"""Codecs: bodies, forms and queries to values and back. Texts come out as texts; matchers know what they spell."""

from troth.contracts.codecs.body import decode_body, encode_body, media_type
from troth.contracts.codecs.form import build_form, build_query, parse_form, parse_pairs, parse_query
from troth.contracts.codecs.json_body import build_json, parse_json
from troth.contracts.codecs.options import FormOptions, build_form_options
from troth.contracts.codecs.text_body import build_text, parse_text

__all__ = [
    "FormOptions",
    "build_form",
    "build_form_options",
    "build_json",
    "build_query",
    "build_text",
    "decode_body",
    "encode_body",
    "media_type",
    "parse_form",
    "parse_json",
    "parse_pairs",
    "parse_query",
    "parse_text",
]
