"""Routing: the most literal route wins, ties are found, and near misses are named."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from troth.contracts.exchange import Request
from troth.contracts.routing.path_template import Template, check_template, parse_template
from troth.contracts.routing.router import Route, Router
from troth.contracts.values import ABSENT
from troth.errors import ContractError, Place, Problems


def find(router: Router, method: str, path: str, body: Any = ABSENT, **more: Any) -> tuple[str, dict[str, str]] | None:
    """What a request reaches."""
    return router.find(Request(method, path, **more), lambda: body)


PLAIN = Router(
    [
        Route("list", "GET", "/v1/charges"),
        Route("create", "POST", "/v1/charges"),
        Route("get", "GET", "/v1/charges/{id}"),
        Route("search", "GET", "/v1/charges/search"),
        Route("capture", "POST", "/v1/charges/{id}/capture"),
        Route("line", "GET", "/v1/{kind}/{id}/lines/{line}"),
        Route("message", "GET", "/Accounts/{account}/Messages/{sid}.json"),
        Route("media", "GET", "/Accounts/{account}/Messages/{sid}"),
        Route("generate", "POST", "/models/{model}:generate"),
        Route("stream", "POST", "/models/{model}:streamGenerate"),
        Route("root", "GET", "/"),
    ]
)


@pytest.mark.parametrize(
    ("method", "path", "found"),
    [
        ("GET", "/v1/charges", ("list", {})),
        ("POST", "/v1/charges", ("create", {})),
        ("GET", "/v1/charges/ch_1", ("get", {"id": "ch_1"})),
        ("GET", "/v1/charges/search", ("search", {})),
        ("POST", "/v1/charges/search/capture", ("capture", {"id": "search"})),
        ("GET", "/v1/charges/ch_1/lines/2", ("line", {"kind": "charges", "id": "ch_1", "line": "2"})),
        ("GET", "/v1/charges/search/lines/2", ("line", {"kind": "charges", "id": "search", "line": "2"})),
        ("GET", "/Accounts/AC1/Messages/SM1.json", ("message", {"account": "AC1", "sid": "SM1"})),
        ("GET", "/Accounts/AC1/Messages/a.b.json", ("message", {"account": "AC1", "sid": "a.b"})),
        ("GET", "/Accounts/AC1/Messages/SM1", ("media", {"account": "AC1", "sid": "SM1"})),
        ("GET", "/Accounts/AC1/Messages/.json", ("media", {"account": "AC1", "sid": ".json"})),
        ("POST", "/models/gemini-1:generate", ("generate", {"model": "gemini-1"})),
        ("POST", "/models/gemini-1:streamGenerate", ("stream", {"model": "gemini-1"})),
        ("GET", "/", ("root", {})),
        ("GET", "/v1/charges/", None),
        ("GET", "/v1//charges", None),
        ("GET", "/v1/charges/ch_1/", None),
        ("GET", "/V1/charges", None),
        ("get", "/v1/charges", None),
        ("HEAD", "/v1/charges", None),
        ("DELETE", "/v1/charges/ch_1", None),
        ("GET", "", None),
        ("GET", "v1/charges", None),
        ("OPTIONS", "*", None),
        ("GET", "/v1/charges/a%2Fb", ("get", {"id": "a/b"})),
        ("GET", "/v1/charges/caf%C3%A9%20x", ("get", {"id": "café x"})),
        ("GET", "/v1/charges/%FF", ("get", {"id": "%FF"})),
        ("GET", "/v1/%63harges", ("list", {})),
        ("GET", "/v1/charges/100%", ("get", {"id": "100%"})),
    ],
)
def test_paths(method: str, path: str, found: tuple[str, dict[str, str]] | None) -> None:
    """Literals before parameters, segment by segment; a slash too many is another path; an escaped slash is none."""
    assert find(PLAIN, method, path) == found


def test_a_segment_is_as_literal_as_its_longest_text() -> None:
    """``{a}.tar.gz`` goes before ``{a}.gz``, both before ``{a}``, whatever the order in the contract."""
    names = ["/{a}", "/{a}.gz", "/{a}.tar.gz", "/x{a}"]
    for routes in (names, names[::-1]):
        router = Router([Route(path, "GET", path) for path in routes])
        assert find(router, "GET", "/b.tar.gz") == ("/{a}.tar.gz", {"a": "b"})
        assert find(router, "GET", "/b.gz") == ("/{a}.gz", {"a": "b"})
        assert find(router, "GET", "/xb") == ("/x{a}", {"a": "b"})
        assert find(router, "GET", "/b") == ("/{a}", {"a": "b"})
        assert router.conflicts() == []


def test_several_parameters_in_one_segment() -> None:
    """Each ends where the literal after it first comes."""
    router = Router([Route("map", "GET", "/map/{lat},{lon}@{zoom}.png")])
    assert find(router, "GET", "/map/1,2@3.png") == ("map", {"lat": "1", "lon": "2", "zoom": "3"})
    assert find(router, "GET", "/map/1,2,3@4.x.png") == ("map", {"lat": "1", "lon": "2,3", "zoom": "4.x"})
    assert find(router, "GET", "/map/,2@3.png") is None
    assert find(router, "GET", "/map/1,2@.png") is None
    assert find(router, "GET", "/map/1,2.png") is None


def test_a_template_with_escapes_means_what_it_decodes_to() -> None:
    """``/a%20b`` and what clients make of it."""
    router = Router([Route("o", "GET", "/a%20b/{id}")])
    assert find(router, "GET", "/a%20b/1") == ("o", {"id": "1"})


AMAZON = Router(
    [
        Route("send", "POST", "/", on_headers={"x-amz-target": "AmazonSQS.SendMessage"}),
        Route("receive", "POST", "/", on_headers={"x-amz-target": "AmazonSQS.ReceiveMessage"}),
        Route("send_form", "POST", "/", on_body={"Action": "SendMessage"}),
        Route("versioned", "POST", "/", on_body={"Action": "SendMessage", "Meta.Version": 2}),
        Route("other", "POST", "/"),
        Route("page", "GET", "/x", on_query={"list-type": "2"}),
        Route("old_page", "GET", "/x"),
    ]
)


@pytest.mark.parametrize(
    ("body", "headers", "found"),
    [
        (ABSENT, ((b"X-Amz-Target", b"AmazonSQS.SendMessage"),), "send"),
        (ABSENT, ((b"x-amz-target", b" AmazonSQS.ReceiveMessage "),), "receive"),
        ({"Action": "SendMessage"}, (), "send_form"),
        ({"Action": "SendMessage", "Meta": {"Version": "2"}}, (), "versioned"),
        ({"Action": "SendMessage", "Meta": {"Version": 2}}, (), "versioned"),
        ({"Action": "SendMessage", "Meta": {"Version": 3}}, (), "send_form"),
        ({"Action": "Else", "Meta": []}, (), "other"),
        ([1], ((b"X-Amz-Target", b"Else"),), "other"),
        (ABSENT, (), "other"),
    ],
)
def test_on(body: Any, headers: Any, found: str) -> None:
    """Header, query and body values tell operations apart; the route that demands most goes first."""
    assert find(AMAZON, "POST", "/", body, headers=headers) == (found, {})


def test_on_query() -> None:
    """Decoded, the first of a repeated name; a query that cannot be read has none."""
    assert find(AMAZON, "GET", "/x", query="a=1&list%2Dtype=2") == ("page", {})
    assert find(AMAZON, "GET", "/x", query="list-type=2&list-type=1") == ("page", {})
    assert find(AMAZON, "GET", "/x", query="list-type=3") == ("old_page", {})
    assert find(AMAZON, "GET", "/x", query="list-type=2&a=%FF") == ("old_page", {})


def test_the_body_is_read_only_when_a_route_asks_for_it() -> None:
    """Reading a body costs; most routes are told by method and path."""

    def never() -> Any:
        raise AssertionError("the body was read")

    assert PLAIN.find(Request("GET", "/v1/charges/ch_1"), never) == ("get", {"id": "ch_1"})
    assert AMAZON.find(Request("GET", "/x"), never) == ("old_page", {})


def test_a_more_literal_path_without_a_fitting_value_yields() -> None:
    """``on`` is part of what fits: the next way is tried."""
    router = Router(
        [
            Route("fixed", "GET", "/a/b", on_headers={"x": "1"}),
            Route("open", "GET", "/a/{id}"),
            Route("p", "PUT", "/{x}/b"),
        ]
    )
    assert find(router, "GET", "/a/b", headers=((b"x", b"1"),)) == ("fixed", {})
    assert find(router, "GET", "/a/b") == ("open", {"id": "b"})
    assert find(router, "PUT", "/a/b") == ("p", {"x": "a"})


HOSTS = Router(
    [
        Route("upload", "POST", "/v1/files", host="files.stripe.com"),
        Route("refuse", "POST", "/v1/files", host="api.stripe.com"),
        Route("any", "GET", "/v1/files"),
        Route("only_files", "GET", "/v1/x", host="files.stripe.com"),
    ]
)


@pytest.mark.parametrize(
    ("method", "path", "host", "found"),
    [
        ("POST", "/v1/files", "files.stripe.com", "upload"),
        ("POST", "/v1/files", "FILES.stripe.com:443", "upload"),
        ("POST", "/v1/files", "api.stripe.com", "refuse"),
        ("GET", "/v1/files", "api.stripe.com", "any"),
        ("GET", "/v1/x", "api.stripe.com", None),
        ("GET", "/v1/x", "127.0.0.1:8080", "only_files"),
        ("POST", "/v1/files", "127.0.0.1:8080", "upload"),
        ("GET", "/v1/files", "", "any"),
    ],
)
def test_hosts(method: str, path: str, host: str, found: str | None) -> None:
    """The request's own host goes first; a host that no route names (the simulator's) tells nothing."""
    reached = find(HOSTS, method, path, host=host)
    assert (reached and reached[0]) == found


@pytest.mark.parametrize(
    ("routes", "ties"),
    [
        ([Route("a", "GET", "/x/{id}"), Route("b", "GET", "/x/{name}")], [("a", "b")]),
        ([Route("a", "GET", "/x/{id}.json"), Route("b", "GET", "/x/{name}.json")], [("a", "b")]),
        ([Route("a", "GET", "/x"), Route("b", "GET", "/x"), Route("c", "GET", "/x")], [("a", "b"), ("a", "c")]),
        ([Route("a", "GET", "/x"), Route("b", "POST", "/x")], []),
        ([Route("a", "GET", "/x"), Route("b", "GET", "/x/")], []),
        ([Route("a", "GET", "/x/{id}"), Route("b", "GET", "/{id}/x")], []),
        ([Route("a", "GET", "/x"), Route("b", "GET", "/x", host="h")], []),
        ([Route("a", "GET", "/x", host="H"), Route("b", "GET", "/x", host="h")], [("a", "b")]),
        (
            [Route("a", "GET", "/x", on_headers={"v": "1"}), Route("b", "GET", "/x", on_headers={"V": "1"})],
            [("a", "b")],
        ),
        ([Route("a", "GET", "/x", on_headers={"v": "1"}), Route("b", "GET", "/x", on_headers={"v": "2"})], []),
        ([Route("a", "GET", "/x", on_headers={"v": "1"}), Route("b", "GET", "/x")], []),
        ([Route("a", "GET", "/x", on_headers={"v": "1"}), Route("b", "GET", "/x", on_query={"v": "1"})], [("a", "b")]),
        ([Route("a", "GET", "/x", on_body={"v": 1}), Route("b", "GET", "/x", on_body={"v": "1"})], [("a", "b")]),
        (
            [
                Route("a", "GET", "/x", on_headers={"v": "1"}, on_query={"w": "1"}),
                Route("b", "GET", "/x", on_headers={"v": "1"}, on_query={"u": "1"}),
                Route("c", "GET", "/x", on_headers={"v": "2"}, on_query={"t": "1"}),
            ],
            [("a", "b")],
        ),
    ],
)
def test_conflicts(routes: list[Route], ties: list[tuple[str, str]]) -> None:
    """Two operations that one request fits alike."""
    assert Router(routes).conflicts() == ties


@pytest.mark.parametrize(
    ("method", "path", "first"),
    [
        ("POST", "/v1/chargs", "create"),
        ("GET", "/v1/charges/", "list"),
        ("PUT", "/v1/charges", "list"),
        ("POST", "/v1/charges/ch_1/captured", "capture"),
        ("POST", "/v1/charges/ch_1/lines/1", "line"),
        ("GET", "/v1/charge/ch_1/line/2", "line"),
        ("POST", "/models/gemini:generat", "generate"),
        ("GET", "/charges", "list"),
    ],
)
def test_nearest(method: str, path: str, first: str) -> None:
    """A slip in the path, another method, a segment too many or too few."""
    near = PLAIN.nearest(Request(method, path))
    assert near[0].operation == first
    assert len(near) == 3


def test_of_a_tie_the_first_is_found() -> None:
    """Ties do not load; a router that has one all the same is not random."""
    router = Router([Route("a", "GET", "/x/{id}"), Route("b", "GET", "/x/{id}")])
    assert find(router, "GET", "/x/1") == ("a", {"id": "1"})


def test_nearest_knows_that_the_path_is_right() -> None:
    """Right path, wrong method, and right path, wrong value, go before other paths."""
    near = PLAIN.nearest(Request("DELETE", "/v1/charges/ch_1"))
    assert near[0].operation == "get"
    assert {route.operation for route in PLAIN.nearest(Request("PUT", "/v1/charges"), limit=2)} == {"list", "create"}
    amazon = AMAZON.nearest(Request("POST", "/", headers=((b"x-amz-target", b"AmazonSQS.ReceiveMessage"),)), limit=9)
    assert len(amazon) == len(AMAZON.routes)
    assert amazon[0].operation in ("other", "receive")
    strict = Router([route for route in AMAZON.routes if route.on_headers])
    assert strict.nearest(Request("POST", "/", headers=((b"x-amz-target", b"AmazonSQS.Else"),)))[0].method == "POST"
    assert Router([]).nearest(Request("GET", "/")) == []


def test_nearest_is_bounded() -> None:
    """A long path against many routes is a matter of moments."""
    router = Router([Route(f"o{n}", "GET", f"/v1/things{n}/{{id}}") for n in range(1000)])
    started = time.perf_counter()
    router.nearest(Request("GET", "/v1" + "/segment" * 5000))
    assert time.perf_counter() - started < 10


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("v1", "slash"),
        ("", "slash"),
        ("/a b", "space"),
        ("/a?b=1", "question mark"),
        ("/{a", "braces"),
        ("/a}", "braces"),
        ("/{{a}}", "braces"),
        ("/{}", "no name"),
        ("/{a b}", "space"),
        ("/{1a}", "no name"),
        ("/{a}{b}", "between"),
        ("/{a}/{a}", "twice"),
        ("/" + "a" * 3000, "longer"),
    ],
)
def test_templates_that_cannot_be_read(path: str, found: str) -> None:
    """A problem with the place of the path, or an error of the router's that has all of them."""
    problems = Problems()
    assert check_template(path, Place("c.yaml", 5, 9), problems) == ()
    assert [(problem.code, problem.place.line, found in problem.found) for problem in problems.items] == [
        ("E280", 5, True)
    ]
    with pytest.raises(ContractError) as error:
        Router([Route("a", "GET", path), Route("b", "GET", "/{x"), Route("c", "GET", "/fine")])
    assert [problem.code for problem in error.value.problems] == ["E280", "E280"]


def test_templates_tell_their_parameters() -> None:
    """In order, also several of one segment."""
    problems = Problems()
    assert check_template("/a/{b}/{c}.{d}", Place(), problems) == ("b", "c", "d")
    assert check_template("/", Place(), problems) == ()
    assert not problems.items


segments = st.sampled_from(["a", "b", "{x}", "{y}", "{x}.json", "a{x}", "{x}:{y}", ""])
templates = st.lists(segments, min_size=1, max_size=4).map(lambda parts: "/" + "/".join(parts))


def literalness(template: str, path: str) -> tuple[Any, ...] | None:
    """How literal a template is for a path, by the rule as it is written; None when it does not fit."""
    parsed = parse_template(template)
    assert isinstance(parsed, Template)
    parts = path.split("/")[1:]
    if len(parts) != len(parsed.segments):
        return None
    ranks: list[tuple[Any, ...]] = []
    for segment, part in zip(parsed.segments, parts, strict=True):
        if segment.literal is not None:
            if segment.literal != part:
                return None
            ranks.append((0,))
        elif segment.literals:
            if segment.parts(part) is None:
                return None
            ranks.append((1, *segment.rank))
        else:
            if not part:
                return None
            ranks.append((2,))
    return tuple(ranks)


@given(
    st.lists(templates.filter(lambda text: isinstance(parse_template(text), Template)), min_size=1, max_size=8),
    st.lists(st.sampled_from(["a", "b", "ab", "a.json", "x:y", "", ".json"]), min_size=1, max_size=4),
)
@settings(max_examples=400, deadline=None)
def test_the_trie_finds_what_the_rule_says(paths: list[str], parts: list[str]) -> None:
    """Against a plain search through all routes."""
    path = "/" + "/".join(parts)
    router = Router([Route(template, "GET", template) for template in paths])
    fitting = [(rank, template) for template in paths if (rank := literalness(template, path)) is not None]
    found = find(router, "GET", path)
    if not fitting:
        assert found is None
    else:
        assert found is not None
        best = min(rank for rank, _ in fitting)
        assert literalness(found[0], path) == best


def test_it_costs_the_same_with_many_operations() -> None:
    """No search: steps through the trie are counted by the length of the path, not by the number of routes."""

    def cost(count: int) -> float:
        router = Router([Route(f"o{n}", "GET", f"/v1/things{n}/{{id}}/{verb}") for n in range(count) for verb in "abc"])
        request = Request("GET", f"/v1/things{count - 1}/id_1/b")
        best = float("inf")
        for _ in range(7):
            started = time.perf_counter()
            for _ in range(300):
                router.find(request, lambda: ABSENT)
            best = min(best, time.perf_counter() - started)
        return best

    # A linear search would take a hundred times as long; the machine's noise is far below three times.
    assert cost(1000) < 3 * cost(10)
