"""Why nothing answers a request: what was due and what was sent, as they are."""

from __future__ import annotations

from pathlib import Path

from troth.contracts.contract import Contract
from troth.contracts.exchange import Request
from troth.contracts.loader import load
from troth.simulators.simulator import Simulator

CONTRACT = """
troth: 1
provider: near
operations:
  make:
    request: {method: POST, path: /t, headers: {X-V: "1"}, json: {kind: card, size: {$integer: {}, is: 3}}}
    responses: {ok: {status: 200}}
  act:
    request: {method: POST, path: /act, on: {headers: {X-Target: Do.Make}, query: {v: "2"}, body: {Action: Make}}}
    responses: {ok: {status: 200}}
"""
JSON = (b"Content-Type", b"application/json")


def why(contract: Contract, request: Request) -> tuple[tuple[str, str, str], ...]:
    """The reasons of the nearest operation."""
    simulator = Simulator(contract)
    simulator.handle(request)
    (entry,) = simulator.journal.unmatched
    return entry.near[0].reasons


def near(tmp_path: Path) -> Contract:
    path = tmp_path / "contract.yaml"
    path.write_text(CONTRACT)
    return load(path)


def test_a_literal_is_named(tmp_path: Path) -> None:
    """Not only that there is one."""
    request = Request("POST", "/t", "", (JSON, (b"X-V", b"2")), b'{"kind": "cash", "size": 4}')

    assert why(near(tmp_path), request) == (
        ("headers.x_v", "'1'", "'2'"),
        ("body.kind", "'card'", "'cash'"),
        ("body.size", "3", "4"),
    )


def test_only_what_differs_of_on_is_named_with_what_was_sent(tmp_path: Path) -> None:
    """In headers, query and body alike."""
    headers = (JSON, (b"X-Target", b"Do.Make"))
    request = Request("POST", "/act", "v=3", headers, b'{"Action": "Mak"}')
    assert why(near(tmp_path), request) == (("query.v", "2", "3"), ("body.Action", "Make", "Mak"))

    request = Request("POST", "/act", "v=2", headers, b"{}")
    assert why(near(tmp_path), request) == (("body.Action", "Make", "absent"),)


BY_BODY = """
troth: 1
provider: near
operations:
{operations}
"""
_ACTION = """\
  {name}:
    request: {{method: POST, path: /, on: {{body: {{Action: {name}, Version: "1"}}}}}}
    responses: {{ok: {{status: 200}}}}
"""


def test_what_on_asks_of_the_body_counts_for_what_is_near(tmp_path: Path) -> None:
    """Four operations on one path: the one of this action comes first, though its version is another."""
    names = ("Archive", "Burn", "Copy", "Delete")
    text = BY_BODY.format(operations="".join(_ACTION.format(name=name) for name in names))
    path = tmp_path / "contract.yaml"
    path.write_text(text)
    simulator = Simulator(load(path))
    simulator.handle(Request("POST", "/", "", (JSON,), b'{"Action": "Delete", "Version": "2"}'))
    (entry,) = simulator.journal.unmatched

    assert [(miss.operation, miss.reasons) for miss in entry.near] == [
        ("Delete", (("body.Version", "1", "2"),)),
        ("Archive", (("body.Action", "Archive", "Delete"), ("body.Version", "1", "2"))),
        ("Burn", (("body.Action", "Burn", "Delete"), ("body.Version", "1", "2"))),
    ]


def test_a_field_that_is_missing_is_named_with_what_is_due(tmp_path: Path) -> None:
    """Not only that something is."""
    path = tmp_path / "contract.yaml"
    path.write_text(CONTRACT.replace("size: {$integer: {}, is: 3}", "size: {$integer: {min: 1}}"))

    assert why(load(path), Request("POST", "/t", "", (JSON, (b"X-V", b"1")), b"{}")) == (
        ("body.kind", "'card'", "absent"),
        ("body.size", "a whole number", "absent"),
    )
