"""What the commands of one call of ``troth`` share: where to print, and the project's settings when one asks."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from troth.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troth.config import Settings

__all__ = ["Session"]


@dataclass
class Session:
    """Data goes to standard output, everything else to standard error."""

    command: str = "troth"
    """The command line as it was given, for the report."""
    debug: bool = False
    """Let exceptions through instead of explaining them."""

    @cached_property
    def settings(self) -> Settings:
        """The settings of the project that the working directory lies in."""
        from troth.config import load_settings

        return load_settings(Path.cwd())

    def paths(self, given: Sequence[str] | None) -> Sequence[str]:
        """Where the contracts to work on are: what was named, else the settings. UsageError when that is nothing."""
        wanted = given or self.settings.contract_paths
        if not wanted:
            raise UsageError(
                "E905",
                "at least one contract",
                "none named and none in the settings",
                "Name a file, a folder or a pack, or set `contracts` in [tool.troth]; `troth init` writes a first one",
            )
        return wanted

    @property
    def lively(self) -> bool:
        """May progress be drawn over itself? On terminals only, not in CI and not where the terminal is dumb."""
        environment = os.environ
        return sys.stderr.isatty() and not environment.get("CI") and environment.get("TERM") != "dumb"

    def say(self, text: str = "") -> None:
        """A line of the command's result."""
        print(text, flush=True)

    def note(self, text: str) -> None:
        """A line about the work: progress, warnings, errors."""
        print(text, file=sys.stderr, flush=True)

    def json(self, data: Any) -> None:
        """The command's result for a program: one line of JSON."""
        self.say(json.dumps(data, ensure_ascii=False))
