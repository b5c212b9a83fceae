"""report.html: one safe file, complete without scripts."""

from __future__ import annotations

import base64
import hashlib
import re
import time
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from fakes.report_runs import (
    NASTY,
    REASONS,
    big_run,
    exchange,
    finding,
    nasty_run,
    provider_run,
    quiet_run,
    rich_run,
    run,
    stripe_run,
)

from troth.contracts.kinds import KINDS
from troth.contracts.values import ABSENT
from troth.reports.html import render
from troth.runners.finding import Blame, Run, Verdict

_VOID = {"meta", "link", "input", "br"}


class _Page(HTMLParser):
    """Reads a page as a browser does: elements with their attributes, and the text outside scripts and styles."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, str] = {}
        self.text = ""
        self.unclosed: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.unclosed.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.unclosed.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.unclosed and self.unclosed[-1] in ("script", "style"):
            self.raw[self.unclosed[-1]] = data
        else:
            self.text += data

    def ids(self) -> list[str]:
        return [attributes["id"] or "" for _, attributes in self.elements if "id" in attributes]


def _page(one: Run) -> _Page:
    return _Page(render(one).decode())


_RUNS: dict[str, Callable[[], Run]] = {
    "rich": rich_run,
    "quiet": quiet_run,
    "nasty": nasty_run,
    "nothing": run,
    **{verdict: lambda verdict=verdict: run(provider_run(verdict, REASONS.get(verdict, ""))) for verdict in Verdict},
}


@pytest.mark.parametrize("name", _RUNS)
def test_every_page_is_well_formed(name: str) -> None:
    """Tags close in order, names are unique, links within the page lead somewhere, labels exist."""
    page = _page(_RUNS[name]())

    assert page.unclosed == []
    assert [name for name, count in Counter(page.ids()).items() if count > 1] == []
    ids = set(page.ids())
    for tag, attributes in page.elements:
        href = attributes.get("href") or ""
        if href.startswith("#") and "=" not in href:
            assert href[1:] in ids, (tag, href)
        assert set((attributes.get("aria-labelledby") or "").split()) <= ids


@pytest.mark.parametrize("name", _RUNS)
def test_nothing_is_asked_of_a_network(name: str) -> None:
    """No address but those within the page and the icon in it; the policy forbids the rest."""
    page = _page(_RUNS[name]())

    for tag, attributes in page.elements:
        assert "src" not in attributes, tag
        assert tag not in ("iframe", "img", "object", "embed", "base", "form")
        assert (attributes.get("href") or "#").startswith(("#", "data:image/svg+xml,"))
        assert not any(attribute.startswith("on") or attribute == "style" for attribute in attributes)
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|WebSocket", page.raw["style"] + page.raw["script"])


def test_only_our_own_style_and_script_may_work() -> None:
    """The policy names them by their hashes."""
    page = _page(nasty_run())
    policy = next(a["content"] for t, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")

    assert policy is not None
    assert "default-src 'none'" in policy
    for tag in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(page.raw[tag].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
        assert [name for name, _ in page.elements].count(tag) == 1


@pytest.mark.parametrize("text", [text for text in NASTY if text.isprintable() and text])
def test_nasty_texts_are_shown_as_they_are(text: str) -> None:
    """Neither markup nor template: the reader sees what came."""
    assert text in _page(nasty_run()).text


def test_what_does_not_print_is_shown_as_its_escape() -> None:
    """Nothing of it is in the page."""
    source = render(nasty_run()).decode()

    assert not [char for char in set(source) if not char.isprintable() and char not in "\n\t\u200d"]
    for escape in ("\\u202e", "\\x1b[31m", "\\x00", "\\ud800"):
        assert escape in source


def test_the_first_screen_tells_what_matters() -> None:
    """Verdict, findings and how many fail, gate, run, times, command, providers, and what was not checked."""
    text = _page(rich_run()).text
    first = text[: text.index("Unfold all")]

    for part in (
        "Drift: stripe",
        "9 causes, 1 consequence, 8 new; 5 fail the run at --fail-on breaking.",
        "8 providers: 1 drift, 1 unauthorized",
        "20261130T0300-k3f9-1",
        "2026-11-30 03:00:00 UTC",
        "2 min 14 s",
        "open",
        "1: drift that fails the run",
        "troth drift stripe contracts/twilio --sandbox",
        "What could not be checked",
        "needs the secret STRIPE_CONNECT_KEY, which is not set",
        "renew EXAMPLE_TEST_KEY",
    ):
        assert part in first, part


def test_a_finding_shows_everything() -> None:
    """Words, three sides, facts, command, exchanges."""
    text = _page(run(stripe_run())).text

    for part in (
        '$.error.type is "invalid_request_error", the contract says "card_error"',
        "What to do Find out whether the provider means it.",
        "like the simulator",
        "6 places",
        "agreed until run 20261127T0300-77de-1",
        "claimed by the contract: documentation, 2026-10-01",
        "v1:value:22bb",
        "troth drift stripe --sandbox --only",
        "curl \\",
        "[secret:key:5f0c2a91]",
        "HTTP 402",
        "What follows from it",
        "timed out after 10 s",
        "no answer came",
    ):
        assert part in text, part


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (quiet_run, "No disagreement. Contract, simulator and sandbox say the same wherever they were compared."),
        (quiet_run, "Nothing: every scenario ran, and the sandbox gave every declared response."),
        (run, "Nothing ran, so there is nothing to find."),
        (_RUNS[Verdict.SKIPPED], "No findings. That is not agreement: the sandbox was not called"),
        (_RUNS[Verdict.UNREACHABLE], "No findings. That is not agreement: the sandbox gave no usable answer"),
        (_RUNS[Verdict.SKIPPED], "neither --sandbox nor TROTH_SANDBOX=1 was given"),
    ],
)
def test_an_empty_page_says_what_the_emptiness_means(make: Callable[[], Run], says: str) -> None:
    """Agreement, nothing ran, not called, not reached: four things."""
    assert says in _page(make()).text


@pytest.mark.parametrize("blame", Blame)
def test_every_kind_can_be_shown(blame: Blame) -> None:
    """With and without values."""
    findings = [
        finding(kind, blame=blame, fingerprint=f"{kind}-{n}", contract=value, simulator=value, sandbox=ABSENT)
        for kind in KINDS
        for n, value in enumerate((ABSENT, {"a": [1]}, "x"))
    ]
    page = _page(run(provider_run(Verdict.DRIFT, findings=tuple(findings))))

    assert len([1 for tag, a in page.elements if tag == "article" and a.get("class") == "finding"]) == len(findings)


def test_a_thousand_findings_stay_small_and_quick() -> None:
    """Under 5 MB; a page of 10 seconds would be a report that nobody makes."""
    big = big_run(1_000)
    started = time.process_time()
    source = render(big)

    assert time.process_time() - started < 10
    assert len(source) < 5_000_000
    assert source.count(b'class="finding"') == 1_000


def test_a_body_of_markup_does_not_blow_the_page_up() -> None:
    """Each of its characters is written as several."""
    bodies = [exchange(step=number, response_body="<&>" * 20_000, request_body="<&>" * 20_000) for number in range(300)]
    findings = tuple(finding(fingerprint=f"v1:{n}", exchanges=(one,)) for n, one in enumerate(bodies))

    assert len(render(run(provider_run(Verdict.DRIFT, findings=findings)))) < 5_000_000


def test_a_megabyte_of_value_does_not_blow_the_page_up() -> None:
    """On every side, in the message, in the exchange."""
    big = "x" * 1_000_000
    one = finding("value", contract=big, simulator={"a": big}, sandbox=[big], exchanges=(exchange(response_body=big),))

    assert len(render(run(provider_run(Verdict.DRIFT, findings=(one,))))) < 300_000


def test_the_same_run_gives_the_same_page() -> None:
    """Nothing of the machine, the clock or the order of dicts is in it."""
    assert render(rich_run()) == render(rich_run())


def test_no_path_of_this_machine_is_in_it() -> None:
    """Only what the run says."""
    assert str(__file__).rpartition("/tests/")[0] not in render(rich_run()).decode()
