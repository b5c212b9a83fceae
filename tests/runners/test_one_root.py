"""One drift is one finding: what follows from it hangs under it, and two drifts at once are two.

Each test plants drifts in a provider on a real socket and runs the ledger's scenarios against it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fakes.planted import LEDGER, Change, Ledger, both, created, dropped, listed, read, shown
from fakes.tiny_server import Reply

from troth.runners.finding import Blame

KEPT = "an account is kept"
SENT = "money is sent"
INVALID = "an account needs a level"
PAGES = "accounts are listed in pages"
LATE = "a transfer lands"
LANDS = "takes: 0s..300ms, simulated: 100ms"


class Drift(NamedTuple):
    """One planted drift, and the finding that it is: ``kind operation path``."""

    root: str
    scenario: str = KEPT
    change: Change | None = None
    edits: tuple[tuple[str, str], ...] = ()
    severity: str = "breaking"


def in_city(change: Any) -> Any:
    """A change of the city in an account."""
    return lambda body: {**body, "owner": {**body["owner"], "address": change(body["owner"]["address"])}}


def with_value(name: str, change: Any) -> Any:
    """A change of one value of an account."""
    return lambda body: {**body, name: change(body[name])}


def loud(address: Any) -> Any:
    """The city in capitals."""
    return {**address, "city": address["city"].upper()}


def as_first_seen() -> Change:
    """A provider whose reads never notice a change."""
    first: dict[str, Any] = {}

    def change(seen: Any, status: int, body: Any) -> Any:
        if isinstance(body, dict) and "owner" in body:
            before = first.setdefault(body["id"], body)
            return before if seen.method == "GET" else body
        return body

    return change


def other_key(body: Any) -> Any:
    """An account under a key that it is not kept under."""
    return {**body, "id": f"ac_x{body['id'][4:]}"}


OPENED = "json: {$Account: {status: open, created"
DRIFTS = {
    # A value once wrong, seen again as it was or as it should have been
    "a nested echo is wrong once": Drift("value open_account $.owner.address.city", change=created(in_city(loud))),
    "a nested echo is wrong": Drift("value open_account $.owner.address.city", change=shown(in_city(loud))),
    "an echo is wrong once": Drift(
        "value open_account $.level", change=created(with_value("level", lambda level: level + 1))
    ),
    "a value outside the list": Drift(
        "value open_account $.status", change=shown(with_value("status", lambda status: "closed"))
    ),
    "an update keeps the old value": Drift(
        "value update_account $.level", edits=(("from: [body, account]", "from: [account, body]"),)
    ),
    # What is worked out from it
    "a sum is shown wrong once": Drift(
        "value open_account $.balance", SENT, created(with_value("balance", lambda balance: balance - 1))
    ),
    "a sum is kept wrong": Drift(
        "value open_account $.balance",
        SENT,
        edits=((OPENED, f'{OPENED[:-7]}balance: "{{{{ body.balance - 50 }}}}", created'),),
    ),
    "an effect does not come": Drift(
        "stored get_account $.balance", SENT, edits=((', {set: account, to: {balance: "{{ left }}"}}', ""),)
    ),
    "a field of a transfer is wrong": Drift("value send $.fee", SENT, edits=(("fee: 2,", "fee: 3,"),)),
    # A form that is wrong wherever it is shown
    "a required field is dropped": Drift("missing_field open_account $.balance", change=shown(dropped("balance"))),
    "what a response says is dropped": Drift("missing_field open_account $.status", change=shown(dropped("status"))),
    "an object is dropped": Drift("missing_field open_account $.owner", change=shown(dropped("owner"))),
    "5 is 5.0": Drift("type open_account $.level", change=shown(with_value("level", float))),
    "100 is a text": Drift("type open_account $.balance", SENT, shown(with_value("balance", str))),
    "100 is a price": Drift("type open_account $.balance", SENT, shown(with_value("balance", "{}.00".format))),
    # Lists
    "a record comes twice": Drift(
        "list_duplicate list_accounts $.data[1].id", PAGES, listed(lambda rows: [rows[0], *rows])
    ),
    "a record comes again at the end": Drift(
        "list_duplicate list_accounts $.data[2].id", PAGES, listed(lambda rows: [*rows, rows[0]])
    ),
    "rows are ids": Drift("type list_accounts $.data[0]", PAGES, listed(lambda rows: [row["id"] for row in rows])),
    "there is always more": Drift(
        "list_more list_accounts $.has_more", PAGES, read("/accounts", lambda body: {**body, "has_more": True})
    ),
    "ids have another name": Drift(
        "missing_field open_account $.id",
        PAGES,
        shown(lambda body: {"uid" if name == "id" else name: value for name, value in body.items()}),
    ),
    # One fault, seen in many places
    "a key is none": Drift("response get_account response", change=created(other_key)),
    "ids are shown otherwise": Drift(
        "format open_account $.id", SENT, shown(lambda body: {**body, "id": body["id"].replace("_", "-")})
    ),
    "every body is in an envelope": Drift(
        "missing_field open_account $.id", change=shown(lambda body: {"account": body, "owner_of": 1})
    ),
    "names are written otherwise": Drift(
        "missing_field open_account $.id", change=shown(lambda body: {name.title(): body[name] for name in body})
    ),
    "two fields have moved": Drift(
        "missing_field open_account $.balance",
        change=shown(
            lambda body: {
                **{name: body[name] for name in body if name not in ("balance", "level")},
                "sums": {"balance": body["balance"], "level": body["level"]},
            }
        ),
    ),
    "every body is text by its label": Drift(
        "content_type open_account headers.content_type",
        change=lambda seen, status, body: Reply(status, json.dumps(body).encode(), {"Content-Type": "text/plain"}),
    ),
    # A response that should not have come
    "too much is sent": Drift(
        "response send response",
        SENT,
        edits=(
            ("poor: {when: body.amount + 2 > account.balance", "poor: {when: body.amount > 1000"),
            ("balance: {$integer: {min: 0}}", "balance: $integer"),
            ("left: {$integer: {min: 0}}", "left: $integer"),
        ),
    ),
    "an invalid level is taken": Drift(
        "invalid_accepted open_account level", INVALID, edits=(("min: 1, max: 9", "min: 1, max: 99"),), severity="risky"
    ),
}


UPDATED = 'with: {id: "{{ id }}", level: 6}, expect: updated'


def two_updated() -> str:
    """The ledger whose scenario changes two fields at once."""
    assert UPDATED in LEDGER
    return LEDGER.replace(UPDATED, 'with: {id: "{{ id }}", level: 6, note: later}, expect: updated')


def test_a_record_that_is_shown_as_it_was_is_one_finding(tmp_path: Path) -> None:
    """However many of its fields have changed since."""
    roots = Ledger(tmp_path, two_updated()).roots(as_first_seen(), only=(KEPT,))

    assert [f"{item.kind} {item.operation} {item.path}" for item in roots] == ["stored get_account $.level"]


def test_two_fields_that_were_never_so_together_are_two_findings(tmp_path: Path) -> None:
    """One as it was before, the other as it never was."""
    wrong = read("/accounts/", lambda body: {**body, "level": 5, "note": "never"} if body["level"] == 6 else body)
    roots = Ledger(tmp_path, two_updated()).roots(wrong, only=(KEPT,))

    assert [f"{item.kind} {item.operation} {item.path}" for item in roots] == [
        "stored get_account $.level",
        "stored get_account $.note",
    ]


def test_an_expectation_of_a_field_that_was_wrong_before_is_no_finding(tmp_path: Path) -> None:
    """The run went on with what it saw, so only the scenario still says what should be there."""
    again = '{call: get_transfer, with: {id: "{{ id }}"}, expect: found}'
    checked = f'{{call: get_account, with: {{id: "{{{{ account }}}}"}}, check: [this.balance == 68]}}\n      - {again}'
    drift = DRIFTS["an effect does not come"]
    assert again in LEDGER
    roots = Ledger(tmp_path, LEDGER.replace(again, checked, 1)).roots(drift.change, drift.edits, only=(SENT,))

    assert [f"{item.kind} {item.operation} {item.path}" for item in roots] == [drift.root]


def test_a_key_that_nothing_knows_is_one_finding_in_all_scenarios(tmp_path: Path) -> None:
    """Reading, changing, listing and sending: none finds the account, so none of them is what is wrong."""
    roots = Ledger(tmp_path).roots(created(other_key), only=(KEPT, SENT))

    assert [f"{item.kind} {item.operation} {item.path}" for item in roots] == ["response get_account response"]


def test_one_operation_that_does_not_find_a_record_is_the_one_that_is_wrong(tmp_path: Path) -> None:
    """The list has it, so reading is wrong, and so is changing."""
    missing = Reply(404, b'{"error": {"code": "none"}}', {"Content-Type": "application/json"})
    roots = Ledger(tmp_path).roots(read("/accounts/", lambda body: missing), only=(KEPT,))

    assert [f"{item.kind} {item.operation} {item.path}" for item in roots] == ["response get_account response"]


def titles(ledger: Ledger, drift: Drift) -> list[str]:
    """What the run finds that nothing explains."""
    roots = ledger.roots(drift.change, drift.edits, only=(drift.scenario,))
    return [f"{item.kind} {item.operation} {item.path}" for item in roots]


@pytest.mark.parametrize("drift", DRIFTS.values(), ids=DRIFTS)
def test_one_drift_has_one_root(tmp_path: Path, drift: Drift) -> None:
    """Of the right kind, at the right place, as bad as it is, and the provider's."""
    roots = Ledger(tmp_path).roots(drift.change, drift.edits, only=(drift.scenario,))

    assert [f"{item.kind} {item.operation} {item.path}" for item in roots] == [drift.root]
    assert (roots[0].severity, roots[0].blame) == (drift.severity, Blame.PROVIDER)


def test_a_provider_that_keeps_the_contract(tmp_path: Path) -> None:
    """The ledger's simulator, behind a socket, gives no finding."""
    night = Ledger(tmp_path).night()

    assert (night.verdict, night.findings) == ("agree", ())


PAIRS = [
    ("an echo is wrong once", "a nested echo is wrong once"),
    ("a nested echo is wrong", "an update keeps the old value"),
    ("a sum is shown wrong once", "a field of a transfer is wrong"),
    ("a sum is shown wrong once", "too much is sent"),
    ("an effect does not come", "a field of a transfer is wrong"),
    ("a sum is kept wrong", "a field of a transfer is wrong"),
    ("a sum is kept wrong", "an effect does not come"),
    ("an effect does not come", "100 is a text"),
    ("100 is a price", "too much is sent"),
    ("an echo is wrong once", "5 is 5.0"),
    ("a record comes twice", "there is always more"),
]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_two_drifts_have_two_roots(tmp_path: Path, first: str, second: str) -> None:
    """Neither hides the other."""
    one, other = DRIFTS[first], DRIFTS[second]
    changes = [drift.change for drift in (one, other) if drift.change]
    change = both(*changes) if len(changes) == 2 else changes[0] if changes else None
    scenario = next((name for name in (SENT, PAGES) if name in (one.scenario, other.scenario)), KEPT)
    pair = Drift("", scenario, change, (*one.edits, *other.edits))

    assert sorted(titles(Ledger(tmp_path), pair)) == sorted([one.root, other.root])


# Who changed


UNREADABLE = Reply(200, b'{"id": ', {"Content-Type": "application/json"})
CHANGED = {
    "another media type": Drift(
        "content_type get_account headers.content_type",
        change=read("/accounts/", lambda body: Reply(200, json.dumps(body).encode(), {"Content-Type": "text/plain"})),
    ),
    "JSON that cannot be read": Drift("format get_account $", change=read("/accounts/", lambda body: UNREADABLE)),
    "HTML for JSON": Drift(
        "content_type get_account $",
        change=read("/accounts/", lambda body: Reply(200, b"<html>Hello</html>", {"Content-Type": "text/html"})),
    ),
    "more in a closed object": Drift(
        "new_field receipt $.extra", SENT, read("/receipt", lambda body: {**body, "extra": 1}), severity="notice"
    ),
    "a move that does not come": Drift(
        "late get_transfer $.state",
        LATE,
        edits=((LANDS, LANDS.replace("100ms", "99s").replace("300ms", "100s")),),
        severity="risky",
    ),
    "a required field is dropped": DRIFTS["a required field is dropped"],
    "an effect does not come": DRIFTS["an effect does not come"],
}


@pytest.mark.parametrize("drift", CHANGED.values(), ids=CHANGED)
def test_what_agreed_before_has_changed(tmp_path: Path, drift: Drift) -> None:
    """The night before says so, whatever kind of drift it is."""
    ledger = Ledger(tmp_path)
    ledger.night(only=(drift.scenario,))
    (root,) = ledger.roots(drift.change, drift.edits, only=(drift.scenario,))

    assert f"{root.kind} {root.operation} {root.path}" == drift.root
    assert (root.severity, root.blame, root.proof) == (drift.severity, Blame.PROVIDER, "history")
