"""The command that runs one scenario again, and with it a finding."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

__all__ = ["Reproduction"]


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What a reproduce command needs of the run that it repeats. It makes fresh unique names."""

    path: str
    """The contract, as the user named it."""
    seed: int = 0
    url: str | None = None
    """From ``--url``."""
    provider: str = ""
    sandbox: bool = True

    def command(self, scenario: str) -> str:
        """``troth drift PATH --sandbox --only 'scenario' --seed N``; the scenario's name holds its case."""
        words = ["troth", "drift", self.path]
        if self.sandbox:
            words.append("--sandbox")
        words += ["--only", scenario]
        if self.url is not None:
            words += ["--url", f"{self.provider}={self.url}" if self.provider else self.url]
        return " ".join(map(shlex.quote, [*words, "--seed", str(self.seed)]))
