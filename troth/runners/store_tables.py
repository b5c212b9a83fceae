"""The tables of the store. Every change of them is a migration in ``migrations/versions``.

Secrets were replaced when an exchange was captured; nothing here sees one.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

__all__ = ["AgreedRow", "AgreementRow", "Base", "ExchangeRow", "FindingRow", "HabitRow", "ProviderRow", "RunRow"]


class Base(DeclarativeBase):
    """The common root of all tables."""

    type_annotation_map = {dict[str, Any]: JSON, list[Any]: JSON}  # noqa: RUF012  SQLAlchemy's own declaration


class RunRow(Base):
    """One run over all its providers."""

    __tablename__ = "runs"

    run_id: Mapped[str] = mapped_column(primary_key=True)
    started: Mapped[float] = mapped_column(index=True)
    finished: Mapped[float]
    verdict: Mapped[str]
    exit_code: Mapped[int]
    seed: Mapped[int]
    gate: Mapped[bool]
    interrupted: Mapped[bool]
    troth: Mapped[str]
    command: Mapped[str]


def _run_key() -> Mapped[str]:
    return mapped_column(ForeignKey("runs.run_id", ondelete="CASCADE"), index=True)


class ProviderRow(Base):
    """What one run said of one provider."""

    __tablename__ = "provider_runs"

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[str] = _run_key()
    provider: Mapped[str] = mapped_column(index=True)
    verdict: Mapped[str]
    reason: Mapped[str]
    contract: Mapped[str]
    contract_hash: Mapped[str]
    sandbox_url: Mapped[str]
    coverage: Mapped[dict[str, Any]]
    night: Mapped[int] = mapped_column(server_default="0")
    """Which night of the provider it was, from 1; 0 when the sandbox was not called."""
    agreed: Mapped[str] = mapped_column(server_default="")
    """Digest of the set of places that agreed that night."""


class ExchangeRow(Base):
    """One exchange, redacted at capture."""

    __tablename__ = "exchanges"
    __table_args__ = (Index("exchanges_of_scenario", "run_id", "provider", "target", "scenario"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[str] = _run_key()
    provider: Mapped[str]
    target: Mapped[str]
    scenario: Mapped[str]
    step: Mapped[int]
    operation: Mapped[str]
    method: Mapped[str]
    url: Mapped[str]
    request_headers: Mapped[list[Any]]
    request_body: Mapped[str]
    status: Mapped[int | None]
    response_headers: Mapped[list[Any]]
    response_body: Mapped[str]
    response_name: Mapped[str | None]
    error: Mapped[str | None]
    started: Mapped[float]
    elapsed: Mapped[float]


class FindingRow(Base):
    """One finding of one run; the same fingerprint comes back each night until the disagreement ends."""

    __tablename__ = "findings"
    __table_args__ = (Index("findings_by_fingerprint", "provider", "fingerprint"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[str] = _run_key()
    provider: Mapped[str]
    fingerprint: Mapped[str]
    code: Mapped[str]
    kind: Mapped[str]
    severity: Mapped[str]
    blame: Mapped[str]
    operation: Mapped[str]
    scenario: Mapped[str]
    step: Mapped[int]
    path: Mapped[str]
    origin: Mapped[str]
    proof: Mapped[str]
    since: Mapped[str | None]
    last_agreed: Mapped[str | None]
    caused_by: Mapped[str | None]
    count: Mapped[int]
    said: Mapped[dict[str, Any]]
    """``contract``, ``simulator``, ``sandbox``: what each said; a key is missing where there was nothing."""
    responses: Mapped[list[Any]] = mapped_column(server_default="[]")
    """Every ``operation.response`` that showed it."""
    steadiness: Mapped[str] = mapped_column(server_default="")
    """What came of running its scenario again."""
    accepted: Mapped[str] = mapped_column(server_default="")
    """``valid`` where somebody answers for it, ``expired`` or ``void`` where nobody does any more."""


class HabitRow(Base):
    """What the sandbox did one night where the contract leaves something open: its repeats, by path."""

    __tablename__ = "habits"

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[str] = _run_key()
    provider: Mapped[str]
    habits: Mapped[dict[str, Any]]


class AgreedRow(Base):
    """A set of places that agreed on some night. Most nights agree at the same ones, so each set is kept once."""

    __tablename__ = "agreed_sets"

    digest: Mapped[str] = mapped_column(primary_key=True)
    places: Mapped[list[Any]]
    """Of each place ``[origin, where, edition, hooks, scenario]``."""


class AgreementRow(Base):
    """That sandbox and contract agreed at an origin, from one night to another, under one edition of the contract."""

    __tablename__ = "agreements"
    __table_args__ = (UniqueConstraint("provider", "origin", "where", "edition", "hooks", "troth", name="agreement"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    provider: Mapped[str]
    origin: Mapped[str]
    where: Mapped[str]
    """The ``operation.response`` that showed it."""
    edition: Mapped[str]
    """Hash of the part of the contract that the operation depends on."""
    hooks: Mapped[str] = mapped_column(server_default="")
    """Hash of the hooks that had a say; "" for none."""
    troth: Mapped[str]
    contract_hash: Mapped[str]
    scenario: Mapped[str]
    first_run: Mapped[str]
    first_time: Mapped[float]
    last_run: Mapped[str]
    last_time: Mapped[float]
