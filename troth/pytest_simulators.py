"""The simulators of one pytest process: started when first asked for, and watched for unexpected requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from troth.contracts.accepted import accepted_of
from troth.contracts.contract import Contract
from troth.contracts.loader import load
from troth.contracts.suggest import closest
from troth.errors import ContractError, TrothError
from troth.pytest_usage import Accepted, Used, used_by
from troth.simulators.simulator import Simulator

__all__ = ["Simulators"]


class Simulators:
    """Compiles each contract once, and knows every simulator that listens.

    ``configured`` are contract files; they are read only when a test asks for one.
    """

    def __init__(self, configured: Sequence[Path]) -> None:
        self._configured = tuple(configured)
        self._contracts: dict[str | Path, Contract] = {}
        self._listening: dict[Simulator, int] = {}
        """Each with the index of the last unexpected request that was already reported."""
        self._left: list[str] = []
        """Explanations of simulators that were stopped since the last ``unexpected``."""
        self._used: Used = set()
        """What simulators that were stopped since the last ``used`` were asked for."""
        self._counted: dict[Simulator, int] = {}
        """Each with the index of the last request that was told by ``used``."""
        self._told: dict[Simulator, int] = {}
        """Each with the index of the last refused request that belongs to a test before."""

    def contract(self, name: str) -> Contract:
        """The configured contract of provider ``name``, else the one at that path, or the pack of that name.

        Raises ContractError when it cannot be used.
        """
        if name not in self._contracts:
            contract = self._configured_contract(name)
            self._contracts[name] = contract if contract is not None else self._elsewhere(name)
        return self._contracts[name]

    def _elsewhere(self, name: str) -> Contract:
        try:
            return load(name)
        except ContractError as error:
            near = closest(name, [contract.provider for contract in self._contracts.values()])
            if error.code == "E051" and near is not None:
                raise ContractError([replace(each, fix=f"Did you mean {near!r}?") for each in error.problems]) from None
            raise

    def _configured_contract(self, name: str) -> Contract | None:
        # Those whose path shows the name come first, so that one fixture does not read every contract there is.
        for path in sorted(self._configured, key=lambda path: name not in path.parts):
            if path not in self._contracts:
                self._contracts[path] = load(path)
            if self._contracts[path].provider == name:
                return self._contracts[path]
        return None

    def _usable(self, name: str) -> Contract:
        try:
            return self.contract(name)
        except TrothError as error:
            problem = str(error)
        # Outside of the handler, or the message would be shown twice: as what failed, and as what came before it.
        pytest.fail(problem, pytrace=False)

    @contextmanager
    def lease(self) -> Iterator[Callable[[str], Simulator]]:
        """A function from a name to its simulator, the same one each time; all are stopped at the end."""
        started: dict[str, Simulator] = {}

        def simulator(name: str) -> Simulator:
            if name not in started:
                fresh = stack.enter_context(Simulator(self._usable(name)))
                stack.callback(self._stop, fresh)
                self._listening[fresh] = 0
                started[name] = fresh
            return started[name]

        with ExitStack() as stack:
            yield simulator

    def unexpected(self) -> str:
        """Why requests since the last call were unexpected, in lines of text; "" when none was."""
        found, self._left = self._left, []
        for simulator in self._listening:
            found += self._news(simulator)
        return "\n".join(found)

    def refused(self) -> str:
        """Why the contract refused requests since the last call, in lines of text; "" when it refused none."""
        lines = []
        for simulator in self._listening:
            entries = [entry for entry in simulator.journal.refused if entry.index > self._told.get(simulator, 0)]
            if entries:
                self._told[simulator] = entries[-1].index
            lines += [entry.explanation for entry in entries]
        return "\n".join(lines)

    def used(self) -> Used:
        """What the simulators of this process were asked for since the last call."""
        found, self._used = self._used, set()
        for simulator in self._listening:
            found |= self._uses(simulator)
        return found

    def accepted(self, root: Path) -> Accepted:
        """Of each provider that tests used: what ``accepted.yaml`` says; nothing of those whose file cannot be read."""
        found: Accepted = {}
        for contract in self._contracts.values():
            with suppress(TrothError):
                found[contract.provider] = accepted_of(contract, root)
        return found

    def _uses(self, simulator: Simulator) -> Used:
        self._counted[simulator], found = used_by(simulator, self._counted.get(simulator, 0))
        return found

    def _news(self, simulator: Simulator) -> list[str]:
        entries = [entry for entry in simulator.journal.unmatched if entry.index > self._listening[simulator]]
        if entries:
            self._listening[simulator] = entries[-1].index
        return [entry.explanation for entry in entries]

    def _stop(self, simulator: Simulator) -> None:
        self._left += self._news(simulator)
        self._used |= self._uses(simulator)
        self._counted.pop(simulator, None)
        del self._listening[simulator]
        self._told.pop(simulator, None)
