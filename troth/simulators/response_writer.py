"""Writes one response as the bytes of one message: framing is the server's business, everything else the handler's."""

from __future__ import annotations

from http import HTTPStatus
from time import gmtime

from troth.contracts.exchange import Headers, Response

__all__ = ["CONTINUE", "ResponseWriter", "bodiless"]

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_STATUS_LINES = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus}
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MOST_NAMES = 1000
_LF, _CR = 10, 13  # as numbers: looking for one in bytes is four times as fast


# What the writer does with a header of the handler's; plain numbers, since this is asked for every header sent
_WRITE, _DATE, _LENGTH, _DROP = 0, 1, 2, 3
_NAMES = {
    b"connection": _DROP,
    b"content-length": _LENGTH,
    b"date": _DATE,
    b"keep-alive": _DROP,
    b"transfer-encoding": _DROP,
}


def _imf_date(second: int) -> bytes:
    """``Sun, 06 Nov 1994 08:49:37 GMT`` (RFC 9110, 5.6.7), in English whatever the locale."""
    year, month, day, hour, minute, of_minute, weekday, _, _ = gmtime(second)
    date = f"{_WEEKDAYS[weekday]}, {day:02d} {_MONTHS[month - 1]} {year:04d}"
    return f"{date} {hour:02d}:{minute:02d}:{of_minute:02d} GMT".encode()


def bodiless(method: str, status: int) -> bool:
    """Does HTTP forbid a body here (RFC 9110, 6.4.1)? Its length may still be told."""
    return method == "HEAD" or status in {204, 304} or status < 200


class ResponseWriter:
    """Keeps the ``Date`` line of the second, and what it knows of header names."""

    __slots__ = ("_date", "_names", "_second")

    def __init__(self) -> None:
        self._names: dict[bytes, int] = {}
        self._second = -1
        self._date = b""

    def write(self, response: Response, method: str, now: float, keep_alive: bool, version: str) -> bytes:
        """The whole message that answers a request made with ``method`` in HTTP ``version``; ``now`` in Unix seconds.

        Raises ValueError when a header holds a line break: it would end the header and begin something else.
        """
        status, body = response.status, response.body
        head = _STATUS_LINES.get(status) or b"HTTP/1.1 %d Unknown\r\n" % status
        date = self._date_line(now)
        own_length = None
        names = self._names
        for name, value in response.headers:
            kind = names.get(name)
            if kind is None:
                kind = self._learn(name)
            if kind:
                if kind != _DATE:
                    own_length = value if kind == _LENGTH else own_length
                    continue
                date = b""
            if _LF in value or _CR in value:
                raise ValueError("a response header holds a line break")
            head = b"%b%b: %b\r\n" % (head, name, value)
        if version == "1.1" and keep_alive and method != "HEAD" and 200 <= status != 204 and status != 304:
            if not response.trailers:
                return b"%b%bContent-Length: %d\r\n\r\n%b" % (head, date, len(body), body)
            return b"%b%b%b" % (head, date, _chunked(body, response.trailers))
        ending = b"" if keep_alive else b"Connection: close\r\n"
        if keep_alive and version == "1.0":
            ending = b"Connection: keep-alive\r\n"
        length = _length(method, status, len(body), own_length)
        sent = b"" if bodiless(method, status) else body
        return b"%b%b%b%b\r\n%b" % (head, date, length, ending, sent)

    def headers(self, response: Response, method: str, now: float) -> list[tuple[bytes, bytes]]:
        """The headers that a client sees when ``response`` is handed over without a socket. Raises as ``write``."""
        plain = Response(response.status, response.headers, response.body)
        head, _, _ = self.write(plain, method, now, keep_alive=True, version="1.1").partition(b"\r\n\r\n")
        lines = (line.partition(b": ") for line in head.split(b"\r\n")[1:])
        return [(name, value) for name, _, value in lines]

    def _date_line(self, now: float) -> bytes:
        second = int(now)
        if second != self._second:
            self._second = second
            self._date = b"Date: %b\r\n" % _imf_date(second)
        return self._date

    def _learn(self, name: bytes) -> int:
        if _LF in name or _CR in name:
            raise ValueError("the name of a response header holds a line break")
        if len(self._names) >= _MOST_NAMES:
            self._names.clear()
        kind = self._names[name] = _NAMES.get(name.lower(), _WRITE)
        return kind


def _length(method: str, status: int, size: int, own: bytes | None) -> bytes:
    """The Content-Length line: none where there is never a body; a handler's ``own`` only where none is sent."""
    if status == 204 or status < 200:
        return b""
    if own is not None and bodiless(method, status) and own.isdigit():
        return b"Content-Length: %b\r\n" % own
    return b"" if status == 304 else b"Content-Length: %d\r\n" % size


def _chunked(body: bytes, trailers: Headers) -> bytes:
    """End of the headers, body in one chunk, and trailers."""
    lines = b"".join(b"%b: %b\r\n" % (name, value) for name, value in trailers)
    if lines.count(b"\n") != len(trailers) or lines.count(b"\r") != len(trailers):
        raise ValueError("a trailer holds a line break")
    chunk = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
    return b"Transfer-Encoding: chunked\r\n\r\n%b0\r\n%b\r\n" % (chunk, lines)
