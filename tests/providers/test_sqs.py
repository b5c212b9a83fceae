"""The SQS contract: against recordings of real AWS, against two versions of moto, and served to two of boto3."""

from __future__ import annotations

import json
import subprocess
from copy import deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from fakes.recorded_aws import RECORDED, RecordedAws
from fakes.stripe_runs import Findings
from fakes.tiny_server import TinyServer
from sandboxes import aws_sdk, moto
from sandboxes.installing import Unavailable

from troth.contracts.contract import Contract
from troth.contracts.exchange import Request
from troth.contracts.loader import load
from troth.runners.drift import DriftSettings, run_drift
from troth.runners.finding import Blame
from troth.runners.prove import prove
from troth.simulators.simulator import Simulator

CLIENT = Path(__file__).with_name("sqs_client.py")
KEYS = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "not-a-key"}
REFUSALS = (
    "a queue is made, found and deleted",
    "a queue that is not there",
    "invalid requests",
    "a message without a body",
)


@cache
def contract() -> Contract:
    """In a hurry: what plays AWS on this machine has no rate limit."""
    found = load("sqs")
    return replace(found, targets={"sandbox": replace(found.targets["sandbox"], rate=None)})


def run(url: str, *only: str) -> Findings:
    settings = DriftSettings(sandbox=True, urls={"sqs": url}, only=only, environment=KEYS)
    (provider,) = run_drift([contract()], settings).providers
    assert {each.outcome for each in provider.scenarios if each.target == "simulator"} == {"ok"}
    return Findings(provider)


def of_the_provider(findings: Findings) -> list[tuple[str, str, Any, Any]]:
    return [(each.kind, each.path, each.contract, each.sandbox) for each in findings.where(blame=Blame.PROVIDER)]


def test_simulator_and_judge_agree_on_both_wires() -> None:
    """Also that responses of one status are told apart, by another code on each wire."""
    assert prove(contract()) == []


# Recordings of real AWS


def replayed(recorded: dict[str, Any]) -> tuple[Findings, RecordedAws]:
    aws = RecordedAws(contract(), recorded)
    with TinyServer(aws) as server:
        return run(server.url, *REFUSALS), aws


def test_the_contract_says_what_aws_answered() -> None:
    """Every recording, on both protocols, each scenario to its end."""
    findings, aws = replayed(RECORDED)

    assert of_the_provider(findings) == []
    assert {each.outcome for each in findings.provider.scenarios} == {"ok"}
    assert aws.replayed == {(name, wire) for name, wires in RECORDED.items() for wire in wires}


@pytest.mark.parametrize(
    ("wire", "name", "path"), [("json", "QueryErrorCode", "$.__type"), ("query", "Code", "$.Error.Code")]
)
def test_another_code_than_the_recorded_one_is_found(wire: str, name: str, path: str) -> None:
    """On the protocol where it changed, and only there."""
    recorded = deepcopy(RECORDED)
    recorded["missing"][wire]["answer"]["Error"][name] = "Gone"

    findings, _ = replayed(recorded)

    assert {(kind, where) for kind, where, *_ in of_the_provider(findings)} == {("value", path)}


# moto


@pytest.fixture(scope="module")
def current() -> Findings:
    return _with_moto(moto.CURRENT)


@pytest.fixture(scope="module")
def earlier() -> Findings:
    return _with_moto(moto.EARLIER)


def _with_moto(version: str) -> Findings:
    try:
        with moto.moto(version) as url:
            return run(url)
    except Unavailable as error:
        pytest.skip(str(error))


@pytest.mark.stand_in
@pytest.mark.timeout(660)  # an installation may take that long
@pytest.mark.xdist_group("moto")
class TestMoto:
    """Both versions are stateful and speak both protocols."""

    def test_todays_moto_agrees_on_the_missing_queue(self, current: Findings) -> None:
        """Its answers to everything else that AWS would do, too."""
        broken = {
            each.scenario for each in current.provider.scenarios if each.target == "sandbox" and each.outcome != "ok"
        }

        assert not [each for each in current.where(operation="GetQueueUrl") if each.blame is Blame.PROVIDER]
        assert {scenario.partition("[")[0] for scenario in broken} <= {"invalid requests", "a message without a body"}

    def test_an_earlier_moto_does_not(self, earlier: Findings) -> None:
        """A missing queue is not the modelled error, so that boto3 raises a bare ClientError."""
        found = earlier.where(blame=Blame.PROVIDER, kind="value", path="$.__type")

        assert ("com.amazonaws.sqs#QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue") in {
            (each.contract, each.sandbox) for each in found
        }

    def test_an_earlier_moto_calls_xml_and_json_html(self, earlier: Findings) -> None:
        found = earlier.where(blame=Blame.PROVIDER, kind="content_type", sandbox="text/html")

        assert {each.contract for each in found} >= {"application/x-amz-json-1.0", "text/xml"}


# boto3


def _in_json(request: Request) -> bool:
    return any(name.lower() == b"x-amz-target" for name, _ in request.headers)


@pytest.mark.stand_in
@pytest.mark.timeout(660)
@pytest.mark.parametrize("version", [aws_sdk.JSON, aws_sdk.FORMS])
def test_boto3_works_for_every_operation(version: str) -> None:
    """The one calls in JSON, the other by forms and reads XML; both see the same queues and raise the same errors."""
    try:
        python = aws_sdk.aws_sdk(version)
    except Unavailable as error:
        pytest.skip(str(error))
    with Simulator(contract()) as simulator:
        ended = subprocess.run(
            [str(python), str(CLIENT), simulator.url], check=False, capture_output=True, text=True, timeout=60
        )
        reached = {entry.operation for entry in simulator.journal.entries}
        wires = {_in_json(entry.request) for entry in simulator.journal.entries}
        unmatched = [entry.explanation for entry in simulator.journal.unmatched]

    assert ended.returncode == 0, ended.stderr
    assert unmatched == []
    assert reached == set(contract().operations)
    assert wires == {version == aws_sdk.JSON}
    assert json.loads(ended.stdout) == {
        "version": version,
        "again": True,
        "found": True,
        "digest": "277bc2b211deb666306f545ec2d4415c",
        "received": [[True, "hé <&>"]],
        "hidden": None,
        "deleted": 200,
        "taken": ["QueueNameExists", "QueueAlreadyExists"],
        "too_many": ["ClientError", "InvalidParameterValue"],
        "empty": ["ClientError", "MissingParameter"],
        "bad_handle": ["ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid"],
        "gone": 200,
        "missing": ["QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue"],
        "missing_url": ["QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue"],
        "request_id": True,
    }
