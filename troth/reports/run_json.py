"""``run.json``: a run for other programs, and for ``troth report`` to make the other reports from.

The format is documented in ``run.schema.json`` beside this file. ``schema_version`` goes up when a reader of the old
version would misread the new one; new fields alone do not raise it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from troth.errors import UsageError
from troth.reports.run_codec import WrongShape, from_json, to_json
from troth.reports.visible import shorten, visible
from troth.runners.finding import SCHEMA_VERSION, Run

__all__ = ["dump", "load"]


def dump(run: Run) -> bytes:
    """The run as indented JSON, UTF-8."""
    data = {"schema_version": SCHEMA_VERSION, **to_json(run, Run)}
    return _well_formed(json.dumps(data, indent=1, ensure_ascii=False)).encode() + b"\n"


def load(path: Path) -> Run:
    """The run in the file at ``path``; UsageError (E450 to E453) when there is none that this version can read."""
    asked = f"a run that Troth wrote, in {path}"
    data = _parse(path, asked)
    _check_version(data, asked)
    try:
        run: Run = from_json(Run, data)
    except WrongShape as error:
        raise _not_a_run(asked, str(error)) from error
    except RecursionError as error:
        raise _not_a_run(asked, "values nested too deep to be read") from error
    return run


def _well_formed(text: str) -> str:
    """Without lone surrogates, which strict readers of JSON refuse, the whole file with them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _parse(path: Path, asked: str) -> Any:
    try:
        content = path.read_bytes()
    except OSError as error:
        fix = "Give the path of the run.json in a report folder, such as troth-report/run.json."
        raise UsageError("E450", asked, (error.strerror or str(error)).lower(), fix) from error
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        found = f"no valid JSON: {visible(shorten(str(error), 200))}" if content.strip() else "an empty file"
        fix = "The file was cut or changed on its way. Take it again from where the run wrote it, or run again."
        raise UsageError("E451", asked, found, fix) from error


def _check_version(data: Any, asked: str) -> None:
    version = data.get("schema_version") if isinstance(data, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise _not_a_run(asked, "JSON without a schema_version")
    if version > SCHEMA_VERSION:
        found = f"schema_version {version}, which is newer than the {SCHEMA_VERSION} that this Troth reads"
        raise UsageError("E452", asked, found, "Use the Troth that made the run, or a newer one.")


def _not_a_run(asked: str, found: str) -> UsageError:
    fix = "Give the run.json of a report folder, as it was written."
    return UsageError("E453", asked, visible(shorten(found, 300)), fix)
