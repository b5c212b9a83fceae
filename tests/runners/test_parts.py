"""What an included part keeps is there under the name that it was included as, or said to be missing."""

from __future__ import annotations

from fakes.acmepay import AcmePay, acmepay
from fakes.runs import on_sandbox, on_simulator, outcomes, plan
from fakes.tiny_server import Reply

NESTED = """  made:
    part: true
    steps:
      - {call: create_charge, with: {amount: 1200}, keep: {id: this.id}}
  made well:
    part: true
    steps:
      - {include: made, as: inner}
  seen:
    steps:
      - {include: made well, as: outer}
      - {call: get_charge, with: {id: "{{ outer.inner.id }}"}, expect: found}
"""


def test_what_a_part_in_a_part_keeps_can_be_used() -> None:
    assert outcomes(on_simulator(acmepay(NESTED), plan(only=("seen",)))) == {"seen": "ok"}


def test_what_a_part_could_not_keep_ends_the_scenario() -> None:
    """A provider that never gave the value is not our own fault: unobserved, with the step that gave nothing."""
    with AcmePay() as provider:
        provider.before = lambda seen: Reply(201, {"amount": 1200}) if seen.method == "POST" else None
        run = on_sandbox(acmepay(NESTED), provider.url, plan(only=("seen",)))
    (outcome,) = run.outcomes
    assert outcome.outcome == "unobserved"
    assert outcome.reason == "step 2 needs 'outer.inner.id': step 1.made well.1.made.1 gave no this.id"
