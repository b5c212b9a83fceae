"""A client that sends exactly the bytes it is given, and a server to send them to; both on real sockets."""

from __future__ import annotations

import socket
import time
from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Lock
from types import TracebackType

from troth.contracts.exchange import Request, Response
from troth.simulators.http_server import HttpServer
from troth.simulators.limits import Limits
from troth.simulators.listener import listen
from troth.simulators.loops import new_loop
from troth.simulators.replier import Handler
from troth.simulators.thread import ServerThread

LIMIT = 10.0


class Echo:
    """Answers 200 with the request in text (method, path, query, body), and remembers every request."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._lock = Lock()

    def __call__(self, request: Request) -> Response:
        with self._lock:
            self.requests.append(request)
        body = b"%b %b ?%b " % (request.method.encode(), request.path.encode(), request.query.encode()) + request.body
        return Response(200, [(b"Content-Type", b"text/plain")], body)


@contextmanager
def served(
    handler: Handler, limits: Limits | None = None, loops: Callable[[], AbstractEventLoop] = new_loop
) -> Iterator[HttpServer]:
    """A server for ``handler`` on a free port, stopped at the end."""
    server = HttpServer(handler, limits)
    thread = ServerThread([(server, listen("127.0.0.1", 0))], "test", loops)
    try:
        yield server
    finally:
        thread.stop()


@dataclass(frozen=True)
class Message:
    """One response as it came in; header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes
    line: str = ""

    @property
    def code(self) -> str | None:
        return self.headers.get("troth-error")


class RawClient:
    """One connection. Every wait ends after ten seconds."""

    def __init__(self, url: str) -> None:
        host, port = url.removeprefix("http://").split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=LIMIT)
        self.file = self.socket.makefile("rb")

    def __enter__(self) -> RawClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.file.close()
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def read(self, method: str = "GET") -> Message:
        """The next response to a request made with ``method``."""
        line = self.file.readline().decode("latin-1").rstrip("\r\n")
        assert line, "the connection was closed before a response came"
        status = int(line.split()[1])
        headers = dict(self._headers())
        if method == "HEAD" or status in {204, 304} or status < 200:
            return Message(status, headers, b"", line)
        if headers.get("transfer-encoding") == "chunked":
            return Message(status, headers, b"".join(self._chunks()), line)
        return Message(status, headers, self.file.read(int(headers["content-length"])), line)

    def ask(self, data: bytes, method: str = "GET") -> Message:
        """Send ``data`` and read the next response."""
        self.send(data)
        return self.read(method)

    def at_end(self) -> bool:
        """Has the server closed its side, with nothing left to read?"""
        return self.file.read(1) == b""

    def _headers(self) -> Iterator[tuple[str, str]]:
        while line := self.file.readline().rstrip(b"\r\n"):
            name, _, value = line.decode("latin-1").partition(": ")
            yield name.lower(), value

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.file.readline(), 16):
            yield self.file.read(size)
            self.file.readline()
        while self.file.readline().rstrip(b"\r\n"):
            pass


def wait_until(condition: Callable[[], bool]) -> bool:
    """Look again and again until ``condition`` holds; False after ten seconds."""
    end = time.monotonic() + LIMIT
    pause = Event()
    while not condition():
        if time.monotonic() > end:
            return False
        pause.wait(0.005)
    return True


def get(path: str = "/", *headers: str) -> bytes:
    """A GET of ``path`` with a Host header and ``headers`` ("Name: value")."""
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: test", *headers, "", ""]).encode()


def post(body: bytes, path: str = "/", *headers: str) -> bytes:
    """A POST of ``body`` with a Content-Length."""
    lines = [f"POST {path} HTTP/1.1", "Host: test", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def chunked(*chunks: bytes) -> bytes:
    """``chunks`` as the body of a chunked message."""
    return b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
