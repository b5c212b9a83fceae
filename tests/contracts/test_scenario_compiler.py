"""Everything that a scenario names must exist, and each mistake is said at its place with the nearest right name."""

from __future__ import annotations

import pytest

from troth.contracts.compiler.compiler import compile_document
from troth.contracts.contract import Scenario
from troth.contracts.document.folder import parse_document
from troth.errors import Problem, Problems

DOCUMENT = """\
troth: 1
provider: acmepay
secrets: {key: {env: KEY, allow: "t*"}}
data: {declines: {tok_declined: {code: card_declined}, tok_expired: {code: expired}}, numbers: [1, 2]}
types: {Thing: {id: $string}}
operations:
  create:
    request: {method: POST, path: /things, headers: {Trace-Id?: $string}, json: {amount: $integer, note?: $string}}
    responses:
      declined: {when: body.amount == 1, status: 402}
      created: {status: 200}
  keyed:
    request: {method: POST, path: /keyed, headers: {Key?: $string}, json: {amount: $integer}}
    idempotency: {key: headers.key, same: [body], conflict: {status: 409}}
    responses: {created: {status: 200}}
  update:
    request: {method: POST, path: "/things/{id}", json: {id?: $string, note?: $string}}
    responses: {updated: {status: 200}}
  get:
    request: {method: GET, path: "/things/{id}", query: {expand?: $string}}
    responses:
      missing: {when: path.id == "no", status: 404}
      found: {status: 200, json: $Thing}
scenarios:
"""
FIRST = DOCUMENT.count("\n") + 1
"""The line where the scenarios of a test begin."""


def compiled(scenarios: str) -> tuple[dict[str, Scenario], list[Problem]]:
    problems = Problems()
    contract = compile_document(parse_document(DOCUMENT + scenarios), problems)
    return dict(contract.scenarios), problems.items


def one_problem(scenarios: str) -> Problem:
    problems = compiled(scenarios)[1]
    assert len(problems) == 1, problems
    return problems[0]


def test_a_scenario_with_everything_compiles() -> None:
    """Names are found in path, query, headers and body; kept names, parts and cases are known where they are used."""
    scenarios, problems = compiled("""
  a thing:
    part: true
    steps:
      - call: create
        with: {amount: "{{ wanted }}", trace_id: "{{ unique('t-') }}"}
        expect: created
        keep: {id: this.id, sent: body.amount, tag: reply.headers.etag}
  things are kept:
    cases: data.declines
    steps:
      - include: a thing
        as: thing
        with: {wanted: 5}
      - wait: 6s
      - call: get
        with: {id: "{{ thing.id }}", expand: "{{ case.code }} {{ code }} {{ case.key }}"}
        expect: {response: found, json: {id: "{{ thing.id }}", items: [{n: 1}, $string]}, headers: {X-Tag?: a}}
        eventually: 10s
        check: this.id == thing.id
      - call: update
        with: {path.id: "{{ thing.id }}", body.id: x, body.extra: 1}
        auth: none
        repeat: {until: not this.more, with: {note: "{{ this.note }}"}, most: 3}
    cleanup:
      - call: get
        with: {id: "{{ thing.id }}"}
""")
    assert problems == []
    part, scenario = scenarios["a thing"], scenarios["things are kept"]
    assert part.part
    assert part.parameters == {"wanted"}
    call = part.steps[0].call
    assert call is not None
    assert list(call.values) == ["body.amount", "headers.Trace-Id"]
    assert [case.key for case in scenario.cases] == ["tok_declined", "tok_expired"]
    assert scenario.cases[0].row == {"code": "card_declined"}
    include, wait, get, update = scenario.steps
    assert (include.include, include.as_) == ("a thing", "thing")
    assert wait.wait == 6.0
    assert get.eventually == 10.0
    assert get.call is not None
    assert list(get.call.values) == ["path.id", "query.expand"]
    assert update.call is not None
    assert list(update.call.values) == ["path.id", "body.id", "body.extra"]
    assert update.call.auth is False
    assert update.repeat is not None
    assert (update.repeat.most, list(update.repeat.values)) == (3, ["body.note"])
    assert len(scenario.cleanup) == 1


@pytest.mark.parametrize(
    ("step", "code", "found", "fix"),
    [
        ("{call: crate}", "E350", "'crate'", "Did you mean 'create'?"),
        ("{call: create, expect: craeted}", "E351", "'craeted'", "Did you mean 'created'?"),
        ("{call: create, expect: [created, nope]}", "E351", "'nope'", "Known responses: declined, created"),
        ("{call: create, expect: conflict}", "E351", "'conflict'", "Known responses"),
        ("{call: create, expect: {response: created, status: 402}}", "E351", "which has status 200", ""),
        ("{include: tings}", "E352", "'tings'", "There are no parts here"),
        ("{include: s}", "E352", "'s' without it", "part: true"),
        ("{call: create, with: {amuont: 1}}", "E354", "'amuont'", "Did you mean 'amount'? To send it all the same"),
        ("{call: create, with: {headers.X Y: 1}}", "E354", "'X Y'", ""),
        ("{call: get, with: {path.di: 1}}", "E354", "'path.di'", "Known parameters: id"),
        ("{call: update, with: {id: 1}}", "E355", "path.id and body.id", "Write path.id or body.id"),
        ("{call: create, with: {amount: 1, body.amount: 2}}", "E355", "body.amount", "Leave one out"),
        ('{call: create, with: {amount: "{{ amont }}"}}', "E113", "`amont`", ""),
        ('{call: create, with: {amount: "{{ this.id }}"}}', "E356", "'this'", "exists after a call"),
        ('{call: create, with: {amount: "{{ case.key }}"}}', "E356", "'case'", "no `cases`"),
        ('{call: create, with: {amount: "{{ state.things(1) }}"}}', "E356", "'state'", "keep what you need"),
        ('{call: create, with: {amount: "{{ data.decline }}"}}', "E356", "data.decline", "Did you mean 'declines'?"),
        ('{call: create, with: {amount: "{{ secrets.kye }}"}}', "E356", "secrets.kye", "Did you mean 'key'?"),
        ("{call: create, keep: {x: reply.boody}}", "E356", "reply.boody", "Did you mean 'body'?"),
        ("{call: create, keep: {this: this.id}}", "E357", "'this'", "Choose another name"),
        ("{call: create, keep: {a-b: this.id}}", "E357", "'a-b'", "Letters"),
        ("{call: create, expect: created, eventually: 5s}", "E358", "create, a POST", "Read the result with a GET"),
        ("{call: get, eventually: 5s}", "E358", "neither", "Add `expect`"),
        ("{call: get, expect: found, eventually: 5s, repeat: {times: 2}}", "E358", "both", ""),
        ("{call: create, with: {note: $uuid}}", "E361", "$uuid", "$unique"),
        ("{call: create, with: {note: [{a: $Thing}]}}", "E361", "$Thing", ""),
        ("{call: create, expect: {json: {a: $Thing}}}", "E361", "$Thing", ""),
        ("{call: create, expect: {json: {a: {$array: $string}}}}", "E361", "$array", ""),
    ],
)
def test_each_mistake_is_said_once(step: str, code: str, found: str, fix: str) -> None:
    """With its code, what was found and what to do."""
    problem = one_problem(f"  s:\n    steps:\n      - {step}\n")
    assert problem.code == code
    assert found in problem.found
    assert fix in problem.fix
    assert problem.place.line == FIRST + 2


@pytest.mark.parametrize(
    ("cases", "code", "found"),
    [
        ("data.numbers", None, ""),
        ("data.nothing", "E359", "nothing"),
        ("1 + 1", "E359", "2"),
        ("[{a: \"{{ unique('x') }}\"}]", "E359", "'unique'"),
        ('[{a: "{{ data.numbers }}"}]', None, ""),
    ],
)
def test_cases_are_known_before_the_run(cases: str, code: str | None, found: str) -> None:
    """From ``data`` or written out; a list of single values gives rows with a ``value``."""
    scenarios, problems = compiled(f"  s:\n    cases: {cases}\n    steps: [{{call: create}}]\n")
    if code is None:
        assert problems == []
        assert scenarios["s"].cases
        return
    assert [problem.code for problem in problems] == [code]
    assert found in problems[0].found


def test_rows_of_single_values() -> None:
    """They are numbered from 1 and called ``value``."""
    scenarios, _ = compiled("  s:\n    cases: data.numbers\n    steps: [{call: create}]\n")
    assert [(case.key, case.row) for case in scenarios["s"].cases] == [("1", {"value": 1}), ("2", {"value": 2})]


def test_a_name_is_kept_once() -> None:
    """A second step, an include and a case column may not take it again."""
    problem = one_problem("""  s:
    cases: [{code: 1}]
    steps:
      - {call: create, keep: {id: this.id}}
      - {call: create, keep: {code: this.id}}
""")
    assert (problem.code, problem.found) == ("E357", "'code' twice")
    assert (
        one_problem("""  s:
    steps:
      - {call: create, keep: {id: this.id}}
      - {call: create, keep: {id: this.id}}
""").place.line
        == FIRST + 3
    )


def test_a_kept_name_exists_from_its_step_on() -> None:
    """Not before, and within its own step after the call."""
    assert (
        compiled("""  s:
    steps:
      - {call: create, keep: {id: this.id}, check: id == this.id}
      - {call: get, with: {id: "{{ id }}"}}
""")[1]
        == []
    )
    problem = one_problem("""  s:
    steps:
      - {call: get, with: {id: "{{ id }}"}}
      - {call: create, keep: {id: this.id}}
""")
    assert problem.code == "E113"
    assert problem.place.line == FIRST + 2


def test_a_part_cannot_include_itself() -> None:
    """Directly or through another; the circle is shown."""
    problem = one_problem("""  a:
    part: true
    steps: [{include: b}]
  b:
    part: true
    steps: [{include: a}]
""")
    assert problem.code == "E353"
    assert problem.found == "a includes b includes a"


def test_parts_of_parts_do_not_grow_without_end() -> None:
    """Seven lines that would be ten million steps: said where it becomes too much, and nowhere else."""
    parts = "  t0: {part: true, steps: [{call: create, with: {amount: 1}}]}\n"
    for number in range(1, 8):
        steps = ", ".join(f"{{include: t{number - 1}}}" for _ in range(10))
        parts += f"  t{number}: {{part: true, steps: [{steps}]}}\n"
    problem = one_problem(parts + "  s: {steps: [{include: t7}]}\n")

    assert (problem.code, problem.found) == ("E367", "10,000")
    assert problem.place.line == FIRST + 4


def test_what_a_part_reads_must_be_given() -> None:
    """Missing and superfluous values are both mistakes, said where the part is included."""
    part = """  a:
    part: true
    steps: [{call: create, with: {amount: "{{ much }}"}, keep: {id: this.id}}]
  s:
    steps:
"""
    missing = one_problem(part + "      - {include: a}\n")
    assert (missing.code, missing.found) == ("E363", "no 'much'")
    assert f":{FIRST + 2}:" in missing.fix
    extra = one_problem(part + "      - {include: a, with: {much: 1, mcuh: 2}}\n")
    assert (extra.code, extra.found, extra.fix) == ("E363", "'mcuh'", "Did you mean 'much'?")
    assert compiled(part + "      - {include: a, as: a, with: {much: 1}}\n")[1] == []


def test_a_part_shows_only_what_it_keeps() -> None:
    """A name that the part does not keep is a mistake where it is read."""
    problem = one_problem("""  a:
    part: true
    steps: [{call: create, keep: {id: this.id}}]
  s:
    steps:
      - {include: a, as: thing}
      - {call: get, with: {id: "{{ thing.di }}"}}
""")
    assert (problem.code, problem.found, problem.fix) == ("E356", "thing.di", "Known names: id")


def test_a_part_that_nobody_includes_gets_no_values() -> None:
    """What it reads and does not make is then a mistake of its own."""
    problem = one_problem("""  a:
    part: true
    steps: [{call: create, with: {amount: "{{ much }}"}}]
""")
    assert (problem.code, problem.found) == ("E356", "'much'")


def test_a_part_has_no_cases() -> None:
    """Its includer has them."""
    assert one_problem("  a:\n    part: true\n    cases: data.numbers\n    steps: [{call: create}]\n").code == "E359"


def test_idempotency_gives_response_names() -> None:
    """``replay`` and ``conflict`` can be expected, and ``eventually`` is allowed."""
    assert (
        compiled("""  s:
    steps:
      - {call: keyed, expect: replay, eventually: 3s}
      - {call: keyed, expect: conflict}
""")[1]
        == []
    )
