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
USED = pytest.StashKey[dict[str, set[tuple[str, str, str]]]]()
"""By test: provider, operation and response that it got from a simulator."""
ACCEPTED = pytest.StashKey[dict[str, Any]]()
UNRECORDED = pytest.StashKey[str]()
RELIANCE: pytest.StashKey[Reliance] = pytest.StashKey()
CONTRACTS = pytest.StashKey[Sequence[Path]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--sandbox``, ``--troth-max-age``, ``--troth-usage`` and ``troth_contracts``."""
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
    group.addoption(
        "--troth-usage",
        metavar="PATH",
        default=None,
        help="Write which responses each test got from a simulator, for findings to name the tests that rely on them.",
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


def _note_used(item: pytest.Item) -> None:
    """What was used since the last test belongs to this one."""
    simulators = item.config.stash.get(SIMULATORS, None)
    found = simulators.used() if simulators is not None else None
    if found:
        item.config.stash.setdefault(USED, {}).setdefault(item.nodeid, set()).update(found)


def _explain_refused(item: pytest.Item) -> None:
    refused = _refused(item.config)
    if refused:
        item.add_report_section("call", "requests that the contract refuses", refused)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, Any, Any]:
    """The same for requests that fixtures made on the way out."""
    try:
        result = yield
    finally:
        _note_used(item)
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
    used = config.stash.setdefault(USED, {})
    accepted = config.stash.setdefault(ACCEPTED, {})
    if SIMULATORS in config.stash:
        accepted |= config.stash[SIMULATORS].accepted(config.rootpath)
    output = getattr(config, "workeroutput", None)
    if output is not None:
        # Every worker collects all scenarios, and counts the same.
        output["troth_unchecked"] = config.stash.get(UNCHECKED, 0)
        output["troth_used"] = {test: [list(each) for each in found] for test, found in used.items()}
        output["troth_accepted"] = {
            provider: [entry.model_dump(exclude_unset=True) for entry in entries]
            for provider, entries in accepted.items()
        }
    elif used:
        from troth.pytest_usage import reliance

        together = {each for found in used.values() for each in found}
        config.stash[RELIANCE] = found = reliance(config.rootpath, together, _max_age(config), accepted)
        _record(config, used)
        if found.stale and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _record(config: pytest.Config, used: dict[str, set[tuple[str, str, str]]]) -> None:
    """Write what each test used, where that was asked for."""
    path = config.getoption("--troth-usage")
    if path is None:
        return
    from troth.runners.usage import write_usage

    try:
        write_usage(config.invocation_params.dir / path, used)
    except OSError as error:
        config.stash[UNRECORDED] = f"what the tests used was not recorded: {path}: {error.strerror or error}"


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what a worker of pytest-xdist counted and used."""
    output = getattr(node, "workeroutput", {})
    stash = node.config.stash
    stash[UNCHECKED] = max(output.get("troth_unchecked", 0), stash.get(UNCHECKED, 0))
    used = stash.setdefault(USED, {})
    for test, found in output.get("troth_used", {}).items():
        used.setdefault(test, set()).update(tuple(each) for each in found)
    if output.get("troth_accepted"):
        from troth.contracts.document.accepted_document import AcceptanceDoc

        stash.setdefault(ACCEPTED, {}).update(
            {
                provider: tuple(AcceptanceDoc.model_validate(entry) for entry in entries)
                for provider, entries in output["troth_accepted"].items()
            }
        )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how many scenarios did not run on a sandbox, and how far what the tests used can be relied on."""
    unchecked = config.stash.get(UNCHECKED, 0)
    if unchecked:
        plural = "" if unchecked == 1 else "s"
        terminalreporter.write_line(
            f"troth: {unchecked} scenario{plural} not run on a sandbox: "
            "it is called only with --sandbox or TROTH_SANDBOX=1"
        )
    if UNRECORDED in config.stash:
        terminalreporter.write_line(f"troth: {config.stash[UNRECORDED]}", red=True)
    found = config.stash.get(RELIANCE, None)
    if found is not None:
        for line in found.lines:
            terminalreporter.write_line(f"troth: {line}")
        if found.stale:
            age = config.getoption("--troth-max-age")
            terminalreporter.write_line(f"troth: FAILED: not proven within {age}: {', '.join(found.stale)}", red=True)
