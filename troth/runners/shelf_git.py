"""A history on a branch of a Git repository, which has nothing else on it and one commit only.

A push replaces that commit only if it is still the one that was merged with (``--force-with-lease``), so two jobs never
overwrite each other, and the branch does not grow with the years. Neither the work tree, the index nor any branch of
the repository at hand is touched.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import tarfile
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path

from troth.errors import UsageError
from troth.runners.packets import MARKER, HistoryError

__all__ = ["GitShelf"]

SECONDS = 120.0
"""The longest that one command may take."""
_BRANCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")
_NOTHING = "0" * 40
_CREDENTIAL = re.compile(r"//[^/@\s']+@")
_IDENTITY = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Troth"), ("EMAIL", "troth@localhost"))
}


class GitShelf:
    """``branch`` of ``remote`` (a name or an address), through the repository that ``root`` lies in."""

    def __init__(self, root: Path, remote: str, branch: str) -> None:
        if not _BRANCH.fullmatch(branch) or remote.startswith("-"):
            raise UsageError("E423", "git:BRANCH or git:REMOTE#BRANCH", repr(_CREDENTIAL.sub("//", branch)))
        self._root, self._remote, self._branch = root, remote, branch
        self.label = f"git:{_CREDENTIAL.sub('//', remote)}#{branch}"
        self._base = ""
        self._files: dict[str, bytes] = {}

    def absence(self) -> str:
        """Whoever asks for the names is told what is wrong."""
        return ""

    def names(self) -> frozenset[str]:
        """Fetch the branch; a branch that is not there yet holds nothing."""
        self._base = self._head()
        self._files = self._fetched() if self._base else {}
        if self._files and MARKER not in self._files:
            asked = f"a branch for the history alone: {self._branch}"
            fix = "Name a branch that is not there yet; this one was not touched"
            raise HistoryError("E420", asked, "a branch with something else on it", fix)
        return frozenset(self._files)

    def read(self, name: str) -> bytes | None:
        """One file of the commit that was fetched."""
        return self._files.get(name)

    def publish(self, add: Mapping[str, bytes], remove: Collection[str]) -> bool:
        """Put a new commit in the place of the one that was fetched, unless another stands there by now."""
        commit = self._commit(add, remove)
        ref = f"refs/heads/{self._branch}"
        lease = f"--force-with-lease={ref}:{self._base}"
        pushed = self._run(["push", "--quiet", "--no-verify", lease, self._remote, f"{commit}:{ref}"], check=False)
        if pushed.returncode == 0:
            return True
        if self._head() != self._base:
            return False
        raise self._error(pushed)

    def _head(self) -> str:
        listed = self._run(["ls-remote", "--heads", self._remote, f"refs/heads/{self._branch}"]).stdout
        return listed.split()[0].decode() if listed.strip() else ""

    def _fetched(self) -> dict[str, bytes]:
        own = f"refs/troth/{self._branch}"
        fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", self._remote]
        self._run([*fetch, f"+refs/heads/{self._branch}:{own}"])
        self._base = self._run(["rev-parse", own]).stdout.decode().strip()
        archive = self._run(["archive", "--format=tar", self._base]).stdout
        files: dict[str, bytes] = {}
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            for member in tar:
                content = tar.extractfile(member) if member.isfile() else None
                if content is not None:
                    files[member.name] = content.read()
        return files

    def _commit(self, add: Mapping[str, bytes], remove: Collection[str]) -> str:
        """A commit without a parent: what was fetched, with these changes."""
        lines = [f"0 {_NOTHING}\t{name}\n" for name in remove]
        for name, content in add.items():
            blob = self._run(["hash-object", "-w", "--stdin"], content=content).stdout.decode().strip()
            lines.append(f"100644 {blob}\t{name}\n")
        with tempfile.TemporaryDirectory(prefix="troth-history-") as folder:
            index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
            self._run(["read-tree", self._base or "--empty"], more=index)
            self._run(["update-index", "--add", "--index-info"], content="".join(lines).encode(), more=index)
            tree = self._run(["write-tree"], more=index).stdout.decode().strip()
        return self._run(["commit-tree", tree, "-m", "History of Troth's nights"]).stdout.decode().strip()

    def _run(
        self, arguments: list[str], *, content: bytes = b"", more: Mapping[str, str] | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[bytes]:
        environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **_IDENTITY, **(more or {})}
        try:
            ended = subprocess.run(
                ["git", *arguments],
                cwd=self._root,
                env=environment,
                input=content,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            found = f"no answer in {SECONDS:g} seconds" if isinstance(error, subprocess.TimeoutExpired) else str(error)
            raise HistoryError("E421", f"git to reach {self.label}", found) from None
        if check and ended.returncode:
            raise self._error(ended)
        return ended

    def _error(self, ended: subprocess.CompletedProcess[bytes]) -> HistoryError:
        said = _CREDENTIAL.sub("//", ended.stderr.decode("utf-8", "replace").strip())
        lines = [line for line in said.splitlines() if line.strip()]
        fix = "The job must be allowed to write to that branch (in GitHub Actions: permissions: contents: write)"
        found = "; ".join(lines[:3]) or f"exit code {ended.returncode}"
        return HistoryError("E421", f"git to reach {self.label}", found, fix if ended.args[1] == "push" else "")
