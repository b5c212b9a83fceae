"""From a path to a compiled contract."""

import contextlib
import gc
import time
from pathlib import Path

import pytest

from troth.contracts.document.folder import read_document
from troth.contracts.loader import load, load_all, load_with_warnings
from troth.errors import ContractError

GOOD = """\
troth: 1
provider: {name}
operations:
  get:
    request: {{method: GET, path: /a}}
    responses:
      ok: {{status: 200, json: {{a: {value}}}}}
"""


def write(folder: Path, name: str, value: str = "$string") -> Path:
    (folder / name).mkdir(parents=True)
    file = folder / name / "contract.yaml"
    file.write_text(GOOD.format(name=name, value=value), encoding="utf-8")
    return file


def test_load(tmp_path: Path) -> None:
    """A file and its folder give the same contract."""
    file = write(tmp_path, "a")

    assert load(file).provider == load(tmp_path / "a").provider == "a"


@pytest.mark.parametrize("name", ["stripe_draft", "documents", "either", "everything"])
def test_the_examples_load_without_a_doubt(contracts: Path, name: str) -> None:
    """No problem, and no warning."""
    assert [str(warning) for warning in load_with_warnings(contracts / name).warnings] == []


def test_problems_of_the_document_have_excerpts(tmp_path: Path) -> None:
    """Those that the reader finds."""
    with pytest.raises(ContractError) as caught:
        load(write(tmp_path, "a", "$Nope"))

    assert "json: {a: $Nope}" in str(caught.value)
    assert str(caught.value).count("^") == 1


def test_problems_of_the_compiler_have_excerpts(tmp_path: Path) -> None:
    """Those that are found later, in matchers."""
    with pytest.raises(ContractError) as caught:
        load(write(tmp_path, "a", "{$integer: {mim: 1}}"))

    (problem,) = caught.value.problems
    assert "mim: 1" in problem.excerpt


def test_load_all_reports_all(tmp_path: Path) -> None:
    """Every contract below the folder, and every problem in any of them."""
    write(tmp_path, "a")
    write(tmp_path, "b")

    assert [contract.provider for contract in load_all([tmp_path])] == ["a", "b"]
    write(tmp_path, "c", "$Nope")
    write(tmp_path, "d", "charges[0]")
    with pytest.raises(ContractError) as caught:
        load_all([tmp_path])
    assert [Path(problem.place.file).parent.name for problem in caught.value.problems] == ["c", "d"]


def test_warnings_do_not_keep_a_contract_from_loading(tmp_path: Path) -> None:
    """They are for `troth check`."""
    file = write(tmp_path, "a")
    file.write_text(file.read_text() + "types: {Spare: $string}\n")

    assert load(file).provider == "a"
    loaded = load_with_warnings(file)
    assert (loaded.contract.provider, [warning.code for warning in loaded.warnings]) == ("a", ["W001"])


def test_no_collection_while_loading(contracts: Path) -> None:
    """Looking for garbage would take longer than the loading. One look may follow when the collector is on again."""
    load(contracts / "stripe_draft")  # imports what is imported late
    was_on, phases = gc.isenabled(), list[str]()

    def note(phase: str, _: object) -> None:
        phases.append(phase)

    gc.enable()
    gc.collect()
    gc.callbacks.append(note)
    try:
        load(contracts / "stripe_draft")
    finally:
        gc.callbacks.remove(note)
        (gc.enable if was_on else gc.disable)()
    assert phases.count("start") <= 1


@pytest.mark.parametrize("value", ["$string", "$Nope"])
@pytest.mark.parametrize("on", [True, False])
def test_the_collector_is_left_as_it_was(tmp_path: Path, value: str, on: bool) -> None:
    """In a user's process its settings are not ours."""
    file = write(tmp_path, "a", value)
    was_on = gc.isenabled()
    try:
        (gc.enable if on else gc.disable)()
        with contextlib.suppress(ContractError):
            load(file)
        assert gc.isenabled() is on
    finally:
        (gc.enable if was_on else gc.disable)()


def test_five_hundred_operations_are_read_in_about_a_second(tmp_path: Path) -> None:
    """CPU time, with room for a slow machine; it was 0.4 s on two cores of 2024."""
    responses = "\n".join(
        f"      r{n}: {{when: query.n == {n}, status: 40{n}, json: {{error: {{code: $string, note: $text, n: {n}}}}}}}"
        for n in range(5)
    )
    operations = "\n".join(
        f"""\
  op{n}:
    request:
      method: POST
      path: "/op{n}/{{id}}"
      query: {{n?: {{$integer: {{min: 0, max: 9}}}}, expand?: {{$array: $string}}}}
      json: {{amount: {{$integer: {{min: 1}}}}, currency: $string, metadata?: {{$map: $string}}}}
    let: {{paid: body.amount > 10}}
    responses:
{responses}
      ok: {{status: 200, json: {{id: $uuid, amount: "{{{{ body.amount }}}}", paid: "{{{{ paid }}}}", tags: [a, b]}}}}
"""
        for n in range(500)
    )
    file = tmp_path / "contract.yaml"
    file.write_text(f"troth: 1\nprovider: big\noperations:\n{operations}", encoding="utf-8")

    start = time.process_time()
    document = read_document(file)
    seconds = time.process_time() - start

    assert len(document.operations) == 500
    assert seconds < 2
