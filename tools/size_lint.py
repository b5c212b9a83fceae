"""Fails when a source file is longer than 500 lines: one concept a file, and a file that long holds two."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

LIMIT = 500
FOLDERS = ("troth", "tests", "benchmarks", "tools", "docs")


def python_files(root: Path) -> Iterator[Path]:
    """Every Python file of the folders above; links are not followed, so no file is met twice."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            if not any(parent.is_symlink() for parent in (path, *path.parents)):
                yield path


def too_long(root: Path) -> list[str]:
    """One line of text for each file over the limit."""
    found = []
    for path in python_files(root):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > LIMIT:
            found.append(f"{path.relative_to(root)}: {lines} lines, {LIMIT} are allowed; split it by concept")
    return found


def main() -> int:
    """Print what is too long; 1 when something is."""
    found = too_long(Path.cwd())
    print("\n".join(found) or f"No file is longer than {LIMIT} lines.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
