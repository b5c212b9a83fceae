"""``troth doctor``: which contract is meant, and what comes out."""

from __future__ import annotations

import pytest
from fakes.tiny_server import Reply, TinyServer

from troth.cli.main import run


@pytest.fixture
def key(monkeypatch) -> None:
    """A credential that the contract allows."""
    monkeypatch.setenv("ACMEPAY_TEST_KEY", "sk_test_1")


@pytest.mark.parametrize("named", ["acmepay", "contracts/acmepay", "contracts/acmepay/contract.yaml"])
def test_a_provider_is_named_by_name_or_path(project, key, capsys, named):
    with TinyServer(lambda seen: Reply(200, {})) as server:
        assert run(["doctor", named, "--url", f"acmepay={server.url}"]) == 0

    assert len(server.seen) == 1
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith(f"acmepay: GET {server.url}/")
    assert shown[1].split() == ["credentials", "ok", "ACMEPAY_TEST_KEY:", "accepted", "(200)"]


def test_the_exit_code_is_that_of_a_run(project, key):
    with TinyServer(lambda seen: Reply(401, {})) as server:
        url = ["--url", f"acmepay={server.url}"]

        assert run(["doctor", "acmepay", *url]) == run(["drift", "--sandbox", *url]) == 6


def test_a_credential_that_looks_live_is_refused(project, monkeypatch, capsys):
    monkeypatch.setenv("ACMEPAY_TEST_KEY", "sk_live_1")

    assert run(["doctor", "acmepay"]) == 4
    assert "sk_live_1" not in "".join(capsys.readouterr())


def test_a_pack_needs_no_settings(tmp_path, monkeypatch, capsys):
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("STRIPE_TEST_KEY", raising=False)

    assert run(["doctor", "stripe"]) == 6
    assert "not set: STRIPE_TEST_KEY" in capsys.readouterr().out


def test_an_unknown_provider_is_explained(project, capsys):
    assert run(["doctor", "acmepy"]) == 4
    assert "Did you mean 'acmepay'?" in capsys.readouterr().err


def test_one_provider_at_a_time(project, capsys):
    text = (project / "contracts" / "acmepay" / "contract.yaml").read_text()
    other = project / "contracts" / "other"
    other.mkdir()
    (other / "contract.yaml").write_text(text.replace("provider: acmepay", "provider: other"))

    assert run(["doctor", "contracts"]) == 4
    assert "acmepay, other" in capsys.readouterr().err
