"""Amazon SQS as far as its answers were recorded: refusals are real ones, everything else a simulator makes up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from fakes.tiny_server import Reply, Seen

from troth.contracts.contract import Contract
from troth.contracts.exchange import Request
from troth.contracts.model.model import Model

__all__ = ["RECORDED", "RecordedAws"]

RECORDED: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data" / "recordings" / "sqs_errors.json").read_text(encoding="utf-8")
)
"""Response of the contract to wire to the recording."""


class RecordedAws:
    """A handler for TinyServer. ``replayed`` has the (response, wire) of every recording that it has given."""

    def __init__(self, contract: Contract, recorded: dict[str, Any] = RECORDED) -> None:
        self._model = Model(contract, seed=3)
        self._recorded = recorded
        self._now = 1_790_000_000.0
        self.replayed: set[tuple[str, str]] = set()

    def pass_time(self, seconds: float) -> None:
        self._now += seconds

    def __call__(self, seen: Seen) -> Reply:
        self._now += 0.01
        headers = tuple((name.encode(), value.encode()) for name, value in seen.headers.items())
        answer = self._model.respond(Request(seen.method, seen.target, "", headers, seen.body), self._now)
        wire = "json" if "x-amz-target" in seen.headers else "query"
        recording = self._recorded.get(answer.name or "", {}).get(wire)
        if recording is not None:
            self.replayed.add((answer.name or "", wire))
            return _in_json(recording["answer"], seen) if wire == "json" else _in_xml(recording["answer"])
        response = answer.response
        made = {name.decode(): value.decode() for name, value in response.headers}
        return Reply(response.status, response.body, made)


def _in_json(answer: dict[str, Any], seen: Seen) -> Reply:
    error = answer["Error"]
    said = {"__type": f"com.amazonaws.sqs#{error['QueryErrorCode']}", "message": error["Message"]}
    headers = {"x-amzn-RequestId": "c1a2", "Content-Type": "application/x-amz-json-1.0"}
    if "x-amzn-query-mode" in seen.headers:
        headers["x-amzn-query-error"] = f"{error['Code']};{error['Type']}"
    return Reply(answer["ResponseMetadata"]["HTTPStatusCode"], json.dumps(said).encode(), headers)


def _in_xml(answer: dict[str, Any]) -> Reply:
    error = answer["Error"]
    members = "".join(
        f"<{name}>{escape(error[name] or '')}</{name}>"
        for name in ("Type", "Code", "Message", "Detail")
        if name in error
    )
    body = (
        '<?xml version="1.0"?><ErrorResponse xmlns="http://queue.amazonaws.com/doc/2012-11-05/">'
        f"<Error>{members}</Error><RequestId>c1a2</RequestId></ErrorResponse>"
    )
    headers = {"x-amzn-RequestId": "c1a2", "Content-Type": "text/xml"}
    return Reply(answer["ResponseMetadata"]["HTTPStatusCode"], body.encode(), headers)
