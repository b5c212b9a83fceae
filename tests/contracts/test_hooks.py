"""Hooks: Python files of a contract, for what the language cannot say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from troth.contracts.document.folder import read_document
from troth.contracts.exchange import Interval, Request, Response
from troth.contracts.loader import load
from troth.contracts.model.model import Model
from troth.contracts.model.outgoing import build_request
from troth.errors import ContractError
from troth.runners.credentials import Credentials, fitting
from troth.runners.editions import Editions
from troth.simulators.simulator import Simulator

CONTRACT = """\
troth: 1
provider: hooked
hooks: [hooks.py]
secrets: {key: {env: HOOKED_KEY, allow: "hk_test_*"}}
auth: {hook: body_mac, with: {key: "{{ secrets.key }}"}}
operations:
  make:
    request: {method: POST, path: /things, json: {name: $string}}
    responses:
      shut: {when: not auth.ok, status: 401, json: {}}
      made: {status: 201, json: {name: "{{ body.name }}", shout: "{{ body.name | shout('!') }}"}}
"""
HOOKS = '''\
import hashlib
import hmac

from troth import hookimpl


def shout(value, end="."):
    return value.upper() + end


class BodyMac:
    """HMAC of method, path and body, beside the name of the key."""

    def sign(self, request, given, at):
        return {"X-Key": given["key"][:10], "X-Mac": mac(request, given["key"])}

    def check(self, request, fits):
        sent = {name.lower(): value.decode() for name, value in request.headers}
        return fits("key", sent.get(b"x-key", "")) and len(sent.get(b"x-mac", "")) == 64


def mac(request, key):
    text = f"{request.method} {request.path}".encode() + request.body
    return hmac.new(key.encode(), text, hashlib.sha256).hexdigest()


@hookimpl
def troth_filters():
    return {"shout": shout}


@hookimpl
def troth_auth_kinds():
    return {"body_mac": BodyMac()}
'''


def hooked(tmp_path: Path, hooks: str = HOOKS, contract: str = CONTRACT) -> Path:
    tmp_path.mkdir(exist_ok=True)
    (tmp_path / "contract.yaml").write_text(contract)
    (tmp_path / "hooks.py").write_text(hooks)
    return tmp_path


def test_a_filter_serves_samples_and_judges(tmp_path: Path) -> None:
    """It stands in the reply that a simulator gives, and a judge demands it."""
    contract = load(hooked(tmp_path))
    operation = contract.operations["make"]
    request = fitting(contract).sign(build_request(contract, operation, {"name": "abc"}), contract.auth, 1.0)
    answer = Model(contract).respond(request, 1.0)
    assert json.loads(answer.response.body) == {"name": "abc", "shout": "ABC!"}
    judge = Model(contract, world="open")
    wrong = Response(201, answer.response.headers, b'{"name":"abc","shout":"abc!"}')
    found = judge.judge(request, wrong, Interval(1.0, 2.0), "make", ())
    assert [mismatch.path for mismatch in found.mismatches] == ["$.shout"]


def test_credentials_of_a_kind_of_ones_own(tmp_path: Path) -> None:
    """The runner's signature is the hook's; the simulator asks it, and hides what it adds."""
    contract = load(hooked(tmp_path))
    request = build_request(contract, contract.operations["make"], {"name": "abc"})
    signed = Credentials({"key": "hk_test_fake"}).sign(request, contract.auth, 1.0)
    assert dict(signed.headers)[b"X-Key"] == b"hk_test_fa"
    simulator = Simulator(contract)
    assert simulator.handle(signed).status == 201
    assert simulator.handle(request).status == 401
    stranger = Request("POST", "/things", "", ((b"X-Key", b"hk_live_"), (b"X-Mac", b"0" * 64)), request.body)
    assert simulator.handle(stranger).status == 401
    assert "hk_test_fa" not in repr(simulator.journal.entries)


def test_a_hook_that_fails_is_named_and_shows_no_value(tmp_path: Path) -> None:
    """The request is answered by an error of the simulator, not by a traceback."""
    broken = HOOKS.replace("return value.upper() + end", "return {}[value]")
    contract = load(hooked(tmp_path, broken))
    request = build_request(contract, contract.operations["make"], {"name": "abc"})
    simulator = Simulator(contract)
    reply = simulator.handle(fitting(contract).sign(request, contract.auth, 1.0))
    assert reply.status >= 500
    assert b"Traceback" not in reply.body
    (entry,) = simulator.journal.entries
    assert "filter shout of the contract's hooks failed: KeyError at hooks.py:8" in repr(entry)


@pytest.mark.parametrize(
    ("hooks", "code", "words"),
    [
        ("import no_such_module_here", "E190", "ModuleNotFoundError at hooks.py:1"),
        ("raise SystemExit(3)", "E190", "SystemExit at hooks.py:1"),
        ("def f(:", "E190", "SyntaxError"),
        ("x = 1", "E191", "troth_filters"),
        (HOOKS.replace("def troth_filters", "def troth_filter"), "E191", "Did you mean 'troth_filters'?"),
        (HOOKS.replace("@hookimpl\ndef troth_filters", "def troth_filters"), "E191", "@hookimpl"),
        (HOOKS.replace('{"shout": shout}', '{"length": shout, "shout": shout}'), "E192", "'length' twice"),
        (HOOKS.replace('{"shout": shout}', "[shout]"), "E192", "list"),
        (HOOKS.replace('{"shout": shout}', "1 / 0"), "E192", "ZeroDivisionError at hooks.py"),
        (HOOKS.replace('"body_mac": B', '"body_sig": B'), "E193", "'body_mac'"),
        (HOOKS.replace('len(sent.get(b"x-mac", "")) == 64', "False"), "E194", "its own check refuses"),
        (HOOKS.replace("return fits(", "return True or fits("), "E194", "without a signature"),
        (HOOKS.replace('given["key"][:10]', 'given["kee"]'), "E194", "KeyError at hooks.py"),
        (HOOKS.replace('given["key"][:10]', 'given["key"] + str(id(object()))'), "E194", "differ"),
        (HOOKS.replace('"shout": shout', '"shot": shout'), "E105", "Did you mean 'shot'?"),
    ],
)
def test_mistakes_in_hooks_are_found_when_the_contract_loads(tmp_path: Path, hooks: str, code: str, words: str) -> None:
    """With what is asked of a hook, and the line of the file."""
    if "str(id(" in hooks:
        hooks = "import itertools\nturn = itertools.count()\n" + hooks.replace("str(id(object()))", "str(next(turn))")
        hooks = hooks.replace('fits("key", sent.get(b"x-key", ""))', "True")
    with pytest.raises(ContractError) as caught:
        load(hooked(tmp_path, hooks))
    hit = [problem for problem in caught.value.problems if problem.code == code]
    assert hit, caught.value.problems
    assert words in f"{hit[0].asked} {hit[0].found} {hit[0].fix}"
    assert hit[0].place.line > 0


@pytest.mark.parametrize("name", ["hook.py", "../hooks.py", "hooks.txt", "/etc/hooks.py"])
def test_a_file_of_hooks_lies_in_the_contracts_folder(tmp_path: Path, name: str) -> None:
    """And is Python."""
    (tmp_path / "hooks.py").write_text(HOOKS)
    (tmp_path / "hooks.txt").write_text(HOOKS)
    with pytest.raises(ContractError) as caught:
        load(hooked(tmp_path / "c", contract=CONTRACT.replace("[hooks.py]", f"['{name}']")))
    assert "E190" in {problem.code for problem in caught.value.problems}


def test_hooks_of_the_contract_below_serve_the_one_above(tmp_path: Path) -> None:
    """From the folder of the contract that names them."""
    hooked(tmp_path / "base")
    (tmp_path / "mine.yaml").write_text("extends: base\n")
    assert "shout" in (read_document(tmp_path / "mine.yaml").loaded_hooks or pytest.fail("no hooks")).filters


def test_the_history_knows_of_changed_hooks(tmp_path: Path) -> None:
    """An edition names the files by their hash, whatever the contract says."""
    first = read_document(hooked(tmp_path)).loaded_hooks
    second = read_document(hooked(tmp_path, HOOKS + "# changed\n")).loaded_hooks
    assert first is not None
    assert second is not None
    assert first.hash != second.hash
    assert Editions.of({}, first.hash).hooks == first.hash


def test_a_contract_without_hooks_does_not_load_pluggy() -> None:
    """In a process that does nothing else."""
    code = "import sys, troth; troth.load('stripe'); troth.Simulator; print('pluggy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "False"
