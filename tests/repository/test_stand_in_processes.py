"""Third-party programs as processes: installed once, started on a free port, stopped whatever happens."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest
from sandboxes.installing import Unavailable, python_environment
from sandboxes.serving import LEASH, Server, serve

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups are POSIX")

SERVES = """
import http.server, os, pathlib, subprocess, sys, tempfile
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = f"{os.getpid()} {child.pid} {tempfile.gettempdir()} {os.environ.get('EXTRA')}".encode()
        self.send_response(404 if self.path == "/none" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args): pass
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
"""A server that has a child of its own, and says what it was started with."""

DIES = "import sys; print('no port for me'); sys.exit(3)"
SULKS = "import time; time.sleep(600)"


def server(code: str, probe: str = "/") -> Server:
    return Server(
        "example",
        lambda port: [sys.executable, "-c", code, str(port)],
        environment=lambda port: {"EXTRA": f"for {port}"},
        probe=probe,
    )


def alive(pid: int) -> bool:
    """Does the process run? A zombie, which nobody waits for in a container, does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def gone(*pids: int) -> bool:
    """Are they all gone within five seconds?"""
    pause = threading.Event()
    return any(not any(map(alive, pids)) or pause.wait(0.05) for _ in range(100))


def ask(url: str) -> list[str]:
    with urllib.request.urlopen(url, timeout=5) as answer:
        return answer.read().decode().split(" ", 3)


def test_it_serves_and_is_stopped_with_its_children() -> None:
    with serve(server(SERVES)) as url:
        pid, child, folder, extra = ask(url)
        assert extra == f"for {url.rpartition(':')[2]}"
        assert Path(folder).is_dir()

    assert gone(int(pid), int(child))
    assert not Path(folder).exists()


def test_it_is_stopped_when_its_user_fails() -> None:
    pids: list[int] = []

    def use() -> None:
        with serve(server(SERVES)) as url:
            pids.extend(map(int, ask(url)[:2]))
            raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        use()
    assert gone(*pids)


def test_two_do_not_share_a_folder() -> None:
    with serve(server(SERVES)) as one, serve(server(SERVES)) as two:
        assert one != two
        assert ask(one)[2] != ask(two)[2]


def test_any_answer_means_ready() -> None:
    """Not every program has what it is asked for."""
    with serve(server(SERVES, "/none")) as url:
        assert len(ask(url)) == 4


def test_one_that_ends_by_itself_says_why() -> None:
    with pytest.raises(Unavailable, match=r"example did not start on port .*no port for me"), serve(server(DIES)):
        pass


def test_one_that_never_answers_is_given_up() -> None:
    with pytest.raises(Unavailable, match="it wrote nothing"), serve(server(SULKS), limit=0.3):
        pass


def test_another_port_is_tried() -> None:
    """The first start fails, as it does when somebody else was quicker to take the port."""
    starts: list[int] = []

    def command(port: int) -> list[str]:
        starts.append(port)
        return [sys.executable, "-c", DIES if len(starts) == 1 else SERVES, str(port)]

    with serve(Server("example", command)) as url:
        assert len(starts) == 2
        assert url.endswith(str(starts[1]))


def test_it_does_not_outlive_a_parent_that_is_killed(tmp_path: Path) -> None:
    """Nobody is left to stop it, and it stops."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    script = tmp_path / "parent.py"
    script.write_text(f"""
import subprocess, sys, time
leash = subprocess.Popen([sys.executable, {str(LEASH)!r}, sys.executable, "-c", {SERVES!r}, "{port}"],
                         stdin=subprocess.PIPE, start_new_session=True)
print(leash.pid, flush=True)
time.sleep(600)
""")
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    try:
        assert parent.stdout is not None
        leash = int(parent.stdout.readline())
        pids = [int(pid) for pid in waited(f"http://127.0.0.1:{port}")[:2]]
        assert all(map(alive, pids))
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.communicate()

    assert gone(leash, *pids)


def waited(url: str) -> list[str]:
    """What it answers, as soon as it does."""
    pause = threading.Event()
    for _ in range(200):
        try:
            return ask(url)
        except OSError:
            pause.wait(0.05)
    raise AssertionError(f"nothing answers at {url}")


# Installing


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    """A lock that asks for nothing, which needs no network."""
    path = tmp_path / "nothing.txt"
    path.write_text("# nothing\n")
    return path


def test_an_environment_is_made_once(lock: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    python = python_environment(lock, cache)
    made = python.parent.parent.stat().st_ctime_ns

    assert python_environment(lock, cache) == python
    assert python.parent.parent.stat().st_ctime_ns == made
    prefix = subprocess.run(
        [str(python), "-c", "import sys; print(sys.prefix)"], check=True, capture_output=True, text=True
    )
    assert Path(prefix.stdout.strip()) == python.parent.parent


def test_another_lock_makes_it_anew(lock: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    python = python_environment(lock, cache)
    left = python.parent.parent / "left"
    left.touch()

    lock.write_text("# nothing else\n")

    assert python_environment(lock, cache) == python
    assert not left.exists()


def test_what_cannot_be_had_is_said_and_not_tried_again(lock: Path, tmp_path: Path) -> None:
    """Each of many processes would wait for the same failure."""
    cache = tmp_path / "cache"
    lock.write_text("./not-there\n")
    with pytest.raises(Unavailable, match=r"could not be installed: .*not-there") as first:
        python_environment(lock, cache)

    lock.write_text("# nothing\n")
    with pytest.raises(Unavailable) as second:
        python_environment(lock, cache)
    assert str(second.value) == str(first.value)

    (failed,) = cache.glob("*.failed")
    os.utime(failed, (1, 1))
    assert python_environment(lock, cache).exists()


def test_many_at_once_make_one(lock: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    made: list[Path] = []
    threads = [threading.Thread(target=lambda: made.append(python_environment(lock, cache))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert len(made) == 4
    assert len(set(made)) == 1
