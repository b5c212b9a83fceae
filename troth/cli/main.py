"""The ``troth`` command: one place where every outcome becomes an exit code and no exception becomes a traceback."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, TypeAlias

import typer

from troth.cli.accept import accept
from troth.cli.adopt import adopt
from troth.cli.check import check
from troth.cli.doctor import doctor
from troth.cli.drift import drift
from troth.cli.fuzz import fuzz
from troth.cli.history import history
from troth.cli.init import init
from troth.cli.nightly import nightly
from troth.cli.report import report
from troth.cli.schema import schema
from troth.cli.session import Session
from troth.cli.simulate import simulate
from troth.cli.status import status
from troth.cli.sweep import sweep
from troth.cli.version import version
from troth.errors import TrothError

__all__ = ["COMMANDS", "Command", "build_app", "main", "run"]

Command: TypeAlias = Callable[..., Any]

INTERRUPTED = 2
BROKEN = 3
USAGE = 4
_TYPER_INTERRUPTED = 130
"""What typer makes of a KeyboardInterrupt, in place of letting it through."""

COMMANDS: tuple[Command, ...] = (
    accept,
    adopt,
    check,
    doctor,
    drift,
    fuzz,
    history,
    init,
    nightly,
    report,
    schema,
    simulate,
    status,
    sweep,
    version,
)
_CLICK_USAGE: type[Exception] = typer.BadParameter.__bases__[0]
"""Every mistake in a command line; typer does not export the class by a name of its own."""


def build_app(commands: Iterable[Command] = COMMANDS) -> typer.Typer:
    """The command line with its commands."""
    app = typer.Typer(
        name="troth",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def troth(
        context: typer.Context,
        debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an unexpected error.")] = False,
        version: Annotated[
            bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version.")
        ] = False,
    ) -> None:
        """Troth keeps test doubles honest: one contract, a simulator, a sandbox suite, a drift report."""
        context.obj.debug = debug

    for command in commands:
        app.command()(command)
    return app


def _print_version(context: typer.Context, asked: bool) -> None:
    if asked:
        version(context)
        raise typer.Exit


def run(arguments: Sequence[str], commands: Iterable[Command] = COMMANDS) -> int:
    """Run one command; the exit code. Messages go to standard error, a traceback only with ``--debug``."""
    given = list(arguments)
    session = Session(command=shlex.join(["troth", *given]))
    try:
        result = build_app(commands)(given or ["--help"], prog_name="troth", obj=session, standalone_mode=False)
        code = result if isinstance(result, int) else 0
    except typer.Exit as leaving:
        code = leaving.exit_code
    except (KeyboardInterrupt, typer.Abort):
        session.note("Interrupted.")
        return INTERRUPTED
    except _CLICK_USAGE as mistake:
        session.note(_usage_message(mistake))
        return USAGE
    except TrothError as error:
        if session.debug:
            raise
        session.note(str(error))
        return error.exit_code
    except BrokenPipeError:
        # Whoever read our output has left; there is nobody to tell, also not at interpreter shutdown.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INTERRUPTED
    except Exception as error:
        if session.debug:
            raise
        session.note(
            f"E999 Troth itself failed: {type(error).__name__}: {error}. "
            "This is a defect in Troth and says nothing about your contracts. "
            "Run again as `troth --debug ...` and report what it shows"
        )
        return BROKEN
    if code == _TYPER_INTERRUPTED:
        session.note("Interrupted.")
        return INTERRUPTED
    return code


def _usage_message(mistake: Exception) -> str:
    context = getattr(mistake, "ctx", None)
    text = str(getattr(mistake, "format_message", lambda: mistake)())
    hint = f"\nSee: {context.command_path} --help" if context is not None else ""
    return f"E906 {text}{hint}"


def main() -> None:
    """Run the command line and leave with its exit code."""
    # Nobody watches the models of a command; to look for plug-ins that would takes longer than to build them.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    sys.exit(run(sys.argv[1:]))
