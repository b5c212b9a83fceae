"""The tutorial's story holds: the commands on the page, and what they say comes of them."""

from __future__ import annotations

import json
import re
import subprocess

import httpx
from fakes.documentation import DOCS, ROOT, blocks

from troth.cli.main import run
from troth.simulators.simulator import Simulator

PAGE = DOCS / "tutorial.md"


def commands() -> list[str]:
    """What the page says to type."""
    text = "".join(text for language, text in blocks(PAGE) if language == "console")
    return re.findall(r"^\$ (.+)$", text, re.MULTILINE)


def test_init_writes_what_the_page_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    assert run(["init"]) == 0
    assert capsys.readouterr().out in PAGE.read_text()


def test_check_says_what_the_page_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run(["init"])
    capsys.readouterr()

    assert run(["check"]) == 0
    assert capsys.readouterr().out in PAGE.read_text()


def test_an_unknown_charge_gets_what_the_page_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run(["init"])
    with Simulator("contracts/acmepay") as simulator:
        headers = {"Authorization": "Bearer sk_test_1"}
        answers = [httpx.get(f"{simulator.url}/v1/charges/ch_1", headers=headers) for headers in (headers, {})]

    assert [answer.status_code for answer in answers] == [404, 401]
    assert f"{answers[0].text}\n" in PAGE.read_text()


def test_the_moved_on_provider_is_found(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ACMEPAY_TEST_KEY", "sk_test_1")
    monkeypatch.delenv("ACMEPAY_URL", raising=False)
    run(["init"])
    for command in commands():
        if command.startswith(("cp ", "sed ")):
            subprocess.run(command, shell=True, check=True, cwd=tmp_path)
    with Simulator("moved-on") as moved_on:
        typed = next(command for command in commands() if command.startswith("troth drift"))
        assert run(re.sub(r"http://[\d.:]+", moved_on.url, typed).split()[1:]) == 1

    (shown,) = [text for language, text in blocks(PAGE) if language == "text"]
    assert shown in capsys.readouterr().out
    (provider,) = json.loads((tmp_path / "troth-report" / "run.json").read_text())["providers"]
    (finding,) = provider["findings"]
    assert (finding["blame"], finding["proof"]) == ("contract", "none")
    assert (finding["contract"], finding["sandbox"]) == ("card_declined", "do_not_honor")


def test_every_command_on_pages_exists():
    for page in (*DOCS.glob("*.md"), ROOT / "README.md"):
        for language, text in blocks(page):
            if language == "console":
                for name in re.findall(r"^\$ troth (\w+)", text, re.MULTILINE):
                    assert run([name, "--help"]) == 0
