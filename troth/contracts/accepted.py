"""Where the accepted findings of a contract stand, and how an entry is written so that people can go on with the file.

Comments, order and spelling of everything else stay.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from troth.contracts.contract import Contract
from troth.contracts.document.accepted_document import AcceptanceDoc, accepted_in, read_accepted
from troth.contracts.document.folder import ACCEPTED_FILE, PACKS

__all__ = ["accepted_file", "accepted_of", "with_acceptance"]

_HEAD = (
    "# Findings that somebody answers for until a date. `troth accept` writes entries; edit and remove them freely.\n"
)
_BARE = re.compile(r"[A-Za-z][A-Za-z0-9 _()./-]*(?<! )|\d{4}-\d{2}-\d{2}")
"""Texts that mean themselves without quotes."""
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off"})


def accepted_file(contract_file: Path, provider: str, root: Path) -> Path:
    """Beside the contract; for a pack, which lies in the installation, in the project ``root``."""
    if contract_file.is_relative_to(PACKS):
        return root / f"accepted-{provider}.yaml"
    return contract_file.parent / ACCEPTED_FILE


def accepted_of(contract: Contract, root: Path) -> tuple[AcceptanceDoc, ...]:
    """The entries for one contract. Raises ContractError with every problem in their file."""
    entries = read_accepted(accepted_file(contract.path, contract.provider, root))
    return tuple(entry for entry in entries if entry.provider in ("", contract.provider))


def with_acceptance(text: str, entry: dict[str, str]) -> str:
    """A file's text with one entry more, or in place of the one about the same finding; ``text`` "" for a new file.

    Raises ContractError when the text is not such a file; ValueError when that entry cannot be cut out of it.
    """
    before = accepted_in(text) if text.strip() else ()
    old = next((item for item in before if _same(item, entry)), None)
    kept = _without(text, old) if old is not None else text
    new = _added(kept, _written(entry), bool(len(before) - (old is not None)))
    # Whatever a person made of the file: what is written must be what was meant.
    after = [item.finding for item in accepted_in(new)]
    if after != [*(item.finding for item in before if item is not old), entry["finding"]]:
        raise ValueError("the entries stand in another way than one below the other")
    return new


def _same(item: AcceptanceDoc, entry: dict[str, str]) -> bool:
    return item.finding == entry["finding"] and item.provider in ("", entry["provider"])


def _written(entry: dict[str, str]) -> str:
    lines = [f"{name}: {_scalar(value)}" for name, value in entry.items() if value]
    return "  - " + "\n    ".join(lines) + "\n"


def _scalar(value: str) -> str:
    if _BARE.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)


def _without(text: str, old: AcceptanceDoc) -> str:
    """The text without an entry: from its dash to its last line."""
    lines = text.splitlines(keepends=True)
    first = old.at.line - 1
    last = max(old.place(name).line for name in old._source) - 1
    return "".join([*lines[:first], *lines[last + 1 :]])


def _added(text: str, entry: str, others: bool) -> str:
    if not text.strip():
        return f"{_HEAD}accepted:\n{entry}"
    if not others:
        # The list is empty, however that is written.
        text = re.sub(r"(?m)^accepted:[ \t]*(\[[ \t]*\])?[ \t]*(?=$|#)", "accepted:", text, count=1)
    return f"{text.rstrip()}\n{_indented(text, entry)}"


def _indented(text: str, entry: str) -> str:
    """The entry as deep as those that are there."""
    dash = re.search(r"(?m)^( *)- ", text)
    return entry if dash is None else re.sub(r"(?m)^  ", dash[1], entry)
