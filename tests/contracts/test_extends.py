"""A contract on top of another: what is merged, where mistakes are shown, and which ways lead nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from troth.contracts.document.folder import amended, parse_document, read_document
from troth.contracts.loader import load, load_with_warnings
from troth.contracts.model.model import Model
from troth.contracts.model.outgoing import build_request
from troth.errors import ContractError, Problem

BASE = """\
troth: 1
provider: shop
secrets: {key: {env: SHOP_KEY, allow: "test_*"}}
auth: {bearer: "{{ secrets.key }}"}
targets: {sandbox: {url: "https://sandbox.shop.example", limits: {rate: 5/s}}}
parts: [types.yaml]
state: {things: {of: $Thing, key: id}}
defaults:
  responses: {unauthorized: {when: not auth.ok, status: 401}}
operations:
  make:
    request: {method: POST, path: /things, json: {name: $string}}
    responses:
      odd: {when: mismatch, status: 400, json: {error: $text}}
      made: {status: 201, json: {$Thing: {}, from: body}, effects: [put: things]}
  get:
    request: {method: GET, path: "/things/{id}"}
    let: {thing: state.things(path.id)}
    responses:
      missing: {when: not thing, status: 404}
      found: {status: 200, json: "{{ thing }}"}
scenarios:
  a thing: {steps: [{call: make, with: {name: a}, expect: made}]}
"""
TYPES = "types: {Thing: {id: $id, name: $string}, Idle: $string}\n"


def shop(tmp_path: Path, text: str = "", where: str = "mine/contract.yaml") -> Path:
    """The base in `base`, and a contract on it in `mine`."""
    for name, content in {"base/contract.yaml": BASE, "base/types.yaml": TYPES, where: text}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path / where


def problems(path: Path) -> list[Problem]:
    with pytest.raises(ContractError) as caught:
        load(path)
    return list(caught.value.problems)


def test_what_it_does_not_say_is_said_below(tmp_path: Path) -> None:
    """Parts of the lower contract, and its provider, included."""
    document = read_document(shop(tmp_path, "extends: ../base\n"))
    assert (document.troth, document.provider, list(document.types)) == (1, "shop", ["Thing", "Idle"])
    assert list(document.operations) == ["make", "get"]
    assert document.file == tmp_path / "mine/contract.yaml"


def test_mappings_merge_lists_and_scalars_replace_and_null_removes(tmp_path: Path) -> None:
    """In every section, down to the fields of a structure."""
    text = """\
extends: ../base
secrets: {key: {env: OUR_KEY}}
targets: {sandbox: {limits: {requests: 50}}}
types:
  Thing: {colour: {$enum: [red, blue]}}
  Idle: null
operations:
  make:
    request: {json: {colour?: {$enum: [red, blue]}}}
    responses:
      odd: {status: 422}
      made: {effects: []}
  get: null
scenarios: {a red thing: {steps: [{call: make, with: {name: a, colour: red}, expect: made}]}}
"""
    contract = load(shop(tmp_path, text))
    assert (contract.secrets["key"].env, contract.secrets["key"].allow) == ("OUR_KEY", "test_*")
    assert (contract.targets["sandbox"].rate, contract.targets["sandbox"].requests) == (5, 50)
    assert list(contract.types) == ["Thing"]
    assert list(contract.operations) == ["make"]
    assert [(shape.name, shape.status) for shape in contract.operations["make"].responses] == [
        ("unauthorized", 401),
        ("odd", 422),
        ("made", 201),
    ]
    assert contract.operations["make"].responses[-1].effects == ()
    assert list(contract.scenarios) == ["a thing", "a red thing"]
    headers = ((b"Authorization", b"Bearer test_1"),)
    request = build_request(contract, contract.operations["make"], {"name": "a", "colour": "blue"}, headers)
    assert b'"colour":"blue"' in Model(contract).respond(request, 1.0).response.body


def test_credentials_of_another_kind_take_the_place_of_those_below(tmp_path: Path) -> None:
    """Nobody means both; and traits and operations merge alike."""
    text = 'extends: ../base\nauth: {basic: ["{{ secrets.key }}", ""]}\n'
    auth = load(shop(tmp_path, text)).auth
    assert auth is not None
    assert auth.kind == "basic"


def test_three_layers_with_parts_of_their_own(tmp_path: Path) -> None:
    """The upper goes before the lower; a part may say again what the contract below says."""
    shop(tmp_path, "extends: ../base/contract.yaml\nparts: [more.yaml]\n")
    (tmp_path / "mine/more.yaml").write_text("types: {Idle: $integer}\n")
    (tmp_path / "top.yaml").write_text("extends: mine\nprovider: ours\n")
    document = read_document(tmp_path / "top.yaml")
    assert (document.provider, document.types["Idle"]) == ("ours", "$integer")
    assert [len(names) for _, names in document.layers] == [1, 2, 2]


def test_a_pack_by_its_name(tmp_path: Path) -> None:
    """A team adds its scenarios to a pack that ships with Troth, and its warnings are not the team's."""
    text = "extends: pack:stripe\nsecrets: {key: {env: OUR_STRIPE_KEY}}\nscenarios: {a part: null}\n"
    path = shop(tmp_path, text.replace("scenarios: {a part: null}\n", "data: {ours: {a: 1}}\n"))
    loaded = load_with_warnings(path)
    assert loaded.contract.provider == "stripe"
    assert loaded.contract.secrets["key"].env == "OUR_STRIPE_KEY"
    assert [(problem.code, problem.place.file) for problem in loaded.warnings] == [("W005", str(path))]


def test_a_mistake_is_shown_where_it_was_written(tmp_path: Path) -> None:
    """In the file of the upper contract, or in that of the lower one, with the line."""
    upper = shop(tmp_path, "extends: ../base\noperations:\n  get: {request: {metod: GET}}\n")
    (problem,) = problems(upper)
    assert (problem.code, problem.place.file, problem.place.line) == ("E030", str(upper), 3)
    assert problem.excerpt

    shop(tmp_path, "extends: ../base\n")
    (tmp_path / "base/types.yaml").write_text(TYPES.replace("$id,", "$idd,"))
    (problem,) = problems(upper)
    assert (problem.place.line, Path(problem.place.file).name) == (1, "types.yaml")
    assert problem.excerpt


@pytest.mark.parametrize(
    ("text", "code", "line", "words"),
    [
        ("extends: pack:strip\n", "E058", 1, "Did you mean 'stripe'?"),
        ("extends: ../bas\n", "E058", 1, "base"),
        ("extends: /base\n", "E058", 1, "../base"),
        ("extends: ../mine\n", "E057", 1, "circle"),
        ("extends: [../base]\n", "E031", 1, "text"),
        ("extends: ../base\noperations:\n  gett: null\n", "E036", 3, "Did you mean 'get'?"),
        ("extends: ../base\ntypes: {Thing: null}\n", "E060", 7, "Thing"),
    ],
)
def test_ways_that_lead_nowhere(tmp_path: Path, text: str, code: str, line: int, words: str) -> None:
    """Each with its place and what to do."""
    found = problems(shop(tmp_path, text))
    hit = [problem for problem in found if problem.code == code]
    assert hit, found
    assert hit[0].place.line == line
    assert words in f"{hit[0].asked} {hit[0].found} {hit[0].fix}"


def test_a_circle_over_several_contracts(tmp_path: Path) -> None:
    """Ends, and names the file that closes it."""
    for name, other in (("a", "b"), ("b", "c"), ("c", "a")):
        (tmp_path / f"{name}.yaml").write_text(f"troth: 1\nprovider: x\nextends: {other}.yaml\n")
    (problem,) = [problem for problem in problems(tmp_path / "a.yaml") if problem.code == "E057"]
    assert problem.place.file == str(tmp_path / "c.yaml")


def test_a_part_and_a_text_cannot_extend(tmp_path: Path) -> None:
    """A part belongs to one contract; a text has no folder."""
    path = shop(tmp_path, "extends: ../base\nparts: [part.yaml]\n")
    (path.parent / "part.yaml").write_text("extends: ../base\n")
    assert [problem.code for problem in problems(path)] == ["E055"]
    with pytest.raises(ContractError) as caught:
        parse_document("troth: 1\nprovider: x\nextends: pack:stripe\n")
    assert [problem.code for problem in caught.value.problems] == ["E052"]


def test_the_hash_is_that_of_all_files(tmp_path: Path) -> None:
    """Wherever they lie; a change below is a change."""
    first = read_document(shop(tmp_path / "one", "extends: ../base\n"))
    second = read_document(shop(tmp_path / "two", "extends: ../base\n"))
    assert first.content_hash == second.content_hash
    (tmp_path / "two/base/types.yaml").write_text(TYPES + "# changed\n")
    assert read_document(second.file).content_hash != first.content_hash


def test_a_file_below_can_be_amended(tmp_path: Path) -> None:
    """What `troth adopt` tries before it writes."""
    document = read_document(shop(tmp_path, "extends: ../base\n"))
    name = next(name for name in document.sources if name.endswith("types.yaml"))
    changed = amended(document, {name: TYPES.replace("$string,", "$text,")})
    assert changed.types["Thing"]["name"] == "$string"
    changed = amended(document, {name: TYPES.replace("name: $string", "name: $text")})
    assert changed.types["Thing"]["name"] == "$text"
    assert changed.layers == document.layers
