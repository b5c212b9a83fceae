"""One operation on several wires: routed, read, answered and judged in each, described once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakes.talk import contract_of

from troth.contracts.contract import Contract
from troth.contracts.exchange import Interval, Request, Response
from troth.contracts.judgement import Judgement
from troth.contracts.model.model import Model
from troth.contracts.model.outgoing import build_request
from troth.errors import ContractError

QUEUES = """
troth: 1
provider: queues
wires:
  json:
    on: {headers: {X-Target: "Queues.{{ operation }}"}}
    request: {json: {content_type: application/x-queues}}
    reply: {json: {content_type: application/x-queues}}
  query:
    on: {body: {Action: "{{ operation }}"}}
    request: {form: {nesting: dots, lists: numbered, adds: {Version: 2012-11-05}}}
    reply:
      xml:
        content_type: text/xml
        root: "{{ operation }}Response"
        within: "{{ operation }}Result"
        error: ErrorResponse
        beside: {Metadata: {RequestId: $token}}
        namespace: urn:queues
    names: {Messages: Message, Tags: Tag}
    maps: {Tags: [Name, Value]}
types:
  Sent:
    Messages: {$array: {Message: $string, Delay?: $integer}}
    Tags: {$map: $string}
    Count: "{{ body.Messages | length }}"
defaults:
  wires: [json, query]
  request: {method: POST, path: /, unknown: reject}
operations:
  Send:
    request: {body: {Messages: {$array: {Body: $string, Delay?: $integer}, size: 1..9}, Tags?: {$map: $string}}}
    responses:
      invalid:
        when: mismatch
        status: 400
        body:
          $case: wire
          of: {json: {type: Invalid, message: $text}, query: {Error: {Code: Invalid, Message: $text}}}
      sent:
        status: 200
        body:
          $Sent:
            Messages: {$each: body.Messages, as: m, of: {Message: "{{ m.Body }}", Delay?: "{{ m.Delay }}"}}
          from: body
  Purge:
    request: {body: {}}
    responses: {purged: {status: 200}}
"""
VALUES = {"body.Messages": [{"Body": "hé <&>", "Delay": 3}], "body.Tags": {"a b": "1", "c": ""}}
REPLY = b"""<SendResponse><SendResult><Message><Message>x</Message></Message><Count>1</Count></SendResult>
<Metadata><RequestId>r</RequestId></Metadata></SendResponse>"""


@pytest.fixture(scope="module")
def queues() -> Contract:
    return contract_of(QUEUES)


def sent(contract: Contract, wire: str, name: str = "Send", **values: Any) -> tuple[Request, Response]:
    operation = contract.operations[name].on(wire)
    assert operation.wire == wire
    request = build_request(contract, operation, values or VALUES if name == "Send" else {})
    return request, Model(contract).respond(request, 1.0).response


def judged(contract: Contract, request: Request, response: Response) -> Judgement:
    return Model(contract, world="open").judge(request, response, Interval(0, 2), "Send")


def test_the_request_of_each_wire(queues: Contract) -> None:
    plain, _ = sent(queues, "json")
    form, _ = sent(queues, "query")

    assert dict(plain.headers) == {b"x-target": b"Queues.Send", b"Content-Type": b"application/x-queues"}
    assert json.loads(plain.body)["Tags"] == {"a b": "1", "c": ""}
    assert form.body == (
        b"Action=Send&Version=2012-11-05&Message.1.Body=h%C3%A9+%3C%26%3E&Message.1.Delay=3"
        b"&Tag.1.Name=a+b&Tag.1.Value=1&Tag.2.Name=c&Tag.2.Value="
    )


def test_the_answer_comes_in_the_wire_of_the_request(queues: Contract) -> None:
    _, plain = sent(queues, "json")
    _, xml = sent(queues, "query")

    assert dict(plain.headers)[b"Content-Type"] == b"application/x-queues"
    assert json.loads(plain.body) == {
        "Messages": [{"Message": "hé <&>", "Delay": 3}],
        "Tags": {"a b": "1", "c": ""},
        "Count": 1,
    }
    assert dict(xml.headers)[b"Content-Type"] == b"text/xml"
    assert (
        '<SendResponse xmlns="urn:queues"><SendResult>'
        "<Message><Message>hé &lt;&amp;&gt;</Message><Delay>3</Delay></Message>"
        "<Tag><Name>a b</Name><Value>1</Value></Tag><Tag><Name>c</Name><Value/></Tag><Count>1</Count>"
        "</SendResult><Metadata><RequestId>"
    ) in xml.body.decode()


@pytest.mark.parametrize("wire", ["json", "query"])
def test_each_wire_is_judged_with_the_same_values(queues: Contract, wire: str) -> None:
    judgement = judged(queues, *sent(queues, wire))

    assert (judgement.response, judgement.mismatches, judgement.unobserved) == ("sent", (), None)
    assert judgement.body == {
        "Messages": [{"Message": "hé <&>", "Delay": 3}],
        "Tags": {"a b": "1", "c": ""},
        "Count": 1,
    }


@pytest.mark.parametrize("wire", ["json", "query"])
def test_an_invalid_request_gets_the_error_of_its_wire(queues: Contract, wire: str) -> None:
    request, response = sent(queues, wire, **{"body.Messages": []})

    assert response.status == 400
    assert (b"<ErrorResponse" in response.body) is (wire == "query")
    assert judged(queues, request, response).mismatches == ()


def test_what_a_wire_adds_is_no_field_of_the_body(queues: Contract) -> None:
    """Every other unlisted field is refused here."""
    request, response = sent(queues, "query")
    more = Request(request.method, request.path, "", request.headers, request.body + b"&Actions=Send")

    assert response.status == 200
    assert Model(queues).respond(more, 1.0).response.status == 400


def test_an_operation_without_a_body_has_the_envelope_all_the_same(queues: Contract) -> None:
    _, plain = sent(queues, "json", "Purge")
    request, xml = sent(queues, "query", "Purge")

    assert plain.body == b""
    assert xml.body.startswith(b'<?xml version="1.0" encoding="UTF-8"?>\n<PurgeResponse xmlns="urn:queues">')
    judgement = Model(queues, world="open").judge(request, xml, Interval(0, 2), "Purge")
    assert (judgement.response, judgement.mismatches) == ("purged", ())


def test_both_wires_at_once_is_the_first(queues: Contract) -> None:
    plain, _ = sent(queues, "json")
    form, _ = sent(queues, "query")
    both = Request("POST", "/", "", (plain.headers[0], *form.headers), form.body)

    assert Model(queues).respond(both, 1.0).response.status == 400  # a form where its first wire has JSON


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ((b"SendResponse", b"SendAnswer"), [("type", "$")]),
        ((b"SendResult", b"Result"), [("type", "$")]),
        ((b"Metadata", b"Meta"), [("missing_field", "$.Metadata")]),
        ((b"RequestId", b"Id"), [("missing_field", "$.Metadata.RequestId")]),
        ((b"<Count>1</Count>", b""), [("missing_field", "$.Count")]),
        ((b"<Count>1<", b"<Count>2<"), [("value", "$.Count")]),
        ((b">x<", b">y<"), [("value", "$.Messages[0].Message")]),
    ],
)
def test_what_is_wrong_around_and_in_an_xml_reply(
    queues: Contract, change: tuple[bytes, bytes], found: list[tuple[str, str]]
) -> None:
    request, _ = sent(queues, "query", **{"body.Messages": [{"Body": "x"}], "body.Tags": {}})
    body = REPLY.replace(*change)

    judgement = judged(queues, request, Response(200, ((b"Content-Type", b"text/xml"),), body))

    assert [(each.kind, each.path) for each in judgement.mismatches] == found


def test_the_reply_itself_fits(queues: Contract) -> None:
    """A list of one item, an empty map: on the wire neither looks like one."""
    request, _ = sent(queues, "query", **{"body.Messages": [{"Body": "x"}], "body.Tags": {}})

    judgement = judged(queues, request, Response(200, ((b"Content-Type", b"text/xml"),), REPLY))

    assert judgement.mismatches == ()
    assert judgement.body == {"Messages": [{"Message": "x"}], "Count": 1, "Tags": {}}


def test_xml_under_another_media_type_is_judged_and_said(queues: Contract) -> None:
    request, _ = sent(queues, "query", **{"body.Messages": [{"Body": "x"}], "body.Tags": {}})

    judgement = judged(queues, request, Response(200, ((b"Content-Type", b"text/html"),), REPLY))

    assert [(each.kind, each.expected, each.observed) for each in judgement.mismatches] == [
        ("content_type", "text/xml", "text/html")
    ]


def test_json_on_the_wire_of_xml_is_another_media_type(queues: Contract) -> None:
    request, _ = sent(queues, "query")

    judgement = judged(queues, request, Response(200, ((b"Content-Type", b"application/json"),), b'{"Count": 1}'))

    assert [each.kind for each in judgement.mismatches] == ["content_type"]


def test_a_page_in_html_says_nothing(queues: Contract) -> None:
    request, _ = sent(queues, "query")
    page = Response(200, ((b"Content-Type", b"text/html"),), b"<html><body>hello</body></html>")

    unobserved = judged(queues, request, page).unobserved

    assert unobserved is not None
    assert unobserved.reason == "the provider answered 200 with HTML where XML is due"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("wires: [json, query]", "wires: [json, qery]"), "E059"),
        (('"{{ operation }}Response"', '"{{ provider }}Response"'), "E035"),
        (("lists: numbered", "lists: counted"), "E035"),
        (("    reply: {json:", "    reply: {form:"), "E033"),
    ],
)
def test_mistakes_have_their_place(change: tuple[str, str], code: str) -> None:
    with pytest.raises(ContractError) as refused:
        contract_of(QUEUES.replace(*change))

    assert code in [problem.code for problem in refused.value.problems]
    assert all(problem.place.line for problem in refused.value.problems)


def test_a_step_names_a_wire_that_its_operation_has() -> None:
    step = "scenarios: {s: {steps: [{call: Send, wire: qery, with: {Messages: [{Body: a}]}}]}}\n"
    with pytest.raises(ContractError) as refused:
        contract_of(QUEUES + step)

    (problem,) = refused.value.problems
    assert (problem.code, problem.fix) == ("E366", "Did you mean 'query'?")
