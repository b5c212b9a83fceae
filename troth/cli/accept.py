"""``troth accept``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from troth.cli.session import Session
    from troth.runners.known import KnownFinding

__all__ = ["accept"]

_LISTED = 12


def accept(
    context: typer.Context,
    finding: Annotated[
        str,
        typer.Argument(metavar="FINDING", help="A fingerprint or its beginning, or code and path: 'TR203 $.amount'."),
    ],
    until: Annotated[str, typer.Option("--until", metavar="DATE", help="The last day that it may stay.")] = "",
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why it may stay for now.")] = "",
    owner: Annotated[str, typer.Option("--owner", metavar="NAME", help="Who answers for it.")] = "",
    link: Annotated[str, typer.Option("--link", metavar="URL", help="Where more is written about it.")] = "",
) -> None:
    """Let a finding be until a date: it stays in the reports, and does not fail the run.

    The finding is looked up in the last report and in the store; the entry goes into accepted.yaml beside the contract.
    """
    from troth.contracts.accepted import accepted_file
    from troth.contracts.kinds import KINDS
    from troth.runners.acceptance import today

    session: Session = context.obj
    _check(until, reason, owner, link, today(time.time()))
    known = _known(session, finding)
    file = accepted_file(_contract_of(session, known), known.provider, session.settings.root)
    entry = {
        "finding": known.fingerprint,
        "provider": known.provider,
        "what": f"{known.code}: {KINDS[known.kind].means}" if known.kind in KINDS else known.code,
        "operation": known.operation,
        "scenario": known.scenario,
        "path": known.path,
        "severity": str(known.severity),
        "side": known.side,
        "owner": owner.strip(),
        "reason": reason.strip(),
        "until": until,
        "link": link,
    }
    _write(file, entry)
    session.say(f"{known.fingerprint} is accepted until {until} by {owner.strip()}: {file}")


def _check(until: str, reason: str, owner: str, link: str, day: str) -> None:
    from troth.contracts.document.accepted_document import is_day
    from troth.errors import UsageError

    example = "such as --until 2027-01-31"
    if not until:
        raise UsageError("E912", "the last day that the finding may stay, with --until", "none", f"Give one, {example}")
    if not is_day(until):
        raise UsageError("E912", f"a day with --until, {example}", repr(until))
    if until < day:
        raise UsageError("E912", "a day that is not past with --until", f"{until}; today is {day} in UTC")
    for option, text in (("--reason", reason), ("--owner", owner)):
        if not text.strip():
            raise UsageError("E912", f"{option}: nothing is accepted without", "none", f"Give {option}")
    if link and not link.startswith(("http://", "https://")):
        raise UsageError("E912", "an address with http:// or https:// with --link", repr(link))


def _known(session: Session, written: str) -> KnownFinding:
    """The finding from the report, else from the store, which knows it by its whole fingerprint."""
    from troth.contracts.suggest import closest
    from troth.errors import UsageError
    from troth.runners.repair.pick import means

    fingerprint = written if ":" in written else f"v1:{written}"
    reported = _reported(session)
    meant = {item.fingerprint: item for item in reported if means(written, item)}
    if len(meant) > 1:
        listed = ", ".join(f"{item.fingerprint} ({item.code} {item.path})" for item in list(meant.values())[:_LISTED])
        rest = f" and {len(meant) - _LISTED} more" if len(meant) > _LISTED else ""
        asked = "one finding; give more of its fingerprint"
        raise UsageError("E913", asked, f"{len(meant)} that {written!r} may mean: {listed}{rest}")
    found = next(iter(meant.values()), None) or _stored(session, fingerprint)
    if found is None:
        near = closest(fingerprint, [item.fingerprint for item in reported])
        fix = (
            f"Did you mean {near!r}?" if near else "Copy it from a report; `troth history pull` fetches other machines'"
        )
        places = f"{session.settings.report_path} or {session.settings.store_path}"
        raise UsageError("E913", f"a finding, by fingerprint or by code and path, in {places}", repr(written), fix)
    if found.caused_by is not None:
        asked = "a finding that does not follow from another"
        fix = f"Accept {found.caused_by}; what follows from it is accepted with it"
        raise UsageError("E913", asked, f"{found.fingerprint}, which follows from {found.caused_by}", fix)
    return found


def _reported(session: Session) -> tuple[KnownFinding, ...]:
    from troth.errors import UsageError
    from troth.reports import run_json
    from troth.runners.known import known_in

    try:
        return known_in(run_json.load(session.settings.report_path / "run.json"))
    except UsageError:
        return ()  # there is none, or no usable one; the store may know it


def _stored(session: Session, fingerprint: str) -> KnownFinding | None:
    from troth.runners.store import Store

    path = session.settings.store_path
    if not path.exists():
        return None
    with Store.open(path) as store:
        return store.known(fingerprint)


def _contract_of(session: Session, known: KnownFinding) -> Path:
    from troth.contracts.document.folder import contract_file
    from troth.errors import ContractError, UsageError

    beside = session.settings.root / known.contract
    try:
        return beside if beside.is_file() else contract_file(known.contract)
    except ContractError:
        asked = f"the contract {known.contract} of {known.provider}, beside which the entry goes"
        raise UsageError("E913", asked, "no such file", "Run this in the project that the finding is from") from None


def _write(file: Path, entry: dict[str, str]) -> None:
    from troth.contracts.accepted import with_acceptance
    from troth.errors import UsageError

    try:
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        new = with_acceptance(text, entry)
        fresh = file.with_name(f".{file.name}.new")
        fresh.write_text(new, encoding="utf-8")
        fresh.replace(file)
    except (OSError, ValueError) as error:
        fix = "Write the entry by hand; the documentation of findings shows one"
        raise UsageError("E914", f"to write an entry into {file}", str(error), fix) from None
