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


def main() -> int:
    """Run the command to its end, or until the input ends; its exit code."""
    child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
    threading.Thread(target=_stop_at_end_of_input, args=(child,), daemon=True).start()
    return child.wait()


def _stop_at_end_of_input(child: subprocess.Popen[bytes]) -> None:
    sys.stdin.buffer.read()
    child.terminate()
    try:
        child.wait(GRACE)
    except subprocess.TimeoutExpired:
        child.kill()
    if sys.platform != "win32":
        os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
