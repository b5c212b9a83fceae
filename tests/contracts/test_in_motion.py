"""What several scenarios at once do to each other: a reply that was made while another call changed what it shows."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakes.talk import Talk, contract_of, kinds

from troth.contracts.exchange import Interval, Request, Response
from troth.contracts.judgement import Judgement

NOTES = """
troth: 1
provider: notes
types:
  Note: {id: {$id: {prefix: n_}}, text: $string, edits: $integer}
state: {notes: {of: $Note, key: id}}
operations:
  make:
    request: {method: POST, path: /notes, json: {text: $string}}
    responses: {made: {status: 201, json: {$Note: {edits: 0}, from: body}, effects: [put: notes]}}
  edit:
    request: {method: PATCH, path: "/notes/{id}"}
    let: {note: state.notes(path.id)}
    responses:
      missing: {when: not note, status: 404}
      edited: {status: 204, effects: [{set: note, to: {edits: "{{ note.edits + 1 }}"}}]}
  drop:
    request: {method: DELETE, path: "/notes/{id}"}
    let: {note: state.notes(path.id)}
    responses:
      missing: {when: not note, status: 404}
      dropped: {status: 204, effects: [delete: note]}
  get:
    request: {method: GET, path: "/notes/{id}"}
    let: {note: state.notes(path.id)}
    responses:
      missing: {when: not note, status: 404}
      found: {status: 200, json: "{{ note }}"}
  list:
    request: {method: GET, path: /notes}
    let: {page: {$select: notes}}
    responses: {page: {status: 200, json: {data: "{{ page.items }}", total: "{{ page.total }}"}}}
scenarios: {one: {steps: [{call: make, with: {text: x}}]}}
"""
JSON = ((b"Content-Type", b"application/json"),)


class Notes:
    """A judge who hears of calls at the times that a test says; the provider is the test."""

    def __init__(self) -> None:
        self.judge = Talk(contract_of(NOTES)).judge
        self.key = "n_000000000000"
        self.note = {"id": self.key, "text": "x", "edits": 0}
        assert kinds(self.hear("make", 201, self.note, 0.0, 0.1, "POST", "/notes", {"text": "x"})) == []

    def hear(
        self,
        operation: str,
        status: int,
        body: Any,
        sent: float,
        received: float,
        method: str = "GET",
        path: str = "",
        said: Any = None,
    ) -> Judgement:
        content = b"" if said is None else json.dumps(said).encode()
        request = Request(method, path or f"/notes/{self.key}", "", [*JSON] if content else [], content)
        response = Response(
            status, JSON if body is not None else (), b"" if body is None else json.dumps(body).encode()
        )
        when = Interval(sent - 2, received + 2)
        return self.judge.judge(request, response, when, operation, (), Interval(sent, received))

    def get(self, status: int, body: Any, sent: float, received: float) -> list[str]:
        """What is found when the note is read like this."""
        return kinds(self.hear("get", status, body, sent, received))

    def change(self, operation: str, sent: float, received: float) -> None:
        """Another scenario edits or drops the note, and its answer is heard."""
        assert (
            kinds(self.hear(operation, 204, None, sent, received, {"edit": "PATCH", "drop": "DELETE"}[operation])) == []
        )

    def leave(self, operation: str) -> int:
        """The same, not answered yet."""
        return self.judge.sending(Request({"edit": "PATCH", "drop": "DELETE"}[operation], f"/notes/{self.key}"))


@pytest.fixture
def notes() -> Notes:
    return Notes()


@pytest.mark.parametrize("edits", [0, 1])
def test_a_reply_from_around_an_edit_may_show_either(notes: Notes, edits: int) -> None:
    """And what it shows is not taken for what is there now."""
    notes.change("edit", 1.0, 1.2)

    assert notes.get(200, notes.note | {"edits": edits}, 0.9, 1.3) == []
    assert notes.get(200, notes.note | {"edits": 1}, 2.0, 2.1) == []
    assert notes.get(200, notes.note, 3.0, 3.1) == ["stored"]


def test_a_reply_after_an_edit_may_not(notes: Notes) -> None:
    """It was asked for when the edit was answered."""
    notes.change("edit", 1.0, 1.2)

    assert notes.get(200, notes.note, 1.2, 1.3) == ["stored"]


@pytest.mark.parametrize("edits", [0, 1])
def test_an_edit_that_is_not_answered_may_be_seen_or_not(notes: Notes, edits: int) -> None:
    """It counts when its answer is heard, once."""
    number = notes.leave("edit")
    assert notes.get(200, notes.note | {"edits": edits}, 1.0, 1.1) == []

    notes.change("edit", 0.9, 1.2)
    notes.judge.settled(number)
    assert notes.get(200, notes.note | {"edits": 1}, 2.0, 2.1) == []


@pytest.mark.parametrize("shown", [True, False])
def test_a_reply_from_around_a_deletion_may_show_the_record_or_not(notes: Notes, shown: bool) -> None:
    """A record that it shows is not back from the dead."""
    status, body = (200, notes.note) if shown else (404, None)
    notes.change("drop", 1.0, 1.2)

    assert notes.get(status, body, 0.9, 1.3) == []
    assert notes.get(404, None, 2.0, 2.1) == []
    assert notes.get(200, notes.note, 3.0, 3.1) == ["response"]


def test_a_deletion_that_is_not_answered_may_be_seen(notes: Notes) -> None:
    """Afterwards it must have been."""
    number = notes.leave("drop")
    assert notes.get(404, None, 1.0, 1.1) == []

    notes.judge.settled(number)
    assert notes.get(404, None, 2.0, 2.1) == ["response"]


def test_what_is_wrong_in_itself_is_found_all_the_same(notes: Notes) -> None:
    """Whatever was changing."""
    notes.leave("edit")

    assert notes.get(200, notes.note | {"edits": "1"}, 1.0, 1.1) == ["type"]


def test_leniency_is_counted(notes: Notes) -> None:
    """Else it would be a silent green."""
    notes.change("drop", 1.0, 1.2)

    assert notes.hear("get", 404, None, 0.9, 1.3).unjudged


def test_a_total_may_leave_out_what_was_made_meanwhile(notes: Notes) -> None:
    """Not what was there when the list was asked for."""
    empty = {"data": [], "total": 0}

    assert "bounds" not in kinds(notes.hear("list", 200, empty, 0.05, 0.2, path="/notes"))
    assert "bounds" in kinds(notes.hear("list", 200, empty, 0.3, 0.4, path="/notes"))
