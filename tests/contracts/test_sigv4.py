"""Signature Version 4, against the signatures that Amazon published with its description."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from troth.contracts.exchange import Request
from troth.contracts.sigv4 import Key, claim_of, region_of, sign

KEY = Key("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "service", "us-east-1")
AT = datetime(2015, 8, 30, 12, 36, tzinfo=UTC).timestamp()
HOST = "example.amazonaws.com"


@pytest.mark.parametrize(
    ("name", "method", "query", "signature"),
    [
        ("get-vanilla", "GET", "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        (
            "get-vanilla-query-order-key-case",
            "GET",
            "Param2=value2&Param1=value1",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
        ),
        ("post-vanilla", "POST", "", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    ],
)
def test_the_signatures_are_those_of_the_published_suite(name: str, method: str, query: str, signature: str) -> None:
    """https://docs.aws.amazon.com/general/latest/gr/signature-v4-test-suite.html, by the names of its cases."""
    headers = dict(sign(Request(method, "/", query, host=HOST), KEY, AT))
    assert headers[b"X-Amz-Date"] == b"20150830T123600Z"
    assert headers[b"Authorization"].decode() == (
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
        f"SignedHeaders=host;x-amz-date, Signature={signature}"
    )


def test_what_is_signed_is_what_is_sent() -> None:
    """Each of method, path, query, host, body, date, key and signed header makes another signature."""
    request = Request("POST", "/a", "x=1", ((b"Content-Type", b"text/plain"),), b"body", HOST)
    others = [
        (Request("PUT", "/a", "x=1", request.headers, b"body", HOST), KEY, AT),
        (Request("POST", "/b", "x=1", request.headers, b"body", HOST), KEY, AT),
        (Request("POST", "/a", "x=2", request.headers, b"body", HOST), KEY, AT),
        (Request("POST", "/a", "x=1", (), b"body", HOST), KEY, AT),
        (Request("POST", "/a", "x=1", request.headers, b"other", HOST), KEY, AT),
        (Request("POST", "/a", "x=1", request.headers, b"body", "other.example"), KEY, AT),
        (request, KEY._replace(secret="another"), AT),
        (request, KEY._replace(session="a session"), AT),
        (request, KEY, AT + 1),
    ]
    signatures = {dict(sign(*each))[b"Authorization"] for each in ((request, KEY, AT), *others)}
    assert len(signatures) == len(others) + 1


def test_temporary_credentials_and_s3_have_headers_of_their_own() -> None:
    """The session's token, and the hash of the body."""
    headers = dict(sign(Request("GET", "/", host=HOST), KEY._replace(service="s3", session="temporary"), AT))
    assert headers[b"X-Amz-Security-Token"] == b"temporary"
    assert headers[b"X-Amz-Content-Sha256"].startswith(b"e3b0c442")
    assert b"host;x-amz-content-sha256;x-amz-date;x-amz-security-token" in headers[b"Authorization"]


@pytest.mark.parametrize(
    ("given", "host", "region"),
    [
        ("", "sqs.eu-central-1.amazonaws.com", "eu-central-1"),
        ("", "sqs.us-gov-west-1.amazonaws.com:443", "us-gov-west-1"),
        ("", "127.0.0.1:4100", "us-east-1"),
        ("eu-west-1", "sqs.eu-central-1.amazonaws.com", "eu-west-1"),
    ],
)
def test_the_region_is_the_one_in_the_hosts_name(given: str, host: str, region: str) -> None:
    """Unless the contract says another."""
    assert region_of(given, host) == region


def test_a_claim_is_read_back() -> None:
    """What is signed is recognised, and nothing else."""
    value = dict(sign(Request("GET", "/", host=HOST), KEY, AT))[b"Authorization"].decode()
    claim = claim_of(value)
    assert claim == ("AKIDEXAMPLE", "20150830", "us-east-1", "service", ("host", "x-amz-date"))
    assert [claim_of(bad) for bad in ("", "Bearer x", value[:-1], value.replace("aws4_request", "other"))] == [None] * 4
    assert "wJalr" not in repr(KEY)
