"""``troth adopt``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from troth.cli.session import Session
    from troth.contracts.document.document import Document
    from troth.errors import UsageError
    from troth.runners.finding import Finding, Run
    from troth.runners.repair.adopt import Adoption
    from troth.runners.repair.pick import Picked
    from troth.runners.repair.recorded import Night

__all__ = ["adopt"]


def adopt(
    context: typer.Context,
    finding: Annotated[
        str,
        typer.Argument(metavar="FINDING", help="A fingerprint or its beginning, or code and path: 'TR203 $.amount'."),
    ],
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="The run.json that has it. Default: the last report's."),
    ] = None,
    way: Annotated[str, typer.Option("--as", metavar="WAY", help="Settle it this way, such as optional.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Write without asking, if it opens nothing grave.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show everything, write nothing.")] = False,
    pr_body: Annotated[
        bool, typer.Option("--pr-body", help="Print the text of a pull request; writes only with --yes.")
    ] = False,
) -> None:
    """Change the contract to what the provider does, after showing what that settles and what it opens."""
    from troth.reports.adoption import adoption_lines, pull_request
    from troth.reports.run_json import load
    from troth.runners.repair.pick import pick

    session: Session = context.obj
    settings = session.settings
    run = load(source if source is not None else settings.report_path / "run.json")
    picked = pick(run, finding)
    document = _document(session, picked)
    if session.lively:
        session.note("Trying patches on what was recorded...")
    adoption = _settled(document, run, picked, _earlier(session, run, picked), way)
    if pr_body:
        session.say(pull_request(adoption, run.run_id, settings.root))
    else:
        for line in adoption_lines(adoption, settings.root):
            session.say(line)
    if dry_run or (pr_body and not yes):
        return
    _refuse_pack(adoption.after)
    if yes:
        _refuse_grave(adoption)
    elif not _agreed(session):
        session.note("Nothing was written.")
        return
    for file in _write(adoption):
        session.note(f"Written: {file}")


def _document(session: Session, picked: Picked) -> Document:
    from troth.contracts.document.folder import read_document
    from troth.errors import UsageError
    from troth.runners.repair.pick import refusal

    refused = refusal(picked.finding)
    if refused is not None:
        found, fix = refused
        raise UsageError("E482", "a finding that a change of the contract can settle", found, fix)
    named = picked.provider.contract
    path = session.settings.root / named
    return read_document(path if path.exists() else named)


def _earlier(session: Session, run: Run, picked: Picked) -> Sequence[Night]:
    """The other nights that are kept; without them the patch is shown on the one night alone."""
    from troth.errors import TrothError
    from troth.runners.repair.nights import stored_nights

    try:
        return stored_nights(session.settings.store_path, picked.provider.provider, run.run_id)
    except TrothError as error:
        session.note(f"Earlier nights were not replayed: {error}")
        return ()


def _settled(document: Document, run: Run, picked: Picked, earlier: Sequence[Night], way: str) -> Adoption:
    from troth.runners.repair.adopt import Unsettled
    from troth.runners.repair.adopt import adopt as settle
    from troth.runners.repair.nights import night_of

    night = night_of(run, picked.provider)
    try:
        return settle(document, picked.finding, night, earlier, seed=run.seed, way=way)
    except Unsettled as error:
        raise _by_hand(document, picked.finding, error) from None


def _by_hand(document: Document, finding: Finding, error: Exception) -> UsageError:
    from troth.contracts.repair.patches import written
    from troth.contracts.repair.proposal import Complaint
    from troth.errors import UsageError
    from troth.reports.words import advice, plain
    from troth.runners.repair.adopt import Unsettled

    assert isinstance(error, Unsettled)
    if error.invalid:
        problems = "\n".join(f"  {problem}" for problem in error.invalid[:10])
        fix = f"Change these places as well, or write the change by hand:\n{problems}"
        return UsageError("E484", "a patch that leaves the contract without mistakes", error.why, fix)
    at = Complaint(
        finding.kind,
        finding.path,
        finding.origin,
        finding.operation,
        finding.responses,
        finding.scenario,
        finding.trail,
    )
    fix = "Run `troth drift` again, and adopt what that finds"
    if not error.unseen:
        fix = f"By hand, at {written(document, at)}: {plain(advice(finding))}"
    code = "E485" if error.unseen else "E483"
    return UsageError(code, f"a patch for {finding.code} {finding.path} of {finding.operation}", error.why, fix)


def _refuse_pack(files: Iterable[str]) -> None:
    """A contract may extend a pack; the files of the pack itself are not ours to change."""
    from troth.contracts.document.folder import PACKS
    from troth.errors import UsageError

    for path in map(Path, files):
        if not path.is_relative_to(PACKS):
            continue
        found = f"{path.relative_to(PACKS).parts[0]}, a pack that ships with Troth"
        fix = "Write the change into a contract that `extends` it, or copy its folder into the project, and adopt there"
        raise UsageError("E486", "a contract of the project to be changed", found, fix)


def _refuse_grave(adoption: Adoption) -> None:
    from troth.errors import UsageError
    from troth.runners.repair.sight import grave

    opened = [item for item in adoption.opens if grave(item)]
    if opened:
        asked = "a patch that opens no disagreement, to be written without a question"
        found = ", ".join(f"{item.code} {item.path} ({item.severity})" for item in opened)
        raise UsageError("E487", asked, found, "Try another way by --as, write it from a terminal, or by hand")


def _agreed(session: Session) -> bool:
    from troth.errors import UsageError

    if not sys.stdin.isatty():
        asked = "somebody at a terminal to say yes"
        raise UsageError("E488", asked, "no terminal", "Give --yes to write, or --dry-run or --pr-body to look")
    return input("Write? [y/N] ").strip().lower() in ("y", "yes")


def _write(adoption: Adoption) -> list[str]:
    """Put every new text in place whole; nothing where a file is no longer what the patch was made for."""
    from troth.errors import UsageError

    for file, before in adoption.before.items():
        if Path(file).read_bytes() != before.encode():
            raise UsageError("E489", f"{file} as it was read", "another text: it was edited meanwhile", "Run it again")
    for file, text in adoption.after.items():
        path = Path(file).resolve()
        fresh = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            fresh.write_bytes(text.encode())
            fresh.chmod(path.stat().st_mode)
            fresh.replace(path)
        except OSError as error:
            with suppress(OSError):
                fresh.unlink(missing_ok=True)
            raise UsageError("E489", f"{file} to be written", error.strerror or str(error)) from None
    return list(adoption.after)
