"""The ``troth`` command: one place where every outcome becomes an exit code and no exception becomes a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from troth.cli.check import check
from troth.cli.drift import drift
from troth.cli.fuzz import fuzz
from troth.cli.init import init
from troth.cli.nightly import nightly
from troth.cli.report import report
from troth.cli.schema import schema
from troth.cli.session import Session
from troth.cli.simulate import simulate
from troth.cli.version import version
from troth.errors import TrothError

__all__ = ["build_app", "main", "run"]

INTERRUPTED = 2
BROKEN = 3
USAGE = 4

_COMMANDS = (check, drift, fuzz, init, nightly, report, schema, simulate, version)
_CLICK_USAGE: type[Exception] = typer.BadParameter.__bases__[0]
"""Every mistake in a command line; typer does not export the class by a name of its own."""


def build_app() -> typer.Typer:
    """The command line with all its commands."""
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
    ) -> None:
        """Troth keeps test doubles honest: one contract, a simulator, a sandbox suite, a drift report."""
        context.obj.debug = debug

    for command in _COMMANDS:
        app.command()(command)
    return app


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code. Messages go to standard error, a traceback only with ``--debug``."""
    session = Session()
    try:
        given = list(sys.argv[1:] if arguments is None else arguments)
        result = build_app()(given or ["--help"], prog_name="troth", obj=session, standalone_mode=False)
        return result if isinstance(result, int) else 0
    except typer.Exit as leaving:
        return leaving.exit_code
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


def _usage_message(mistake: Exception) -> str:
    context = getattr(mistake, "ctx", None)
    text = str(getattr(mistake, "format_message", lambda: mistake)())
    hint = f"\nSee: {context.command_path} --help" if context is not None else ""
    return f"E906 {text}{hint}"


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run())
