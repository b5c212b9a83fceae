"""``troth simulate``."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from troth.cli.arguments import AsJson, Paths

if TYPE_CHECKING:
    from troth.cli.session import Session
    from troth.simulators.journal import Entry

__all__ = ["simulate"]


def simulate(
    context: typer.Context,
    paths: Paths = None,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="The port; 0 for any free one.")] = 0,
    as_json: AsJson = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Print a line for each request.")] = False,
) -> None:
    """Serve simulators of contracts until stopped."""
    from troth.contracts.document.collector import collector_off

    session: Session = context.obj
    with collector_off():
        from troth.contracts.loader import load_all
        from troth.simulators.serving import serving

        contracts = load_all(session.paths(paths))
    with serving(contracts, host=host, port=port) as served:
        if verbose:
            for simulator in served.simulators.values():
                simulator.watch(partial(_show, session, simulator.provider if len(contracts) > 1 else ""))
        if as_json:
            session.json(dict(served.urls))
        else:
            for provider, url in served.urls.items():
                session.say(f"{provider} {url}")
            session.note("Ctrl-C stops.")
        served.wait()


def _show(session: Session, provider: str, entry: Entry) -> None:
    """A request and the response it got; below, why it was refused or nothing answered it."""
    answer = f"{entry.operation}.{entry.name}" if entry.operation else "unmatched"
    request = entry.request
    query = f"?{request.query}" if request.query else ""
    line = f"{provider} {request.method} {request.path}{query} {answer} {entry.response.status}".lstrip()
    # A terminal that went away is no reason not to answer.
    with suppress(OSError, ValueError):
        session.note(_visible(line))
        for why in entry.explanation.splitlines():
            session.note(_visible(f"    {why}"))


def _visible(text: str) -> str:
    """``text`` in one line that cannot steer a terminal."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
