"""``accepted.yaml`` beside a contract: findings that somebody answers for, each until a date.

The file is read as strictly as a contract. An entry without owner, reason or date is an error: nothing is silenced
without them.
"""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, ValidationError

from troth.contracts.describe import describe
from troth.contracts.document.document_base import Collector, Doc, refuse
from troth.contracts.document.document_problems import problems_of
from troth.contracts.yaml_files.excerpt import with_excerpts
from troth.contracts.yaml_files.reader import Source, read_file, read_text
from troth.errors import ContractError, Problems

__all__ = ["FINGERPRINT", "AcceptanceDoc", "AcceptedDoc", "accepted_in", "is_day", "read_accepted"]

FINGERPRINT = re.compile(r"v\d+:[0-9a-f]{12}")
"""A recipe's version and a hash, as findings show it."""


def is_day(text: str) -> bool:
    """Is ``text`` a day of the calendar, ``2027-01-31``?"""
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _day(value: Any) -> Any:
    if isinstance(value, str) and not is_day(value):
        refuse("E035", "a day: 2027-01-31", describe(value))
    return value


def _said(value: Any) -> Any:
    if isinstance(value, str) and not value.strip():
        refuse("E035", "a text that says something", describe(value))
    return value


def _link(value: Any) -> Any:
    if isinstance(value, str) and not re.fullmatch(r"https?://\S+", value):
        refuse("E035", "a link with http:// or https://", describe(value))
    return value


Said = Annotated[str, BeforeValidator(_said)]


class AcceptanceDoc(Doc):
    """One finding that somebody answers for."""

    label: ClassVar = "an accepted finding"

    finding: Annotated[str, Field(pattern=f"^{FINGERPRINT.pattern}$")] = Field(description="Its fingerprint")
    owner: Said = Field(description="Who answers for it")
    reason: Said = Field(description="Why it may stay for now")
    until: Annotated[str, BeforeValidator(_day)] = Field(description="The last day that it may: 2027-01-31, in UTC")
    link: Annotated[str, BeforeValidator(_link)] = Field("", description="Where more is written about it")
    provider: str = Field("", description="Whose finding it is, where several contracts lie in one folder")
    what: str = Field("", description="What it says, for readers")
    severity: Literal["breaking", "risky", "notice", "cosmetic"] | None = Field(
        None, description="How bad it was when it was accepted; what is worse is not accepted"
    )
    side: Literal["provider", "simulator"] | None = Field(None, description="Whose answer it is about")
    scenario: str = Field("", description="Where it was found")
    operation: str = Field("", description="Where it was found")
    path: str = Field("", description="Where it was found")


class AcceptedDoc(Doc):
    """The whole file."""

    label: ClassVar = "a file of accepted findings"

    accepted: list[AcceptanceDoc] = Field(description="The findings, in any order")


def read_accepted(file: Path) -> tuple[AcceptanceDoc, ...]:
    """The entries of a file; none where there is no file. Raises ContractError with every problem in it."""
    if not file.exists():
        return ()
    problems = Problems()
    return _checked(read_file(file, problems), problems)


def accepted_in(text: str, file: str = "accepted.yaml") -> tuple[AcceptanceDoc, ...]:
    """The entries of a text; ``file`` is the name that places show. Raises ContractError with every problem in it."""
    problems = Problems()
    return _checked(read_text(text, file, problems), problems)


def _checked(source: Source, problems: Problems) -> tuple[AcceptanceDoc, ...]:
    document = None
    if source.root is not None:
        try:
            document = AcceptedDoc.model_validate(source.root, context=Collector(problems))
        except ValidationError as error:
            problems.items.extend(problems_of(error, source.root))
    entries = document.accepted if document is not None else []
    known: set[tuple[str, str]] = set()
    for entry in entries:
        if (entry.finding, entry.provider) in known:
            place = entry.place("finding")
            problems.add("E056", place, "each finding accepted once", repr(entry.finding), "Remove one of the two")
        known.add((entry.finding, entry.provider))
    if problems.items:
        raise ContractError(with_excerpts(problems.items, {source.file: source.text}))
    return tuple(entries)
