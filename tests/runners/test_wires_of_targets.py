"""A target that speaks only some of the wires."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest
from fakes.talk import contract_of
from fakes.tiny_server import Reply, Seen, TinyServer

from troth.contracts.loader import load
from troth.errors import ContractError
from troth.runners.drift import DriftSettings, run_drift
from troth.runners.finding import Run

CONTRACT = """
troth: 1
provider: old
wires:
  json:
    on: {headers: {X-Target: "{{ operation }}"}}
    request: json
    reply: json
  query:
    on: {body: {Action: "{{ operation }}"}}
    request: form
    reply: {xml: {root: "{{ operation }}Response"}}
targets:
  sandbox: {url: {env: OLD_URL}, wires: [WIRES]}
state: {notes: {of: {Id: $string, Text: $string}, key: Id}}
operations:
  Make:
    wires: [json, query]
    request: {method: POST, path: /, body: {Text: $string}}
    responses: {made: {status: 200, body: {Id: $uuid, Text: "{{ body.Text }}"}, effects: [put: notes]}}
    undo: {call: Drop, with: {Id: "{{ this.Id }}"}}
  Drop:
    wires: [json, query]
    request: {method: POST, path: /, body: {Id: $string}}
    responses: {dropped: {status: 200, effects: [{delete: state.notes(body.Id)}]}}
  Modern:
    wires: [json]
    request: {method: POST, path: /, body: {}}
    responses: {done: {status: 200}}
scenarios:
  whichever: {steps: [{call: Make, with: {Text: a}, expect: made}]}
  a wire by case:
    cases: {json: {wire: json}, query: {wire: query}}
    steps: [{call: Make, with: {Text: b}}, {call: Make, wire: "{{ case.wire }}", with: {Text: c}, expect: made}]
  only one has it: {steps: [{call: Make, with: {Text: d}}, {call: Modern, expect: done}]}
"""


def speaks_query(seen: Seen) -> Reply:
    """What it says of every other wire is that it does not know it."""
    sent = dict(pair.split("=") for pair in seen.body.decode().split("&") if "=" in pair)
    inside = {"Make": f"<Id>{uuid4()}</Id><Text>{sent.get('Text')}</Text>", "Drop": ""}
    if sent.get("Action") not in inside:
        return Reply(400, b"<Unknown/>", {"Content-Type": "application/xml"})
    body = f"<{sent['Action']}Response>{inside[sent['Action']]}</{sent['Action']}Response>"
    return Reply(200, body.encode(), {"Content-Type": "application/xml"})


def night(tmp_path: Path, wires: str) -> tuple[Run, list[Seen]]:
    (tmp_path / "contract.yaml").write_text(CONTRACT.replace("WIRES", wires))
    with TinyServer(speaks_query) as server:
        settings = DriftSettings(sandbox=True, environment={"OLD_URL": server.url}, root=tmp_path)
        return run_drift([load(tmp_path)], settings), server.seen


def test_it_is_called_on_the_wires_that_it_speaks(tmp_path: Path) -> None:
    """So are steps that name no wire, and what takes back what they made; the rest is skipped, and said."""
    run, seen = night(tmp_path, "query")
    (provider,) = run.providers
    outcomes = {outcome.scenario: (outcome.outcome, outcome.reason) for outcome in provider.scenarios}

    assert provider.findings == ()
    assert outcomes["whichever"] == ("ok", "")
    assert outcomes["a wire by case[query]"] == ("ok", "")
    assert outcomes["a wire by case[json]"] == ("skipped", "step 2: sandbox does not speak the wire json")
    assert outcomes["only one has it"] == ("skipped", "step 2: Modern is on none of the wires of sandbox (query)")
    assert {request.headers["content-type"] for request in seen} == {"application/x-www-form-urlencoded"}
    assert provider.verdict == "skipped"


def test_nothing_is_made_by_a_scenario_that_cannot_end(tmp_path: Path) -> None:
    """It is known before its first step."""
    _, seen = night(tmp_path, "query")
    texts = [request.body for request in seen if b"Make" in request.body]

    assert [text.rpartition(b"Text=")[2] for text in texts] == [b"a", b"b", b"c"]


def test_a_target_without_wires_speaks_all(tmp_path: Path) -> None:
    """And one that does not speak them all is drift."""
    run, _ = night(tmp_path, "json, query")

    assert run.providers[0].findings


def test_a_wire_of_a_target_must_exist() -> None:
    """Like one of an operation."""
    with pytest.raises(ContractError) as refused:
        contract_of(CONTRACT.replace("WIRES", "qery"))

    (problem,) = refused.value.problems
    assert (problem.code, problem.fix) == ("E059", "Did you mean 'query'?")
