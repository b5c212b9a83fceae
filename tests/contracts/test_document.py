"""The document models: every key of the language, one message for one mistake."""

from pathlib import Path

import pytest

from troth.contracts.document.document import Document
from troth.contracts.document.folder import parse_document, read_document
from troth.errors import ContractError, Place, Problem

HEAD = "troth: 1\nprovider: x\n"
RESPONSE = "ok: {status: 200}"
REQUEST = "request: {method: GET, path: /a}"


def parse(text: str) -> Document:
    return parse_document(HEAD + text, "f.yaml")


def problems_in(text: str) -> list[Problem]:
    with pytest.raises(ContractError) as caught:
        parse(text)
    return list(caught.value.problems)


def the_problem(text: str) -> Problem:
    (problem,) = problems_in(text)
    return problem


def operation(text: str) -> str:
    return f"operations:\n  op: {{{REQUEST}, responses: {{{RESPONSE}}}, {text}}}\n"


def request(text: str) -> str:
    return f"operations:\n  op: {{request: {{{text}}}, responses: {{{RESPONSE}}}}}\n"


def response(text: str) -> str:
    return f"operations:\n  op: {{{REQUEST}, responses: {{r: {{{text}}}}}}}\n"


def effect(text: str) -> str:
    return f"state: {{c: {{key: id}}}}\n{response(f'status: 200, effects: [{text}]')}"


def move(text: str) -> str:
    return f"state: {{c: {{key: id, moves: {{m: {{when: it.a, {text}, effects: []}}}}}}}}\n"


def step(text: str) -> str:
    return f"{operation('')}scenarios:\n  s:\n    steps:\n      - {text}\n"


# What is read


def test_every_key_of_the_language_is_read(contracts: Path) -> None:
    """One contract that says everything."""
    document = read_document(contracts / "everything")
    op = document.operations["everything"]

    assert document.title == "One of each"
    assert document.versions is not None
    assert (document.versions.from_, document.versions.known) == ("headers.api_version", ["v1", "v2"])
    assert document.proven is not None
    assert (document.proven.by, document.proven.on, document.proven.link) == (
        "documentation", "2026-10-01", "https://example.com/docs",
    )  # fmt: skip
    assert (document.secrets["key"].env, document.secrets["key"].allow) == ("X_KEY", "test_*")
    assert document.auth is not None
    assert (document.auth.kind, document.auth.basic) == ("basic", ["{{ secrets.user }}", "{{ secrets.key }}"])
    assert op.auth is not None
    assert (op.auth.kind, op.auth.bearer) == ("none", None)
    assert document.data == {"limits": {"low": 1}, "names": ["a", "b"]}
    assert (op.title, op.use, op.since, op.until) == ("Everything", ["idempotent", "loud"], "v1", "v2")
    assert op.undo is not None
    assert (op.undo.call, op.undo.with_, op.undo.when) == ("gone", {"id": "{{ this.id }}"}, "this.id")
    assert op.headers == {"X-Request-Id": "$token"}
    assert op.let == {"thing": "state.things(body.id)", "page": {"$select": "things", "size": 2}}


def test_targets(contracts: Path) -> None:
    """URLs, hosts, limits in plain numbers."""
    sandbox, other = read_document(contracts / "everything").targets.values()

    assert sandbox.url is not None
    assert other.url is not None
    assert (sandbox.url.env, sandbox.url.default) == ("X_URL", "https://sandbox.example.com/v1")
    assert (other.url.env, other.url.default, other.like) == (None, "https://eu.example.com", "sandbox")
    assert sandbox.hosts["files"].default == "https://files.example.com"
    assert sandbox.limits is not None
    assert (sandbox.limits.rate, sandbox.limits.concurrency) == (5.0, 2)
    assert (sandbox.limits.requests, sandbox.limits.seconds) == (300, 600.0)
    assert sandbox.health is not None
    assert (sandbox.health.method, sandbox.health.path) == ("GET", "/health")
    assert (other.secrets["key"].env, other.proxy, other.ca) == ("X_EU_KEY", "http://proxy.example.com", "ca.pem")


def test_codecs(contracts: Path) -> None:
    """Options of forms and queries; what is not written is not set."""
    codecs = read_document(contracts / "everything").codecs

    assert codecs is not None
    assert codecs.form is not None
    assert (codecs.form.nesting, codecs.form.lists) == ("brackets", "indexed")
    assert codecs.form.booleans == {"true": ["true", "1"], "false": ["false"]}
    assert codecs.query is not None
    assert (codecs.query.nesting, codecs.query.lists, codecs.query.booleans) == ("dots", None, None)


def test_request(contracts: Path) -> None:
    """All that a request says, with the spelling that it was given."""
    request = read_document(contracts / "everything").operations["everything"].request

    assert (request.method, request.path, request.host) == ("POST", "/things/{id}", "files")
    assert request.on is not None
    assert (request.on.headers, request.on.query, request.on.body) == ({"X-Do": "it"}, {"v": 1}, {"op": "go"})
    assert request.headers == {"Idempotency-Key?": "$string", "X-Do": "$string"}
    assert (request.query, request.cookies) == ({"v": "$integer"}, {"session?": "$string"})
    assert (request.unknown, request.as_, request.codec) == ("reject", ["form", "json"], "body")
    assert request.content == {"op": "$string", "id": "$string"}


def test_responses(contracts: Path) -> None:
    """All that a response says, in order."""
    responses = read_document(contracts / "everything").operations["everything"].responses
    maybe = responses["maybe"]

    assert list(responses) == ["unauthorized", "maybe", "done"]
    assert (maybe.when, maybe.let, maybe.odds, maybe.status) == ("maybe", {"code": "data.limits"}, 0.25, 202)
    assert (maybe.since, maybe.until, maybe.codec) == ("v1", "v2", "json")
    assert maybe.content == {"id": "{{ body.id }}", "low": "{{ code.low }}"}
    assert maybe.proven is not None
    assert responses["unauthorized"].means == "unauthorized"
    put, change, delete = responses["done"].effects
    assert (put.put, put.value, put.also) == ("things", {"id": "{{ one }}", "name": "n"}, {"etag": "x"})
    assert (put.each, put.as_, put.when) == ("data.names", "one", "body.id")
    assert (change.set, change.to) == ("thing", {"name": "m"})
    assert delete.delete == "thing"


def test_idempotency(contracts: Path) -> None:
    """Out of a trait, with what the operation adds."""
    idempotency = read_document(contracts / "everything").operations["everything"].idempotency

    assert idempotency is not None
    assert (idempotency.key, idempotency.same) == ("headers.idempotency_key", ["method", "path", "body"])
    assert idempotency.replay is not None
    assert idempotency.replay.headers == {"Replayed": "true"}
    assert idempotency.conflict is not None
    assert (idempotency.conflict.status, idempotency.skip, idempotency.keep) == (409, ["maybe"], 86400.0)


def test_collections(contracts: Path) -> None:
    """Records, seeds and moves."""
    things = read_document(contracts / "everything").state["things"]
    grown = things.moves["grown"]

    assert (things.of, things.key, things.also, things.inline) == ("$Thing", "id", {"etag?": "$string"}, "true")
    assert things.seeds == [{"id": "t_1", "name": "first"}]
    assert (grown.when, grown.takes, grown.simulated) == ("it.name", (0.0, 60.0), 0.3)
    assert (grown.effects[0].set, grown.effects[0].to) == ("it", {"name": "grown"})


def test_scenarios(contracts: Path) -> None:
    """Steps of each kind."""
    scenarios = read_document(contracts / "everything").scenarios
    part, whole = scenarios["a part"], scenarios["the whole"]
    include, call, wait, poll, pages, anonymous = whole.steps

    assert (part.part, part.keep, part.tags) == (True, {"both": "first"}, ["slow"])
    assert (whole.cases, whole.part) == ([{"n": 1}, {"n": 2}], False)
    assert (include.include, include.as_, include.with_) == ("a part", "p", {"n": "{{ case.n }}"})
    assert (call.call, call.with_, call.keep) == ("gone", {"id": "x"}, {"one": "1", "id": "this.id"})
    assert (call.expect.response, call.expect.status, call.expect.codec) == (["gone"], 200, "json")
    assert (call.expect.content, call.expect.headers, call.check) == ({"a": 1}, {"X": "y"}, ["this.a == 1", "true"])
    assert (wait.wait, wait.call) == (6.0, None)
    assert (poll.eventually, poll.expect.response) == (30.0, ["gone"])
    assert pages.repeat is not None
    assert (pages.repeat.until, pages.repeat.with_, pages.repeat.most) == ("not this.more", {"id": "y"}, 20)
    assert pages.expect.response == ["gone", "gone_too"]
    assert (anonymous.auth, anonymous.expect.status, anonymous.expect.response) == ("none", 401, [])
    assert anonymous.repeat is not None
    assert (anonymous.repeat.times, anonymous.repeat.until) == (5, None)
    assert whole.cleanup[0].call == "gone"


def test_a_null_body_is_a_body() -> None:
    """`json: null` says that the body is null; no key says nothing."""
    document = parse(
        f"operations:\n  op:\n    {REQUEST}\n    responses:\n"
        "      a: {when: query.a, status: 200, json: null}\n      b: {status: 204}\n"
    )
    a, b = document.operations["op"].responses.values()

    assert (a.codec, a.content, a.has("json")) == ("json", None, True)
    assert (b.codec, b.content, b.has("json")) == (None, None, False)


def test_matchers_are_kept_as_they_were_read() -> None:
    """With places, for the compiler."""
    document = parse(
        f"operations:\n  op:\n    {REQUEST}\n    responses:\n      ok:\n"
        "        status: 200\n        json: {a: $string}\n"
    )
    ok = document.operations["op"].responses["ok"]

    assert ok.at == Place("f.yaml", 8, 9)
    assert ok.key_place("status") == Place("f.yaml", 8, 9)
    assert ok.place("json") == Place("f.yaml", 9, 15)
    assert ok.content.place("a") == Place("f.yaml", 9, 19)
    assert document.place("operations", "op", "responses", "ok", "json", "a") == Place("f.yaml", 9, 19)


# What is refused

WRONG = [
    # Unknown keys
    ("titel: x", "E030", "'titel'", "Did you mean 'title'?"),
    (operation("requets: {}"), "E030", "'requets'", "Did you mean 'request'?"),
    (response("status: 200, jsn: {}"), "E030", "'jsn'", "Did you mean 'json'?"),
    (response("status: 200, whne: x"), "E030", "'whne'", "Did you mean 'when'?"),
    (operation("idempotency: {key: headers.a, sam: []}"), "E030", "'sam'", "Did you mean 'same'?"),
    (operation("undo: {call: op, wiht: {}}"), "E030", "'wiht'", "Did you mean 'with'?"),
    ("secrets: {k: {env: A, alow: x}}", "E030", "'alow'", "Did you mean 'allow'?"),
    ("targets: {t: {url: 'https://a.example', limit: {}}}", "E030", "'limit'", "Did you mean 'limits'?"),
    ("state: {c: {key: id, move: {}}}", "E030", "'move'", "Did you mean 'moves'?"),
    (step("{call: op, expct: ok}"), "E030", "'expct'", "Did you mean 'expect'?"),
    (step("{call: op, expect: {respons: ok}}"), "E030", "'respons'", "Did you mean 'response'?"),
    # Wrong types
    ("title: 5", "E031", "the number 5", 'Quote it: "5"'),
    ("operations: []", "E031", "a list of 0", ""),
    ("operations: {op: 5}", "E031", "the number 5", ""),
    ("types: [a]", "E031", "a list of 1", ""),
    (response("status: '200'"), "E031", "the text '200'", "Write 200 without quotes"),
    (response("status: 200, effects: {put: x}"), "E031", "a mapping with put", ""),
    (response("status: 200, effects: ['put:c']"), "E031", "the text 'put:c'", ""),
    (response("status: 200, headers: x"), "E031", "the text 'x'", ""),
    (response("status: 200, when: [a]"), "E031", "a list of 1", "Write it as a text"),
    (response("status: 200, when: ''"), "E031", "an empty text", ""),
    ("secrets: {k: KEY}", "E031", "the text 'KEY'", ""),
    ("auth: bearer", "E031", "the text 'bearer'", ""),
    ("targets: {t: {url: {}}}", "E031", "an empty mapping", ""),
    ("versions: {from: headers.v, known: [1.5]}", "E031", "the number 1.5", 'Quote it: "1.5"'),
    (step("{call: op, keep: [a]}"), "E031", "a list of 1", ""),
    (step("{call: op, expect: 1.5}"), "E031", "the number 1.5", ""),
    (step("{call: op, expect: true}"), "E031", "true", ""),
    (step("{call: op}\n    cases: 5"), "E031", "the number 5", ""),
    (step("{call: op}\n    cases: []"), "E031", "a list of 0", ""),
    (step("{call: op}\n    cases: [5]"), "E031", "the number 5", "Write [{name: value}, ...]"),
    # Missing keys
    (response("json: {}"), "E032", "json", ""),
    ("secrets: {k: {allow: x}}", "E032", "allow", ""),
    ("state: {c: {of: $string}}", "E032", "of", ""),
    ("proven: {by: documentation}", "E032", "by", ""),
    (f"operations: {{op: {{{REQUEST}}}}}", "E032", "none", ""),
    (request("path: /a"), "E032", "nothing", ""),
    ("scenarios: {s: {tags: [a]}}", "E032", "tags", ""),
    # One of several
    (response("status: 200, json: {}, form: {}"), "E033", "json and form", "drop it with `json: null`"),
    (effect("{pu: c}"), "E033", "pu", "Did you mean 'put'?"),
    (effect("{put: c, delete: x}"), "E033", "put and delete", "an entry of its own"),
    (effect("{when: x}"), "E033", "when", ""),
    (effect("{}"), "E033", "none", ""),
    (step("{cal: op}"), "E033", "cal", "Did you mean 'call'?"),
    (step("{call: op, wait: 6s}"), "E033", "call and wait", ""),
    (step("{call: op, repeat: {most: 5}}"), "E033", "most", ""),
    ("auth: {bearer: a, basic: [b, c]}", "E033", "bearer and basic", ""),
    ("auth: {}", "E033", "none", ""),
    # Keys that do not go together
    (effect("{delete: x, value: 1}"), "E034", "'value'", ""),
    (effect("{put: c, to: {}}"), "E034", "'to'", ""),
    (step("{wait: 6s, expect: ok}"), "E034", "'expect'", ""),
    (step("{call: op, as: x}"), "E034", "'as'", ""),
    (step("{call: op, repeat: {times: 5, most: 5}}"), "E034", "'most'", ""),
    # Values out of range
    (response("status: 99"), "E035", "the number 99", ""),
    (response("status: 600"), "E035", "the number 600", ""),
    (response("status: 200, means: exhuasted"), "E035", "the text 'exhuasted'", "Did you mean 'exhausted'?"),
    (request("method: get, path: /a"), "E035", "the text 'get'", "GET"),
    (request("method: GET, path: a"), "E035", "the text 'a'", "/a"),
    (request("method: GET, path: /a?b=c"), "E035", "the text '/a?b=c'", "`on"),
    (request("method: GET, path: /a, on: {query: {a: $string}}"), "E035", "the text '$string'", ""),
    ("proven: {by: x, on: yesterday}", "E035", "the text 'yesterday'", ""),
    ("types: {charge: $string}", "E035", "'charge'", "Write Charge"),
    ("secrets: {a-b: {env: X}}", "E035", "'a-b'", ""),
    ("secrets: {k: {env: A-B}}", "E035", "the text 'A-B'", ""),
    ("state: {a.b: {key: id}}", "E035", "'a.b'", ""),
    ("operations: {'a b': 1}", "E035", "'a b'", ""),
    ("scenarios: {' s': {steps: [{wait: 1s}]}}", "E035", "' s'", ""),
    ("scenarios: {s: {steps: []}}", "E035", "a list of 0", ""),
    ("targets: {t: {url: ftp://a}}", "E035", "the text 'ftp://a'", ""),
    ("targets: {t: {url: 'http://[::1'}}", "E035", "the text 'http://[::1'", "http://HOST:PORT"),
    ("targets: {t: {url: 'https://a:99999'}}", "E035", "the text 'https://a:99999'", "http://HOST:PORT"),
    ("targets: {t: {url: {env: A, default: 'https://a:0'}}}", "E035", "the text 'https://a:0'", "http://HOST:PORT"),
    (request("method: GET, path: /a, headers: {X Y?: $string}"), "E035", "'X Y?'", ""),
    (request("method: GET, path: /a, on: {headers: {'X:': a}}"), "E035", "'X:'", ""),
    (response("status: 200, headers: {X Y: $string}"), "E035", "'X Y'", ""),
    (step("{call: op, expect: {headers: {X Y: a}}}"), "E035", "'X Y'", ""),
    ("targets: {t: {url: 'https://a?b'}}", "E035", "the text 'https://a?b'", ""),
    ("targets: {t: {url: 'https://a.example', health: {method: POST, path: /}}}", "E035", "the text 'POST'", ""),
    ("auth: {basic: [a]}", "E035", "a list of 1", ""),
    ("codecs: {form: {nesting: bracket}}", "E035", "the text 'bracket'", "Did you mean 'brackets'?"),
    ("codecs: {form: {booleans: {yes: [a]}}}", "E035", "the text 'yes'", ""),
    ("traits: {a: {}}\n" + operation("use: [a, a]"), "E035", "a", ""),
    (step("{call: op, repeat: {times: 0}}"), "E035", "the number 0", ""),
    (step("{call: op, auth: nome}"), "E035", "the text 'nome'", "Did you mean 'none'?"),
    (move("takes: 0s..5s, simulated: 6s"), "E035", "6s, outside 0s..5s", ""),
    # The rest
    ("title: null", "E036", "null, and nothing is left to remove", "Remove the key"),
    (operation("undo: null"), "E036", "null, and nothing is left to remove", "Remove the key"),
    (step("{wait: 6}"), "E040", "the number 6", "Write the unit: 6s"),
    (step("{call: op, eventually: soon}"), "E040", "the text 'soon'", ""),
    (move("takes: 5s"), "E041", "the text '5s'", "5s..5s"),
    ("targets: {t: {url: 'https://a.example', limits: {rate: 5}}}", "E042", "the number 5", ""),
    (response("status: 200, when: maybe, odds: 5/4"), "E045", "the text '5/4'", ""),
    ("targets: {simulator: {url: 'https://a.example'}}", "E069", "'simulator', which is Troth's own", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "found", "fix"), WRONG, ids=[f"{row[1]}-{row[2]}" for row in WRONG])
def test_one_mistake_is_one_problem(text: str, code: str, found: str, fix: str) -> None:
    """With a code, what was found and, where there is one, a remedy."""
    problem = the_problem(text)

    assert (problem.code, problem.found) == (code, found)
    assert fix in problem.fix


def test_the_place_is_that_of_the_mistake() -> None:
    """The caret stands under what is wrong, a key or a value."""
    found = problems_in(
        "targets:\n  t: {url: 'https://a.example', limits: {rate: 5}}\n"
        "operations:\n  op:\n    request: {methd: GET}\n    responses:\n      ok: {status: two}\n"
    )

    assert [(p.code, p.place.line, p.place.column) for p in found] == [
        ("E042", 4, 48),
        ("E030", 7, 15),
        ("E031", 9, 20),
    ]
    assert [p.excerpt.split("\n")[1].index("^") - len("      | ") + 1 for p in found] == [48, 15, 20]


def test_a_missing_key_is_shown_at_what_lacks_it() -> None:
    """There is no better place."""
    assert the_problem("secrets:\n  k: {allow: x}\n").place == Place("f.yaml", 4, 6)


def test_version_of_the_language() -> None:
    """Another version is another language."""
    for text in ("troth: 2\nprovider: x\n", "troth: true\nprovider: x\n", "troth: '1'\nprovider: x\n"):
        with pytest.raises(ContractError) as caught:
            parse_document(text)
        assert [problem.code for problem in caught.value.problems] == ["E037"]


def test_head_is_required() -> None:
    """Version and provider."""
    with pytest.raises(ContractError) as caught:
        parse_document("title: a\n")

    assert sorted(problem.asked.split("'")[1] for problem in caught.value.problems) == ["provider", "troth"]


@pytest.mark.parametrize("name", ["", "a b", "-a", "a/b", "é", "a" * 65])
def test_name_of_the_provider(name: str) -> None:
    """It is used in file names and addresses."""
    with pytest.raises(ContractError) as caught:
        parse_document(f"troth: 1\nprovider: '{name}'\n")

    assert [problem.code for problem in caught.value.problems] == ["E035"]


def test_one_slip_in_an_effect_is_one_message() -> None:
    """Not one for each kind of effect that it is not."""
    assert len(problems_in(effect("{pt: c, valu: 1, wen: x}"))) == 1


def test_a_mistake_in_defaults_is_one_problem() -> None:
    """However many operations inherit it."""
    operations = "\n".join(f"  op{n}: {{{REQUEST}, responses: {{{RESPONSE}}}}}" for n in range(5))
    found = problems_in(f"defaults: {{responses: {{r: {{status: x, whn: y}}}}}}\noperations:\n{operations}\n")

    assert sorted(problem.code for problem in found) == ["E030", "E031"]


def test_null_removes_in_traits() -> None:
    """There it stands for what lies beneath, and is no mistake."""
    document = parse(
        "defaults: {headers: {A: $string}, undo: {call: op}, responses: {r: {status: 400, when: mismatch}}}\n"
        "traits: {bare: {headers: null, undo: null, responses: {r: null}}}\n" + operation("use: [bare]")
    )
    op = document.operations["op"]

    assert (op.headers, op.undo, list(op.responses)) == (None, None, ["ok"])


def test_all_mistakes_of_a_document_at_once() -> None:
    """In the order of the file."""
    found = problems_in(
        "titel: x\nsecrets: {k: {env: 1}}\ntypes: {T: $Nope}\nstate: {c: {of: $T}}\n"
        + operation("undo: {call: nope}, use: [nope]")
        + "scenarios: {s: {steps: [{wait: 6}]}}\n"
    )

    assert [problem.code for problem in found] == ["E030", "E031", "E060", "E032", "E061", "E065", "E040"]


# What is to come

LATER = [
    ("events: {paid: {to: state.endpoints}}", "events"),
    ("quotas: {chat: {limit: 500/1m}}", "quotas"),
    ("openapi: {file: openapi.json}", "OpenAPI"),
    (operation("idempotency: {key: headers.k, replay: {status: 200}}"), "another status for replayed answers"),
    (operation("idempotency: {key: headers.k, busy: {status: 409}}"), "`busy`"),
    (response("status: 200, graphql: {a: 1}"), "GraphQL"),
    (response("status: 200, stream: {as: sse}"), "streams"),
    (request("method: GET, path: /a, upgrade: websocket"), "sockets"),
    (request("method: GET, path: /a, key: x"), "topics"),
    (request("method: [GET, POST], path: /a"), "several methods"),
    (request("method: GET, path: [/a, /b]"), "several paths"),
    (request("method: GET, path: /a, as: query"), "a body in the query"),
    (effect("{emit: paid, with: {a: 1}, when: x}"), "events"),
    (step("{await: paid, where: event.id == 1, within: 60s}"), "events"),
    (response("status: 200, headers: {S: {$signed: twilio, key: secrets.k}}"), "$signed"),
    (response("status: 200, json: [{$split: this.text, of: {a: 1}}]"), "streams"),
    ("types: {T: {a: {$nullable: {$signed: x}}}}", "$signed"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "feature"), LATER, ids=[row[0][:60] for row in LATER])
def test_a_feature_to_come_is_refused_once(text: str, feature: str) -> None:
    """By name and with one code; never passed over in silence."""
    problem = the_problem(text)

    assert problem.code == "E090"
    assert problem.asked.startswith("not yet: ")
    assert feature in problem.asked
    assert problem.place.line > 0


def test_what_looks_like_a_feature_to_come() -> None:
    """Literal keys and constants are left alone, and so is `request.on`."""
    document = parse(
        "data: {x: {$signed: 1}}\n"
        "operations: {op: {request: {method: GET, path: /a, on: {query: {a: 1}}}, responses: {ok: {status: 200, "
        "json: {$$signed: 1, $$split: 2, as: xml, wires: 3}}}}}\n"
    )

    assert document.operations["op"].responses["ok"].content == {"$$signed": 1, "$$split": 2, "as": "xml", "wires": 3}


def test_documents_are_frozen() -> None:
    """Nothing changes a contract after it was read."""
    document = parse("title: a\n")

    with pytest.raises(ValueError, match="frozen"):
        document.title = "b"
