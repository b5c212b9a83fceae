"""Where in the contract a demand stands is in every report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from fakes.report_runs import finding, provider_run, run

from troth.reports import html, junit, markdown, run_json
from troth.runners.finding import Run, Verdict

PLACE = "stripe/types.yaml:31"


@pytest.mark.parametrize("render", [html.render, junit.render, markdown.render, run_json.dump])
def test_every_report_says_where_the_demand_is_written(render: Callable[[Run], bytes]) -> None:
    """The file and the line; nothing where there is none."""
    provider = provider_run(Verdict.DRIFT)

    def text(written: str) -> str:
        return render(run(replace(provider, findings=(finding(written=written),)))).decode()

    assert PLACE in text(PLACE)
    assert "written     " not in text("")
