"""``troth simulate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from troth.cli.arguments import AsJson, Paths

if TYPE_CHECKING:
    from troth.cli.session import Session

__all__ = ["simulate"]


def simulate(
    context: typer.Context,
    paths: Paths = None,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="The port; 0 for any free one.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Serve simulators of contracts until stopped."""
    from troth.contracts.loader import load_all
    from troth.simulators.serving import serving

    session: Session = context.obj
    contracts = load_all(session.paths(paths))
    with serving(contracts, host=host, port=port) as served:
        if as_json:
            session.json(dict(served.urls))
        else:
            for provider, url in served.urls.items():
                session.say(f"{provider} {url}")
            session.note("Ctrl-C stops.")
        served.wait()
