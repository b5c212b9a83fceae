"""The key of the tokens that stand for secrets: one for a history, and nowhere but beside its store."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from troth.runners.redact import Redactor
from troth.runners.token_key import KEY_FILE, token_key


def token(store: Path) -> str:
    return Redactor(token_key(store)).token("key", "sk_test_canary")


def test_equal_secrets_have_equal_tokens_in_one_history_and_other_tokens_in_another(tmp_path: Path) -> None:
    """Tonight's token is last night's; somebody else's says nothing about it."""
    assert token(tmp_path / "a" / "troth.db") == token(tmp_path / "a" / "troth.db")
    assert token(tmp_path / "a" / "troth.db") != token(tmp_path / "b" / "troth.db")


def test_the_key_is_its_owners_alone_and_whole(tmp_path: Path) -> None:
    """And nothing else is left beside it."""
    key = token_key(tmp_path / "troth.db")
    assert len(key) == 32
    assert [path.name for path in tmp_path.iterdir()] == [KEY_FILE]
    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600


def test_runs_that_begin_at_once_agree_on_one_key(tmp_path: Path) -> None:
    """Whoever is faster."""
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: token_key(tmp_path / "troth.db"), range(64)))
    assert keys == {(tmp_path / KEY_FILE).read_bytes()}


def test_a_key_that_could_be_guessed_is_replaced(tmp_path: Path) -> None:
    """Cut, or emptied."""
    (tmp_path / KEY_FILE).write_bytes(b"short")
    key = token_key(tmp_path / "troth.db")
    assert len(key) == 32
    assert token_key(tmp_path / "troth.db") == key


def test_where_nothing_can_be_kept_a_run_has_a_key_of_its_own(tmp_path: Path) -> None:
    """The history is worth less than the run."""
    (tmp_path / "file").write_text("")
    assert len(token_key(tmp_path / "file" / "troth.db")) == 32
    assert token_key(None) != token_key(None)
