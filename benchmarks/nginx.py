"""nginx with a static reply, from a configuration of its own in a folder of its own."""

from __future__ import annotations

import socket
import time
from pathlib import Path

__all__ = ["command", "wait_for"]

_CONFIG = """\
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    location / {{ default_type application/json; add_header Request-Id req_00000000000000; return 200 '{body}'; }}
  }}
}}
"""


def command(program: str, folder: Path, body: str) -> tuple[list[str], str]:
    """How to start it so that every request gets ``body``, and its URL."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    config = folder / "nginx.conf"
    config.write_text(_CONFIG.format(folder=folder, port=port, body=body.replace("'", "")))
    return [program, "-p", str(folder), "-c", str(config)], f"http://127.0.0.1:{port}"


def wait_for(url: str, seconds: float = 5.0) -> None:
    """Until something accepts connections at ``url``; TimeoutError after ``seconds``."""
    host, port = url.removeprefix("http://").split(":")
    end = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise TimeoutError(f"nothing listens at {url}") from None
            time.sleep(0.02)
