"""The key that the tokens for secrets are made with: one for a history, so that equal secrets have equal tokens in it.

It lies beside the store, for its owner alone, and goes nowhere else: not into the store, not where a history is pushed
to, not into a report. Who has a token and not the key cannot try values until one fits.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

__all__ = ["KEY_FILE", "token_key"]

KEY_FILE = "token.key"
_BYTES = 32


def token_key(store: Path | None) -> bytes:
    """The key beside ``store``, made at first use. Without a place to keep it, one for this run alone."""
    if store is None:
        return os.urandom(_BYTES)
    path = store.parent / KEY_FILE
    try:
        return _read(path) or _made(path)
    except OSError:
        return os.urandom(_BYTES)


def _read(path: Path) -> bytes | None:
    try:
        found = path.read_bytes()
    except FileNotFoundError:
        return None
    # Shorter, and it could be tried; BLAKE2 takes no longer one.
    return found[:_BYTES] if len(found) >= _BYTES else None


def _made(path: Path) -> bytes:
    """A new key, whole or not at all; where another run was faster, that run's."""
    path.parent.mkdir(parents=True, exist_ok=True)
    key = os.urandom(_BYTES)
    new = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(key)
        _put(new, path)
    except FileExistsError:
        key = _read(path) or key
    finally:
        new.unlink(missing_ok=True)
    return key


def _put(new: Path, path: Path) -> None:
    """Under its name, unless a good one is there. Raises FileExistsError then."""
    if not path.exists() or _read(path) is not None:
        try:
            os.link(new, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            new.replace(path)
    else:
        new.replace(path)
