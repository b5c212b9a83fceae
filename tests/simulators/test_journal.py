"""The bounded journal."""

from __future__ import annotations

import dataclasses
from threading import Thread

import pytest

from troth.contracts.exchange import Request, Response
from troth.contracts.judgement import Answer, NearMiss
from troth.contracts.values import ABSENT
from troth.simulators.journal import Journal

NEAR = (NearMiss("ping", "GET", "/ping", (("path", "/ping", "/pong"),)),)


def put(
    journal: Journal, path: str = "/", operation: str | None = "ping", body: bytes = b"", failure: str = ""
) -> None:
    near = () if operation else NEAR
    answer = Answer(Response(200, [], b"ok"), operation, "pong" if operation else None, near)
    journal.add_locked(Request("GET", path, "", (), body), answer, 7.0, failure)


def test_entries_say_what_came_and_what_was_answered() -> None:
    journal = Journal("pay")
    put(journal, "/a", body=b'{"amount": 3}')
    entry = journal.entries[0]
    assert (entry.index, entry.time, entry.request.path, entry.response.body) == (1, 7.0, "/a", b"ok")
    assert (entry.operation, entry.name, entry.near, entry.explanation) == ("ping", "pong", (), "")
    assert entry.json == {"amount": 3}


def test_a_body_that_is_no_json_is_absent() -> None:
    journal = Journal()
    put(journal, body=b"{")
    assert journal.entries[0].json is ABSENT


def test_it_can_be_asked_by_operation_and_for_what_went_unmatched() -> None:
    journal = Journal("pay")
    put(journal, "/a")
    put(journal, "/b", operation="other")
    put(journal, "/c", operation=None)
    assert [entry.request.path for entry in journal.for_operation("other")] == ["/b"]
    assert [entry.request.path for entry in journal.unmatched] == ["/c"]
    assert "nothing in the contract of pay answers GET /c" in journal.unmatched[0].explanation
    assert [entry.index for entry in journal.entries] == [1, 2, 3]


def test_a_failure_counts_as_unmatched_and_explains_itself() -> None:
    journal = Journal("pay")
    put(journal, "/x", operation=None, failure="KeyError at model.py:1 respond")
    assert journal.unmatched[0].explanation == "the simulator of pay failed on GET /x: KeyError at model.py:1 respond"


def test_it_keeps_so_many_entries_and_counts_what_it_dropped() -> None:
    journal = Journal(entries=3)
    for number in range(5):
        put(journal, f"/{number}")
    assert [entry.request.path for entry in journal.entries] == ["/2", "/3", "/4"]
    assert (len(journal), journal.dropped) == (3, 2)
    assert [entry.index for entry in journal.entries] == [3, 4, 5]


def test_it_keeps_so_many_bytes() -> None:
    journal = Journal(most_bytes=10_000)
    for _ in range(10):
        put(journal, body=b"x" * 3000)
    assert (len(journal), journal.dropped) == (2, 8)


def test_headers_count_towards_the_bytes() -> None:
    journal = Journal(most_bytes=10_000)
    for number in range(10):
        headers = ((b"X", b"%d" % number * 3000),)
        journal.add_locked(Request("GET", "/", "", headers), Answer(Response(200), "ping", "pong"), 7.0)
    assert len(journal) == 2


def test_the_newest_entry_is_kept_whatever_its_size() -> None:
    journal = Journal(most_bytes=100)
    put(journal, "/small")
    put(journal, "/big", body=b"x" * 1000)
    assert [entry.request.path for entry in journal.entries] == ["/big"]


def test_a_flood_of_good_requests_does_not_hide_a_bad_one() -> None:
    journal = Journal(entries=2)
    put(journal, "/bad", operation=None)
    for _ in range(10):
        put(journal)
    assert [entry.request.path for entry in journal.unmatched] == ["/bad"]
    assert "/bad" not in {entry.request.path for entry in journal.entries}


def test_unmatched_ones_are_bounded_too() -> None:
    journal = Journal()
    for _ in range(130):
        put(journal, operation=None)
    assert (len(journal.unmatched), journal.unmatched_dropped) == (100, 30)


def test_none_are_kept_when_it_is_off_but_the_unmatched() -> None:
    journal = Journal(entries=0)
    put(journal)
    put(journal, "/bad", operation=None)
    assert (len(journal), journal.dropped, len(journal.unmatched)) == (0, 2, 1)


def test_clear_forgets_everything_but_goes_on_counting() -> None:
    journal = Journal(entries=1)
    for _ in range(3):
        put(journal, operation=None)
    journal.clear()
    assert (len(journal), journal.dropped, journal.entries, journal.unmatched) == (0, 0, (), ())
    put(journal)
    assert journal.entries[0].index == 4


def test_a_secret_is_in_no_public_form() -> None:
    journal = Journal("pay")
    secret = "sk_live_canary_77"
    headers = ((b"Authorization", f"Bearer {secret}".encode()),)
    near = (NearMiss("ping", "GET", "/", (("headers.x", "y", secret),)),)
    journal.add_locked(
        Request("GET", f"/{secret}", secret, headers, secret.encode()),
        Answer(Response(501, headers, secret.encode()), None, None, near),
        7.0,
        f"failed on {secret}",
    )
    entry = journal.entries[0]
    shown = [repr(journal), repr(entry), repr(dataclasses.asdict(entry)), entry.explanation, repr(journal.unmatched)]
    assert not any(secret in text for text in shown)
    assert entry.request.headers == ((b"Authorization", b"Bearer [redacted]"),)


def test_entries_cannot_be_changed() -> None:
    journal = Journal()
    put(journal)
    with pytest.raises(dataclasses.FrozenInstanceError):
        journal.entries[0].index = 9  # type: ignore[misc]


def test_reading_while_another_thread_writes() -> None:
    journal = Journal(entries=50)
    lock = journal._lock

    def write() -> None:
        for _ in range(2000):
            with lock:
                put(journal)

    threads = [Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert len(journal.entries) <= 50
    for thread in threads:
        thread.join()
    assert (len(journal), journal.dropped) == (50, 5950)
