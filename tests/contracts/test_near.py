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
