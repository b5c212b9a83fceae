"""Makes a picture of a report: ``python docs/make_picture.py troth-report docs/images/report.png``.

Takes a ``report.html``, a ``run.json`` or a report's folder, and needs playwright and a Chromium.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from troth.errors import TrothError
from troth.reports.html import render
from troth.reports.run_json import load

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")


def page_of(report: Path, folder: Path) -> Path:
    """The page to photograph; made anew in ``folder`` when a run is given."""
    if report.is_dir():
        report = report / "run.json"
    if report.suffix != ".json":
        return report
    page = folder / "report.html"
    page.write_bytes(render(load(report)))
    return page


def photograph(page: Path, picture: Path, size: tuple[int, int], dark: bool) -> None:
    """Save what a window of ``size`` shows of ``page``, at two pixels a point."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit("No Chromium was found. Install one, such as Debian's chromium.")
    picture.parent.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=list(OPTIONS))
        window = chromium.new_page(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            device_scale_factor=2,
        )
        window.goto(page.resolve().as_uri())
        window.screenshot(path=picture)
        chromium.close()


def main() -> None:
    """Read the command line and make the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=Path, help="report.html, run.json, or a report's folder")
    parser.add_argument("picture", type=Path, help="the PNG to write")
    parser.add_argument("--width", type=int, default=1200, help="of the window, in points")
    parser.add_argument("--height", type=int, default=1500, help="of the window, in points")
    parser.add_argument("--dark", action="store_true", help="in dark colours")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            page = page_of(given.report, Path(folder))
        except TrothError as error:
            sys.exit(str(error))
        photograph(page, given.picture, (given.width, given.height), given.dark)
    print(given.picture)


if __name__ == "__main__":
    main()
