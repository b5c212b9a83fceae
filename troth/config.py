"""The settings of a project: one frozen tree, read once at the edge.

They stand in ``[tool.troth]`` of ``pyproject.toml``, or in a ``troth.toml`` of their own with the same names and no
prefix. Both at once is an error, as is every unknown name. All mistakes are reported together.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from troth.contracts.kinds import Severity
from troth.contracts.quantity import QuantityError, duration
from troth.crontab import crontab_fault
from troth.errors import ContractError, Place, Problem, Problems

__all__ = ["Confirm", "Nightly", "Provider", "Settings", "load_settings", "read_settings"]


class _Tree(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Provider(_Tree):
    """Settings for one provider, by the name that its contract gives."""

    url: str | None = Field(default=None, description="Base URL of the sandbox, in place of the contract's own.")

    @field_validator("url")
    @classmethod
    def _is_http(cls, value: str | None) -> str | None:
        if value is not None and not is_base_url(value):
            # An address may hold a password; it is not shown again.
            hidden = "; found one with a user name, a query or a fragment" if set("@?#") & set(value) else ""
            raise ValueError(f"an address such as https://sandbox.example{hidden}")
        return value


class Nightly(_Tree):
    """When `troth nightly` runs."""

    schedule: str = Field(default="0 3 * * *", description="Five cron fields; weekdays and months by name.")
    timezone: str = Field(default="UTC", description="The time zone of the schedule, such as `Europe/Vienna`.")

    @field_validator("schedule")
    @classmethod
    def _is_crontab(cls, value: str) -> str:
        fault = crontab_fault(value)
        if fault:
            raise ValueError(f"five cron fields such as '0 3 * * mon-fri'; found {fault}")
        return value

    @field_validator("timezone")
    @classmethod
    def _is_timezone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError("a time zone name such as UTC or Europe/Vienna") from None
        return value


class Confirm(_Tree):
    """How a disagreement is looked at again before it counts."""

    sightings: int = Field(
        default=3,
        ge=1,
        le=20,
        description="So many more runs with than without a finding confirm it. 1: no second look.",
    )
    misses: int = Field(default=2, ge=1, le=20, description="So many more runs without than with a finding dismiss it.")
    over: str = Field(default="0s", description="The time that the further runs are spread over, such as `10m`.")

    @field_validator("over", mode="before")
    @classmethod
    def _is_duration(cls, value: object) -> object:
        spread_seconds(value)
        return value

    @property
    def over_seconds(self) -> float:
        """``over`` as a number."""
        return duration(self.over)


def spread_seconds(value: object) -> float:
    """Seconds of a time to spread further runs over; ValueError for anything but a duration of at most a day."""
    asked = "a duration up to 24h, such as 10m"
    try:
        seconds = duration(value)
    except QuantityError as error:
        raise ValueError(f"{asked}; found {error.found}" + (f" ({error.fix})" if error.fix else "")) from None
    if seconds > 86_400:
        raise ValueError(asked)
    return seconds


class Settings(_Tree):
    """Everything that a project can set. Paths are relative to the folder of the settings file, ``root``."""

    contracts: tuple[str, ...] = Field(
        default=(), description="Contracts that commands use when none is named: files, folders, or names of packs."
    )
    store: str = Field(default=".troth/troth.db", description="The SQLite file that keeps the history of runs.")
    history: str | None = Field(default=None, description="Where `troth history` keeps the nights, for other machines.")
    report: str = Field(default="troth-report", description="The folder that reports are written to, anew each run.")
    fail_on: Severity = Field(default=Severity.BREAKING, description="The mildest severity that makes a run fail.")
    seed: int = Field(default=0, description="Seed of everything that is drawn.")
    timeout: str = Field(default="30s", description="How long a sandbox may be silent within one request.")
    fixed_after: int = Field(
        default=2, ge=1, le=30, description="Nights that looked and did not see a finding, after which it is fixed."
    )
    confirm: Confirm = Field(default_factory=Confirm, description="When a finding of a sandbox is confirmed.")
    providers: Mapping[str, Provider] = Field(default_factory=dict, description="Settings by provider.")
    nightly: Nightly = Field(default_factory=Nightly, description="When `troth nightly` runs.")
    root: Path = Field(default_factory=Path, exclude=True)

    @field_validator("contracts", mode="before")
    @classmethod
    def _is_list(cls, value: object) -> object:
        return tuple(value) if isinstance(value, list) else value

    @field_validator("history")
    @classmethod
    def _is_without_password(cls, value: str | None) -> str | None:
        if value is not None and "://" in value and urlsplit(value.removeprefix("git:")).password:
            # Settings are committed; the password is not shown again.
            raise ValueError("an address without a password (TROTH_HISTORY may hold one); found one with a password")
        return value

    @field_validator("timeout", mode="before")
    @classmethod
    def _is_duration(cls, value: object) -> object:
        asked = "a duration from 100ms to 1h, such as 10s"
        try:
            seconds = duration(value)
        except QuantityError as error:
            raise ValueError(f"{asked}; found {error.found}" + (f" ({error.fix})" if error.fix else "")) from None
        if not 0.1 <= seconds <= 3600:
            raise ValueError(asked)
        return value

    @field_validator("fail_on", mode="before")
    @classmethod
    def _is_severity(cls, value: object) -> object:
        failing = [severity.value for severity in Severity if severity is not Severity.COSMETIC]
        if value not in failing:
            raise ValueError(f"one of {', '.join(failing)}")
        return Severity(str(value))

    @property
    def timeout_seconds(self) -> float:
        """``timeout`` as a number."""
        return duration(self.timeout)

    @property
    def store_path(self) -> Path:
        """Where the store is."""
        return self.root / self.store

    @property
    def report_path(self) -> Path:
        """Where reports go."""
        return self.root / self.report

    @property
    def contract_paths(self) -> tuple[str, ...]:
        """The configured contracts; those that exist as files or folders from ``root``, others as they stand."""
        return tuple(str(self.root / path) if (self.root / path).exists() else path for path in self.contracts)


def is_base_url(text: str) -> bool:
    """Is ``text`` an absolute http or https address with a host, and nothing that does not belong into a base?

    A user name and a query are refused because they hold credentials, and addresses are shown in reports.
    """
    try:
        parts = urlsplit(text)
        if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
            return False
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False


def load_settings(start: Path) -> Settings:
    """The settings of the project that ``start`` lies in: the nearest folder upwards with a settings file.

    Without one the settings are the defaults, with ``start`` as root. Raises ContractError with every Problem.
    """
    for folder in (start, *start.parents):
        if (folder / "troth.toml").is_file() or (folder / "pyproject.toml").is_file():
            return read_settings(folder)
        if (folder / ".git").exists():
            break
    return Settings(root=start)


def read_settings(folder: Path) -> Settings:
    """The settings in ``folder``; raises ContractError with every Problem."""
    own, shared = folder / "troth.toml", folder / "pyproject.toml"
    shared_table = _tool_table(shared)
    if own.is_file() and shared_table is not None:
        place = Place(str(own), 1, 1)
        raise ContractError(
            [
                Problem(
                    "E902",
                    place,
                    "settings in one file",
                    f"a troth.toml beside [tool.troth] in {shared}",
                    "Move them into one of the two",
                )
            ]
        )
    if own.is_file():
        return _validated(_parse(own), own, (), folder)
    return _validated(shared_table or {}, shared, ("tool", "troth"), folder)


def _tool_table(path: Path) -> Mapping[str, Any] | None:
    if not path.is_file():
        return None
    tool = _parse(path).get("tool", {})
    found = tool.get("troth") if isinstance(tool, dict) else None
    return found if isinstance(found, dict) else None


def _parse(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"line (\d+), column (\d+)", str(error))
        place = Place(str(path), *(int(number) for number in at.groups())) if at else Place(str(path))
        raise ContractError([Problem("E900", place, "a TOML file", str(error))]) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ContractError([Problem("E900", Place(str(path)), "a readable TOML file", str(error))]) from None


def _validated(table: Mapping[str, Any], path: Path, prefix: tuple[str, ...], root: Path) -> Settings:
    problems = Problems()
    own = dict(table)
    if "root" in own:
        # Not a setting: it is how the tree remembers where its file lies.
        del own["root"]
        _unknown(problems, ("root",), path, prefix)
    try:
        settings = Settings.model_validate({**own, "root": root})
    except ValidationError as invalid:
        for error in invalid.errors():
            _explain(problems, error, path, prefix)
        settings = Settings(root=root)
    problems.items.sort(key=lambda problem: (problem.place.line, problem.place.column))
    problems.raise_if_any()
    return settings


def _explain(problems: Problems, error: Any, path: Path, prefix: tuple[str, ...]) -> None:
    where = tuple(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        _unknown(problems, where, path, prefix)
        return
    asked = str(error["ctx"]["error"]) if error["type"] == "value_error" else error["msg"]
    asked, _, found = asked.partition("; found ")
    name = ".".join(where)
    problems.add("E904", _place(path, (*prefix, *where)), f"{name}: {asked}", found or repr(error["input"]))


def _unknown(problems: Problems, where: tuple[str, ...], path: Path, prefix: tuple[str, ...]) -> None:
    known = _names(where)
    near = get_close_matches(where[-1], known, n=1)
    fix = f"Did you mean {near[0]!r}?" if near else f"Known here: {', '.join(known)}"
    problems.add("E903", _place(path, (*prefix, *where)), "a setting that Troth knows", repr(".".join(where)), fix)


def _names(where: tuple[str, ...]) -> list[str]:
    tree: type[BaseModel] = Settings
    if where[0] == "providers" and len(where) > 2:
        tree = Provider
    elif where[0] == "nightly":
        tree = Nightly
    elif where[0] == "confirm":
        tree = Confirm
    return sorted(name for name, field in tree.model_fields.items() if not field.exclude)


def _place(path: Path, keys: tuple[str, ...]) -> Place:
    """Where the setting stands: the line of its key, or of the nearest table or key above it that has a line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    table: tuple[str, ...] = ()
    best, depth = Place(str(path), 1, 1), -1
    for number, line in enumerate(lines, 1):
        header = re.match(r"\s*\[([^\[\]]+)\]", line)
        entry = re.match(r"\s*([\w\-.\"']+)\s*=", line)
        if header:
            table = found = _dotted(header.group(1))
        elif entry:
            found = (*table, *_dotted(entry.group(1)))
        else:
            continue
        if keys[: len(found)] == found and len(found) > depth:
            best, depth = Place(str(path), number, len(line) - len(line.lstrip()) + 1), len(found)
    return best


def _dotted(text: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in text.split("."))
