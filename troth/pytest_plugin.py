"""The pytest plugin: scenarios of contracts become tests, simulators become fixtures.

It is loaded in every pytest run of its environment, so it imports nothing of Troth until a contract is collected or a
fixture is used.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from troth.pytest_simulators import Simulators
    from troth.pytest_usage import Reliance
    from troth.simulators.simulator import Simulator

__all__ = [
    "pytest_addoption",
    "pytest_collect_file",
    "pytest_collection_finish",
    "pytest_configure",
    "pytest_runtest_call",
    "pytest_runtest_teardown",
    "pytest_sessionfinish",
    "pytest_terminal_summary",
    "pytest_testnodedown",
    "troth",
    "troth_session",
]

SIMULATORS = pytest.StashKey["Simulators"]()
UNCHECKED = pytest.StashKey[int]()
USED = pytest.StashKey[set[tuple[str, str, str]]]()
RELIANCE: pytest.StashKey[Reliance] = pytest.StashKey()
CONTRACTS = pytest.StashKey[Sequence[Path]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--sandbox``, ``--troth-max-age`` and ``troth_contracts``."""
    group = parser.getgroup("troth", "contracts of third-party providers")
    group.addoption(
        "--sandbox",
        action="store_true",
        default=False,
        help="Also run the scenarios of contracts against the providers' sandboxes (as TROTH_SANDBOX=1 does).",
    )
    group.addoption(
        "--troth-max-age",
        metavar="AGE",
        default=None,
        help="Fail when a test used an operation that was proven on its sandbox longer ago, such as 14d, or never.",
    )
    parser.addini(
        "troth_contracts",
        "Contracts whose scenarios are tests: files, folders, or names of packs, relative to the root of the project.",
        type="args",
        default=[],
    )


def pytest_configure(config: pytest.Config) -> None:
    """Find the configured contracts, and collect them when no argument says what to collect."""
    _max_age(config)
    written = config.getini("troth_contracts")
    if not written:
        return
    contracts = _contract_files(written, config.rootpath)
    config.stash[CONTRACTS] = contracts
    if config.args_source in (config.ArgsSource.TESTPATHS, config.ArgsSource.INVOCATION_DIR):
        roots = [Path(argument.partition("::")[0]).resolve() for argument in config.args]
        for file in contracts:
            if not any(file.is_relative_to(root) for root in roots):
                config.args.append(str(file))


def _max_age(config: pytest.Config) -> float | None:
    """The seconds of ``--troth-max-age``."""
    age = config.getoption("--troth-max-age")
    if age is None:
        return None
    from troth.pytest_usage import seconds

    try:
        return seconds(str(age))
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None


def _contract_files(written: list[str], root: Path) -> tuple[Path, ...]:
    """The main file of each configured contract."""
    from troth.contracts.document.folder import find_contracts
    from troth.errors import ContractError

    paths = [str(root / path) if (root / path).exists() else path for path in written]
    try:
        return tuple(file.resolve() for file in find_contracts(paths))
    except ContractError as error:
        raise pytest.UsageError(f"troth_contracts: {error}") from None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a configured contract."""
    contracts = parent.config.stash.get(CONTRACTS, ())
    if not contracts or file_path.resolve() not in contracts:
        return None
    from troth.pytest_items import ContractFile

    collector: ContractFile = ContractFile.from_parent(parent, path=file_path)
    collector.sandbox = gate_open(parent.config)
    return collector


def gate_open(config: pytest.Config) -> bool:
    """Was it said that sandboxes may be called?"""
    return bool(config.getoption("--sandbox")) or os.environ.get("TROTH_SANDBOX") == "1"


def _simulators(config: pytest.Config) -> Simulators:
    if SIMULATORS not in config.stash:
        from troth.pytest_simulators import Simulators

        config.stash[SIMULATORS] = Simulators(config.stash.get(CONTRACTS, ()))
    return config.stash[SIMULATORS]


@pytest.fixture
def troth(pytestconfig: pytest.Config) -> Generator[Callable[[str], Simulator]]:
    """``troth("stripe")`` is a simulator, new for each test: of a configured contract, a path, or a pack."""
    with _simulators(pytestconfig).lease() as simulator:
        yield simulator


@pytest.fixture(scope="session")
def troth_session(pytestconfig: pytest.Config) -> Generator[Callable[[str], Simulator]]:
    """Like ``troth``, with simulators that stay for the whole session."""
    with _simulators(pytestconfig).lease() as simulator:
        yield simulator


def _unexpected(config: pytest.Config) -> str:
    simulators = config.stash.get(SIMULATORS, None)
    return simulators.unexpected() if simulators is not None else ""


def _refused(config: pytest.Config) -> str:
    simulators = config.stash.get(SIMULATORS, None)
    return simulators.refused() if simulators is not None else ""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Fail the test whose request was unexpected; beside any failure, explain what was unexpected or refused."""
    try:
        result = yield
    except BaseException:
        explanation = _unexpected(item.config)
        if explanation:
            item.add_report_section("call", "unexpected requests", explanation)
        _explain_refused(item)
        raise
    explanation = _unexpected(item.config)
    if explanation:
        _explain_refused(item)
        pytest.fail(f"unexpected requests:\n{explanation}", pytrace=False)
    _refused(item.config)
    return result


def _explain_refused(item: pytest.Item) -> None:
    refused = _refused(item.config)
    if refused:
        item.add_report_section("call", "requests that the contract refuses", refused)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, Any, Any]:
    """The same for requests that fixtures made on the way out."""
    result = yield
    explanation = _unexpected(item.config)
    if explanation:
        pytest.fail(f"unexpected requests:\n{explanation}", pytrace=False)
    return result


def pytest_collection_finish(session: pytest.Session) -> None:
    """Count the scenarios that no sandbox will see."""
    if CONTRACTS in session.config.stash and not gate_open(session.config):
        from troth.pytest_items import ScenarioItem

        session.config.stash[UNCHECKED] = sum(isinstance(item, ScenarioItem) for item in session.items)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the controller of pytest-xdist what was counted and used; there, see whether that can be relied on."""
    config = session.config
    used = config.stash.setdefault(USED, set())
    if SIMULATORS in config.stash:
        used |= config.stash[SIMULATORS].used()
    output = getattr(config, "workeroutput", None)
    if output is not None:
        # Every worker collects all scenarios, and counts the same.
        output["troth_unchecked"] = config.stash.get(UNCHECKED, 0)
        output["troth_used"] = [list(each) for each in used]
    elif used:
        from troth.pytest_usage import reliance

        config.stash[RELIANCE] = found = reliance(config.rootpath, used, _max_age(config))
        if found.stale and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what a worker of pytest-xdist counted and used."""
    output = getattr(node, "workeroutput", {})
    stash = node.config.stash
    stash[UNCHECKED] = max(output.get("troth_unchecked", 0), stash.get(UNCHECKED, 0))
    stash.setdefault(USED, set()).update(tuple(each) for each in output.get("troth_used", ()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how many scenarios did not run on a sandbox, and how far what the tests used can be relied on."""
    unchecked = config.stash.get(UNCHECKED, 0)
    if unchecked:
        plural = "" if unchecked == 1 else "s"
        terminalreporter.write_line(
            f"troth: {unchecked} scenario{plural} not run on a sandbox: "
            "it is called only with --sandbox or TROTH_SANDBOX=1"
        )
    found = config.stash.get(RELIANCE, None)
    if found is not None:
        for line in found.lines:
            terminalreporter.write_line(f"troth: {line}")
        if found.stale:
            age = config.getoption("--troth-max-age")
            terminalreporter.write_line(f"troth: FAILED: not proven within {age}: {', '.join(found.stale)}", red=True)
