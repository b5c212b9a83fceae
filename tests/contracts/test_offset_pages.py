"""Pages counted by rows (`at`), and what is deleted: nothing twice, nothing lost, nothing that is gone.

Others write into the same sandbox: what they make or delete between two pages moves rows over the edge.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from fakes.talk import Talk, contract_of

from troth.contracts.exchange import Interval, Request, Response
from troth.contracts.model.model import Model

JSON = ((b"Content-Type", b"application/json"),)

BOOKS = """
troth: 1
provider: books
types:
  Book: {id: {$id: {prefix: b_}}, rank: $integer}
state: {books: {of: $Book, key: id}}
operations:
  make:
    request: {method: POST, path: /b, json: {rank: $integer}}
    responses: {made: {status: 201, json: {$Book: {}, from: body}, effects: [put: books]}}
  drop:
    request: {method: DELETE, path: "/b/{id}"}
    let: {book: state.books(path.id)}
    responses:
      missing: {when: not book, status: 404}
      dropped: {status: 204, effects: [delete: book]}
  list:
    request:
      method: GET
      path: /b
      query: {from?: {$integer: {min: 0}, default: 0}, count?: {$integer: {min: 1}, default: 3}}
    let: {page: {$select: books, order: [-rank], size: query.count, at: query.from, lag: LAG}}
    responses:
      page: {status: 200, json: {data: "{{ page.items }}", PARTS}}
scenarios: {one: {steps: [{call: make, with: {rank: 1}}]}}
"""
TOTAL = 'total: "{{ page.total }}"'
MORE = 'more: "{{ page.more }}"'


def book(number: int) -> dict[str, Any]:
    return {"id": f"b_{number:03}", "rank": number}


class Library:
    """A provider with some books, highest rank first, and a judge that listens."""

    def __init__(self, parts: str = TOTAL, lag: str = "0s") -> None:
        text = BOOKS.replace("PARTS", parts).replace("LAG", lag)
        self.judge = Model(contract_of(text), world="open")
        self.books: list[dict[str, Any]] = []
        self.now = 1_750_000_000.0
        self.cut: Callable[[list[Any], int, int], list[Any]] = lambda books, at, size: books[at : at + size]
        self.parts: Callable[[list[Any], int, int], dict[str, Any]] = lambda books, at, size: {
            "total": len(books),
            "more": at + size < len(books),
        }

    def tell(self, operation: str, request: Request, response: Response) -> list[tuple[str, str]]:
        self.now += 1
        when = Interval(self.now - 0.1, self.now)
        judgement = self.judge.judge(request, response, when, operation)
        return [(found.kind, found.path) for found in judgement.mismatches]

    def make(self, *numbers: int) -> None:
        """Books of our own."""
        for number in numbers:
            self.put(number)
            request = Request("POST", "/b", "", JSON, b'{"rank": %d}' % number)
            assert self.tell("make", request, Response(201, JSON, json.dumps(book(number)).encode())) == []

    def put(self, *numbers: int) -> None:
        """Books of others, which the judge does not hear of."""
        self.books = sorted([*self.books, *map(book, numbers)], key=lambda each: -each["rank"])

    def remove(self, number: int) -> None:
        self.books = [each for each in self.books if each["rank"] != number]

    def drop(self, number: int, *, really: bool = True) -> None:
        """We delete a book."""
        if really:
            self.remove(number)
        assert self.tell("drop", Request("DELETE", f"/b/b_{number:03}"), Response(204)) == []

    def page(self, at: int = 0, size: int = 3) -> list[tuple[str, str]]:
        rows = self.cut(self.books, at, size)
        body = {"data": rows, **self.parts(self.books, at, size)}
        return self.tell(
            "list", Request("GET", "/b", f"from={at}&count={size}"), Response(200, JSON, json.dumps(body).encode())
        )


def walk(library: Library, between: Callable[[], Any] = lambda: None) -> list[tuple[str, str]]:
    """All pages of the books, with what happens between them."""
    found = []
    at = 0
    while at == 0 or at < len(library.books):
        found += library.page(at)
        between()
        at += 3
    return found


@pytest.mark.parametrize("parts", [TOTAL, MORE, "x?: $null"])
def test_a_provider_that_cuts_well(parts: str) -> None:
    """Nothing to find."""
    library = Library(parts)
    library.make(*range(1, 9))

    assert walk(library) == []


CUTS: dict[str, tuple[Callable[[list[Any], int, int], list[Any]], str]] = {
    "inclusive": (lambda books, at, size: books[max(at - 1, 0) : at + size - (at > 0)], "list_duplicate"),
    "ignored": (lambda books, at, size: books[:size], "list_duplicate"),
    "another row": (
        lambda books, at, size: (books[0:3], books[3:5] + books[1:2], books[6:])[at // 3],
        "list_duplicate",
    ),
    "one too far": (lambda books, at, size: books[at + (at > 0) : at + size + (at > 0)], "list_missing"),
    "a hole": (lambda books, at, size: [books[at], *books[at + 2 : at + size + 1]], "list_missing"),
}


@pytest.mark.parametrize("name", CUTS)
def test_pages_that_do_not_fit_together(name: str) -> None:
    """Told by the number of all books, which does not change."""
    library = Library()
    library.make(*range(1, 9))
    library.cut, kind = CUTS[name]

    assert kind in {found for found, _ in walk(library)}


def test_the_same_page_again_is_no_chance() -> None:
    """That others made just a page full is not believed, also where no number of all is told."""
    library = Library("x?: $null")
    library.make(*range(1, 9))
    library.cut = lambda books, at, size: books[:size]

    assert [kind for kind, _ in walk(library)][:3] == ["list_duplicate"] * 3


def test_a_page_that_says_it_is_the_last_and_is_not() -> None:
    """Five of ours are on no page."""
    library = Library(MORE)
    library.make(*range(1, 9))
    library.parts = lambda books, at, size: {"more": False}

    assert library.page() == [("list_more", "$.more")]


def test_fewer_in_all_than_are_shown() -> None:
    """The total cannot be less than what comes before it and on it."""
    library = Library()
    library.put(*range(1, 9))
    library.parts = lambda books, at, size: {"total": 5}

    assert library.page(0) == []
    assert library.page(3) == [("bounds", "$.total")]


@pytest.mark.parametrize("parts", [TOTAL, MORE, "x?: $null"])
def test_others_make_books_between_two_pages(parts: str) -> None:
    """Each pushes one over to the next page."""
    library = Library(parts)
    library.make(*range(1, 9))
    new = iter(range(100, 200))

    assert walk(library, lambda: library.put(next(new))) == []


@pytest.mark.parametrize("parts", [TOTAL, MORE, "x?: $null"])
def test_others_delete_books_between_two_pages(parts: str) -> None:
    """One of ours moves to the page that we had already."""
    library = Library(parts)
    library.put(50, 51)
    library.make(*range(1, 9))
    theirs = iter((50, 51))

    assert walk(library, lambda: library.remove(next(theirs, 0))) == []


def test_we_delete_a_book_between_two_pages() -> None:
    """As others may."""
    library = Library()
    library.make(*range(1, 9))
    mine = iter((8,))

    def drop() -> None:
        for number in mine:
            library.drop(number)

    assert walk(library, drop) == []


def test_others_make_as_many_books_as_we_delete() -> None:
    """The number of all stays as it was, and the page is moved all the same."""
    library = Library()
    library.make(*range(1, 9))
    library.page(0)
    library.drop(1)
    library.put(100)

    assert library.page(3) == []


def test_a_deleted_book_that_is_still_listed() -> None:
    """We deleted it, and know that it is gone."""
    library = Library()
    library.make(1, 2, 3)
    library.drop(2, really=False)

    assert library.page() == [("list_deleted", "$.data[1].id")]


def test_a_deleted_book_in_a_list_with_a_lag() -> None:
    """A search index may lag behind; not for ever."""
    library = Library(lag="0s..15s")
    library.make(1, 2, 3)
    library.now += 60
    library.drop(2, really=False)

    assert library.page() == []
    library.now += 60
    assert library.page() == [("list_deleted", "$.data[1].id")]


def test_a_list_that_was_asked_for_before_the_deletion_was_answered() -> None:
    """Two scenarios at a time."""
    library = Library()
    library.make(1, 2, 3)
    library.drop(2, really=False)
    library.now -= 1.05

    assert library.page() == []


LEASES = """
troth: 1
provider: leases
types: {Lease: {id: {$id: {prefix: l_}}}}
state:
  leases:
    of: $Lease
    key: id
    moves: {ends: {when: "true", takes: 5s..10s, effects: [delete: it]}}
operations:
  take: {request: {method: POST, path: /l}, responses: {taken: {status: 201, json: $Lease, effects: [put: leases]}}}
  list:
    request: {method: GET, path: /l}
    let: {page: {$select: leases}}
    responses: {page: {status: 200, json: {data: "{{ page.items }}"}}}
"""


@pytest.mark.parametrize(("after", "kinds"), [(2, []), (7, []), (60, ["late"])])
def test_what_a_move_should_have_deleted(after: int, kinds: list[str]) -> None:
    """A lease that is listed long after its end."""
    talk = Talk(contract_of(LEASES))
    talk.call("take")
    lease = {"id": talk.body["id"]}
    talk.now += after

    judgement = talk.call("list", lambda body: body.update(data=[lease]))

    assert [found.kind for found in judgement.mismatches] == kinds
