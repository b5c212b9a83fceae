"""Compiles the scenarios of a document: every name, operation, response and part in them must exist.

Parts are compiled where they are first included. A part sees none of its includer's names: what it reads and does not
make itself are its parameters, which ``include`` gives in ``with``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from troth.contracts.compiler.call_values import compile_values, expressions_of
from troth.contracts.compiler.given_compiler import compile_given
from troth.contracts.compiler.scenario_names import Visible
from troth.contracts.compiler.wanted import compile_wanted
from troth.contracts.contract import Call, Case, Collection, Expect, Operation, Repeat, Scenario, Step
from troth.contracts.expressions.expression import Expression, ExpressionError, compile_expression
from troth.contracts.expressions.said import Said, compile_said
from troth.contracts.suggest import did_you_mean
from troth.contracts.values import ABSENT, Json
from troth.contracts.yaml_files.placed import Map
from troth.errors import Place, Problems

if TYPE_CHECKING:
    from troth.contracts.document.document import Document
    from troth.contracts.document.scenario_document import ExpectDoc, RepeatDoc, ScenarioDoc, StepDoc

__all__ = ["compile_scenarios"]

_REPEATABLE = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})
"""Methods that HTTP calls safe or idempotent."""
_MOST_STEPS = 1_000
"""Steps of a scenario, those of the parts that it includes counted: parts of parts multiply."""


def compile_scenarios(
    document: Document,
    operations: Mapping[str, Operation],
    collections: Mapping[str, Collection],
    data: Mapping[str, Json],
    problems: Problems,
) -> dict[str, Scenario]:
    """Every scenario of ``document`` by name, parts included; what is wrong goes to ``problems`` (E350 to E367)."""
    compiler = _Compiler(document, operations, collections, data, problems)
    scenarios = {name: compiler.scenario(name) for name in document.scenarios}
    compiler.report_unfilled_parts()
    return scenarios


class _Compiler:
    def __init__(
        self,
        document: Document,
        operations: Mapping[str, Operation],
        collections: Mapping[str, Collection],
        data: Mapping[str, Json],
        problems: Problems,
    ) -> None:
        self.document, self.operations, self.collections = document, operations, collections
        self.data, self.problems = data, problems
        self.done: dict[str, Scenario] = {}
        self.visible: dict[str, Visible] = {}
        self.open: list[str] = []
        """Names of the scenarios being compiled, from the outermost part's includer inwards."""
        self.included: set[str] = set()
        self.sizes: dict[str, int] = {}
        """Steps of each scenario that is done."""

    def scenario(self, name: str) -> Scenario:
        if name in self.done:
            return self.done[name]
        doc = self.document.scenarios[name]
        where = ("scenarios", name)
        cases = self._cases(doc, where)
        columns = frozenset(column for case in cases for column in case.row) if cases else None
        secrets = frozenset(self.document.secrets)
        parameters: dict[str, Place] | None = {} if doc.part else None
        names = Visible(self.problems, self.data, secrets, {}, columns, parameters)
        self.visible[name] = names
        self.open.append(name)
        made = self._made(name, doc, cases, names, where)
        self.open.pop()
        self._check_size(made, where)
        self.done[name] = made
        return made

    def _check_size(self, made: Scenario, where: tuple[Any, ...]) -> None:
        steps = (*made.steps, *made.cleanup)
        size = sum(1 if step.include is None else self.sizes.get(step.include, 1) for step in steps)
        if size > _MOST_STEPS:
            want = f"a scenario of at most {_MOST_STEPS:,} steps, with those of its parts"
            self.problems.add("E367", self.document.place(*where), want, f"{size:,}", "Include fewer parts")
            size = 1  # What includes it is too long because of it.
        self.sizes[made.name] = size

    def _made(
        self, name: str, doc: ScenarioDoc, cases: tuple[Case, ...], names: Visible, where: tuple[Any, ...]
    ) -> Scenario:
        given = compile_given(doc.given, self.collections, names, self.problems) if doc.given else ()
        steps = self._steps(doc.steps, names, (*where, "steps"))
        keep = self._keep(doc.keep, names, (*where, "keep"))
        cleanup = self._steps(doc.cleanup, names, (*where, "cleanup"))
        return Scenario(
            name=name,
            steps=steps,
            cleanup=cleanup,
            part=doc.part,
            cases=cases,
            tags=frozenset(doc.tags),
            place=self.document.place(*where),
            keep=keep,
            given=given,
            parameters=frozenset(names.parameters or ()),
        )

    def report_unfilled_parts(self) -> None:
        """A part that nobody includes can get no values: what it reads and does not make is a mistake."""
        for name, scenario in self.done.items():
            parameters = self.visible[name].parameters
            if not scenario.part or name in self.included or not parameters:
                continue
            for parameter, place in parameters.items():
                hint = did_you_mean(parameter, self.visible[name].known() - {parameter})
                asked = "names that exist here (no scenario includes this part and gives it)"
                self.problems.add("E356", place, asked, repr(parameter), hint)

    # Cases

    def _cases(self, doc: ScenarioDoc, where: tuple[Any, ...]) -> tuple[Case, ...]:
        if doc.cases is None:
            return ()
        place = self.document.place(*where, "cases")
        if doc.part:
            fix = "Give the rows to the scenario that includes it"
            self.problems.add("E359", place, "no `cases` on a part", "`cases` and `part: true`", fix)
            return ()
        before = len(self.problems.items)
        said: Expression | Said | None
        if isinstance(doc.cases, str):
            said = compile_expression(doc.cases, place, self.problems)
            expressions: Iterable[Expression] = () if said is None else (said,)
        else:
            said = compile_said(doc.cases, place, self.problems)
            expressions = said.expressions
        self._only_data(expressions)
        if said is None or len(self.problems.items) > before:
            return ()
        return self._rows(self._value(said, place), place)

    def _only_data(self, expressions: Iterable[Expression]) -> None:
        for expression in expressions:
            for name in sorted(expression.names - {"data", "none", "absent"}):
                asked, fix = "rows that are known before the run, from `data` or written out", ""
                self.problems.add("E359", expression.place, asked, repr(name), fix)

    def _value(self, said: Expression | Said, place: Place) -> Any:
        try:
            return said.value(_DataScope(self.data))
        except ExpressionError as error:
            self.problems.add("E359", place, "rows that can be worked out", str(error), "")
            return ABSENT

    def _rows(self, value: Any, place: Place) -> tuple[Case, ...]:
        if isinstance(value, Mapping):
            rows = [(str(key), row) for key, row in value.items()]
        elif isinstance(value, list):
            rows = [(str(number), row) for number, row in enumerate(value, 1)]
        else:
            rows = []
        if not rows:
            found = "nothing" if value is ABSENT else repr(value)
            self.problems.add("E359", place, "`cases`: a list or map with at least one row", found, "")
        # A row that is a single value is called `value`.
        return tuple(Case(key, dict(row) if isinstance(row, Mapping) else {"value": row}) for key, row in rows)

    # Steps

    def _steps(self, docs: list[StepDoc], names: Visible, where: tuple[Any, ...]) -> tuple[Step, ...]:
        return tuple(self._step(doc, names, (*where, index)) for index, doc in enumerate(docs))

    def _step(self, doc: StepDoc, names: Visible, where: tuple[Any, ...]) -> Step:
        place = self.document.place(*where)
        if doc.include is not None:
            return self._include(doc, doc.include, names, place)
        if doc.call is not None:
            return self._call(doc, doc.call, names, where)
        return Step(place, wait=doc.wait)

    def _include(self, doc: StepDoc, name: str, names: Visible, place: Place) -> Step:
        values = self._values(doc.with_, None, doc.place("with"))
        names.check(expressions_of(values))
        part = self._part(name, doc.place("include"))
        if part is not None:
            self._check_given(part, values, doc)
        if doc.as_:
            below = None if part is None else frozenset(self.visible[name].kept)
            names.keep(doc.as_, doc.place("as"), below)
        return Step(place, include=name, as_=doc.as_, include_values=values)

    def _part(self, name: str, place: Place) -> Scenario | None:
        if name not in self.document.scenarios:
            parts = [other for other, doc in self.document.scenarios.items() if doc.part]
            self.problems.add("E352", place, "a part of this contract", repr(name), did_you_mean(name, parts, "parts"))
            return None
        if not self.document.scenarios[name].part:
            fix = f"Add `part: true` to {name!r}; it is then not run by itself"
            self.problems.add("E352", place, "a scenario with `part: true`", f"{name!r} without it", fix)
            return None
        if name in self.open:
            circle = " includes ".join([*self.open[self.open.index(name) :], name])
            self.problems.add("E353", place, "parts that do not include themselves", circle, "Break the circle")
            return None
        self.included.add(name)
        return self.scenario(name)

    def _check_given(self, part: Scenario, values: Mapping[str, Said], doc: StepDoc) -> None:
        for name in sorted(part.parameters - values.keys()):
            used = (self.visible[part.name].parameters or {})[name]
            fix = f"Add `with: {{{name}: ...}}`; it is read at {used}"
            self.problems.add("E363", doc.place("include"), f"every name that {part.name!r} reads", f"no {name!r}", fix)
        for name in sorted(values.keys() - part.parameters):
            hint = did_you_mean(name, part.parameters, "names")
            self.problems.add("E363", doc.place("with"), f"only names that {part.name!r} reads", repr(name), hint)

    def _call(self, doc: StepDoc, name: str, names: Visible, where: tuple[Any, ...]) -> Step:
        operation = self.operations.get(name)
        if operation is None and name not in self.document.operations:
            hint = did_you_mean(name, self.document.operations, "operations")
            self.problems.add("E350", doc.place("call"), "an operation of this contract", repr(name), hint)
        values = self._values(doc.with_, operation, doc.place("with"))
        names.check(expressions_of(values))
        replied = names.after_call()
        expect = self._expect(doc.expect, operation, replied, where)
        keep = self._keep(doc.keep, replied, (*where, "keep"))
        check = self._check(doc.check, replied, doc.place("check"))
        repeat = None if doc.repeat is None else self._repeat(doc.repeat, operation, replied)
        self._check_eventually(doc, operation)
        return Step(
            place=self.document.place(*where),
            call=Call(name, values, doc.auth != "none", self._wire(doc, operation, names)),
            expect=expect,
            keep=keep,
            eventually=doc.eventually,
            repeat=repeat,
            check=check,
        )

    def _wire(self, doc: StepDoc, operation: Operation | None, names: Visible) -> Said | None:
        """The wire to call on: a name that the operation has, or what an expression gives."""
        if doc.wire is None:
            return None
        said = compile_said(doc.wire, doc.place("wire"), self.problems)
        names.check(said.expressions)
        if operation is not None and (
            not operation.wires or (not said.expressions and doc.wire not in operation.wires)
        ):
            hint = did_you_mean(doc.wire, operation.wires, "wires") if operation.wires else "It has none"
            self.problems.add("E366", doc.place("wire"), f"a wire of {operation.name}", repr(doc.wire), hint)
        return said

    def _values(self, raw: Map | None, operation: Operation | None, place: Place) -> dict[str, Said]:
        return compile_values(raw, operation, place, self.problems)

    def _check(self, sources: list[str], names: Visible, place: Place) -> tuple[Expression, ...]:
        made = [compile_expression(source, place, self.problems) for source in sources]
        expressions = tuple(expression for expression in made if expression is not None)
        names.check(expressions)
        return expressions

    def _keep(self, docs: Mapping[str, str], names: Visible, where: tuple[Any, ...]) -> dict[str, Expression]:
        kept: dict[str, Expression] = {}
        for name, source in docs.items():
            place = self.document.place(*where, name)
            expression = compile_expression(source, place, self.problems)
            if expression is not None:
                names.check((expression,))
                kept[name] = expression
            names.keep(name, place)
        return kept

    def _expect(self, doc: ExpectDoc, operation: Operation | None, names: Visible, where: tuple[Any, ...]) -> Expect:
        place = self.document.place(*where, "expect")
        if operation is not None:
            self._check_responses(doc, operation, place)
        json = None
        if doc.codec is not None:
            json = compile_wanted(doc.content, self.document.place(*where, "expect", doc.codec), self.problems)
        headers = None
        if doc.headers:
            plain = Map(at=doc.headers.at)
            for name, value in doc.headers.items():
                plain.with_entry(name.lower().replace("-", "_"), value, doc.headers.marks.get(name))
            headers = compile_wanted(plain, place, self.problems)
        for wanted in (json, headers):
            if wanted is not None:
                names.check(wanted.expressions)
        return Expect(tuple(doc.response), doc.status, json, headers)

    def _check_responses(self, doc: ExpectDoc, operation: Operation, place: Place) -> None:
        known = [shape.name for shape in operation.responses]
        if operation.idempotency is not None:
            known += ["replay"] + (["conflict"] if operation.idempotency.conflict is not None else [])
        for name in doc.response:
            shape = operation.response(name)
            if name not in known:
                hint = did_you_mean(name, known, "responses")
                self.problems.add("E351", place, f"a response of {operation.name}", repr(name), hint)
            elif shape is not None and doc.status is not None and shape.status != doc.status:
                found = f"status {doc.status}, and {name!r}, which has status {shape.status}"
                self.problems.add("E351", place, "a status that the expected response has", found, "Leave one out")

    def _repeat(self, doc: RepeatDoc, operation: Operation | None, names: Visible) -> Repeat:
        values = self._values(doc.with_, operation, doc.place("with"))
        names.check(expressions_of(values))
        until = None
        if doc.until is not None:
            until = compile_expression(doc.until, doc.place("until"), self.problems)
            if until is not None:
                names.check((until,))
        return Repeat(doc.times, until, values, doc.most)

    def _check_eventually(self, doc: StepDoc, operation: Operation | None) -> None:
        if doc.eventually is None:
            return
        place = doc.place("eventually")
        if doc.repeat is not None:
            self.problems.add("E358", place, "`eventually` or `repeat`", "both", "Use one step for each")
        if not doc.has("expect") and not doc.check:
            fix = "Add `expect` or `check`"
            self.problems.add("E358", place, "something to wait for beside `eventually`", "neither", fix)
        if operation is None or operation.request.method.upper() in _REPEATABLE or operation.idempotency is not None:
            return
        asked = "`eventually` on an operation that is safe or idempotent, as it is called many times"
        fix = "Read the result with a GET, and wait on that"
        self.problems.add("E358", place, asked, f"{operation.name}, a {operation.request.method}", fix)


class _DataScope:
    """Nothing but ``data``."""

    def __init__(self, data: Mapping[str, Json]) -> None:
        self._data = data

    def get(self, name: str) -> Any:
        return self._data if name == "data" else ABSENT

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"rows of cases cannot use {name!r}")
