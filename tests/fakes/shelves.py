"""Shelves for histories: real ones of each kind, new and empty."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from uuid import uuid4

from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

__all__ = ["git", "postgres_database", "repositories"]


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, with nobody's settings; what it printed."""
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@localhost", "-c", "init.defaultBranch=main"]
    ended = subprocess.run(
        ["git", *identity, *arguments],
        cwd=folder,
        env={**os.environ, **quiet},
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return ended.stdout.strip()


def repositories(folder: Path, *clones: str) -> Path:
    """A bare repository with a commit on ``main``, and clones of it beside it; the bare one."""
    bare = folder / "origin.git"
    git(folder, "init", "--quiet", "--bare", str(bare))
    first = folder / "first"
    git(folder, "clone", "--quiet", str(bare), str(first))
    (first / "README").write_text("a project\n")
    git(first, "add", "README")
    git(first, "commit", "--quiet", "--message", "first")
    git(first, "push", "--quiet", "origin", "HEAD:refs/heads/main")
    for name in clones:
        git(folder, "clone", "--quiet", "--branch", "main", str(bare), str(folder / name))
    return bare


def _server() -> URL:
    return make_url(os.environ.get("TROTH_TEST_POSTGRES", "postgresql+psycopg://postgres@127.0.0.1:5432/postgres"))


@contextmanager
def postgres_database() -> Iterator[str | None]:
    """The address of a database of its own, dropped in the end; None where no server answers, or psycopg is missing."""
    server = _server()
    name = f"troth_test_{uuid4().hex}"
    if find_spec("psycopg") is None:
        yield None
        return
    engine = create_engine(
        server, poolclass=NullPool, isolation_level="AUTOCOMMIT", connect_args={"connect_timeout": 3}
    )
    try:
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
    except SQLAlchemyError:
        yield None
        return
    try:
        yield server.set(drivername="postgresql", database=name).render_as_string(hide_password=False)
    finally:
        with engine.connect() as connection:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
