"""Lists: order, size, pages, filters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..changes import Field, Request, Rewritten, turned, without_query
from ..rows import Drift
from ..twin.records import Books
from ..twin.talk import Answer, Asked

__all__ = ["LISTS"]


def _items(
    change: Callable[[list[Any], Asked], list[Any]], on: str = "list_payments", name: str = "items"
) -> Rewritten:
    """A change of what a page shows."""

    def make(asked: Asked, answer: Answer, books: Books) -> Answer:
        return replace(answer, body=answer.body | {name: change(answer.body[name], asked)})

    return Rewritten(on, make, 200)


def _number(name: str, change: Callable[[int], int]) -> Callable[[Asked], Asked]:
    """The request with another number in its query."""

    def make(asked: Asked) -> Asked:
        if name not in asked.query:
            return asked
        value = change(int(asked.query[name][-1]))
        bare = without_query(name)(asked)
        joint = "&" if "?" in bare.target else "?"
        return replace(bare, target=f"{bare.target}{joint}{name}={value}")

    return make


def _capped(asked: Asked) -> Asked:
    return _number("limit", lambda limit: min(limit, 3))(asked)


def _again(items: list[Any], asked: Asked) -> list[Any]:
    return [*items, items[0]] if items else items


def _inclusive(asked: Asked, answer: Answer, books: Books) -> Answer:
    """The page begins with the record that it should come after."""
    if "after" not in asked.query:
        return answer
    first = dict(books.customers[asked.query["after"][0]])
    return replace(
        answer,
        body=answer.body
        | {
            "data": [first, *answer.body["data"][:-1]]
            if len(answer.body["data"]) > 1
            else [first, *answer.body["data"]]
        },
    )


def _skipping(asked: Asked, answer: Answer, books: Books) -> Answer:
    """The first record of every page but the first is lost."""
    if "after" not in asked.query or not answer.body["data"]:
        return answer
    return replace(answer, body=answer.body | {"data": answer.body["data"][1:]})


def _still_there(asked: Asked, answer: Answer, books: Books) -> Answer:
    """Deleted customers stay in lists."""
    email = asked.query.get("email", [""])[0]
    ghosts = [dict(one) for one in books.deleted.values() if one["email"] == email]
    return replace(answer, body=answer.body | {"data": [*answer.body["data"], *ghosts]})


def _lagging(asked: Asked, answer: Answer, books: Books) -> Answer:
    """What was made less than a second ago is not listed yet."""
    old = [one for one in answer.body["data"] if books.now() - one["created"] > 30]
    return replace(answer, body=answer.body | {"data": old, "has_more": False})


LISTS = (
    Drift(
        "the default order is the other one",
        "list-order",
        _items(lambda items, asked: items if "sort" in asked.query else items[::-1]),
        "list_order",
        "list_payments",
        "risky",
    ),
    Drift(
        "the order asked for is ignored",
        "list-order",
        Request("list_payments", without_query("sort")),
        "list_order",
        "list_payments",
        "risky",
    ),
    Drift(
        "the size asked for is ignored",
        "page-size",
        Request("list_customers", without_query("limit")),
        "list_size",
        "list_customers",
        "risky",
    ),
    Drift(
        "pages have three items at most",
        "page-size",
        Request("list_customers", _capped),
        "list_missing|list_size|list_more",
        "list_customers",
        "breaking|risky",
    ),
    Drift(
        "a record is on two pages",
        "pages",
        Rewritten("list_customers", _inclusive, 200),
        "list_duplicate",
        "list_customers",
        "breaking",
    ),
    Drift(
        "a record is on no page",
        "pages",
        Rewritten("list_customers", _skipping, 200),
        "list_missing|list_more",
        "list_customers",
        "breaking",
    ),
    Drift(
        "the cursor is ignored",
        "pages",
        Request("list_customers", without_query("after")),
        "list_duplicate",
        "list_customers",
        "breaking",
    ),
    Drift(
        "there is always more",
        "pages",
        Field("list_customers", "has_more", lambda holder, name: holder.update({name: True})),
        "list_more",
        "list_customers",
        "breaking",
    ),
    Drift(
        "there is never more",
        "pages",
        Field("list_customers", "has_more", lambda holder, name: holder.update({name: False})),
        "list_more",
        "list_customers",
        "breaking",
    ),
    Drift(
        "offsets count from one",
        "pages",
        Request("list_payments", _number("offset", lambda offset: max(0, offset - 1))),
        "list_duplicate",
        "list_payments",
        "breaking",
    ),
    Drift(
        "offsets are one too far",
        "pages",
        Request("list_payments", _number("offset", lambda offset: offset + 1 if offset else 0)),
        "list_missing",
        "list_payments",
        "breaking",
    ),
    Drift(
        "the offset is ignored",
        "pages",
        Request("list_payments", without_query("offset")),
        "list_duplicate",
        "list_payments",
        "breaking",
    ),
    Drift(
        "the total is that of the page",
        "pages",
        Rewritten(
            "list_payments",
            lambda asked, answer, books: replace(answer, body=answer.body | {"total": len(answer.body["items"])}),
        ),
        "bounds|value|list_size|list_more|list_missing",
        "list_payments",
        "breaking|risky",
    ),
    Drift(
        "the total is nought",
        "pages",
        Field("list_payments", "total", turned(lambda value: 0)),
        "bounds|value|list_size|list_more|list_missing",
        "list_payments",
        "breaking|risky",
    ),
    Drift("a record is twice on a page", "pages", _items(_again), "list_duplicate", "list_payments", "breaking"),
    Drift(
        "the oldest record is not listed",
        "pages",
        _items(
            lambda items, asked: (
                items[:-1]
                if "limit" not in asked.query and "sort" not in asked.query and "min_amount" not in asked.query
                else items
            )
        ),
        "list_missing",
        "list_payments",
        "breaking",
    ),
    Drift(
        "a limit of a filter is no longer in it",
        "filter",
        _items(
            lambda items, asked: [
                one
                for one in items
                if "min_amount" not in asked.query or one["amount"] > int(asked.query["min_amount"][0])
            ]
        ),
        "list_missing",
        "list_payments",
        "breaking",
    ),
    Drift(
        "a filter takes more than it should",
        "filter",
        Request("list_payments", without_query("min_amount")),
        "list_filter",
        "list_payments",
        "breaking",
    ),
    Drift(
        "another filter is ignored",
        "filter",
        Request("list_payments", without_query("customer")),
        "list_filter",
        "list_payments",
        "breaking",
    ),
    Drift(
        "what was deleted is still listed",
        "delete",
        Rewritten("list_customers", _still_there, 200),
        "list_deleted|list_filter|list_missing|gone|reference",
        "list_customers",
        "breaking",
    ),
    Drift(
        "what is new is listed later",
        "lag",
        Rewritten("list_customers", _lagging, 200),
        "list_missing",
        "list_customers",
        "breaking",
    ),
    Drift(
        "lists have ids",
        "type-changed",
        _items(lambda items, asked: [one["id"] for one in items]),
        "type",
        "list_payments",
        "breaking",
    ),
    Drift(
        "a list is wrapped",
        "type-changed",
        Rewritten(
            "list_payments",
            lambda asked, answer, books: replace(answer, body=answer.body | {"items": {"data": answer.body["items"]}}),
            200,
        ),
        "type",
        "list_payments",
        "breaking",
    ),
)
