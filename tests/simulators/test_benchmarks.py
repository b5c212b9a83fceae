"""What the benchmarks are made of: the contract that is measured, wrk's words, and the page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from troth.contracts.exchange import Request
from troth.contracts.loader import load
from troth.simulators.simulator import Simulator

ROOT = Path(__file__).parents[2]
WRK = """\
  2 threads and 32 connections
  Latency Distribution
     50%  187.00us
     99%    1.25ms
  169151 requests in 2.00s, 127.43MB read
"""


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """A function that gives ``benchmarks.NAME``."""
    monkeypatch.syspath_prepend(str(ROOT))

    def module(name: str) -> ModuleType:
        return import_module(f"benchmarks.{name}")

    return module


def test_the_measured_contract_answers_each_job(benchmark, tmp_path):
    text = benchmark("contract_text")
    contract = load(text.write_contract(tmp_path / "contract.yaml", 10))
    simulator = Simulator(contract)
    auth = (b"Authorization", f"Bearer {text.KEY}".encode())
    form = (auth, (b"Content-Type", b"application/x-www-form-urlencoded"))
    as_json = (auth, (b"Content-Type", b"application/json"))
    answers = [
        simulator.handle(Request("POST", "/v1/charges", "", form, text.CREATE_FORM.encode())),
        simulator.handle(Request("POST", "/v1/charges", "", as_json, text.CREATE_JSON.encode())),
    ]
    ident = json.loads(answers[0].body)["id"]
    answers.append(simulator.handle(Request("GET", f"/v1/charges/{ident}", "", (auth,))))
    assert [answer.status for answer in answers] == [200, 200, 200]
    assert json.loads(answers[2].body) == json.loads(answers[0].body)
    assert len(contract.operations) == 10


def test_what_wrk_says_is_read(benchmark):
    load_module = benchmark("load")
    assert load_module._read(WRK) == load_module.Load(169151, 2.0, 1.25, 0)


def test_bad_answers_are_counted(benchmark):
    errors = "  Socket errors: connect 1, read 2, write 3, timeout 0\n  Non-2xx or 3xx responses: 7\n"
    assert benchmark("load")._read(WRK + errors).bad == 11


def test_the_page_has_ratios_targets_and_what_is_missing(benchmark):
    table = benchmark("table")
    results = {
        ("Troth", "GET"): [table.Round(cpu, 1000, 1.0, 50) for cpu in (20.0, 30.0, 90.0)],
        ("nginx, static", "GET"): [table.Round(10.0, 9000, 0.5, 10)],
    }
    page = table.markdown(results, table.Times(1.0, 0.5, None), ["a peer is not installed"], "python -m benchmarks", 2)
    assert "| Troth | GET | 30.0 | 3.0 | 1,000 | 1.0 | 50 |" in page
    assert "| stored GET, CPU beside nginx | at most 4x | 3.00x | yes |" in page
    assert "| `troth simulate` to its first answer | at most 0.4 s | 0.50 s | no |" in page
    assert "| `troth --help` | at most 0.25 s | not measured |  |" in page
    assert "Not measured: a peer is not installed." in page


# The runner


def test_the_runner_s_contract_makes_so_many_exchanges_of_5_kb(benchmark, tmp_path):
    contracts = benchmark("runner_contract")

    contract = load(contracts.write_orders(tmp_path / "contract.yaml", 40))

    (scenario,) = contract.scenarios.values()
    assert len(scenario.cases) * len(scenario.steps) == 40
    assert 4_500 < len(json.dumps(contracts.LINES)) < 5_500


def test_judging_gives_what_it_took(benchmark):
    taken = benchmark("judging").judge_and_compare(20)

    assert taken.exchanges == 20
    assert 5_000 < taken.bytes < 5_500
    assert taken.judging_s > 0 < taken.comparing_s
    assert taken.memory_mb > 1


def test_runner_and_httpx_send_the_same_requests(benchmark, tmp_path):
    contracts, throughput = benchmark("runner_contract"), benchmark("throughput")
    contract = load(contracts.write_orders(tmp_path / "contract.yaml", 20))

    with Simulator(contract) as simulator:
        assert asyncio.run(throughput.bare(simulator.url, 2)) > 0
        bare = [(entry.request.method, entry.operation) for entry in simulator.journal.entries]
        assert asyncio.run(throughput.by_runner(contract, simulator.url, 1)) > 0
        runner = [(entry.request.method, entry.operation) for entry in simulator.journal.entries][len(bare) :]

    assert sorted(runner) == sorted(bare)


def test_the_page_holds_the_runner_to_its_targets(benchmark):
    runner, judging = benchmark("runner"), benchmark("judging")
    judged = [
        judging.Judging(1_000, 5_100, 1.0, 0.5, 90.0),
        judging.Judging(10_000, 5_100, 15.0, 6.0, 400.0),
        judging.Judging(50_000, 5_100, 70.0, 5.0, 2000.0),
    ]

    page = runner.page({"httpx": [200.0, 100.0], "runner": [90.0, 60.0]}, judged, "python -m benchmarks runner", 2)

    assert "| throughput beside bare httpx at 50 at once | at least 0.5 | 0.53 | yes |" in page
    assert "| 10,000 exchanges | at most 20 s | 21.00 s | no |" in page
    assert "| 10,000 exchanges | at most 500 MB | 400.00 MB | yes |" in page
    assert "| time of an exchange, 50,000 beside 1,000 | at most 1.3x | 1.00x | yes |" in page


def test_each_part_of_the_results_is_measured_without_the_other(benchmark, tmp_path):
    results = benchmark("results")
    path = tmp_path / "RESULTS.md"

    results.keep_simulator(path, "# Benchmarks\n\nfirst\n")
    results.keep_runner(path, "## The runner\n\nold\n")
    results.keep_runner(path, "## The runner\n\nnew\n")
    results.keep_simulator(path, "# Benchmarks\n\nsecond\n")

    assert path.read_text() == "# Benchmarks\n\nsecond\n\n## The runner\n\nnew\n"
