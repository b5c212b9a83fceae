"""Reads the files that `hooks` names. Imported only where a contract names one: pluggy is nobody else's cost."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

import pluggy

from troth.contracts.expressions.filters import FILTERS, Filter
from troth.contracts.hooks.codec_hook import HookCoder, wrong_codec
from troth.contracts.hooks.hooks import Hooks
from troth.contracts.hooks.specs import PROJECT, Specs, hookimpl
from troth.contracts.nodes.coders import CODERS, Coder
from troth.contracts.suggest import did_you_mean
from troth.contracts.values import Value
from troth.errors import Place, Problems

__all__ = ["load_hooks"]

_KNOWN = tuple(name for name in vars(Specs) if name.startswith("troth_"))
_JSON = (str, bytes, int, float, list, dict, type(None))


class _BuiltIn:
    """What is there without any file, through the same door."""

    @hookimpl
    def troth_filters(self) -> Mapping[str, Callable[..., Any]]:
        return {name: found.apply for name, found in FILTERS.items()}


def load_hooks(files: Mapping[Path, Place], problems: Problems) -> Hooks:
    """Everything that the files give. What is wrong is a problem (E190 to E192) at the place that names them."""
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(Specs)
    manager.register(_BuiltIn(), "troth")
    digest = blake2b(digest_size=8)
    for path, place in files.items():
        module = _module(path, place, problems)
        if module is None:
            continue
        digest.update(path.read_bytes())
        _check_names(module, place, problems)
        manager.register(module, str(path))
    filters: dict[str, Filter] = {}
    kinds: dict[str, Any] = {}
    for found, origin in _given(manager, "troth_filters", files, problems):
        for name, function in found.items():
            if _new(name, filters, origin, problems):
                filters[name] = FILTERS[name] if origin is None else _filter(name, function, origin, problems)
    for found, origin in _given(manager, "troth_auth_kinds", files, problems):
        kinds.update({name: kind for name, kind in found.items() if _new(name, kinds, origin, problems)})
    codecs: dict[str, Coder] = {}
    for given, origin in _given(manager, "troth_codecs", files, problems):
        for name, hook in given.items():
            if _new(name, {**CODERS, "xml": None, **codecs}, origin, problems):
                codecs[name] = _codec(name, hook, origin, problems)
    return Hooks(filters, kinds, codecs, digest.hexdigest())


def _codec(name: str, hook: Any, place: Place | None, problems: Problems) -> Coder:
    wrong = wrong_codec(name, hook)
    if wrong:
        asked = f"a codec {name!r} whose `decode` gives back what its `encode` took"
        problems.add("E194", place or Place(), asked, wrong, "Mend it in the contract's hooks")
    return HookCoder(name, hook)


def _module(path: Path, place: Place, problems: Problems) -> ModuleType | None:
    name = f"troth_hooks_{blake2b(str(path.resolve()).encode(), digest_size=4).hexdigest()}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        problems.add("E190", place, "a Python file: hooks.py", repr(path.name))
        return None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        problems.add("E190", place, "hooks that can be loaded", _words(error, path))
        return None
    return module


def _check_names(module: ModuleType, place: Place, problems: Problems) -> None:
    names = [name for name, thing in vars(module).items() if name.startswith("troth_") and callable(thing)]
    if not names:
        fix = "from troth import hookimpl; @hookimpl; def troth_filters(): return {...}"
        problems.add("E191", place, f"a hook: {' or '.join(_KNOWN)}", "none", fix)
    for name in names:
        if name not in _KNOWN:
            problems.add("E191", place, "the name of a hook", repr(name), did_you_mean(name, _KNOWN, "hooks"))
        elif not hasattr(vars(module)[name], f"{PROJECT}_impl"):
            problems.add("E191", place, f"@hookimpl on {name}", "none", "from troth import hookimpl")


def _given(
    manager: pluggy.PluginManager, hook: str, files: Mapping[Path, Place], problems: Problems
) -> list[tuple[Mapping[str, Any], Place | None]]:
    """What each file gives for a hook, with the place that names it; that of Troth itself first, without a place."""
    found: list[tuple[Mapping[str, Any], Place | None]] = []
    named = {str(path): path for path in files}
    for implementation in getattr(manager.hook, hook).get_hookimpls():
        path = named.get(implementation.plugin_name)
        place = files[path] if path is not None else None
        asked = f"a mapping of names from {hook}"
        try:
            given = implementation.function()
        except Exception as error:
            problems.add("E192", place or Place(), asked, _words(error, path))
            continue
        if not isinstance(given, Mapping) or not all(isinstance(name, str) and name.isidentifier() for name in given):
            problems.add("E192", place or Place(), asked, type(given).__name__)
            continue
        found.append((given, place))
    return sorted(found, key=lambda each: each[1] is not None)


def _new(name: str, known: Mapping[str, Any], place: Place | None, problems: Problems) -> bool:
    if name in known:
        problems.add("E192", place or Place(), "each name once", f"{name!r} twice", "Choose another name")
    return name not in known


def _filter(name: str, function: Callable[..., Any], place: Place, problems: Problems) -> Filter:
    parameters = _parameters(name, function, place, problems)
    least = sum(1 for parameter in parameters if parameter.default is parameter.empty)

    def apply(*values: Value) -> Value:
        try:
            result = function(*values)
        except ValueError:
            raise
        except Exception as error:
            raise ValueError(f"the filter {name} of the contract's hooks failed: {_words(error)}") from None
        if not isinstance(result, _JSON):
            kind = type(result).__name__
            raise ValueError(f"the filter {name} of the contract's hooks gave {kind}, which is no JSON")
        return result

    return Filter(apply, least, len(parameters))


def _parameters(name: str, function: Any, place: Place, problems: Problems) -> list[inspect.Parameter]:
    """Those after the value; a problem where what is given cannot be called with one."""
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # no function at all, or one in C that does not tell
        found = []
    if not found:
        asked = f"a function of a value for the filter {name!r}"
        fix = "Write it as def, with its parameters: the first is the value"
        problems.add("E192", place, asked, f"{type(function).__name__} whose parameters cannot be seen", fix)
    return found[1:]


def _words(error: BaseException, path: Path | None = None) -> str:
    """The kind of an error and its line. Its text is left out where it may quote a value."""
    frames = extract_tb(error.__traceback__)
    last = next((frame for frame in reversed(frames) if path is None or frame.filename == str(path)), None)
    where = f" at {Path(last.filename).name}:{last.lineno}" if last is not None else ""
    text = f": {error}" if path is not None and str(error) else ""
    return f"{type(error).__name__}{where}{text}"
