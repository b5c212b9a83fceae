"""Clients that people use, unchanged, against a simulator on its port."""

from __future__ import annotations

import asyncio
import http.client
import json
import shutil
import socket
import subprocess

import aiohttp
import httpx
import pytest
import requests

from troth.simulators.simulator import Simulator

KEY = {"Authorization": "Bearer sk_test_canary_4242"}
CHARGE = {"amount": 1200, "source": "tok_visa"}


def test_httpx(acme: Simulator) -> None:
    with httpx.Client(base_url=acme.url, headers=KEY) as client:
        created = client.post("/v1/charges", json=CHARGE).raise_for_status().json()
        assert client.get(f"/v1/charges/{created['id']}").json() == created
        assert client.post("/v1/charges", data={"amount": "5", "source": "x"}).json()["amount"] == 5
        with pytest.raises(httpx.HTTPStatusError):
            client.get("/v1/nothing").raise_for_status()


def test_httpx_streams_a_body_of_unknown_length(acme: Simulator) -> None:
    pieces = iter([b'{"amount": 7, ', b'"source": "tok_visa"}'])
    headers = KEY | {"Content-Type": "application/json"}
    with httpx.Client(base_url=acme.url, headers=headers) as client:
        assert client.post("/v1/charges", content=pieces).json()["amount"] == 7


def test_requests(acme: Simulator) -> None:
    with requests.Session() as session:
        session.headers.update(KEY)
        created = session.post(f"{acme.url}/v1/charges", data=CHARGE, timeout=5).json()
        assert session.get(f"{acme.url}/v1/charges/{created['id']}", timeout=5).json() == created
        assert session.head(f"{acme.url}/v1/charges/none", timeout=5).text == ""


def test_aiohttp(acme: Simulator) -> None:
    async def use() -> None:
        async with aiohttp.ClientSession(acme.url, headers=KEY) as session:
            async with session.post("/v1/charges", json=CHARGE, expect100=True) as reply:
                created = await reply.json()
            many = [session.get(f"/v1/charges/{created['id']}") for _ in range(30)]
            for reply in await asyncio.gather(*many):
                assert await reply.json() == created
                reply.release()

    asyncio.run(use())


def test_http_client_waits_for_100(acme: Simulator) -> None:
    """The standard library's client, told to send the body only when it is wanted."""
    body = json.dumps(CHARGE).encode()
    host, _, port = acme.url.removeprefix("http://").partition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=5)
    connection.putrequest("POST", "/v1/charges")
    headers = {**KEY, "Content-Type": "application/json", "Expect": "100-continue", "Content-Length": str(len(body))}
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    assert isinstance(connection.sock, socket.socket)
    assert connection.sock.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
    connection.send(body)
    reply = connection.getresponse()
    assert (reply.status, json.loads(reply.read())["amount"]) == (200, 1200)
    connection.close()


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("version", ["--http1.0", "--http1.1", "--http2"])
def test_curl(acme: Simulator, version: str) -> None:
    """Also with an offer of HTTP/2, which a server may ignore."""
    command = ["curl", "-sS", "--max-time", "5", version, "-H", "Authorization: Bearer sk_test_1"]
    command += ["-d", "amount=9", "-d", "source=tok_visa", f"{acme.url}/v1/charges"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=10)
    assert json.loads(done.stdout)["amount"] == 9
