"""Listening, and what is said when that cannot be."""

from __future__ import annotations

import socket

import pytest

from troth.errors import UsageError
from troth.simulators.listener import listen, url_of


def test_port_0_takes_a_free_one() -> None:
    with listen("127.0.0.1", 0) as one, listen("127.0.0.1", 0) as other:
        assert one.getsockname() != other.getsockname()
        assert url_of(one) == f"http://127.0.0.1:{one.getsockname()[1]}"


def test_a_port_in_use_is_named_with_what_to_do() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"E300 listen on 127.0.0.1:{port}; found the port is in use. Stop"):
            listen("127.0.0.1", port)


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid", "a" * 70, "with space"])
def test_a_host_that_is_not_ours_is_named(host: str) -> None:
    with pytest.raises(UsageError, match=f"E301 listen on {host}:0"):
        listen(host, 0)


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_that_is_none_is_named(port: int) -> None:
    with pytest.raises(UsageError, match=f"E301 .*found port {port}"):
        listen("127.0.0.1", port)


def test_localhost_listens_on_the_address_that_clients_try() -> None:
    with listen("localhost", 0) as sock:
        assert url_of(sock).startswith("http://127.0.0.1:")


def test_every_address_is_reached_through_loopback() -> None:
    with listen("0.0.0.0", 0) as sock:
        assert url_of(sock).startswith("http://127.0.0.1:")


def test_ipv6_has_brackets() -> None:
    try:
        sock = listen("::1", 0)
    except UsageError:
        pytest.skip("this machine has no IPv6")
    with sock:
        assert url_of(sock) == f"http://[::1]:{sock.getsockname()[1]}"
        socket.create_connection(("::1", sock.getsockname()[1]), timeout=5).close()
