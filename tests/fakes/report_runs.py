"""Runs made by hand, for the reports: every verdict, every blame, and texts that want to break out of a page."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

from troth.contracts.kinds import KINDS, Severity
from troth.contracts.values import ABSENT
from troth.runners.finding import (
    Blame,
    Check,
    Coverage,
    Finding,
    ProviderRun,
    RecordedExchange,
    Run,
    ScenarioRun,
    Verdict,
)

RUN_ID = "20261130T0300-k3f9-1"
STARTED = 1_796_007_600.0  # 2026-11-30 03:00:00 UTC

NASTY = (
    "</script><script>alert(1)</script>",
    "{{ 7 * 7 }}{% for x in y %}",
    "<img src=x onerror=alert(1)> & \" ' `",
    "\u202eright to left\u202c \u05e9\u05dc\u05d5\u05dd",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 caf\u00e9 \u4f60\u597d",
    "\x1b[31mred\x1b[0m \x00 nul \x07 bell",
    "a|b *c* _d_ [e](javascript:alert(1)) # @team <!-- -->",
    "\ud800 lone surrogate",
    "line one\r\nline two\ttab",
    "",
)


def exchange(target: str = "sandbox", **changes: Any) -> RecordedExchange:
    """A refund of 501 cents, refused by the simulator and accepted by the sandbox."""
    simulator = target == "simulator"
    refused = {
        "error": {"type": "invalid_request_error", "param": "amount", "message": "Too much: 500 cents are left."}
    }
    refund = {
        "id": "re_1PzK3j2eZvKYlo2C",
        "object": "refund",
        "amount": 501,
        "charge": "ch_3PzK3",
        "status": "succeeded",
    }
    base = RecordedExchange(
        target=target,
        scenario="a refund above what is left is refused",
        step=3,
        operation="create_refund",
        method="POST",
        url=("http://127.0.0.1:41001" if simulator else "http://127.0.0.1:8420") + "/v1/refunds?expand[]=charge",
        request_headers=(
            ("Authorization", "Bearer [secret:key:5f0c2a91]"),
            ("Content-Type", "application/x-www-form-urlencoded"),
            ("Idempotency-Key", "k-20261130T0300-k3f9-1-3"),
            ("Content-Length", "29"),
        ),
        request_body="charge=ch_3PzK3&amount=501",
        status=400 if simulator else 200,
        response_headers=(("Content-Type", "application/json"), ("Request-Id", "req_Yb1Qm4sJ2kLp0a")),
        response_body=json.dumps(refused if simulator else refund),
        response_name="too_much" if simulator else "refunded",
        started=STARTED + 61,
        elapsed=0.0021 if simulator else 0.184,
    )
    return replace(base, **changes)


def finding(kind: str = "response", **changes: Any) -> Finding:
    """A finding of a kind, with the kind's own code and severity."""
    base = Finding(
        code=KINDS[kind].code,
        kind=kind,
        severity=KINDS[kind].severity,
        blame=Blame.PROVIDER,
        provider="stripe",
        operation="create_refund",
        scenario="a refund above what is left is refused",
        step=3,
        path="status",
        contract="too_much",
        simulator="too_much",
        sandbox="refunded",
        fingerprint=f"v1:{kind}:3c9a41d07be2",
        message="the response too_much",
        count=1,
        proof="claimed",
        claim="documentation, 2026-10-01",
        since=RUN_ID,
        why="The provider does not do what the contract says, and the contract claims a proof of it "
        "(documentation, 2026-10-01).",
        reproduce="troth drift stripe --sandbox --only 'a refund above what is left is refused' --seed 7",
        origin="create_refund.too_much",
        exchanges=(exchange("simulator"), exchange("sandbox")),
    )
    return replace(base, **changes)


def drifted_findings() -> tuple[Finding, ...]:
    """One night's findings: each blame, consequences, structures, a long text."""
    return (
        finding(),
        finding(
            "stored",
            operation="get_charge",
            step=4,
            path="$.amount_refunded",
            contract=500,
            simulator=500,
            sandbox=1001,
            message="stays as it was seen",
            fingerprint="v1:stored:77ab",
            caused_by="v1:response:3c9a41d07be2",
            exchanges=(
                exchange("simulator", step=4, operation="get_charge", method="GET", request_body=""),
                exchange("sandbox", step=4, operation="get_charge", method="GET", request_body=""),
            ),
        ),
        finding(
            "idempotency_ignored",
            operation="create_charge",
            scenario="the same key is answered once",
            step=2,
            path="$.id",
            contract="ch_3PzK3j2eZvKYlo2C0a1b",
            simulator="ch_3PzK3j2eZvKYlo2C0a1b",
            sandbox="ch_9XqW7j2eZvKYlo2C0zzz",
            message="the answer to the first request with this key",
            fingerprint="v1:idempotency:11aa",
        ),
        finding(
            "value",
            operation="create_charge",
            scenario="declined cards say why[tok_chargeDeclined]",
            step=1,
            path="$.error.type",
            contract="card_error",
            simulator="card_error",
            sandbox="invalid_request_error",
            message='the literal "card_error"',
            count=6,
            proof="history",
            since="20261128T0300-a71c-1",
            last_agreed="20261127T0300-77de-1",
            claim="",
            why="The provider changed: it did what the contract says until run 20261127T0300-77de-1.",
            fingerprint="v1:value:22bb",
            exchanges=(
                exchange(
                    "sandbox",
                    step=1,
                    operation="create_charge",
                    url="http://127.0.0.1:8420/v1/charges",
                    status=402,
                    response_name="declined",
                    response_body='{"error": {"type": "invalid_request_error", "code": "card_declined", '
                    '"message": "Your card was declined.", "decline_code": "generic_decline"}}',
                ),
            ),
        ),
        finding(
            "enum",
            operation="get_intent",
            scenario="an intent is kept",
            step=2,
            path="$.status",
            contract=["requires_payment_method", "processing", "succeeded", "canceled"],
            simulator="succeeded",
            sandbox="requires_capture",
            blame=Blame.CONTRACT,
            proof="none",
            claim="",
            why="",
            message="one of requires_payment_method, processing, succeeded, canceled",
            fingerprint="v1:enum:33cc",
        ),
        finding(
            "type",
            operation="create_customer",
            scenario="a customer is kept",
            step=1,
            path="$.balance",
            contract=ABSENT,
            simulator=0,
            sandbox="0",
            blame=Blame.CONTRACT,
            proof="none",
            claim="",
            why="",
            message="an integer",
            fingerprint="v1:type:44dd",
        ),
        finding(
            "missing_header",
            operation="create_charge",
            scenario="the same key is answered once",
            step=2,
            path="headers.idempotent_replayed",
            contract="true",
            simulator=ABSENT,
            sandbox="true",
            blame=Blame.SIMULATOR,
            message='the header idempotent-replayed: "true"',
            fingerprint="v1:header:55ee",
        ),
        finding(
            "value",
            operation="list_customers",
            scenario="pages cover everything once",
            step=6,
            path="$.data[0]",
            contract={"object": "customer", "email": "a@example.com", "metadata": {}, "livemode": False},
            simulator={"object": "customer", "email": "b@example.com", "metadata": {}, "livemode": False},
            sandbox={"object": "customer", "email": None, "metadata": {"order": "17"}, "deleted": True},
            blame=Blame.ALL,
            proof="none",
            claim="",
            why="",
            message="the record that this run made",
            fingerprint="v1:all:66ff",
        ),
        finding(
            "loose_value",
            operation="create_customer",
            scenario="a customer is kept",
            step=1,
            path="$.description",
            contract=ABSENT,
            simulator=None,
            sandbox="A customer made by an API call, with a description that goes on for quite a while",
            blame=Blame.LOOSE,
            proof="none",
            claim="",
            why="",
            message="",
            fingerprint="v1:loose:7700",
        ),
        finding(
            "unobserved",
            operation="upload_file",
            scenario="a file comes back as it went",
            step=1,
            path="status",
            contract="stored",
            simulator="stored",
            sandbox=ABSENT,
            blame=Blame.UNOBSERVED,
            proof="none",
            claim="",
            why="",
            message="an answer that can be judged",
            fingerprint="v1:unobserved:8800",
            exchanges=(
                exchange(
                    "sandbox", operation="upload_file", status=None, error="timed out after 10 s", response_body=""
                ),
            ),
        ),
    )


def scenario_runs(names: tuple[str, ...], sandbox: str = "ok", reason: str = "") -> tuple[ScenarioRun, ...]:
    """Every scenario on the simulator, where it goes well, and on the sandbox."""
    runs = []
    for number, name in enumerate(names):
        runs.append(ScenarioRun(name, "simulator", "ok", steps=3, seconds=0.004 + number / 1000))
        seconds = 0.0 if sandbox == "skipped" else 0.61
        runs.append(ScenarioRun(name, "sandbox", sandbox, reason, steps=3, seconds=seconds))
    return tuple(runs)


RESPONSES = {
    "create_customer.created": True,
    "create_customer.invalid": True,
    "get_customer.missing": True,
    "get_customer.found": True,
    "list_customers.page": True,
    "create_charge.declined": True,
    "create_charge.created": True,
    "create_charge.throttled": False,
    "create_refund.missing": True,
    "create_refund.too_much": False,
    "create_refund.refunded": True,
    "upload_file.stored": False,
}


def stripe_run() -> ProviderRun:
    """A provider that drifted."""
    names = ("a customer is kept", "pages cover everything once", "an intent is kept")
    bad = (
        "a refund above what is left is refused",
        "the same key is answered once",
        "declined cards say why[tok_chargeDeclined]",
    )
    runs = scenario_runs(names) + scenario_runs(bad, "findings")
    runs += (
        ScenarioRun("a file comes back as it went", "simulator", "ok", steps=2, seconds=0.006),
        ScenarioRun("a file comes back as it went", "sandbox", "unobserved", "timed out after 10 s", 1, 10.01),
        ScenarioRun("a payout arrives", "simulator", "ok", steps=2, seconds=0.003),
        ScenarioRun("a payout arrives", "sandbox", "skipped", "needs the secret STRIPE_CONNECT_KEY, which is not set"),
    )
    exchanges = tuple(
        exchange(target, scenario=name, step=step)
        for name in (*names, *bad)
        for target in ("simulator", "sandbox")
        for step in (1, 2, 3)
    )
    return ProviderRun(
        provider="stripe",
        title="Stripe payments",
        verdict=Verdict.DRIFT,
        coverage=Coverage(
            scenarios=8,
            ran=6,
            skipped=1,
            unobserved=1,
            checks=214,
            undecided=3,
            responses=RESPONSES,
            notes=("The sandbox sends no Date header, so its clock may be off by up to 30 s.",),
        ),
        findings=drifted_findings(),
        scenarios=runs,
        contract="troth/contracts/providers/stripe/contract.yaml",
        sandbox_url="http://127.0.0.1:8420",
        checks=(
            Check("schemathesis on the simulator", "ok", "412 generated requests, 0 failures"),
            Check("cleanup", "findings", "1 customer could not be deleted: cus_NffrFeUfNV2Hib"),
        ),
        exchanges=exchanges,
    )


def provider_run(verdict: Verdict, reason: str = "", **changes: Any) -> ProviderRun:
    """A provider with a verdict and nothing remarkable."""
    names = ("a message is kept", "a message that is too long is refused")
    ran = verdict in (Verdict.AGREE, Verdict.DRIFT, Verdict.FLAKY, Verdict.STALE)
    outcome = {Verdict.SKIPPED: "skipped", Verdict.BROKEN: "broken"}.get(verdict, "ok" if ran else "unobserved")
    coverage = Coverage(
        scenarios=2,
        ran=2 if ran else 0,
        skipped=2 if verdict is Verdict.SKIPPED else 0,
        unobserved=0 if ran or verdict is Verdict.SKIPPED else 2,
        checks=18,
        responses={"send.sent": ran, "send.invalid": ran, "get.found": ran},
    )
    base = ProviderRun(
        provider=f"p-{verdict}",
        title="",
        verdict=verdict,
        coverage=coverage,
        scenarios=scenario_runs(names, outcome, reason),
        reason=reason,
        contract=f"contracts/{verdict}/contract.yaml",
        sandbox_url="https://sandbox.example.com",
    )
    return replace(base, **changes)


def run(*providers: ProviderRun, **changes: Any) -> Run:
    """A run over providers; its verdict is its worst provider's."""
    verdict = min((provider.verdict for provider in providers), key=lambda v: v.rank, default=Verdict.SKIPPED)
    base = Run(
        run_id=RUN_ID,
        started=STARTED,
        finished=STARTED + 134.2,
        verdict=verdict,
        providers=providers,
        exit_code=1 if verdict is Verdict.DRIFT else 0,
        seed=7,
        command="troth drift stripe contracts/twilio --sandbox --url stripe=http://127.0.0.1:8420 --seed 7",
        troth="0.1.0",
        gate=True,
        fail_on=Severity.BREAKING,
    )
    return replace(base, **changes)


REASONS = {
    Verdict.UNREACHABLE: "https://sandbox.example.com did not answer: connection refused",
    Verdict.UNAUTHORIZED: "the sandbox answered 401 to every request; renew EXAMPLE_TEST_KEY",
    Verdict.EXHAUSTED: "429 Too Many Requests after 40 requests; Retry-After says 3600 s",
    Verdict.FLAKY: "2 of 3 reruns of “a message is kept” agreed",
    Verdict.STALE: "last checked on 2026-10-02, the contract allows 14 days",
    Verdict.SKIPPED: "the sandbox gate is closed: neither --sandbox nor TROTH_SANDBOX=1 was given",
    Verdict.BROKEN: "E999 internal error while judging step 2",
}


def rich_run() -> Run:
    """A night with a provider of every verdict."""
    others = [verdict for verdict in Verdict if verdict not in (Verdict.DRIFT, Verdict.BROKEN)]
    return run(stripe_run(), *(provider_run(verdict, REASONS.get(verdict, "")) for verdict in others))


def quiet_run() -> Run:
    """Everything agrees."""
    return run(provider_run(Verdict.AGREE, provider="twilio", title="Twilio messages"))


def nasty_run() -> Run:
    """Every text that comes from outside tries to break out of the report."""
    findings = []
    for number, text in enumerate(NASTY):
        other = exchange(
            operation=text,
            scenario=text,
            method=text or "GET",
            url=f"http://127.0.0.1/{text}?q={text}",
            request_headers=((text, text), ("X-Note", text)),
            request_body=text,
            response_headers=((text, text),),
            response_body=json.dumps({text: text, "also": [text]}),
            response_name=text or None,
            error=text or None,
        )
        findings.append(
            finding(
                list(KINDS)[number * 4],
                operation=text,
                scenario=text,
                path=f"$['{text}']",
                contract=text,
                simulator={text: [text, b"\x00\xff", Decimal("1.10"), float("inf")]},
                sandbox=[text] * 3,
                message=text,
                fingerprint=f"v1:{number}:{text}",
                reproduce=text,
                claim=text,
                since=text,
                last_agreed=text,
                proof="history",
                origin=text,
                why=text,
                blame=list(Blame)[number % len(Blame)],
                exchanges=(other,),
            )
        )
    everything = " ".join(NASTY)
    nasty = replace(
        stripe_run(),
        provider=everything,
        title=everything,
        findings=tuple(findings),
        reason=everything,
        contract=everything,
        sandbox_url=everything,
        checks=(Check(everything, everything, everything),),
        scenarios=tuple(ScenarioRun(text, text or "sandbox", "skipped", text) for text in NASTY),
        coverage=Coverage(notes=NASTY, responses={f"{text}.{text}": False for text in NASTY}),
        exchanges=tuple(other for found in findings for other in found.exchanges),
    )
    return run(nasty, run_id=everything, command=everything, troth=everything)


def big_run(count: int = 1_000) -> Run:
    """Many findings, each with exchanges of its own, each body long."""
    body = json.dumps({f"field_{number}": "x" * 40 for number in range(80)})
    findings = tuple(
        finding(
            list(KINDS)[number % 30],
            scenario=f"scenario {number // 5}",
            step=number % 5 + 1,
            path=f"$.field_{number % 80}",
            contract="x" * 300,
            simulator="x" * 300,
            sandbox="x" * 150 + str(number) + "x" * 150,
            fingerprint=f"v1:{number:08x}",
            origin=f"Type{number}.field",
            exchanges=tuple(
                exchange(target, step=number, scenario=f"scenario {number // 5}", response_body=body, request_body=body)
                for target in ("simulator", "sandbox")
            ),
        )
        for number in range(count)
    )
    return run(replace(stripe_run(), findings=findings))
