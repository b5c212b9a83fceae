"""``drift.policy`` as rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from troth.contracts.kinds import KINDS, Severity
from troth.contracts.policy import Policy, Rule, path_parts

if TYPE_CHECKING:
    from troth.contracts.document.drift_document import DriftDoc, KindsDoc, PathPolicyDoc

__all__ = ["compile_policy"]


def compile_policy(drift: DriftDoc | None) -> Policy:
    """The policy of a contract; every kind keeps its own severity where there is none."""
    if drift is None or drift.policy is None:
        return Policy()
    policy = drift.policy
    rules = [*_rules(policy), *_by_path(policy.paths)]
    for name, operation in policy.operations.items():
        rules += [*_rules(operation, name), *_by_path(operation.paths, name)]
    return Policy.of(rules)


def _by_path(paths: Mapping[str, PathPolicyDoc], operation: str | None = None) -> Iterator[Rule]:
    for path, policy in paths.items():
        yield from _rules(policy, operation, path_parts(path))


def _rules(policy: KindsDoc, operation: str | None = None, path: tuple[str, ...] = ()) -> Iterator[Rule]:
    """One for each severity that is written; ``any`` is for the kinds that are not."""
    for field in sorted(policy.model_fields_set):
        name = field.removesuffix("_")
        if name in KINDS or name == "any":
            yield Rule(Severity(getattr(policy, field)), None if name == "any" else name, operation, path)
