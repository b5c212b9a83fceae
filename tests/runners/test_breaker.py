"""A target is given up when it is not there."""

from __future__ import annotations

from troth.contracts.judgement import Unobserved
from troth.runners.breaker import Breaker

DOWN = Unobserved("unreachable", "refused")
NO_KEY = Unobserved("unauthorized", "401")


def test_three_failures_in_a_row_without_a_reply_stop_a_target() -> None:
    """Two do not, and a reply between them starts the count again."""
    breaker = Breaker()
    breaker.failed("get", DOWN, status=None)
    breaker.failed("get", DOWN, status=None)
    breaker.fine()
    breaker.failed("get", DOWN, status=None)
    breaker.failed("get", DOWN, status=None)
    assert breaker.stopped is None
    breaker.failed("get", DOWN, status=None)
    assert breaker.stopped == Unobserved("unreachable", "refused (3 times in a row)")


def test_one_broken_operation_is_not_a_broken_target() -> None:
    """Replies of a single operation must fail oftener than those of several."""
    alone, several = Breaker(), Breaker()
    for _ in range(5):
        alone.failed("get", DOWN, status=500)
    assert alone.stopped is None
    alone.failed("get", DOWN, status=500)
    assert alone.stopped is not None
    for operation in ("get", "get", "list"):
        assert several.stopped is None
        several.failed(operation, DOWN, status=500)
    assert several.stopped is not None


def test_a_first_401_stops_at_once_and_a_later_one_does_not() -> None:
    """Nothing was ever accepted: the credentials are wrong. Otherwise it may be this operation's permission."""
    fresh, used = Breaker(), Breaker()
    fresh.failed("get", NO_KEY, status=401)
    assert fresh.stopped == NO_KEY
    used.fine()
    used.failed("get", NO_KEY, status=401)
    assert used.stopped is None
    forbidden = Breaker()
    forbidden.failed("get", NO_KEY, status=403)
    assert forbidden.stopped is None


def test_an_exhausted_target_is_left_alone() -> None:
    """Asking again would make it worse."""
    breaker = Breaker()
    breaker.fine()
    breaker.failed("get", Unobserved("exhausted", "429"), status=429)
    assert breaker.stopped == Unobserved("exhausted", "429")
