"""HTTP/1.1 rules, each shown on a real socket against the real server."""

from __future__ import annotations

import pytest
from fakes.raw_client import Echo, RawClient, chunked, get, post, served

from troth.contracts.exchange import Request, Response
from troth.simulators.http_server import HttpServer
from troth.simulators.limits import Limits

CHUNKED_POST = b"POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n"


def test_keep_alive_answers_many_requests_on_one_connection(client: RawClient, server: HttpServer) -> None:
    assert [client.ask(get(f"/{n}")).body for n in range(3)] == [b"GET /0 ? ", b"GET /1 ? ", b"GET /2 ? "]
    assert server.connections == 1


def test_pipelined_requests_are_answered_in_their_order(client: RawClient) -> None:
    client.send(b"".join(get(f"/{n}") if n % 2 else post(b"x" * n, f"/{n}") for n in range(50)))
    assert [client.read().body.split()[1] for n in range(50)] == [b"/%d" % n for n in range(50)]


def test_connection_close_is_said_and_done(client: RawClient) -> None:
    assert client.ask(get("/", "Connection: close")).headers["connection"] == "close"
    assert client.at_end()


def test_requests_after_connection_close_are_not_answered(client: RawClient, echo: Echo) -> None:
    client.send(get("/a", "Connection: close") + get("/b"))
    assert client.read().body == b"GET /a ? "
    assert client.at_end()
    assert len(echo.requests) == 1


def test_http_1_0_closes_by_default(client: RawClient) -> None:
    assert client.ask(b"GET /old HTTP/1.0\r\n\r\n").body == b"GET /old ? "
    assert client.at_end()


def test_http_1_0_keeps_alive_when_asked(client: RawClient) -> None:
    asked = b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
    assert client.ask(asked).headers["connection"] == "keep-alive"
    assert client.ask(asked).status == 200


def test_http_1_1_after_http_1_0_on_one_connection_gets_no_keep_alive_header(client: RawClient) -> None:
    client.ask(get())
    client.ask(b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    assert "connection" not in client.ask(get()).headers


@pytest.mark.parametrize("line", [b"GET /", b"GET / HTTP/0.9", b"GET / HTTP/2.0"])
def test_other_versions_are_refused(client: RawClient, line: bytes) -> None:
    reply = client.ask(line + b"\r\nHost: test\r\n\r\n")
    assert (reply.status, reply.code) == (505, "E319")
    assert client.at_end()


def test_head_has_the_length_of_the_body_but_no_body(client: RawClient) -> None:
    head = client.ask(get("/page").replace(b"GET", b"HEAD"), "HEAD")
    assert head.headers["content-length"] == str(len(b"HEAD /page ? "))
    assert client.ask(get("/next")).body == b"GET /next ? "


@pytest.mark.parametrize("status", [204, 304])
def test_no_content_and_not_modified_have_no_body(status: int) -> None:
    with (
        served(lambda request: Response(status, [(b"ETag", b'"1"')], b"dropped")) as server,
        RawClient(server.url) as client,
    ):
        reply = client.ask(get())
        assert (reply.status, reply.headers["etag"]) == (status, '"1"')
        assert "content-length" not in reply.headers
        assert client.ask(get()).status == status


def test_every_answer_has_a_date_and_a_length(client: RawClient) -> None:
    headers = client.ask(get()).headers
    assert headers["date"].endswith(" GMT")
    assert headers["content-length"] == "8"


def test_a_handlers_own_date_is_kept_and_its_framing_is_not() -> None:
    own = [(b"Date", b"Thu, 01 Jan 2026 00:00:00 GMT"), (b"Content-Length", b"999"), (b"Transfer-Encoding", b"chunked")]
    with served(lambda request: Response(200, own, b"four")) as server, RawClient(server.url) as client:
        reply = client.ask(get())
        assert reply.headers["date"] == "Thu, 01 Jan 2026 00:00:00 GMT"
        assert reply.body == b"four"


def test_trailers_are_sent_after_a_chunked_body() -> None:
    handler = lambda request: Response(200, [], b"body", [(b"Checksum", b"9")])  # noqa: E731
    with served(handler) as server, RawClient(server.url) as client:
        client.send(get())
        head = b"".join(iter(client.file.readline, b"\r\n"))
        assert b"Transfer-Encoding: chunked" in head
        assert (
            client.file.read(len(b"4\r\nbody\r\n0\r\nChecksum: 9\r\n\r\n")) == b"4\r\nbody\r\n0\r\nChecksum: 9\r\n\r\n"
        )


def test_a_status_without_a_name_is_sent() -> None:
    with served(lambda request: Response(299, [], b"odd")) as server, RawClient(server.url) as client:
        assert client.ask(get()).status == 299


def test_query_headers_and_body_reach_the_handler_as_sent(client: RawClient, echo: Echo) -> None:
    client.ask(post(b"\x00\xff", "/a%2Fb?x=1&x=2&y=%20", "X-One: 1", "x-one:  two "))
    request = echo.requests[0]
    assert (request.method, request.path, request.query) == ("POST", "/a%2Fb", "x=1&x=2&y=%20")
    assert request.body == b"\x00\xff"
    assert [pair for pair in request.headers if pair[0].lower() == b"x-one"] == [(b"X-One", b"1"), (b"x-one", b"two")]
    assert request.host == "test"


def test_the_absolute_form_gives_path_and_host(client: RawClient, echo: Echo) -> None:
    client.ask(b"GET http://api.example:81/v1?q=a/b HTTP/1.1\r\nHost: other\r\n\r\n")
    request = echo.requests[0]
    assert (request.path, request.query, request.host) == ("/v1", "q=a/b", "api.example:81")


def test_the_absolute_form_without_a_path(client: RawClient, echo: Echo) -> None:
    client.ask(b"GET http://api.example?q=1 HTTP/1.1\r\nHost: other\r\n\r\n")
    assert (echo.requests[0].path, echo.requests[0].query) == ("/", "q=1")


def test_the_asterisk_form_is_a_path(client: RawClient) -> None:
    assert client.ask(b"OPTIONS * HTTP/1.1\r\nHost: test\r\n\r\n").body == b"OPTIONS * ? "


# Bodies


def test_a_chunked_body_is_put_together(client: RawClient) -> None:
    assert client.ask(CHUNKED_POST + chunked(b"one ", b"two ", b"three")).body == b"POST / ? one two three"


def test_trailers_of_a_request_are_read_and_dropped(client: RawClient, echo: Echo) -> None:
    assert client.ask(CHUNKED_POST + b"1\r\na\r\n0\r\nChecksum: 9\r\n\r\n").body == b"POST / ? a"
    assert b"Checksum" not in dict(echo.requests[0].headers)
    assert client.ask(get("/next")).body == b"GET /next ? "


def test_content_length_beside_transfer_encoding_is_refused(client: RawClient, echo: Echo) -> None:
    both = b"POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
    reply = client.ask(both + chunked(b"abc"))
    assert (reply.status, reply.code, reply.headers["connection"]) == (400, "E312", "close")
    assert client.at_end()
    assert echo.requests == []


@pytest.mark.parametrize("second", ["3", "4"])
def test_a_second_content_length_is_refused(client: RawClient, second: str) -> None:
    reply = client.ask(post(b"abc", "/", f"Content-Length: {second}"))
    assert (reply.status, reply.code) == (400, "E312")
    assert client.at_end()


@pytest.mark.parametrize("length", ["", "-1", "+1", "1x", "0x1", "1,1", "99999999999999999999"])
def test_a_content_length_that_is_no_number_is_refused(client: RawClient, length: str) -> None:
    reply = client.ask(f"POST / HTTP/1.1\r\nHost: test\r\nContent-Length: {length}\r\n\r\na".encode())
    assert (reply.status, reply.code) == (400, "E312")


@pytest.mark.parametrize(
    "bad", [b"zz\r\nabc\r\n0\r\n\r\n", b"3\r\nabcdef\r\n0\r\n\r\n", b"-1\r\n\r\n", b"3\nabc\n0\n\n"]
)
def test_a_bad_chunk_is_refused(client: RawClient, bad: bytes) -> None:
    reply = client.ask(CHUNKED_POST + bad)
    assert (reply.status, reply.code) == (400, "E312")
    assert client.at_end()


@pytest.mark.parametrize("coding", ["gzip", "gzip, chunked", "identity"])
def test_other_transfer_codings_are_refused(client: RawClient, coding: str) -> None:
    reply = client.ask(f"POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: {coding}\r\n\r\n".encode())
    assert (reply.status, reply.code) == (501, "E316")


def test_transfer_encoding_in_http_1_0_is_refused(client: RawClient) -> None:
    reply = client.ask(b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(b"abc"))
    assert (reply.status, reply.code) == (400, "E312")


# Heads that are no HTTP


@pytest.mark.parametrize(
    "line",
    [
        b"NONSENSE",
        b"GET",
        b"GET / HTTP/1.1 x",
        b"FOO / HTTP/1.1",
        b"GET / a HTTP/1.1",
        b"GET / HTTP/1.x",
        b"GET / XYZ/1.1",
    ],
)
def test_a_bad_request_line_is_refused(client: RawClient, line: bytes) -> None:
    reply = client.ask(line + b"\r\nHost: test\r\n\r\n")
    assert (reply.status, reply.code) == (400, "E312")
    assert client.at_end()


@pytest.mark.parametrize("bad", ["Name : value", "No colon", "A: b\r\n folded", "A: b\x00c", ": empty"])
def test_a_bad_header_is_refused(client: RawClient, bad: str) -> None:
    reply = client.ask(get("/", bad))
    assert (reply.status, reply.code) == (400, "E312")


def test_bare_line_feeds_are_refused(client: RawClient) -> None:
    assert client.ask(b"GET / HTTP/1.1\nHost: test\n\n").status == 400


def test_http_1_1_without_host_is_refused(client: RawClient) -> None:
    assert client.ask(b"GET / HTTP/1.1\r\n\r\n").code == "E312"


def test_two_hosts_are_refused(client: RawClient) -> None:
    assert client.ask(get("/", "Host: other")).code == "E312"


def test_a_tls_handshake_is_named(client: RawClient) -> None:
    assert b"TLS handshake" in client.ask(b"\x16\x03\x01\x02\x00\x01\x00").body


def test_connect_is_refused_since_a_simulator_is_no_proxy(client: RawClient) -> None:
    reply = client.ask(b"CONNECT api.example:443 HTTP/1.1\r\nHost: api.example\r\n\r\n")
    assert (reply.status, reply.code) == (501, "E320")


def test_requests_before_a_bad_one_are_answered_first(client: RawClient) -> None:
    client.send(get("/1") + get("/2") + b"NONSENSE\r\n\r\n")
    assert [client.read().status for _ in range(3)] == [200, 200, 400]
    assert client.at_end()


def test_a_refusal_is_json_that_names_its_code(client: RawClient) -> None:
    reply = client.ask(b"NONSENSE\r\n\r\n")
    assert reply.headers["content-type"] == "application/json"
    assert b'"code": "E312"' in reply.body
    assert b"Traceback" not in reply.body


# Upgrade


@pytest.mark.parametrize("body", [b"", b"abc"])
def test_an_offer_to_upgrade_is_ignored(client: RawClient, echo: Echo, body: bytes) -> None:
    client.send(post(body, "/up", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c") + get("/next"))
    assert [client.read().body for _ in range(2)] == [b"POST /up ? " + body, b"GET /next ? "]
    assert b"Upgrade" not in dict(echo.requests[0].headers)


def test_an_offer_to_upgrade_with_a_chunked_body_is_ignored(client: RawClient) -> None:
    head = CHUNKED_POST.replace(b"\r\n\r\n", b"\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n")
    assert client.ask(head + chunked(b"abc")).body == b"POST / ? abc"
    assert client.ask(get()).status == 200


def test_thousands_of_pipelined_offers_to_upgrade_are_ignored(client: RawClient) -> None:
    client.send(get("/up", "Connection: upgrade", "Upgrade: h2c") * 2000)
    assert {client.read().body for _ in range(2000)} == {b"GET /up ? "}


# Expect: 100-continue


def test_100_is_sent_before_the_body_is(client: RawClient) -> None:
    whole = post(b"later", "/", "Expect: 100-continue")
    assert client.ask(whole[:-5]).status == 100
    assert client.ask(whole[-5:]).body == b"POST / ? later"


def test_100_comes_after_the_answers_before_it(client: RawClient) -> None:
    client.send(get("/1") + post(b"later", "/2", "Expect: 100-Continue")[:-5])
    assert [client.read().status, client.read().status] == [200, 100]
    assert client.ask(b"later").status == 200


def test_a_chunked_body_may_be_awaited(client: RawClient) -> None:
    assert client.ask(CHUNKED_POST.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n")).status == 100
    assert client.ask(chunked(b"abc")).body == b"POST / ? abc"


def test_no_100_without_a_body_or_to_http_1_0(client: RawClient) -> None:
    assert client.ask(get("/", "Expect: 100-continue")).status == 200
    old = b"POST / HTTP/1.0\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\na"
    assert client.ask(old).status == 200


def test_another_expectation_is_refused(client: RawClient) -> None:
    assert client.ask(post(b"x", "/", "Expect: a-miracle")).code == "E317"


def test_a_refused_body_gets_its_final_answer_instead_of_100() -> None:
    with served(Echo(), Limits(body_bytes=4)) as server, RawClient(server.url) as client:
        reply = client.ask(post(b"12345", "/", "Expect: 100-continue")[:-5])
        assert (reply.status, reply.code) == (413, "E314")
        assert client.at_end()


# Handlers that fail


def test_a_failing_handler_is_a_500_without_its_text(caplog: pytest.LogCaptureFixture) -> None:
    def handler(request: Request) -> Response:
        raise RuntimeError("sk_live_secret")

    with served(handler) as server, RawClient(server.url) as client:
        reply = client.ask(get())
        assert (reply.status, reply.code) == (500, "E311")
        assert b"secret" not in reply.body
        assert client.ask(get()).status == 500
    assert "RuntimeError" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize("pair", [(b"X", b"a\r\nSet-Cookie: b"), (b"X", b"a\nb"), (b"X\r\nY", b"a"), (b"X", b"a\rb")])
def test_a_line_break_in_a_response_header_never_leaves(pair: tuple[bytes, bytes]) -> None:
    with served(lambda request: Response(200, [pair], b"")) as server, RawClient(server.url) as client:
        assert client.ask(get()).code == "E311"


# Stopping


def test_stopping_closes_idle_connections(echo: Echo) -> None:
    with served(echo) as server:
        client = RawClient(server.url)
        client.ask(get())
    with client:
        assert client.at_end()


def test_a_stopped_server_takes_no_connection(echo: Echo) -> None:
    with served(echo) as server:
        url = server.url
    with pytest.raises(OSError, match=r"refused|reset"):
        RawClient(url)
