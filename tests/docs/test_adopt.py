"""What the page about adopting shows is what comes."""

from __future__ import annotations

import re

from fakes.documentation import DOCS, ROOT, blocks

from troth.cli.main import run
from troth.simulators.simulator import Simulator

PAGE = DOCS / "adopt.md"


def test_the_example_is_what_comes(tmp_path, monkeypatch, capsys):
    """In the story of the tutorial, up to the question."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ACMEPAY_TEST_KEY", "sk_test_1")
    run(["init"])
    contract = tmp_path / "contracts" / "acmepay" / "contract.yaml"
    moved_on = tmp_path / "moved-on.yaml"
    moved_on.write_text(contract.read_text().replace("code: card_declined", "code: do_not_honor"))
    with Simulator(moved_on) as provider:
        assert run(["drift", "--sandbox", "--url", f"acmepay={provider.url}"]) == 1
        capsys.readouterr()
        typed, *shown = next(text for language, text in blocks(PAGE) if language == "console").splitlines()

        assert typed == "$ troth adopt 'TR301 $.error.code'"
        assert run(["adopt", "TR301 $.error.code", "--yes"]) == 0
        assert capsys.readouterr().out.splitlines() == shown[:-1]
        assert contract.read_text() == moved_on.read_text()
        assert run(["drift", "--sandbox", "--url", f"acmepay={provider.url}"]) == 0


def test_every_way_to_settle_a_finding_is_on_the_page():
    """By the names that `--as` takes."""
    text = PAGE.read_text()
    source = "".join(path.read_text() for path in (ROOT / "troth" / "contracts" / "repair").glob("*.py"))
    ways = set(re.findall(r'Idea\(\s*"([a-z-]+)"', source))

    assert len(ways) > 20
    assert [way for way in sorted(ways) if f"`{way}`" not in text] == []
