"""Colours can be told from what is behind them, light and dark (WCAG 2.2, level AA)."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

_CSS = files("troth.reports").joinpath("templates/report.css").read_text(encoding="utf-8")
_COLOURS = {
    name: {"light": light, "dark": dark}
    for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", _CSS)
}
_SURFACES = ("page", "card", "sunk")
_TEXT = [
    *((ink, surface) for ink in ("ink", "soft", "link") for surface in _SURFACES),
    *((tone, f"{tone}-bg") for tone in ("bad", "warn", "info", "calm", "good")),
    *((tone, "card") for tone in ("bad", "warn", "info", "calm", "good")),
    ("ink", "mark"),
    ("ink", "bad-bg"),
    ("ink", "info-bg"),
    ("ink", "good-bg"),
    ("soft", "bad-bg"),
    ("soft", "info-bg"),
    ("ink", "calm-bg"),
]
_SHAPES = [("edge", "card"), ("edge", "page"), ("good", "card"), ("warn", "card"), ("mark-line", "card")]


def _luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_measure_is_right() -> None:
    """Black on white is 21 to 1, a colour on itself 1 to 1."""
    assert _contrast("#000000", "#ffffff") == pytest.approx(21)
    assert _contrast("#777777", "#777777") == 1


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("ink", "behind"), _TEXT)
def test_text_can_be_read(ink: str, behind: str, theme: str) -> None:
    """At least 4.5 to 1."""
    assert _contrast(_COLOURS[ink][theme], _COLOURS[behind][theme]) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("shape", "behind"), _SHAPES)
def test_borders_and_bars_can_be_seen(shape: str, behind: str, theme: str) -> None:
    """At least 3 to 1, where a control or a picture depends on it."""
    assert _contrast(_COLOURS[shape][theme], _COLOURS[behind][theme]) >= 3


def test_every_colour_is_a_named_one() -> None:
    """So that none escapes this test."""
    rules = re.sub(r"/\*.*?\*/", "", _CSS[_CSS.index("}") :], flags=re.DOTALL)
    values = " ".join(re.findall(r"[\w-]+: ([^;}]+)[;}]", rules))

    assert set(re.findall(r"#\w+|\b(?:rgb|hsl|oklch)\(", values)) <= {"#fff"}
    assert set(re.findall(r"var\(--([\w-]+)\)", values)) <= {*_COLOURS, "mono", "tone", "tint"}
