"""Codecs: bodies, forms and queries to values and back. Texts come out as texts; matchers know what they spell."""

from troth.contracts.codecs.body import TEXTY, decode_body, encode_body, media_type
from troth.contracts.codecs.form import build_form, build_query, parse_form, parse_pairs, parse_query
from troth.contracts.codecs.json_body import build_json, parse_json
from troth.contracts.codecs.options import BodyOptions, FormOptions, XmlOptions, build_form_options, build_xml_options
from troth.contracts.codecs.text_body import build_text, parse_text

__all__ = [
    "TEXTY",
    "BodyOptions",
    "FormOptions",
    "XmlOptions",
    "build_form",
    "build_form_options",
    "build_json",
    "build_query",
    "build_text",
    "build_xml_options",
    "decode_body",
    "encode_body",
    "media_type",
    "parse_form",
    "parse_json",
    "parse_pairs",
    "parse_query",
    "parse_text",
]
