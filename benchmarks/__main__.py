"""``python -m benchmarks``: see benchmarks/run.py; ``python -m benchmarks runner``: see benchmarks/runner.py."""

from __future__ import annotations

import sys

from benchmarks import run, runner

if __name__ == "__main__":
    sys.exit(runner.main(sys.argv[2:]) if sys.argv[1:2] == ["runner"] else run.main(sys.argv[1:]))
