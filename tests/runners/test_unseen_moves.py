"""What the provider was to do by itself, and nobody looked: no pass, so it is noted."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes.nights import KEPT, ChangingPay, Nights

PAID = "a charge is paid in the end"


@pytest.mark.parametrize(("only", "noted"), [((KEPT,), True), ((KEPT, PAID), False)])
def test_moves_that_nobody_waited_for(tmp_path: Path, only: tuple[str, ...], noted: bool) -> None:
    """One scenario makes a charge that is to be paid and goes home; the other waits until it is."""
    with ChangingPay() as pay:
        (provider,) = Nights(tmp_path).night(pay.url, only=only).providers

    assert provider.findings == ()
    assert any("charges.settles" in note and "nobody" in note for note in provider.coverage.notes) == noted
