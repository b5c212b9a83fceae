"""``junit.xml``: a suite for each provider and target, a case for each scenario.

A finding at or above ``fail_on`` is a failure, one below stands in the case's output. What did not run or told nothing
is skipped with its reason, which no reader takes for a pass. What broke is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from xml.etree import ElementTree as ET

from troth.reports.console import finding_lines
from troth.reports.coverage_view import targets_of
from troth.reports.visible import shorten, visible
from troth.reports.words import VERDICT_WORDS, fails, plain, side_of, title
from troth.runners.finding import Check, Finding, ProviderRun, Run, ScenarioRun, Verdict

__all__ = ["render"]

_OUTPUT = 60_000
"""Characters of one case's text."""
_ELSEWHERE = "checks"


def render(run: Run) -> bytes:
    """The document, UTF-8."""
    root = ET.Element("testsuites", name="troth", time=f"{max(run.finished - run.started, 0):.3f}")
    for provider in run.providers:
        for target, cases in _cases(provider, run).items():
            if cases:
                root.append(_suite(run, provider, target, cases))
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _cases(provider: ProviderRun, run: Run) -> dict[str, list[ET.Element]]:
    """The cases of each suite, by target; ``checks`` holds what belongs to no scenario on a target."""
    suites: dict[str, list[ET.Element]] = {target: [] for target in targets_of(provider)}
    found = _by_case(provider)
    for scenario in provider.scenarios:
        findings = found.pop((scenario.target, scenario.scenario), [])
        suites[scenario.target].append(_scenario(provider, scenario, findings, run))
    checks = suites.setdefault(_ELSEWHERE, [])
    for (target, name), findings in found.items():
        checks.append(_with_findings(_case(provider, target, name or "without a scenario", 0.0), findings, run))
    checks += [_check(provider, check) for check in provider.checks]
    if provider.verdict not in (Verdict.AGREE, Verdict.DRIFT) and not any(map(_tells, suites.values())):
        checks.append(_verdict(provider))
    return suites


def _by_case(provider: ProviderRun) -> dict[tuple[str, str], list[Finding]]:
    """The findings by target and scenario; on a target where the scenario has a case, wherever there is one."""
    places: dict[str, list[str]] = {}
    for scenario in provider.scenarios:
        places.setdefault(scenario.scenario, []).append(scenario.target)
    found: dict[tuple[str, str], list[Finding]] = {}
    for finding in provider.findings:
        side, there = side_of(finding), places.get(finding.scenario, [])
        if side == "sandbox" and side not in there:
            # The target may have another name: staging, a container.
            side = next((target for target in there if target != "simulator"), side)
        target = side if side in there or not there else there[0]
        found.setdefault((target, finding.scenario), []).append(finding)
    return found


def _suite(run: Run, provider: ProviderRun, target: str, cases: Sequence[ET.Element]) -> ET.Element:
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": str(sum(case.find("error") is not None for case in cases)),
        "skipped": str(sum(case.find("skipped") is not None for case in cases)),
    }
    suite = ET.Element("testsuite", {"name": _legal(f"{provider.provider} / {target}"), **counts})
    suite.set("time", f"{sum(float(case.get('time', '0')) for case in cases):.3f}")
    suite.set("timestamp", _moment(run.started))
    properties = ET.SubElement(suite, "properties")
    for name, value in (("run", run.run_id), ("verdict", provider.verdict), ("seed", str(run.seed))):
        ET.SubElement(properties, "property", name=name, value=_legal(value))
    suite.extend(cases)
    return suite


def _scenario(provider: ProviderRun, scenario: ScenarioRun, findings: list[Finding], run: Run) -> ET.Element:
    case = _with_findings(_case(provider, scenario.target, scenario.scenario, scenario.seconds), findings, run)
    if case.find("failure") is not None:
        return case
    silent = [finding.message for finding in findings if finding.kind == "unobserved"]
    if scenario.outcome in ("skipped", "unobserved") or (silent and scenario.outcome != "broken"):
        outcome = "skipped" if scenario.outcome == "skipped" else "unobserved"
        reason = scenario.reason or "".join(silent[:1]) or provider.reason or "no reason was recorded"
        case.insert(0, ET.Element("skipped", message=_legal(f"{outcome}: {reason}")))
    elif scenario.outcome == "broken":
        case.insert(0, _element("error", scenario.reason or "Troth failed", "broken", ""))
    return case


def _with_findings(case: ET.Element, findings: list[Finding], run: Run) -> ET.Element:
    failing = [finding for finding in findings if fails(finding, run.fail_on)]
    others = [finding for finding in findings if not fails(finding, run.fail_on)]
    if failing:
        message = plain(title(failing[0])) + (f" (and {len(failing) - 1} more)" if len(failing) > 1 else "")
        case.append(_element("failure", message, failing[0].code, _details(failing)))
    if others:
        output = ET.SubElement(case, "system-out")
        output.text = _legal(_details(others))
    return case


def _check(provider: ProviderRun, check: Check) -> ET.Element:
    case = _case(provider, _ELSEWHERE, check.name, 0.0)
    words = check.detail or check.outcome
    if check.outcome == "broken":
        case.append(_element("error", words, check.outcome, ""))
    elif check.outcome in ("skipped", "unobserved"):
        case.append(ET.Element("skipped", message=_legal(words)))
    elif check.detail:
        # What a check found is a finding of its own, and fails there if it does.
        ET.SubElement(case, "system-out").text = _legal(f"{check.outcome}: {check.detail}")
    return case


def _verdict(provider: ProviderRun) -> ET.Element:
    """A case for a provider of which nothing else tells that it was not checked."""
    case = _case(provider, _ELSEWHERE, f"verdict: {provider.verdict}", 0.0)
    words = provider.reason or VERDICT_WORDS[provider.verdict]
    if provider.verdict is Verdict.BROKEN:
        case.append(_element("error", words.partition("\n")[0], provider.verdict, words))
    else:
        case.append(ET.Element("skipped", message=_legal(f"{provider.verdict}: {words}")))
    return case


def _tells(cases: Sequence[ET.Element]) -> bool:
    return any(case.find(name) is not None for case in cases for name in ("skipped", "error"))


def _case(provider: ProviderRun, target: str, name: str, seconds: float) -> ET.Element:
    classname = f"troth.{provider.provider}.{target}"
    return ET.Element("testcase", classname=_legal(classname), name=_legal(name), time=f"{max(seconds, 0):.3f}")


def _element(tag: str, message: str, kind: str, text: str) -> ET.Element:
    element = ET.Element(tag, message=_legal(shorten(message, 1_000)), type=_legal(kind))
    element.text = _legal(text) or None
    return element


def _details(findings: Sequence[Finding]) -> str:
    return shorten("\n\n".join("\n".join(finding_lines(finding)) for finding in findings), _OUTPUT)


def _moment(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return "1970-01-01T00:00:00"


def _legal(text: str) -> str:
    """What XML cannot hold (NUL, escapes, lone surrogates) as its escape; none of it prints."""
    return visible(text, keep="\n\t")
