"""``python -m benchmarks.serve_httpserver BODY_FILE``: pytest-httpserver with the same jobs; prints the URL.

One GET with a fixed body, and one POST that is matched on a field of its JSON.
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

_JSON = "application/json"


def serve(body: bytes) -> None:
    """Until the process is killed."""

    def create(request: Request) -> Response:
        if json.loads(request.get_data())["source"] != "tok_visa":
            return Response(b"{}", 402, content_type=_JSON)
        return Response(body, content_type=_JSON)

    with HTTPServer() as server:
        server.expect_request("/v1/charges/stored", method="GET").respond_with_data(body, content_type=_JSON)
        server.expect_request("/v1/charges", method="POST").respond_with_handler(create)
        print(server.url_for("").rstrip("/"), flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    serve(Path(sys.argv[1]).read_bytes())
