"""Runs the command that it is given, and stops it when its own standard input ends.

The input ends when the process that holds the other end closes it or is gone, however it went: no server outlives the
run that it was started for. Run as a script; everything that the command starts is in this script's process group.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

GRACE = 3.0
"""Seconds between asking to stop and not asking."""


def main() -> None:
    """Run the command until the input ends, or to its own end; then this process ends with its exit code."""
    child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
    stopping = threading.Event()
    watch = threading.Thread(target=_end_with, args=(child, stopping), daemon=True)
    watch.start()
    sys.stdin.buffer.read()
    stopping.set()
    child.terminate()
    watch.join(GRACE)
    child.kill()
    if sys.platform != "win32":
        # Also what the command has started, and this process.
        os.killpg(0, signal.SIGKILL)


def _end_with(child: subprocess.Popen[bytes], stopping: threading.Event) -> None:
    code = child.wait()
    if not stopping.is_set():
        os._exit(code)


if __name__ == "__main__":
    main()
