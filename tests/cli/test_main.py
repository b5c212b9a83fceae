"""The command line as a whole: every outcome is an exit code, no exception a traceback."""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer

from troth.cli.main import COMMANDS, run
from troth.errors import RefusedCredential, Unreachable

HEAVY = ("schemathesis", "hypothesis", "apscheduler", "sqlalchemy", "pydantic", "httpx", "jinja2", "rich", "pytest")


def failing(error: BaseException):
    """A command that raises ``error``."""

    def fail(context: typer.Context) -> None:
        """Fail."""
        raise error

    def other(context: typer.Context) -> None:
        """Do nothing."""

    return [fail, other]


def test_help_names_every_command(capsys):
    assert run(["--help"]) == 0

    shown = capsys.readouterr().out
    for command in COMMANDS:
        assert f"  {command.__name__} " in shown


def test_no_arguments_mean_help(capsys):
    assert run([]) == 0
    assert "Usage: troth" in capsys.readouterr().out


def test_help_of_every_command_is_whole(capsys):
    for command in COMMANDS:
        assert run([command.__name__, "--help"]) == 0
        assert "..." not in capsys.readouterr().out.replace("[PATH]...", "")


def test_help_imports_nothing_heavy():
    loaded = f"print([name for name in {HEAVY} if name in sys.modules])"
    code = f"import sys; from troth.cli.main import run; run(['--help']); {loaded}"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("arguments", [["version"], ["--version"], ["--debug", "--version"]])
def test_version_is_printed(capsys, arguments):
    assert run(arguments) == 0
    assert capsys.readouterr().out == "0.1.0\n"


@pytest.mark.parametrize("arguments", [["nothing"], ["--nothing"], ["check", "--nothing"], ["drift", "--seed", "x"]])
def test_a_wrong_command_line_exits_with_4_and_says_where_help_is(capsys, arguments):
    assert run(arguments) == 4

    said = capsys.readouterr().err
    assert said.startswith("E906 ")
    assert "--help" in said


@pytest.mark.parametrize("value", ["cosmetic", "bad"])
def test_fail_on_takes_severities_that_can_fail(capsys, value):
    assert run(["drift", "--fail-on", value]) == 4
    assert "breaking, risky, notice" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Unreachable("E350", "an answer", "none"), 6),
        (RefusedCredential("E371", "a test key", "another"), 4),
        (KeyboardInterrupt(), 2),
        (typer.Abort(), 2),
        (typer.Exit(7), 7),
        (ZeroDivisionError("by nothing"), 3),
    ],
)
def test_every_way_out_has_its_exit_code(capsys, error, code):
    assert run(["fail"], failing(error)) == code
    assert "Traceback" not in capsys.readouterr().err


def test_an_error_says_what_it_says(capsys):
    run(["fail"], failing(Unreachable("E350", "an answer", "none", "Wait")))

    assert capsys.readouterr().err == "E350 an answer; found none. Wait\n"


def test_a_defect_is_called_one(capsys):
    run(["fail"], failing(ZeroDivisionError("by nothing")))

    said = capsys.readouterr().err
    assert said.startswith("E999 ")
    assert "ZeroDivisionError: by nothing" in said
    assert "--debug" in said


@pytest.mark.parametrize("error", [ZeroDivisionError("by nothing"), Unreachable("E350", "an answer", "none")])
def test_debug_lets_exceptions_through(error):
    with pytest.raises(type(error)):
        run(["--debug", "fail"], failing(error))


def test_a_reader_that_leaves_early_is_not_a_defect():
    code = "import sys; from troth.cli.main import main; sys.argv = ['troth', '--help']; main()"
    with subprocess.Popen(
        [sys.executable, "-c", f"import sys; sys.stdin.readline(); {code}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
        assert process.stderr is not None
        said = process.stderr.read()
        process.wait(60)

    assert b"Traceback" not in said
    assert b"E999" not in said


def test_as_a_module_it_is_the_same_command():
    done = subprocess.run(
        [sys.executable, "-m", "troth", "version"], capture_output=True, text=True, check=True, timeout=60
    )

    assert done.stdout == "0.1.0\n"
