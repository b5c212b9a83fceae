"""Trails: steps are counted as a scenario writes them."""

from __future__ import annotations

import pytest

from troth.runners.trails import phase_of, step_words, written_step


@pytest.mark.parametrize(
    ("trail", "step", "phase", "words"),
    [
        ("2", 2, 0, "step 2"),
        ("2.repeat4", 2, 0, "step 2.repeat4"),
        ("12.a paid intent.2", 12, 0, "step 12.a paid intent.2"),
        ("1.v2 of it.3.repeat4", 1, 0, "step 1.v2 of it.3.repeat4"),
        ("cleanup.1", 1, 1, "step cleanup.1"),
        ("1.a paid intent.cleanup.2", 1, 1, "step 1.a paid intent.cleanup.2"),
        ("undo.3.repeat2", 3, 2, "step undo.3.repeat2"),
    ],
)
def test_what_a_trail_says(trail: str, step: int, phase: int, words: str) -> None:
    """The written step, whether it is about the scenario itself, and its words."""
    assert (written_step(trail), phase_of(trail), step_words(step, trail)) == (step, phase, words)


def test_without_a_trail_there_is_the_number() -> None:
    """Runs of older versions have no more."""
    assert (written_step(""), phase_of(""), step_words(4, "")) == (0, 0, "step 4")
