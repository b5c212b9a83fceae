"""Remembers, outside this process, what a run has done on sandboxes, so that one that was cut off can go on.

Beside the store lies a file of JSON lines: for each scenario that ran to its end its results, secrets replaced, as they
were captured. A run that ends with everything done removes it. What it says counts only for the same contract, seed,
address and version; everything else is run again.
"""

from __future__ import annotations

import io
import json
import pickle
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from troth import __version__
from troth.contracts.contract import Contract
from troth.runners.step_result import Outcome, StepResult, TargetRun

__all__ = ["MOST_AGE", "Done", "Progress", "progress_beside", "with_done"]

MOST_AGE = 24 * 3600.0
"""Seconds after which nothing is gone on with: the sandbox is another one by then."""
_DATA = {
    ("troth.runners.step_result", "StepResult"),
    ("troth.runners.step_result", "Outcome"),
    ("troth.runners.finding", "RecordedExchange"),
    ("troth.contracts.judgement", "Judgement"),
    ("troth.contracts.judgement", "Unobserved"),
    ("troth.contracts.judgement", "Why"),
    ("troth.contracts.judgement", "Choice"),
    ("troth.contracts.judgement", "NearMiss"),
    ("troth.contracts.judgement", "Answer"),
    ("troth.contracts.matcher", "Mismatch"),
    ("troth.contracts.matcher", "Origin"),
    ("troth.contracts.values", "ABSENT"),
    ("troth.contracts.values", "Unknown"),
    ("troth.contracts.values", "Slot"),
    ("troth.contracts.values", "Kind"),
    ("decimal", "Decimal"),
    ("builtins", "frozenset"),
    ("builtins", "bytearray"),
    ("builtins", "object"),
    ("copyreg", "_reconstructor"),
    ("_codecs", "encode"),
}
"""All that is made from the file: plain data, whatever somebody may have put there."""


@dataclass(frozen=True, slots=True)
class Done:
    """A scenario that an earlier part of the run ended, under the run id that is in its unique names."""

    run: str
    started: float
    outcome: Outcome
    results: tuple[StepResult, ...]


class Progress:
    """The file at ``path``, or nothing where there is none to write to."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def begin(self) -> None:
        """Forget what an earlier run did."""
        if self._path is not None:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)

    def add(self, contract: Contract, url: str, seed: int, done: Done) -> None:
        """Keep one; what cannot be kept is run again, should it come to that."""
        if self._path is None:
            return
        with suppress(OSError, pickle.PicklingError, TypeError, AttributeError, RecursionError):
            held = b64encode(pickle.dumps((done.outcome, done.results))).decode()
            line = {**_identity(contract, url, seed), "run": done.run, "started": done.started, "held": held}
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(f"\n{json.dumps(line)}")

    def of(self, contract: Contract, url: str, seed: int, now: float) -> dict[str, Done]:
        """By scenario, what may be gone on with."""
        wanted = _identity(contract, url, seed)
        found: dict[str, Done] = {}
        for line in self._lines():
            with suppress(ValueError, TypeError, KeyError, AttributeError, EOFError, pickle.UnpicklingError):
                said = json.loads(line)
                if {name: said[name] for name in wanted} == wanted and now - said["started"] <= MOST_AGE:
                    outcome, results = _Plain(io.BytesIO(b64decode(said["held"]))).load()
                    found[outcome.scenario] = Done(said["run"], said["started"], outcome, results)
        return found

    def _lines(self) -> Iterator[str]:
        if self._path is not None:
            with suppress(OSError):
                yield from self._path.read_text(encoding="utf-8", errors="replace").splitlines()


def progress_beside(store: Path | None) -> Progress:
    """The progress of runs with this store."""
    return Progress(store.parent / "progress.jsonl" if store is not None else None)


def with_done(run: TargetRun, done: Mapping[str, Done], labels: Sequence[str]) -> TargetRun:
    """A run with what earlier parts of it did, in the order of ``labels``."""
    places = {label: index for index, label in enumerate(labels)}
    results = [*run.results, *(result for each in done.values() for result in each.results)]
    outcomes = [*run.outcomes, *(each.outcome for each in done.values())]
    return replace(
        run,
        results=tuple(sorted(results, key=lambda item: (places[item.scenario], item.number))),
        outcomes=tuple(sorted(outcomes, key=lambda item: places[item.scenario])),
    )


def _identity(contract: Contract, url: str, seed: int) -> dict[str, str | int]:
    return {
        "provider": contract.provider,
        "contract": contract.content_hash,
        "url": url,
        "seed": seed,
        "troth": __version__,
    }


class _Plain(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> object:
        if (module, name) not in _DATA:
            raise pickle.UnpicklingError(f"{module}.{name} is none of what a run keeps")
        return super().find_class(module, name)
