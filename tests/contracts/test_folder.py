"""From a path to a Document."""

import re
from pathlib import Path

import pytest

from troth.contracts.document.folder import contract_file, find_contracts, parse_document, read_document
from troth.errors import ContractError, Place, Problem

HEAD = "troth: 1\nprovider: x\n"
OPERATION = "{request: {method: GET, path: /a}, responses: {ok: {status: 200}}}"


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def problems_in(path: object) -> list[Problem]:
    with pytest.raises(ContractError) as caught:
        read_document(path)  # type: ignore[arg-type]
    return list(caught.value.problems)


def codes(path: object) -> list[str]:
    return [problem.code for problem in problems_in(path)]


# What a path means


def test_file_and_folder_are_the_same(tmp_path: Path) -> None:
    """A folder stands for the contract.yaml in it."""
    folder = write(tmp_path / "c", contract=HEAD)

    assert read_document(folder).file == read_document(folder / "contract.yaml").file == folder / "contract.yaml"
    assert read_document(str(folder)).provider == "x"


def test_any_file_name_will_do(tmp_path: Path) -> None:
    """A contract that is named may be called anything."""
    write(tmp_path, acme=HEAD)

    assert read_document(tmp_path / "acme.yaml").provider == "x"


def test_folder_without_a_contract(tmp_path: Path) -> None:
    """It says what is missing, and which packs there are."""
    (problem,) = problems_in(tmp_path)

    assert (problem.code, problem.place.file) == ("E050", str(tmp_path))
    assert "Packs:" in problem.fix


def test_no_such_path(tmp_path: Path) -> None:
    """A path that leads nowhere is no pack either."""
    assert codes(tmp_path / "no" / "contract.yaml") == ["E050"]


def test_unknown_pack_lists_the_known_ones(tmp_path: Path) -> None:
    """A plain word may be the name of a pack."""
    packs = write(tmp_path, stripe__contract=HEAD, slack__contract=HEAD, empty__other=HEAD)

    with pytest.raises(ContractError, match=r"E051 .* none of them\. Known packs: slack, stripe"):
        contract_file("paypal", packs)
    with pytest.raises(ContractError, match="Did you mean 'stripe'"):
        contract_file("pack:strpe", packs)


def test_a_pack_is_found_by_its_name(tmp_path: Path) -> None:
    """With and without `pack:`."""
    packs = write(tmp_path, stripe__contract=HEAD)

    assert contract_file("stripe", packs) == contract_file("pack:stripe", packs) == packs / "stripe" / "contract.yaml"


def test_a_folder_of_that_name_wins_over_a_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies in the project is nearer than a pack; a folder without a contract is not in the way."""
    packs = write(tmp_path / "packs", stripe__contract=HEAD)
    monkeypatch.chdir(tmp_path)
    Path("stripe").mkdir()

    assert contract_file("stripe", packs) == packs / "stripe" / "contract.yaml"
    write(tmp_path / "stripe", contract=HEAD)
    assert contract_file("stripe", packs) == Path("stripe") / "contract.yaml"


@pytest.mark.parametrize("path", ["a/" + "x" * 5000, "a\0b", "a/\0/contract.yaml"])
def test_paths_that_no_system_takes(path: str) -> None:
    """They are problems like any other."""
    with pytest.raises(ContractError) as caught:
        find_contracts([path])

    assert caught.value.problems[0].code in ("E001", "E050")


# Finding


def test_find_contracts_below_a_folder(tmp_path: Path) -> None:
    """Each contract folder below; a contract's own folders, hidden ones and node_modules are not searched."""
    write(
        tmp_path,
        b__contract=HEAD,
        a__contract=HEAD,
        deep__c__contract=HEAD,
        a__nested__contract=HEAD,
        node_modules__d__contract=HEAD,
        **{".hidden__contract": HEAD, "other": HEAD},
    )
    found = find_contracts([tmp_path])

    assert [path.relative_to(tmp_path).as_posix() for path in found] == [
        "a/contract.yaml",
        "b/contract.yaml",
        "deep/c/contract.yaml",
    ]


def test_find_contracts_names_each_once(tmp_path: Path) -> None:
    """A folder, a file in it and the folder above lead to one contract."""
    folder = write(tmp_path / "a", contract=HEAD)

    assert find_contracts([tmp_path, folder, folder / "contract.yaml"]) == [folder / "contract.yaml"]


def test_find_contracts_reports_every_path_that_leads_to_none(tmp_path: Path) -> None:
    """All at once."""
    with pytest.raises(ContractError) as caught:
        find_contracts([tmp_path, "no-such-pack", tmp_path / "no.yaml"])

    assert [problem.code for problem in caught.value.problems] == ["E050", "E051", "E050"]


# Parts


def test_parts_are_merged_in(tmp_path: Path) -> None:
    """Globs and plain names; a file matched twice is read once; places name the part."""
    write(
        tmp_path,
        contract=HEAD + "parts: [types.yaml, 'operations/*.yaml', operations/b.yaml]\n",
        types="types: {T: $string}\n",
        operations__a=f"operations:\n  a: {OPERATION}\n",
        operations__b=f"operations:\n  b: {OPERATION}\n",
        unused="nonsense",
    )
    document = read_document(tmp_path)

    assert list(document.operations) == ["a", "b"]
    assert document.types == {"T": "$string"}
    assert list(document.sources) == [
        str(tmp_path / name) for name in ("contract.yaml", "types.yaml", "operations/a.yaml", "operations/b.yaml")
    ]
    assert document.place("operations", "b", "request") == Place(str(tmp_path / "operations/b.yaml"), 2, 16)


def test_parts_may_be_one_text(tmp_path: Path) -> None:
    """One part needs no list; the contract file itself is no part."""
    write(tmp_path, contract=HEAD + "parts: '*.yaml'\n", more="types: {T: $string}\n")

    assert read_document(tmp_path).types == {"T": "$string"}


@pytest.mark.parametrize("pattern", ["no.yaml", "operations/*.yaml", "types"])
def test_a_part_that_matches_nothing(tmp_path: Path, pattern: str) -> None:
    """A misspelt part would be missing in silence."""
    write(tmp_path, contract=HEAD + f"parts: ['{pattern}']\n")
    (tmp_path / "types").mkdir()

    (problem,) = problems_in(tmp_path)
    assert (problem.code, problem.found, problem.place.line) == ("E052", repr(pattern), 3)


@pytest.mark.parametrize("pattern", ["../other/*.yaml", "/etc/*.yaml", "a/../../b.yaml", "C:/x.yaml", "..", ""])
def test_parts_stay_inside_the_folder(tmp_path: Path, pattern: str) -> None:
    """No absolute paths, nothing above."""
    write(tmp_path / "c", contract=HEAD + f"parts: ['{pattern}']\n")
    write(tmp_path / "other", x="types: {}\n")

    assert codes(tmp_path / "c") == ["E053"]


def test_no_link_leads_out_of_the_folder(tmp_path: Path) -> None:
    """Neither a linked file nor a linked folder."""
    write(tmp_path / "other", x="types: {T: $string}\n")
    folder = write(tmp_path / "c", contract=HEAD + "parts: [x.yaml, 'd/*.yaml']\n")
    (folder / "x.yaml").symlink_to(tmp_path / "other" / "x.yaml")
    (folder / "d").symlink_to(tmp_path / "other")

    assert codes(folder) == ["E053", "E053"]


def test_a_bad_pattern(tmp_path: Path) -> None:
    """What the file system cannot match is a problem, not a crash."""
    write(tmp_path, contract=HEAD + "parts: ['a/**b/*.yaml']\n")

    assert codes(tmp_path)[0] in ("E052", "E053")


def test_problems_of_all_files_at_once(tmp_path: Path) -> None:
    """The contract file, a part that is no YAML, a part with a wrong key: all in one go, in order.

    What `x` lacks may stand in the part that cannot be read.
    """
    write(
        tmp_path,
        contract=HEAD + "parts: [a.yaml, b.yaml]\ntitle: 5\n",
        a="types: {T: charges[0]}\n",
        b="operations:\n  x: {titel: y}\n",
    )
    found = problems_in(tmp_path)

    assert [(Path(problem.place.file).name, problem.code) for problem in found] == [
        ("contract.yaml", "E031"),
        ("a.yaml", "E012"),
        ("b.yaml", "E030"),
    ]
    assert all(problem.excerpt for problem in found)


def test_names_in_a_broken_part_are_not_called_unknown(tmp_path: Path) -> None:
    """What could not be read may define anything."""
    write(
        tmp_path,
        contract=HEAD + "parts: [a.yaml]\nstate: {things: {of: $Thing, key: id}}\n",
        a="types: {Thing: charges[0]}\n",
    )

    assert codes(tmp_path) == ["E012"]


def test_a_wrong_entry_does_not_hide_other_mistakes(tmp_path: Path) -> None:
    """Names are resolved although an operation is wrong, and that operation counts as known."""
    write(
        tmp_path,
        contract=HEAD
        + "operations:\n"
        + "  a: {request: {method: get, path: /a}, responses: {ok: {status: 200}}}\n"
        + "  b: {request: {method: GET, path: /b}, responses: {ok: {status: 200, json: $Thng}}, undo: {call: a}}\n",
    )

    assert codes(tmp_path) == ["E035", "E060"]


# Documents


def test_inherited_responses(contracts: Path) -> None:
    """Names and order as the compiler needs them."""
    operation = read_document(contracts / "stripe_draft").operations["refund"]

    assert list(operation.responses) == [
        "unauthorized", "throttled", "invalid", "missing", "already", "too_much", "refunded",
    ]  # fmt: skip
    assert operation.inherited == {"unauthorized", "throttled", "invalid"}
    assert operation.idempotency is not None
    assert operation.idempotency.keep == 86400


@pytest.mark.parametrize("name", ["stripe_draft", "documents", "either"])
def test_the_examples_are_read(contracts: Path, name: str) -> None:
    """Without a problem."""
    document = read_document(contracts / name)

    assert document.operations
    assert document.scenarios


def test_content_hash(tmp_path: Path) -> None:
    """Sixteen hex digits that change with any byte of any file, and not with where the folder lies."""
    files = {"contract": HEAD + "parts: [types.yaml]\n", "types": "types: {T: $string}\n"}
    first = read_document(write(tmp_path / "a", **files)).content_hash
    moved = read_document(write(tmp_path / "b", **files)).content_hash
    changed = read_document(write(tmp_path / "c", **files | {"types": "types: {T: $string}\n#"})).content_hash

    assert re.fullmatch(r"[0-9a-f]{16}", first)
    assert moved == first
    assert changed != first


def test_parse_document_has_no_parts() -> None:
    """A text has no folder."""
    with pytest.raises(ContractError) as caught:
        parse_document(HEAD + "parts: [a.yaml]\n")

    assert [problem.code for problem in caught.value.problems] == ["E052"]


def test_a_name_close_to_what_is_there_is_offered(tmp_path, monkeypatch):
    """A folder beside, a file beside, and a pack."""
    (tmp_path / "contracts").mkdir()
    (tmp_path / "payments.yaml").touch()
    monkeypatch.chdir(tmp_path)

    for given, meant in (
        ("contract", "contracts"),
        ("strpe", "stripe"),
        ("./paymants.yaml", "payments.yaml"),
        ("gone/payments.yaml", None),
    ):
        with pytest.raises(ContractError) as caught:
            contract_file(given)
        assert caught.value.problems[0].fix == (f"Did you mean {meant!r}?" if meant else ""), given
