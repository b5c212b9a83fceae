"""Codecs of a contract's hooks: values inside of texts that no built-in encoding can read."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes.talk import Talk, kinds, put

from troth.contracts.loader import load
from troth.errors import ContractError

CONTRACT = """\
troth: 1
provider: settings
hooks: [hooks.py]
operations:
  save:
    request: {method: POST, path: /s, json: {set: {$encoded: {name: $string, size: $integer}, as: pairs}}}
    responses:
      invalid: {when: mismatch, status: 400, json: {error: $text}}
      saved:
        status: 200
        json:
          now: {$encoded: {name: "{{ body.set.name }}", size: {$integer: {}, is: "{{ body.set.size }}"}}, as: pairs}
"""
HOOKS = '''\
from troth import hookimpl


class Pairs:
    """name=x;size=3"""

    samples = [{"name": "a b", "size": 3}, {"size": 0}]

    def encode(self, value):
        return ";".join(f"{key}={item}" for key, item in value.items())

    def decode(self, text):
        pairs = (pair.split("=") for pair in text.split(";"))
        return {key: int(item) if item.isdecimal() else item for key, item in pairs}


@hookimpl
def troth_codecs():
    return {"pairs": Pairs()}
'''


def hooked(folder: Path, hooks: str = HOOKS, contract: str = CONTRACT) -> Path:
    (folder / "contract.yaml").write_text(contract)
    (folder / "hooks.py").write_text(hooks)
    return folder


def test_it_works_in_both_directions(tmp_path: Path) -> None:
    """The simulator reads and writes such texts; a judge reads them and knows what must be in them."""
    talk = Talk(load(hooked(tmp_path)))
    found = talk.call("save", set="name=blue;size=3")

    assert (found.response, found.mismatches) == ("saved", ())
    assert talk.reply.body == b'{"now":"name=blue;size=3"}'
    assert found.body == {"now": {"name": "blue", "size": 3}}
    assert kinds(talk.call("save", put("now", "name=red;size=3"), set="name=blue;size=3")) == ["value"]
    assert kinds(talk.call("save", put("now", "name=blue"), set="name=blue;size=3")) == ["missing_field"]


@pytest.mark.parametrize("text", ["name", "", "size=3", "name=a;size=b"])
def test_a_text_that_it_cannot_read_is_a_mismatch(tmp_path: Path, text: str) -> None:
    """Whatever its `decode` raises: the text came from outside."""
    talk = Talk(load(hooked(tmp_path)))

    assert talk.call("save", set=text).response == "invalid"
    assert kinds(talk.call("save", put("now", text), set="name=a;size=1"))


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        (("int(item) if item.isdecimal() else item", "item"), "E194", "another value"),
        (('return ";".join', 'return 1; ";".join'), "E194", "int, and no text"),
        (('return ";".join', 'raise OSError; ";".join'), "E194", "OSError at hooks.py"),
        (("return {key: int", "return object(); {key: int"), "E194", "object, which is no JSON"),
        (("return {key: int", "raise OSError; {key: int"), "E194", "cannot decode"),
        (("    samples = [", "    wanting = ["), "E194", "samples"),
        (("def encode", "def encodes"), "E194", "without encode"),
        (('"pairs": Pairs()', '"json": Pairs(), "pairs": Pairs()'), "E192", "'json' twice"),
        (('"pairs": Pairs()', '"pears": Pairs()'), "E152", "Did you mean 'pears'?"),
        (('return {"pairs"', 'return 1, {"pairs"'), "E192", "tuple"),
        (('return ";".join(', 'import random\n        return str(random.random()) + ";".join('), "E194", "differ"),
    ],
)
def test_a_codec_that_misbehaves_is_found_when_the_contract_loads(
    tmp_path: Path, change: tuple[str, str], code: str, words: str
) -> None:
    """At the place that names the file; never as a traceback."""
    assert change[0] in HOOKS
    with pytest.raises(ContractError) as caught:
        load(hooked(tmp_path, HOOKS.replace(*change)))

    hit = [problem for problem in caught.value.problems if problem.code == code]
    assert hit, caught.value.problems
    assert words in f"{hit[0].asked} {hit[0].found} {hit[0].fix}"
    assert hit[0].place.line > 0


@pytest.mark.parametrize("given", ["str", "3", "lambda: 1"])
def test_a_filter_whose_parameters_cannot_be_seen_is_refused(tmp_path: Path, given: str) -> None:
    """A class in C, no function at all, one without a value."""
    more = f"\n\n@hookimpl\ndef troth_filters():\n    return {{'odd': {given}}}\n"
    with pytest.raises(ContractError) as caught:
        load(hooked(tmp_path, HOOKS + more))

    assert {problem.code for problem in caught.value.problems} == {"E192"}
