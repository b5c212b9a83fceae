"""Everything that a person can type or meet is documented, and nothing else is."""

from __future__ import annotations

import re

import pytest
import typer.main
from fakes.documentation import DOCS, ROOT, rows, section
from pydantic import BaseModel

from troth import pytest_plugin
from troth.cli.main import COMMANDS, build_app
from troth.config import Provider, Settings
from troth.contracts.document.document import Document
from troth.contracts.document.document_base import Doc
from troth.contracts.kinds import KINDS

CODE = re.compile(r"[\"'`]([EW]\d{3})\b")


def options(command: str) -> list[str]:
    """The options of a command, without help."""
    group = typer.main.get_command(build_app())
    return [
        option
        for parameter in group.commands[command].params  # type: ignore[attr-defined]
        for option in parameter.opts
        if option.startswith("--") and option != "--help"
    ]


@pytest.mark.parametrize("command", [command.__name__ for command in COMMANDS])
def test_every_command_and_option_is_documented(command):
    text = section("cli.md", f"troth {command}")

    assert f"`troth {command}" in text
    assert [option for option in options(command) if option not in text] == []
    assert [written for written in re.findall(r"`(--[\w-]+)", text) if written not in options(command)] == []


def leaves(tree: type[BaseModel], prefix: str = "") -> dict[str, object]:
    """Each setting's dotted name and default."""
    found: dict[str, object] = {}
    for name, field in tree.model_fields.items():
        if field.exclude:
            continue
        default = field.get_default(call_default_factory=True)
        if name == "providers":
            found |= leaves(Provider, "providers.NAME.")
        elif isinstance(default, BaseModel):
            found |= leaves(type(default), f"{prefix}{name}.")
        else:
            found[prefix + name] = default
    return found


def test_every_setting_is_documented_with_its_default():
    table = {row[0].strip("`"): row[1].strip("`") for row in rows((DOCS / "configuration.md").read_text())}

    for name, default in leaves(Settings).items():
        missing = "the contract's" if name.startswith("providers.") else "none"
        shown = missing if default is None else "[]" if default == () else str(default)
        assert table.pop(name) == shown

    assert set(table) == {"TROTH_SANDBOX", "TROTH_HISTORY", "CI"}


def test_the_table_of_findings_is_the_code():
    written = rows(section("findings.md", "Kinds"))

    assert written == [[kind.code, f"`{kind.name}`", kind.severity.value, kind.means] for kind in KINDS.values()]


def test_every_error_and_warning_code_is_documented():
    used = set()
    for path in (ROOT / "troth").rglob("*.py"):
        used |= set(CODE.findall(path.read_text(encoding="utf-8")))
    documented = [row[0] for row in rows((DOCS / "errors.md").read_text()) if re.fullmatch(r"[EW]\d{3}", row[0])]

    assert len(documented) == len(set(documented))
    assert set(documented) == used


def test_every_fixture_and_pytest_setting_is_documented():
    text = (DOCS / "pytest.md").read_text()

    assert "`--troth-max-age AGE`" in text
    assert {"`troth`", "`troth_session`", "`troth_contracts`", "`--sandbox`"} <= set(re.findall(r"`[\w-]+`", text))
    assert {"troth", "troth_session"} <= set(pytest_plugin.__all__)


def test_every_exit_code_is_documented():
    codes = [row[0] for row in rows(section("cli.md", "Exit codes"))]

    assert codes == [str(code) for code in range(9)]


def features_to_come(parent: type[Doc] = Doc) -> set[str]:
    """What documents refuse with E090, as the errors call it."""
    own = {feature.strip("`") for feature in parent.later.values()}
    return own.union(*(features_to_come(child) for child in parent.__subclasses__()))


def test_every_feature_to_come_is_listed():
    text = section("not-yet.md", "In the language")

    assert Document.later.keys() >= {"events", "openapi"}
    assert [feature for feature in sorted(features_to_come()) if feature not in text] == []
