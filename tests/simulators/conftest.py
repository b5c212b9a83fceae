"""An echoing server with a raw client; a small payment provider as a contract, with its simulator."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes.raw_client import Echo, RawClient, served

from troth.contracts.contract import Contract
from troth.contracts.loader import load
from troth.simulators.http_server import HttpServer
from troth.simulators.loops import new_loop
from troth.simulators.simulator import Simulator

ACMEPAY = """\
troth: 1
provider: acmepay
secrets: {key: {env: ACMEPAY_TEST_KEY, allow: "sk_test_*"}}
auth: {bearer: "{{ secrets.key }}"}
types:
  Error: {error: {type: {$enum: [card_error, invalid_request_error]}, code?: $string, message: $text}}
  Charge:
    id: {$id: {prefix: ch_, length: 24}}
    object: charge
    amount: {$integer: {min: 1}}
    status: {$enum: [pending, succeeded, failed]}
    created: {$timestamp: unix}
state:
  charges: {of: $Charge, key: id}
defaults:
  responses:
    unauthorized: {when: not auth.ok, status: 401, means: unauthorized, json: $Error}
operations:
  create_charge:
    request: {method: POST, path: /v1/charges, as: [form, json], body: {amount: {$integer: {min: 1}}, source: $string}}
    responses:
      declined:
        when: body.source == "tok_declined"
        status: 402
        json: {$Error: {error: {type: card_error, code: card_declined}}}
      review: {when: maybe, status: 202, json: {$Charge: {status: pending, created: "{{ now }}"}, from: body}}
      created:
        status: 200
        json: {$Charge: {status: succeeded, created: "{{ now }}"}, from: body}
        effects: [put: charges]
  get_charge:
    request: {method: GET, path: "/v1/charges/{id}"}
    let: {charge: state.charges(path.id)}
    responses:
      missing: {when: not charge, status: 404, json: $Error}
      found: {status: 200, json: "{{ charge }}"}
"""


@pytest.fixture(scope="session")
def acmepay(tmp_path_factory: pytest.TempPathFactory) -> Contract:
    """The contract, loaded once."""
    path = tmp_path_factory.mktemp("acmepay") / "contract.yaml"
    path.write_text(ACMEPAY)
    return load(path)


@pytest.fixture
def acmepay_path(tmp_path: Path) -> Path:
    """The contract as a file."""
    path = tmp_path / "contract.yaml"
    path.write_text(ACMEPAY)
    return path


@pytest.fixture
def acme(acmepay: Contract) -> Iterator[Simulator]:
    """Its simulator, listening, on a frozen clock."""
    with Simulator(acmepay, frozen=1_767_225_600.0) as simulator:
        yield simulator


@pytest.fixture
def echo() -> Echo:
    """A handler that answers what it was asked."""
    return Echo()


@pytest.fixture(params=[new_loop, asyncio.new_event_loop], ids=["fastest loop", "plain loop"])
def server(echo: Echo, request: pytest.FixtureRequest) -> Iterator[HttpServer]:
    """A server for it, on uvloop where it is installed and on asyncio's own loop."""
    with served(echo, loops=request.param) as running:
        yield running


@pytest.fixture
def client(server: HttpServer) -> Iterator[RawClient]:
    """A connection to that server."""
    with RawClient(server.url) as connected:
        yield connected
