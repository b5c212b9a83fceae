"""summary.md: small, and nothing in it is markup that we did not write."""

from __future__ import annotations

import re

import pytest
from fakes.report_runs import REASONS, big_run, finding, nasty_run, provider_run, quiet_run, rich_run, run, stripe_run
from markdown_it import MarkdownIt
from markdown_it.token import Token

from troth.reports.markdown import LIMIT, render
from troth.runners.finding import Run, Verdict


def _text(one: Run) -> str:
    return render(one).decode()


def test_it_tells_the_verdicts_the_findings_and_the_gaps() -> None:
    """In this order."""
    text = _text(rich_run())

    parts = ["## ❌ Drift: stripe", "| Stripe payments | ❌ Drift |", "### Findings", "### What could not"]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "Consequences of these, not listed: 1 (1 breaking)." in text
    assert "exit code 1 (drift that fails the run)." in text


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_stands_in_words_beside_its_symbol(verdict: Verdict) -> None:
    """And what could not be checked is never left out."""
    text = _text(run(provider_run(verdict, REASONS.get(verdict, ""))))

    assert re.search(rf"\| \S+ {verdict} \|", text, re.IGNORECASE)
    assert ("could not be checked" in text) is (verdict not in (Verdict.AGREE, Verdict.DRIFT, Verdict.FLAKY))


def test_agreement_has_no_section_of_findings() -> None:
    """Short when there is nothing to say."""
    assert "### Findings" not in _text(quiet_run())
    assert "No contract was run." in _text(run())


@pytest.mark.parametrize("count", [1_000, 5_000])
def test_it_stays_under_the_limit_and_counts_the_rest(count: int) -> None:
    """GitHub refuses a longer comment."""
    text = _text(big_run(count))

    assert len(text.encode()) <= LIMIT
    assert re.search(r"… and \d+ more, in `report.html`", text)


def _tokens(text: str) -> list[Token]:
    """What a reader of CommonMark with tables makes of it, blocks and what stands in them."""
    blocks = MarkdownIt("commonmark").enable("table").parse(text)
    return [token for block in blocks for token in (block, *(block.children or ()))]


def test_nasty_texts_stay_texts() -> None:
    """No tag but our line breaks, no link, no picture, no emphasis but ours, no cell or heading of their own."""
    text = _text(nasty_run())
    tokens = _tokens(text)
    kinds = [token.type for token in tokens]
    harmless = _tokens(_text(run(stripe_run())))

    assert {token.content for token in tokens if token.type.startswith("html")} == {"<br>"}
    assert not {"link_open", "image", "em_open", "fence", "code_block", "blockquote_open", "hr"} & set(kinds)
    assert kinds.count("heading_open") == [token.type for token in harmless].count("heading_open")
    assert kinds.count("td_open") == 5
    assert {token.content for token in tokens if token.type == "code_inline"} >= {"</script><script>alert(1)</script>"}
    assert "\u202e" not in text
    assert "\x1b" not in text


@pytest.mark.parametrize("text", ["@team", "#12", "https://evil.example", "www.evil.example"])
def test_prose_mentions_and_links_nobody(text: str) -> None:
    """GitHub would; a reference to the character stops it, and reads the same."""
    written = _text(run(provider_run(Verdict.AGREE, title=text)))
    assert text not in written
    assert text in "".join(token.content for token in _tokens(written))


@pytest.mark.parametrize("text", ["- a", "+ a", "1. a", "= a"])
def test_prose_begins_no_list(text: str) -> None:
    """Where a title stands first in a line of a list."""
    written = _text(run(provider_run(Verdict.UNREACHABLE, title=text)))
    lists = [token.type for token in _tokens(written)].count("bullet_list_open")
    assert lists == 1
    assert "ordered_list_open" not in [token.type for token in _tokens(written)]


def test_backticks_cannot_end_a_code_span() -> None:
    """A longer fence holds them."""
    text = _text(run(provider_run(Verdict.DRIFT, findings=(finding(path="$['`a``']"),))))
    assert "```$['`a``']```" in text


def test_a_bar_cannot_end_a_cell() -> None:
    """Escaped in prose."""
    assert r"a\|b" in _text(run(provider_run(Verdict.AGREE, title="a|b")))


def test_a_long_command_is_cut() -> None:
    """The summary is no place for all of it."""
    assert len(_text(run(stripe_run(), command="x" * 100_000))) < 20_000
