"""``python -m benchmarks.serve_troth CONTRACT``: what ``troth simulate`` serves; prints the URL."""

from __future__ import annotations

import sys

from troth.contracts.loader import load
from troth.simulators.serving import serving

if __name__ == "__main__":
    with serving([load(sys.argv[1])]) as served:
        print(*served.urls.values(), flush=True)
        served.wait()
