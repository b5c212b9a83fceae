"""From what a person names to the contracts that are meant."""

from __future__ import annotations

from troth.contract_paths import find_contracts


def test_a_folder_of_contracts_stands_for_each_of_them(tmp_path):
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "contract.yaml").touch()
    (tmp_path / "notes").mkdir()

    assert find_contracts([tmp_path]) == [str(tmp_path / "a"), str(tmp_path / "b")]


def test_a_folder_with_a_contract_stands_for_itself(tmp_path):
    (tmp_path / "contract.yaml").touch()
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "contract.yaml").touch()

    assert find_contracts([tmp_path]) == [str(tmp_path)]


def test_files_packs_and_what_is_not_there_are_passed_on(tmp_path):
    file = tmp_path / "x.yaml"
    file.touch()

    assert find_contracts([file, "stripe", tmp_path / "gone"]) == [str(file), "stripe", str(tmp_path / "gone")]


def test_an_empty_folder_is_passed_on_so_that_the_loader_can_say_so(tmp_path):
    assert find_contracts([tmp_path]) == [str(tmp_path)]


def test_each_contract_comes_once():
    assert find_contracts(["stripe", "stripe"]) == ["stripe"]
