"""The page in a real browser, as a person uses it: by mouse, by keyboard, on a phone, on paper, without scripts."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes.report_runs import big_run, nasty_run, quiet_run, rich_run, run, stripe_run

from troth.reports.html import render

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
_CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(_CHROMIUM is None, reason="no Chromium on this machine")

_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One headless Chromium for this file."""
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=_CHROMIUM, args=_OPTIONS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages under test."""
    path = tmp_path_factory.mktemp("pages")
    for name, one in {
        "rich": rich_run(),
        "one": run(stripe_run()),
        "quiet": quiet_run(),
        "nasty": nasty_run(),
        "nothing": run(),
        "big": big_run(1_000),
    }.items():
        (path / f"{name}.html").write_bytes(render(one))
    return path


class _Reader:
    """A person with a browser, who notices every complaint and every attempt to reach a network."""

    def __init__(self, browser: Any, folder: Path, **options: Any) -> None:
        self.folder = folder
        self.complaints: list[str] = []
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(15_000)
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self._asked)
        self.page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))

    def _asked(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:")):
            self.complaints.append(f"asked for {request.url}")

    def read(self, name: str, hash_: str = "") -> Any:
        """Open a page."""
        # The same address with another hash would not load anew.
        self.page.goto("about:blank")
        self.page.goto(f"{(self.folder / name).as_uri()}.html{hash_}")
        return self.page

    def visible_findings(self) -> int:
        """How many findings are not filtered away."""
        return int(self.page.locator(".finding:not([hidden])").count())


@pytest.fixture
def reader(browser: Any, folder: Path) -> Iterator[_Reader]:
    """With a wide window and scripts; complaints fail the test."""
    one = _Reader(browser, folder, viewport={"width": 1200, "height": 900})
    yield one
    one.context.close()
    assert one.complaints == []


@pytest.mark.parametrize("name", ["rich", "one", "quiet", "nasty", "nothing"])
@pytest.mark.parametrize("width", [360, 1200])
def test_nothing_sticks_out_and_nothing_complains(browser: Any, folder: Path, name: str, width: int) -> None:
    """On a phone and a desk, with everything unfolded."""
    reader = _Reader(browser, folder, viewport={"width": width, "height": 800})
    page = reader.read(name)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert reader.complaints == []
    reader.context.close()


def test_a_phone_shows_every_column_and_every_part(browser: Any, folder: Path) -> None:
    """Both targets of each scenario, whole coverage chips, and all links to the parts of the report."""
    reader = _Reader(browser, folder, viewport={"width": 390, "height": 844})
    page = reader.read("one")
    page.locator("#scenarios details").first.evaluate("one => { one.open = true; }")
    ends = page.evaluate(
        """(names) => names.map((name) => [...document.querySelectorAll(name)].map((one) => {
            const box = one.getBoundingClientRect();
            return box.width > 0 && box.left >= 0 ? box.right : 9999;
        }))""",
        [".bar nav a", ".chips li", ".scenarios > tbody > tr > td", ".scenarios .pill", ".steps td"],
    )

    assert [len(found) > 0 and max(found) <= 390 - 16 for found in ends] == [True] * 5, ends
    assert reader.complaints == []
    reader.context.close()


def test_the_first_finding_is_open_and_a_click_opens_others(reader: _Reader) -> None:
    """The others are folded."""
    page = reader.read("one")
    summaries = page.locator(".group > .finding > details > summary")

    assert page.locator(".finding > details[open]").count() == 1
    assert page.locator(".finding > details[open] .sides").first.is_visible()
    summaries.nth(1).click()
    assert page.locator(".group > .finding > details[open]").count() == 2


def test_filters_narrow_and_stand_in_the_address(reader: _Reader) -> None:
    """Severity, blame and text; clearing shows all again."""
    page = reader.read("one")
    total = reader.visible_findings()

    page.get_by_role("button", name="risky").click()
    assert page.locator("#shown").text_content() == f"2 of {total} findings"
    assert page.evaluate("location.hash") == "#severity=risky"
    page.get_by_label("Blame").select_option("simulator")
    assert page.locator("#shown").text_content() == f"1 of {total} findings"
    page.get_by_label("Contains").fill("TR501 Idempotent")
    assert page.evaluate("location.hash") == "#severity=risky&blame=simulator&q=TR501%20Idempotent"
    assert reader.visible_findings() == 1
    page.get_by_label("Contains").fill("no such thing")
    assert page.get_by_text("No finding fits the filter.").is_visible()
    page.get_by_role("button", name="Clear").click()
    assert reader.visible_findings() == total
    assert page.evaluate("location.hash") == ""


def test_an_address_with_filters_shows_the_same(reader: _Reader) -> None:
    """A link in a chat leads to what its sender saw."""
    page = reader.read("rich", "#severity=breaking,risky&blame=contract&provider=stripe")

    assert page.locator("#shown").text_content() == "2 of 10 findings"
    assert page.get_by_role("button", name="breaking").get_attribute("aria-pressed") == "true"
    assert page.get_by_label("Blame").input_value() == "contract"
    assert page.locator("[data-filter=provider]").input_value() == "stripe"


@pytest.mark.parametrize("hash_", ["#q=%", "#severity=nonsense", "#%E0%A4%A", "#<img>", "#=&=&=", "#blame=a&blame=b"])
def test_a_strange_address_breaks_nothing(reader: _Reader, hash_: str) -> None:
    """Whatever stands behind the hash."""
    assert reader.read("one", hash_).locator("h1").is_visible()


def test_a_cause_stays_when_only_its_consequence_fits(reader: _Reader) -> None:
    """Else the consequence would be hidden with it."""
    page = reader.read("one", "#q=TR303")

    assert page.locator("#shown").text_content() == "1 of 10 findings"
    assert page.locator("#f-v1-response-3c9a41d07be2").is_visible()


def test_a_link_to_a_finding_unfolds_it_and_its_cause(reader: _Reader) -> None:
    """Also when a filter hides it."""
    page = reader.read("one", "#severity=notice")
    page.evaluate("location.hash = 'f-v1-stored-77ab'")
    page.locator("#f-v1-stored-77ab > details[open]").wait_for()

    assert page.locator("#f-v1-response-3c9a41d07be2 > details[open]").count() == 1
    assert page.locator("#f-v1-stored-77ab .sides").first.is_visible()


def test_a_number_in_the_table_leads_to_its_findings(reader: _Reader) -> None:
    """Who and how bad: click, and see them."""
    page = reader.read("one")
    page.get_by_role("link", name="4 breaking, the provider").click()
    sync_api.expect(page.locator("#shown")).to_have_text("4 of 10 findings")

    assert page.locator("#findings h2").is_visible()


def test_the_page_can_be_walked_by_keyboard(reader: _Reader) -> None:
    """The skip link first; every stop can be seen; Enter unfolds, Space presses."""
    page = reader.read("one")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the report"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"

    stops = []
    for _ in range(90):
        page.keyboard.press("Tab")
        stop = page.evaluate(
            """() => {
                const one = document.activeElement, box = one.getBoundingClientRect(), style = getComputedStyle(one);
                return [one.tagName, one.textContent.trim().slice(0, 40), box.width * box.height > 0
                        && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2];
            }"""
        )
        if stop[0] == "BODY":
            break
        stops.append(stop)
    assert all(seen for _, _, seen in stops), [stop for stop in stops if not stop[2]]
    assert {"BUTTON", "SELECT", "INPUT", "SUMMARY", "A"} <= {tag for tag, _, _ in stops}

    second = page.locator(".group > .finding > details > summary").nth(1)
    second.focus()
    page.keyboard.press("Enter")
    assert page.locator(".group > .finding > details").nth(1).get_attribute("open") is not None
    page.get_by_role("button", name="notice").focus()
    page.keyboard.press("Space")
    assert page.locator("#shown").text_content() == "2 of 10 findings"


def test_all_can_be_unfolded_and_folded(reader: _Reader) -> None:
    """One button, which says what it does next."""
    page = reader.read("one")
    page.get_by_role("button", name="Unfold all").click()
    assert page.locator(".finding > details:not([open])").count() == 0
    page.get_by_role("button", name="Fold all").click()
    assert page.locator(".finding > details[open]").count() == 0


def test_commands_can_be_copied(reader: _Reader) -> None:
    """Exactly as they stand, and it is said aloud."""
    reader.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = reader.read("one")
    page.get_by_role("button", name="Copy: command of this run").click()
    page.locator("#said", has_text="Copied").wait_for(state="attached")

    assert page.evaluate("navigator.clipboard.readText()") == run(stripe_run()).command


@pytest.mark.parametrize(("scheme", "page_colour"), [("light", "rgb(247, 247, 245)"), ("dark", "rgb(16, 19, 22)")])
def test_colours_follow_the_system_until_told_otherwise(
    browser: Any, folder: Path, scheme: str, page_colour: str
) -> None:
    """The button goes from the system's to light, dark and back, and is remembered."""
    reader = _Reader(browser, folder, color_scheme=scheme)
    page = reader.read("quiet")
    background = "getComputedStyle(document.body).backgroundColor"
    button = page.locator("#theme")

    assert page.evaluate(background) == page_colour
    assert button.get_attribute("aria-label") == "Colours: as the system"
    button.click()
    assert page.evaluate(background) == "rgb(247, 247, 245)"
    button.click()
    assert page.evaluate(background) == "rgb(16, 19, 22)"
    page = reader.read("quiet")
    assert page.evaluate(background) == "rgb(16, 19, 22)"
    page.locator("#theme").click()
    assert page.evaluate(background) == page_colour
    assert reader.complaints == []
    reader.context.close()


def test_the_page_works_without_scripts(browser: Any, folder: Path) -> None:
    """All findings can be unfolded; what needs a script is not there."""
    reader = _Reader(browser, folder, java_script_enabled=False)
    page = reader.read("one")

    assert not page.locator(".filters").is_visible()
    assert not page.locator("#theme").is_visible()
    page.locator(".group > .finding > details > summary").nth(1).click()
    assert page.locator(".group > .finding .body").nth(1).is_visible()
    reader.context.close()


def test_paper_shows_every_finding(reader: _Reader, tmp_path: Path) -> None:
    """Unfolded for the printer and folded again after it, without bars and buttons, in ink on white."""
    page = reader.read("one")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".finding > details:not([open])").count() == 0
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator(".filters").is_visible()
    assert not page.locator(".copy").first.is_visible()
    page.pdf(path=tmp_path / "page.pdf")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".finding > details[open]").count() == 1


def test_a_thousand_findings_stay_usable(reader: _Reader) -> None:
    """The page opens, filters and unfolds within seconds on a slow machine."""
    page = reader.read("big")
    page.get_by_label("Contains").fill("scenario 199,")
    sync_api.expect(page.locator("#shown")).to_have_text("5 of 1000 findings")

    times = page.evaluate(
        """() => {
            const begin = performance.now();
            const input = document.querySelector("[data-filter=q]");
            input.value = "field_7";
            input.dispatchEvent(new Event("input", {bubbles: true}));
            document.body.getBoundingClientRect();
            const load = performance.getEntriesByType("navigation")[0];
            return [performance.now() - begin, load.domContentLoadedEventEnd];
        }"""
    )
    assert times[0] < 2_000
    assert times[1] < 8_000
