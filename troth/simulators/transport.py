"""A simulator as an ``httpx`` transport: the same answers without a socket.

    client = httpx.Client(transport=SimulatorTransport(simulator), base_url="http://stripe.test")

The official SDKs of some providers bring an HTTP client of their own; those need ``simulator.url``.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable

import httpx

from troth.contracts.exchange import Request, Response
from troth.simulators.limits import Limits
from troth.simulators.refusal import Refusal, broken_response, refusal_response
from troth.simulators.response_writer import ResponseWriter, bodiless
from troth.simulators.simulator import Simulator

__all__ = ["SimulatorTransport"]


class SimulatorTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """For ``httpx.Client`` and ``httpx.AsyncClient``. Reads the whole request first, as the server does.

    Raises httpx.UnsupportedProtocol for a URL that is neither http nor https; whatever the stream of a request body
    raises comes through as it is.
    """

    def __init__(self, simulator: Simulator, limits: Limits | None = None) -> None:
        self._simulator = simulator
        self._limits = limits or Limits()
        self._writer = ResponseWriter()

    def __repr__(self) -> str:
        return f"SimulatorTransport({self._simulator!r})"

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        _check_scheme(request)
        body = bytearray()
        assert isinstance(request.stream, Iterable)
        for chunk in request.stream:
            body += chunk
            if len(body) > self._limits.body_bytes:
                return self._too_large(request, len(body))
        return self._answer(request, bytes(body))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        _check_scheme(request)
        body = bytearray()
        assert isinstance(request.stream, AsyncIterable)
        async for chunk in request.stream:
            body += chunk
            if len(body) > self._limits.body_bytes:
                return self._too_large(request, len(body))
        return self._answer(request, bytes(body))

    def _answer(self, request: httpx.Request, body: bytes) -> httpx.Response:
        path, _, query = request.url.raw_path.decode("ascii").partition("?")
        host = request.headers.get("host", request.url.netloc.decode("ascii"))
        asked = Request(request.method, path, query, tuple(request.headers.raw), body, host)
        return self._wrap(request, self._simulator.handle(asked))

    def _too_large(self, request: httpx.Request, size: int) -> httpx.Response:
        message = f"the body has reached {size} bytes; at most {self._limits.body_bytes} are taken"
        return self._wrap(request, refusal_response(Refusal(413, "E314", message, "Raise Limits.body_bytes")))

    def _wrap(self, request: httpx.Request, response: Response) -> httpx.Response:
        now = self._simulator.clock.now()
        try:
            headers = self._writer.headers(response, request.method, now)
        except ValueError:
            response = broken_response()
            headers = self._writer.headers(response, request.method, now)
        body = b"" if bodiless(request.method, response.status) else response.body
        stream = httpx.ByteStream(body)
        return httpx.Response(response.status, headers=headers, stream=stream, extensions={"http_version": b"HTTP/1.1"})


def _check_scheme(request: httpx.Request) -> None:
    if request.url.scheme not in ("http", "https"):
        message = f"a simulator answers http and https, and this is {request.url.scheme!r}"
        raise httpx.UnsupportedProtocol(message, request=request)
