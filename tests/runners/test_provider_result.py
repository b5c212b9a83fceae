"""What a run says of a provider when we ourselves fail to make sense of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from fakes.acmepay import acmepay

from troth.runners.drift_settings import DriftSettings
from troth.runners.events import silent
from troth.runners.finding import Verdict
from troth.runners.plan import planned
from troth.runners.provider_result import provider_result
from troth.runners.provider_work import ProviderWork, Shared


class Forgetful:
    """A memory that fails, as nothing should."""

    run_id = "r"

    def history(self, provider: str) -> Any:
        raise ZeroDivisionError("sk_test_1")


def test_what_ran_is_not_lost(tmp_path: Path) -> None:
    """Broken, in words that quote nothing, with every scenario and exchange."""
    contract = acmepay()
    work = ProviderWork(contract, planned(contract), Shared("r", DriftSettings(environment={}, root=tmp_path), silent))
    asyncio.run(work.run())

    found = provider_result(work, Forgetful())  # type: ignore[arg-type]

    assert (found.verdict, found.refused) == (Verdict.BROKEN, False)
    assert found.reason.startswith("E415 ")
    assert "ZeroDivisionError" in found.reason
    assert "sk_test_1" not in repr(found)
    assert {item.outcome for item in found.scenarios} == {"ok"}
    assert len(found.exchanges) == len(work.simulator.results) > 0
    assert found.coverage.scenarios == len(found.scenarios)
