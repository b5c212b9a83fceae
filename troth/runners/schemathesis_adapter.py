"""Generated requests against a simulator, made and checked by Schemathesis.

The contract goes out as OpenAPI, Schemathesis makes valid requests from it, sends them to a simulator on a real port,
and holds each answer against the schemas. What it finds is the simulator's fault: both had nothing but the contract.
None of Schemathesis' types leaves this module, which is also the only one that imports it, and only when it is used.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from troth.contracts.contract import Contract
from troth.contracts.exchange import Request
from troth.contracts.kinds import kind_of
from troth.contracts.nodes.base import member
from troth.contracts.openapi_export import Exported, export_openapi
from troth.contracts.values import ABSENT, Json
from troth.errors import MissingExtra
from troth.runners.credentials import fitting
from troth.runners.finding import Blame, Check, Finding, RecordedExchange, Verdict
from troth.runners.fingerprint import Identity, class_of, fingerprint
from troth.simulators.simulator import Simulator

__all__ = ["CHECK", "Fuzzed", "fuzz_simulator"]

CHECK = "generated requests"
"""The name of the check, and of the scenario that its findings are said to be in."""
CHECKS = ("not_a_server_error", "response_schema_conformance", "status_code_conformance")
EXAMPLES = 10
SECONDS = 60.0
_BODY_LIMIT = 4096
_SERVER_ERROR = "ST101"
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Fuzzed:
    """What came of one pass: ``ok``, ``findings``, or ``unobserved`` when nothing (or not everything) was checked."""

    check: Check
    findings: tuple[Finding, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """A simulator that cannot be asked is our own fault."""
        by_outcome = {"ok": Verdict.AGREE, "findings": Verdict.DRIFT}
        return by_outcome.get(self.check.outcome, Verdict.BROKEN)


async def fuzz_simulator(
    contract: Contract, seed: int = 0, simulator: Simulator | None = None, examples: int = EXAMPLES
) -> Fuzzed:
    """One bounded pass over every operation. The same seed makes the same requests, as long as answers stay the same.

    ``simulator`` is another than the contract's own, not listening yet; ``examples`` is how many requests are drawn for
    each operation, beside those at the edges of its schema. Raises MissingExtra without Schemathesis.
    """
    stop = threading.Event()
    work = asyncio.to_thread(_fuzz, contract, _Size(seed, examples), simulator or Simulator(contract, seed=seed), stop)
    try:
        return await work
    finally:
        stop.set()  # a thread cannot be cancelled, and looks here between two requests


class _Size(NamedTuple):
    """What fixes the requests of a pass."""

    seed: int
    examples: int


def _fuzz(contract: Contract, size: _Size, simulator: Simulator, stop: threading.Event) -> Fuzzed:
    exported = export_openapi(contract)
    _give_keys(contract, exported.document)
    pass_ = _Pass(contract, size.seed, exported)
    if not exported.document["paths"]:
        return pass_.result()
    with simulator, _hermetic():
        headers = _headers(contract)
        try:
            for event in _events(exported.document, simulator.url, headers, size, stop):
                pass_.take(event)
        except MissingExtra:
            raise
        except Exception as error:  # whatever a foreign engine raises: the pass was not made
            pass_.errors.setdefault(CHECK, f"{type(error).__name__}: {error}")
    return pass_.result()


def _headers(contract: Contract) -> dict[str, str]:
    added = fitting(contract).headers(contract.auth, time.time())
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in added}


def _give_keys(contract: Contract, document: dict[str, Any]) -> None:
    """API keys that are parameters go into every query, as its operation has them."""
    for found in (item for path in document["paths"].values() for item in path.values()):
        operation = contract.operations[found["operationId"]]
        signed = fitting(contract).sign(Request("GET", "/"), operation.auth or contract.auth, 0.0)
        for name, value in parse_qsl(signed.query):
            others = [each for each in found["parameters"] if (each["in"], each["name"]) != ("query", name)]
            key = {"name": name, "in": "query", "required": True, "schema": {"type": "string", "enum": [value]}}
            found["parameters"] = [*others, key]


@contextmanager
def _hermetic() -> Iterator[None]:
    """No code from the environment, and nothing written into the working directory."""
    try:
        from hypothesis.configuration import set_hypothesis_home_dir
    except ImportError:
        raise MissingExtra("all", "sending generated requests", "hypothesis") from None
    hooks = os.environ.pop("SCHEMATHESIS_HOOKS", None)
    with tempfile.TemporaryDirectory(prefix="troth-") as folder:
        set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            set_hypothesis_home_dir(None)
            if hooks is not None:
                os.environ["SCHEMATHESIS_HOOKS"] = hooks


def _events(
    document: dict[str, Any], url: str, headers: Mapping[str, str], size: _Size, stop: threading.Event
) -> Iterator[Any]:
    """The engine's events, for as long as there is time and nobody stops it."""
    try:
        import schemathesis
        from schemathesis.engine import from_schema
    except ImportError:
        raise MissingExtra("all", "sending generated requests", "schemathesis") from None
    config = schemathesis.Config(seed=size.seed)
    config.cache.enabled = False
    project = config.projects.default
    project.update(base_url=url, workers=1, request_timeout=5.0, headers=dict(headers))
    project.generation.update(
        modes=[schemathesis.GenerationMode.POSITIVE],
        max_examples=size.examples,
        deterministic=True,
        database="none",
        no_shrink=True,
        allow_extra_parameters=False,
    )
    project.phases.update(phases=["coverage", "fuzzing"])
    project.checks.update(included_check_names=list(CHECKS))
    schema = schemathesis.openapi.from_dict(document, config=config)
    stream = from_schema(schema).execute()
    end = time.monotonic() + SECONDS
    for event in stream:
        yield event
        if stop.is_set() or time.monotonic() > end:
            stream.stop()


@dataclass(slots=True)
class _Pass:
    """Gathers what the engine tells."""

    contract: Contract
    seed: int
    exported: Exported
    cases: int = 0
    errors: dict[str, str] = field(default_factory=dict)
    """Operation to what kept it from being checked."""
    unmatched: list[str] = field(default_factory=list)
    """Requests that the simulator could make nothing of: the schema is wider than the contract."""
    interrupted: bool = False
    found: dict[str, list[Finding]] = field(default_factory=dict)
    """By fingerprint."""

    def take(self, event: Any) -> None:
        """One event of the engine, by its name: its classes are not public."""
        handler = _HANDLERS.get(type(event).__name__)
        if handler is not None:
            handler(self, event)

    def scenario(self, event: Any) -> None:
        """One operation in one phase."""
        recorder = event.recorder
        self.cases += len(recorder.checks)
        for case, nodes in recorder.checks.items():
            interaction = recorder.interactions.get(case)
            if interaction is None or interaction.response is None:
                continue
            exchange = self._exchange(event.label, interaction)
            failures = [node.failure_info.failure for node in nodes if node.failure_info is not None]
            if failures and _is_unmatched(interaction.response):
                self.unmatched.append(f"{exchange.method} {exchange.url}")
                continue
            for failure in failures:
                finding = self._finding(failure, exchange)
                self.found.setdefault(finding.fingerprint, []).append(finding)

    def error(self, event: Any) -> None:
        """Something kept an operation, or a phase, from being checked."""
        self.errors.setdefault(self._operation(event.label), f"{event.info.title}: {event.info.message}")

    def fatal(self, event: Any) -> None:
        """The engine gave up."""
        self.errors.setdefault(CHECK, str(event.exception))

    def finished(self, event: Any) -> None:
        """The end, or a stop before it."""
        self.interrupted = str(event.stop_reason.value) != "completed"

    def result(self) -> Fuzzed:
        """The outcome of the pass."""
        findings = tuple(_counted(items) for _, items in sorted(self.found.items()))
        outcome = "ok" if self.cases and not self.errors else "unobserved"
        return Fuzzed(Check(CHECK, "findings" if findings else outcome, "; ".join(self._details())), findings)

    def _details(self) -> Iterator[str]:
        yield f"{self.cases} requests to {self.contract.provider}'s simulator"
        if self.interrupted:
            yield f"stopped before the end, after {SECONDS:g} seconds or by a signal"
        for operation, error in self.errors.items():
            yield f"{operation} was not checked: {error}"
        if self.unmatched:
            shown = ", ".join(self.unmatched[:_SHOWN])
            yield f"{len(self.unmatched)} that the contract does not allow, though its schemas do: {shown}"
        for reason in self.exported.left_out:
            yield f"left out: {reason}"

    def _operation(self, label: str) -> str:
        """From ``POST /docs`` to the operation's name."""
        method, _, path = label.partition(" ")
        operation = self.exported.document["paths"].get(path, {}).get(method.lower(), {})
        return str(operation.get("operationId", label))

    def _exchange(self, label: str, interaction: Any) -> RecordedExchange:
        request, response = interaction.request, interaction.response
        return RecordedExchange(
            target="simulator",
            scenario=CHECK,
            step=0,
            operation=self._operation(label),
            method=request.method,
            url=request.uri,
            request_headers=_pairs(request.headers),
            request_body=_text(request.body),
            status=response.status_code,
            response_headers=_pairs(response.headers),
            response_body=_text(response.content),
            elapsed=response.elapsed,
        )

    def _finding(self, failure: Any, exchange: RecordedExchange) -> Finding:
        kind = kind_of("server_error" if failure.code == _SERVER_ERROR else "schema")
        path, expected, observed = _place(failure, exchange.status)
        origin = f"{exchange.operation}.{exchange.status}"
        print_ = fingerprint(
            Identity(
                self.contract.provider,
                exchange.operation,
                CHECK,
                kind.name,
                path,
                f"{origin} {failure.code}",
                class_of(expected),
                class_of(observed),
            )
        )
        return Finding(
            code=kind.code,
            kind=kind.name,
            severity=self.contract.policy.severity(kind.name, exchange.operation, path, kind.severity),
            usual=kind.severity,
            blame=Blame.SIMULATOR,
            provider=self.contract.provider,
            operation=exchange.operation,
            scenario=CHECK,
            step=0,
            path=path,
            contract=expected,
            simulator=observed,
            sandbox=ABSENT,
            fingerprint=print_,
            message=f"{failure.title}: {failure.message.strip().partition(chr(10))[0]}".rstrip(": "),
            reproduce=f"troth fuzz {self.contract.provider} --seed {self.seed}",
            origin=origin,
            exchanges=(exchange,),
            why="The simulator does not do what its own contract says: tests that ran against it were misled.",
        )


_HANDLERS: Mapping[str, Callable[[_Pass, Any], None]] = {
    "ScenarioFinished": _Pass.scenario,
    "NonFatalError": _Pass.error,
    "FatalError": _Pass.fatal,
    "EngineFinished": _Pass.finished,
}


def _counted(items: list[Finding]) -> Finding:
    """The first of several equal findings, with their number."""
    return replace(items[0], count=len(items))


def _place(failure: Any, status: int | None) -> tuple[str, Json, Json]:
    """Where in the answer, what the schema there is, and what stood there."""
    steps = getattr(failure, "instance_path", None)
    if steps is None:
        return "status", ABSENT, status
    path = "$"
    for step in steps:
        path = f"{path}[{step}]" if isinstance(step, int) else member(path, step)
    return path, failure.schema, failure.instance


def _is_unmatched(response: Any) -> bool:
    """Is it the simulator's own word that it can make nothing of a request?"""
    return bool(response.status_code == 501 and b'"troth"' in (response.content or b""))


def _pairs(headers: Mapping[str, list[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, values in headers.items() for value in values)


def _text(body: bytes | None) -> str:
    text = (body or b"").decode("utf-8", "replace")
    return text if len(text) <= _BODY_LIMIT else f"{text[:_BODY_LIMIT]}\n[cut here: {len(body or b'')} bytes in all]"
