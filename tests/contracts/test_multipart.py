"""``multipart/form-data``: what clients send is read, what is built is read back, also by others."""

from __future__ import annotations

from email import message_from_bytes
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from troth.contracts.codecs import FormOptions
from troth.contracts.codecs.multipart import PART_LIMIT, build_multipart, parse_multipart
from troth.contracts.leaves import Fault, is_file

TYPE = "multipart/form-data; boundary=X"


def body_of(*parts: tuple[str, str], end: str = "--X--\r\n") -> bytes:
    """A body of headers and contents."""
    return "".join(f"--X\r\n{head}\r\n\r\n{content}\r\n" for head, content in parts).encode() + end.encode()


def test_what_the_stripe_sdk_sends() -> None:
    """A file upload, as it was recorded."""
    boundary = "d560ece8269113aefc966427a977e2993d04981d7c5013f1511bdfaa95ab"
    body = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\ndispute_evidence\r\n'
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n'
        f"Content-Type: application/octet-stream\r\n\r\nfilebytes\r\n--{boundary}--\r\n"
    ).encode()
    assert parse_multipart(body, f"multipart/form-data; boundary={boundary}") == {
        "purpose": "dispute_evidence",
        "file": {"name": "a.txt", "type": "application/octet-stream", "bytes": b"filebytes"},
    }


@pytest.mark.parametrize(
    ("head", "content", "value"),
    [
        ('Content-Disposition: form-data; name="a"', "", {"a": ""}),
        ("content-disposition: form-data; name=a", "x", {"a": "x"}),
        ('Content-Disposition: form-data; name="a"', "1\r\n2\r\n--XY\r\n--", {"a": "1\r\n2\r\n--XY\r\n--"}),
        ('Content-Disposition: form-data; name="a[b]"', "x", {"a": {"b": "x"}}),
        ('Content-Disposition: form-data; name="a%22b"', "x", {'a"b': "x"}),
        ('Content-Disposition: form-data; name="é"', "é", {"é": "é"}),
        ('Content-Disposition: form-data; name="a"\r\nContent-Type: application/json', "{}", {"a": "{}"}),
        ('Content-Disposition: form-data; name="a"\r\nContent-Type: application/octet-stream', "x", {"a": b"x"}),
        (
            'Content-Disposition: form-data; name="f"; filename=""',
            "",
            {"f": {"name": "", "type": "application/octet-stream", "bytes": b""}},
        ),
        (
            "Content-Disposition: form-data; name=\"f\"; filename*=UTF-8''na%C3%AFve.txt\r\nContent-Type: text/plain",
            "x",
            {"f": {"name": "naïve.txt", "type": "text/plain", "bytes": b"x"}},
        ),
    ],
)
def test_parts(head: str, content: str, value: dict[str, Any]) -> None:
    """Texts, bytes and files, with every quirk of names."""
    assert parse_multipart(body_of((head, content)), TYPE) == value


def test_names_that_repeat_and_nest_make_structures() -> None:
    """As in forms; a file is a value like any other."""
    head = 'Content-Disposition: form-data; name="{}"'
    body = body_of(
        (head.format("tag"), "a"), (head.format("tag"), "b"), (head.format("m[0][f]") + '; filename="x"', "1")
    )
    assert parse_multipart(body, TYPE) == {
        "tag": ["a", "b"],
        "m": [{"f": {"name": "x", "type": "application/octet-stream", "bytes": b"1"}}],
    }
    two = body_of(*[(head.format("f") + '; filename="x"', content) for content in "12"])
    found = parse_multipart(two, TYPE)
    assert isinstance(found, dict)
    assert [item["bytes"] for item in found["f"]] == [b"1", b"2"]
    conflict = parse_multipart(body_of((head.format("f") + '; filename="x"', "1"), (head.format("f[a]"), "2")), TYPE)
    assert isinstance(conflict, Fault)


GOOD = ('Content-Disposition: form-data; name="a"', "x")


@pytest.mark.parametrize(
    ("body", "content_type", "kind"),
    [
        (body_of(GOOD), "multipart/form-data", "format"),
        (body_of(GOOD), "multipart/form-data; boundary=", "format"),
        (body_of(GOOD), "multipart/form-data; boundary=" + "x" * 500, "format"),
        (body_of(GOOD), "multipart/form-data; boundary=Y", "format"),
        (body_of(GOOD, end=""), TYPE, "format"),
        (body_of(GOOD)[:-8], TYPE, "format"),
        (b"", TYPE, "format"),
        (b"hello", TYPE, "format"),
        (body_of(("X-Other: 1", "x")), TYPE, "format"),
        (body_of(("Content-Disposition: form-data", "x")), TYPE, "format"),
        (body_of(('Content-Disposition: attachment; name="a"', "x")), TYPE, "format"),
        (body_of(("no colon", "x")), TYPE, "format"),
        (body_of((GOOD[0] + "\r\nContent-Type: text/plain; charset=nonsense", "x")), TYPE, "format"),
        (body_of((GOOD[0], "x")).replace(b"x\r\n--X--", b"\xff\r\n--X--"), TYPE, "format"),
        (body_of(*[GOOD] * (PART_LIMIT + 1)), TYPE, "bounds"),
    ],
)
def test_faults(body: bytes, content_type: str, kind: str) -> None:
    """What is broken, cut off or without bound."""
    fault = parse_multipart(body, content_type)
    assert isinstance(fault, Fault), fault
    assert fault.kind == kind


names = st.text(st.characters(codec="utf-8", exclude_characters="[].\0\\"), min_size=1, max_size=8).filter(
    lambda name: "%" not in name and name == name.strip() and not name.isdigit()
)
files = st.fixed_dictionaries(
    {"name": names, "type": st.sampled_from(["image/png", "text/plain"]), "bytes": st.binary(max_size=40)}
)
leaves = st.text(st.characters(codec="utf-8"), max_size=20) | files | st.binary(max_size=20)
structures = st.recursive(
    leaves,
    lambda inner: st.lists(inner, min_size=2, max_size=3) | st.dictionaries(names, inner, min_size=1, max_size=2),
    max_leaves=6,
)


@given(st.dictionaries(names, structures, min_size=1, max_size=4))
@settings(max_examples=200, deadline=None)
def test_what_is_built_is_read_back(values: dict[str, Any]) -> None:
    """Texts, bytes and files in any structure."""
    body, content_type = build_multipart(values)
    assert parse_multipart(body, content_type) == values
    assert build_multipart(values) == (body, content_type)


def test_the_boundary_comes_from_the_content_and_is_not_in_it() -> None:
    """The same values give the same bytes; a content that holds a boundary gets another one."""
    body, content_type = build_multipart({"a": "x"})
    boundary = content_type.partition("boundary=")[2]
    assert body.startswith(f"--{boundary}\r\n".encode())
    assert build_multipart({"a": "y"})[1] != content_type
    assert parse_multipart(*build_multipart({"a": body.decode()})) == {"a": body.decode()}


def test_others_read_what_we_build_and_we_read_what_others_build() -> None:
    """The standard library's mail parser, and httpx."""
    body, content_type = build_multipart(
        {"a": "é", "f": {"name": 'x "y".png', "type": "image/png", "bytes": b"\0\xff"}}
    )
    message = message_from_bytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body)
    parts = message.get_payload()
    assert [part.get_param("name", header="content-disposition") for part in parts] == ["a", "f"]  # type: ignore
    assert parts[1].get_payload(decode=True) == b"\0\xff"  # type: ignore
    request = httpx.Request("POST", "http://x", data={"a": "é"}, files={"f": ('x "y".png', b"\0\xff", "image/png")})
    found = parse_multipart(request.read(), request.headers["content-type"])
    assert found == {"a": "é", "f": {"name": 'x "y".png', "type": "image/png", "bytes": b"\0\xff"}}


@given(st.text('-X\r\n: ;="abcontent-dispositionform-data name', max_size=80))
@settings(max_examples=300, deadline=None)
def test_nothing_that_comes_raises(text: str) -> None:
    """Whatever a client sends is a structure or a fault."""
    for body in (text.encode(), b"--X\r\n" + text.encode() + b"\r\n--X--\r\n"):
        assert isinstance(parse_multipart(body, TYPE), dict | Fault)
    assert isinstance(parse_multipart(b"--X--", text), dict | Fault)


def test_options_reach_the_names() -> None:
    """A provider without nesting."""
    body, content_type = build_multipart({"a[b]": "x"}, FormOptions("none"))
    assert parse_multipart(body, content_type, FormOptions("none")) == {"a[b]": "x"}
    assert is_file({"name": "", "type": "", "bytes": b""})
    assert not is_file({"name": "", "type": "", "bytes": ""})
