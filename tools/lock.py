"""Writes requirements.lock, or checks that it was made from today's pyproject.toml.

The lock holds exact versions for every platform and for Python 3.11 to 3.14, and no index address, host or path, so
that plain pip installs it from whichever index the machine is set up for. Its first line is a hash of the
requirements that it was made from: the check needs no network, and a new release somewhere cannot break it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tomllib
from pathlib import Path

LOCK = Path("requirements.lock")
PROJECT = Path("pyproject.toml")
HEADER = "# Made by `make lock` from pyproject.toml, requirements hash "


def requirements_hash(project: Path) -> str:
    """A hash of everything in pyproject.toml that decides what is installed."""
    table = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    parts = {name: table.get(name) for name in ("requires-python", "dependencies", "optional-dependencies")}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def is_current(project: Path, lock: Path) -> bool:
    """Was the lock made from these requirements?"""
    if not lock.exists():
        return False
    first = lock.read_text(encoding="utf-8").partition("\n")[0]
    return first == HEADER + requirements_hash(project)


def write(project: Path, lock: Path, upgrade: list[str]) -> None:
    """Resolve and write the lock; versions in the old one are kept where they still fit, unless asked otherwise."""
    command = [
        str(Path(sys.executable).with_name("uv")),
        *("pip", "compile", str(project), "--output-file", str(lock), "--quiet"),
        *("--universal", "--python-version", "3.11", "--extra", "all", "--extra", "dev"),
        *("--no-emit-index-url", "--no-emit-find-links", "--no-header"),
        *upgrade,
    ]
    subprocess.run(command, check=True)
    pins = lock.read_text(encoding="utf-8")
    lock.write_text(f"{HEADER}{requirements_hash(project)}\n{pins}", encoding="utf-8")


def main() -> int:
    """Write the lock, or with ``--check`` say whether it is current."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say whether the lock is current")
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions that fit")
    options = parser.parse_args()
    if not options.check:
        write(PROJECT, LOCK, ["--upgrade"] if options.upgrade else [])
        return 0
    if is_current(PROJECT, LOCK):
        print("requirements.lock is current.")
        return 0
    print("requirements.lock was not made from this pyproject.toml. Run: make lock")
    return 1


if __name__ == "__main__":
    sys.exit(main())
