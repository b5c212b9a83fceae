"""A compiled contract: small frozen parts that the model, the simulator and the runner read.

Made once by ``troth.contracts.compiler`` from a ``Document``; nothing here parses, and nothing changes afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from troth.contracts.auth import Auth
from troth.contracts.given import Given
from troth.contracts.policy import Policy
from troth.contracts.values import Json
from troth.errors import Place
from troth.frozen import frozen

if TYPE_CHECKING:
    from troth.contracts.compiler.wanted import Wanted
    from troth.contracts.expressions.expression import Expression, Said
    from troth.contracts.routing.router import Router
    from troth.contracts.structure import Node, Shape
    from troth.contracts.wire_body import WireBody

__all__ = [
    "Auth",
    "Call",
    "Case",
    "Collection",
    "Contract",
    "Effect",
    "Expect",
    "Idempotency",
    "Move",
    "Operation",
    "Proven",
    "Repeat",
    "RequestShape",
    "ResponseShape",
    "Scenario",
    "Secret",
    "Step",
    "Target",
    "Undo",
]

BodyCodec = Literal["json", "form", "multipart", "xml", "text", "bytes", "none"]


@frozen
class Proven:
    """Where a claim that the provider behaves like this comes from."""

    by: str
    on: str
    link: str = ""


@frozen
class Secret:
    """A named secret: which variable holds it, and which values may leave the machine."""

    name: str
    env: str
    allow: str | None = None

    def allows(self, value: str) -> bool:
        """Does ``value`` fit the pattern (shell wildcards, case matters)? Without a pattern: False."""
        return self.allow is not None and fnmatchcase(value, self.allow)


@frozen
class Target:
    """A base URL where scenarios can run. ``url_env`` is read first, then ``url``."""

    name: str
    url: str | None = None
    url_env: str | None = None
    hosts: Mapping[str, str] = field(default_factory=dict)
    rate: float | None = None
    """Requests a second."""
    concurrency: int | None = None
    requests: int | None = None
    seconds: float | None = None
    cost: Mapping[str, float] = field(default_factory=dict)
    """The most that a run may cost, by unit."""
    health: tuple[str, str] | None = None
    """(method, path) of a safe request."""
    secrets: Mapping[str, str] = field(default_factory=dict)
    """Secret name to the variable that holds it on this target."""
    proxy: str | None = None
    ca: str | None = None
    wires: tuple[str, ...] = ()
    """Those that it speaks; empty: all."""


@frozen
class RequestShape:
    """What a request of an operation looks like, and how it is told from others."""

    method: str
    path: str
    """Template: ``/v1/charges/{id}``."""
    host: str | None
    on_headers: Mapping[str, str]
    """Lower-case header name to the exact value that routes here."""
    on_query: Mapping[str, str]
    on_body: Mapping[str, Json]
    path_fields: Shape
    query: Shape
    headers: Shape
    """Fields by lower-case name with ``_``; ``header_names`` has the spelling to send."""
    header_names: Mapping[str, str]
    cookies: Shape
    body: Node | None
    """None: the operation says nothing about the body."""
    codecs: tuple[BodyCodec, ...]
    unknown: Literal["ignore", "reject"] = "ignore"
    header_wire: Mapping[bytes, str] = field(default_factory=dict)
    """As on the wire, in lower case, to the field's name."""
    undemanding: bool = False
    """Is nothing wrong with a request that has no query, body and declared header, whatever else it has?"""
    written: WireBody | None = None
    """How the body is written, where that is more than its codec."""


@frozen
class Effect:
    """What a response does to state."""

    verb: Literal["put", "set", "delete"]
    collection: str
    """For ``put``; for the others the collection that ``record`` lives in."""
    record: Expression | None = None
    value: Node | None = None
    """For ``put``: the value (None: the reply's body)."""
    to: Mapping[str, Node] = field(default_factory=dict)
    also: Mapping[str, Node] = field(default_factory=dict)
    when: Expression | None = None
    each: Expression | None = None
    as_: str = ""


@frozen
class ResponseShape:
    """One declared response of an operation."""

    name: str
    status: int
    when: Expression | None = None
    """None: always."""
    on_mismatch: bool = False
    """Does ``when`` read ``mismatch``?"""
    maybe: bool = False
    odds: float | None = None
    means: Literal["unauthorized", "exhausted", "unreachable"] | None = None
    headers: Shape | None = None
    header_wire: Mapping[str, bytes] = field(default_factory=dict)
    """A header field's name to its spelling on the wire."""
    body: Node | None = None
    """None: nothing is said about the body."""
    codec: BodyCodec = "json"
    content_type: str | None = None
    effects: tuple[Effect, ...] = ()
    proven: Proven | None = None
    since: str | None = None
    until: str | None = None
    inherited: bool = False
    place: Place = field(default_factory=Place)
    decodes: bool = False
    """Does the body hold values inside of texts? Expressions and state have the values."""
    dated: bool = False
    """Is there a version of the API without it?"""
    type_name: str = ""
    """Of the type that describes the body, if one does."""
    written: WireBody | None = None
    """How the body is written, where that is more than its codec."""
    packs: str = ""
    """The collection into which its one effect puts the body, JSON, as it stands."""


@frozen
class Idempotency:
    """Requests with the same key are answered once."""

    key: Expression
    same: tuple[str, ...]
    replay_headers: Shape | None
    replay_header_wire: Mapping[str, bytes]
    conflict: ResponseShape | None
    skip: frozenset[str]
    keep: float | None
    """Seconds; None: for ever."""


@frozen
class Undo:
    """How a creation is taken back: ``call`` with ``values``, unless ``when`` is false."""

    call: str
    values: Mapping[str, Said]
    when: Expression | None = None


@frozen
class Operation:
    """A named request and its possible responses, in the order in which they are tried."""

    name: str
    title: str
    request: RequestShape
    lets: Mapping[str, Any]
    """Name to an Expression or a Select."""
    responses: tuple[ResponseShape, ...]
    """Inherited ones first, then (after idempotency) its own; the one without ``when`` last."""
    idempotency: Idempotency | None = None
    undo: Undo | None = None
    cost: Mapping[str, Said] = field(default_factory=dict)
    """What a call costs, by unit; may read the request, `this` and `reply`."""
    auth: Auth | None = None
    proven: Proven | None = None
    since: str | None = None
    until: str | None = None
    place: Place = field(default_factory=Place)
    wire: str = ""
    """The wire that it is on; "" without wires."""
    wires: Mapping[str, Operation] = field(default_factory=dict)
    """The same operation on each of its wires; it is on the first of them itself."""

    def on(self, wire: str) -> Operation:
        """The operation on that wire; itself when it has no such wire."""
        return self.wires.get(wire, self)

    def response(self, name: str) -> ResponseShape | None:
        """The declared response called ``name``; also ``conflict`` of its idempotency."""
        for shape in self.responses:
            if shape.name == name:
                return shape
        if self.idempotency and name == "conflict":
            return self.idempotency.conflict
        return None


@frozen
class Move:
    """A change of state that the provider makes by itself, between ``lo`` and ``hi`` seconds after it is due."""

    name: str
    when: Expression
    lo: float
    hi: float
    simulated: float
    effects: tuple[Effect, ...]


@frozen
class Collection:
    """Records of one kind, by key."""

    name: str
    key: str
    type: Node | None
    hidden: Mapping[str, Node] = field(default_factory=dict)
    seeds: tuple[Mapping[str, Json], ...] = ()
    inline: Expression | None = None
    moves: tuple[Move, ...] = ()
    shape: Shape | None = None
    """What is behind ``type``, when that is an object."""
    once: bool = False
    """Is there a field that may change once?"""

    def node(self, name: str) -> Node | None:
        """The matcher of a field, also of a hidden one."""
        field = self.shape.by_name.get(name) if self.shape is not None else None
        return field.node if field is not None else self.hidden.get(name)


@frozen
class Expect:
    """What a step expects: one of ``responses`` (empty: whatever is predicted), and what the reply must contain."""

    responses: tuple[str, ...] = ()
    status: int | None = None
    json: Wanted | None = None
    """A part of the reply's body: every value in it must be equal there."""
    headers: Wanted | None = None
    """An object of headers, by lower-case name with ``_``."""


@frozen
class Repeat:
    """Call again: ``times``, or until ``until`` holds for the reply, at most ``most`` times."""

    times: int | None = None
    until: Expression | None = None
    values: Mapping[str, Said] = field(default_factory=dict)
    """Merged over the step's values from the second call on; ``this`` is the last reply's body."""
    most: int = 100


@frozen
class Call:
    """One call of an operation."""

    operation: str
    values: Mapping[str, Said]
    """Written name (``amount``, ``body.id``, ``headers.Idempotency-Key``) to what is sent."""
    auth: bool = True
    """False: send no credentials."""
    wire: Said | None = None
    """The wire to call it on; None: the first."""


@frozen
class Step:
    """One step of a scenario: a call, a wait, or the steps of a part."""

    place: Place
    call: Call | None = None
    wait: float | None = None
    """Seconds."""
    include: str | None = None
    as_: str = ""
    include_values: Mapping[str, Said] = field(default_factory=dict)
    expect: Expect = field(default_factory=Expect)
    keep: Mapping[str, Expression] = field(default_factory=dict)
    eventually: float | None = None
    """Seconds to poll."""
    repeat: Repeat | None = None
    check: tuple[Expression, ...] = ()


@frozen
class Case:
    """One row of a scenario's ``cases``, a run of its own; ``case`` in expressions is ``row`` with its ``key``."""

    key: str
    """The key in a map of rows, else the row's number from 1."""
    row: Mapping[str, Json]


@frozen
class Scenario:
    """Ordered steps that call operations, keep values, wait, and clean up."""

    name: str
    steps: tuple[Step, ...]
    cleanup: tuple[Step, ...] = ()
    part: bool = False
    cases: tuple[Case, ...] = ()
    """Empty: the scenario runs once, without a case."""
    tags: frozenset[str] = frozenset()
    place: Place = field(default_factory=Place)
    keep: Mapping[str, Expression] = field(default_factory=dict)
    """Evaluated after the last step; for whoever includes the part."""
    given: tuple[Given, ...] = ()
    """Records that are on the target before it starts."""
    parameters: frozenset[str] = frozenset()
    """Names that a part reads and does not make: ``include`` gives them in ``with``."""


@frozen
class Contract:
    """Everything that one document says about one provider."""

    provider: str
    title: str
    path: Path
    """The contract file."""
    operations: Mapping[str, Operation]
    collections: Mapping[str, Collection]
    scenarios: Mapping[str, Scenario]
    secrets: Mapping[str, Secret]
    auth: Auth | None
    targets: Mapping[str, Target]
    data: Mapping[str, Json]
    versions_from: Expression | None
    versions: tuple[str, ...]
    router: Router
    proven: Proven | None
    content_hash: str
    """Of all its files, 16 hex digits."""
    codec_options: Mapping[str, Any] = field(default_factory=dict)
    inlining: frozenset[str] | None = frozenset()
    """The names that conditions of `inline` read: without any of them no record is inlined. None: one may always be."""
    types: Mapping[str, Node] = field(default_factory=dict)
    wired: Mapping[str, Operation] = field(default_factory=dict)
    """Operations on wires that are not their first, by the names of their routes."""
    policy: Policy = field(default_factory=Policy)
    """How much disagreements matter: for those who weigh findings, not for the model."""

    def routed(self, route: str) -> Operation:
        """The operation that a route leads to, on its wire."""
        return self.operations.get(route) or self.wired[route]

    def __repr__(self) -> str:
        return f"Contract({self.provider!r}, {len(self.operations)} operations, {len(self.scenarios)} scenarios)"
