"""``python -m troth`` is ``troth``."""

from __future__ import annotations

from troth.cli.main import main

if __name__ == "__main__":
    main()
