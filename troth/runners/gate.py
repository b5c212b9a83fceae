"""The gate before a provider's sandbox: nothing is sent there unless all of this holds.

The run was told so (``--sandbox``, or ``TROTH_SANDBOX=1``), the address is one that the contract or ``--url`` gives,
and every secret that the run needs is set and fits the contract's ``allow``. The decision is data; it shows no value.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

from troth.contracts.auth import Certificate
from troth.contracts.contract import Contract, Scenario, Secret, Target
from troth.errors import RefusedCredential, TrothError, Unauthorized, Unreachable, UsageError
from troth.runners.certificates import Identity, identities
from troth.runners.credentials import Credentials
from troth.runners.finding import Verdict
from troth.runners.needs import called_operations, needed_certificates, needed_secrets

__all__ = [
    "FLAG",
    "Decision",
    "Open",
    "Passport",
    "Shut",
    "addresses_of",
    "check_secret",
    "open_gate",
    "target_of",
]

FLAG = "TROTH_SANDBOX"
"""The variable that opens the gate when it is ``1``."""


@dataclass(frozen=True, slots=True)
class Passport:
    """What a run brings to the gate."""

    flag: bool
    """Was ``--sandbox`` given?"""
    environment: Mapping[str, str] = field(repr=False)
    url: str | None = None
    """From ``--url``: allows its own host for this run, and all calls go there."""
    target: str = "sandbox"


@dataclass(frozen=True, slots=True)
class Open:
    """The sandbox may be called: at ``url``, and at ``hosts`` for operations that name one."""

    target: Target
    url: str
    hosts: Mapping[str, str]
    credentials: Credentials
    identities: Mapping[Certificate, Identity] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shut:
    """The sandbox is not called. ``error`` is None when nobody asked for it, so that nothing is wrong."""

    verdict: Verdict
    reason: str
    error: TrothError | None = None


Decision: TypeAlias = Open | Shut


def open_gate(contract: Contract, scenarios: Iterable[Scenario], passport: Passport) -> Decision:
    """Decide whether ``scenarios`` may run on the sandbox."""
    scenarios = tuple(scenarios)
    if not passport.flag and passport.environment.get(FLAG) != "1":
        return Shut(Verdict.SKIPPED, f"the sandbox is called only with --sandbox or {FLAG}=1")
    if not scenarios:
        return Shut(Verdict.SKIPPED, "no scenario to run")
    target = target_of(contract, passport)
    try:
        url, hosts = addresses_of(contract, scenarios, passport)
        _check_ca(target)
        _check_proxy(target)
        values = _values(contract, scenarios, target, passport.environment)
        certificates = needed_certificates(contract, scenarios)
        shown = identities(certificates, passport.environment, contract.provider)
    except TrothError as error:
        return Shut(_verdict(error), _sentence(error), error)
    return Open(target, url, hosts, Credentials(values), shown)


def _verdict(error: TrothError) -> Verdict:
    return Verdict.UNAUTHORIZED if isinstance(error, Unauthorized | RefusedCredential) else Verdict.UNREACHABLE


def _sentence(error: TrothError) -> str:
    return f"{error.found}. {error.fix}" if error.fix else error.found


def target_of(contract: Contract, passport: Passport) -> Target:
    """The target as the contract has it, files found from its folder; one without anything where it has none."""
    target = contract.targets.get(passport.target, Target(passport.target))
    return target if target.ca is None else replace(target, ca=str(Path(contract.path).parent / target.ca))


def addresses_of(
    contract: Contract, scenarios: Iterable[Scenario], passport: Passport
) -> tuple[str, Mapping[str, str]]:
    """The base URL, and those of the hosts that operations name. Raises TrothError when there is none to use."""
    target = target_of(contract, passport)
    return _base(contract, target, passport), _hosts(contract, tuple(scenarios), target, passport)


def _base(contract: Contract, target: Target, passport: Passport) -> str:
    if passport.url is not None:
        return _checked(passport.url, f"--url of {contract.provider}")
    if target.url_env is not None and passport.environment.get(target.url_env):
        return _checked(passport.environment[target.url_env], f"the variable {target.url_env}")
    if target.url is not None:
        return _checked(target.url, f"targets.{target.name}.url of {contract.provider}")
    variable = f"Set {target.url_env}, or give" if target.url_env else "Give"
    raise Unreachable(
        "E374",
        f"the address of {contract.provider}'s {target.name}",
        f"nothing says where {contract.provider}'s {target.name} is",
        f"{variable} --url {contract.provider}=URL",
    )


def _checked(url: str, source: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(
            "E374",
            f"an http or https address from {source}",
            f"{source} is no http or https address",
            "Write it in full: https://HOST or http://HOST:PORT",
        )
    if parts.username is not None or parts.password is not None:
        # The address is shown in reports; credentials belong into secrets.
        raise UsageError("E374", f"an address without credentials from {source}", f"{source} holds a user name", "")
    if parts.query or parts.fragment:
        raise UsageError("E374", f"an address without query and fragment from {source}", f"{source} has one", "")
    return url.rstrip("/")


def _hosts(
    contract: Contract, scenarios: tuple[Scenario, ...], target: Target, passport: Passport
) -> Mapping[str, str]:
    """Base URL by host name; none with ``--url``, where every operation is called at the one address given."""
    if passport.url is not None:
        return {}
    for name in called_operations(contract, scenarios):
        host = contract.operations[name].request.host if name in contract.operations else None
        if host is not None and host not in target.hosts:
            raise UsageError(
                "E373",
                f"a host that targets.{target.name}.hosts allows",
                f"operation {name} is on host {host!r}, which the target does not list",
                f"Add it to targets.{target.name}.hosts",
            )
    return {name: _checked(url, f"targets.{target.name}.hosts.{name}") for name, url in target.hosts.items()}


def _check_ca(target: Target) -> None:
    if target.ca is None:
        return
    try:
        ssl.create_default_context(cafile=target.ca)
    except (OSError, ssl.SSLError) as error:
        raise UsageError(
            "E375", f"a PEM file of certificates as targets.{target.name}.ca", f"{target.ca} is not one: {error}"
        ) from None


def _check_proxy(target: Target) -> None:
    if target.proxy is None:
        return
    parts = urlsplit(target.proxy)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError("E375", f"an http or https address as targets.{target.name}.proxy", "another kind of address")


def _values(
    contract: Contract, scenarios: tuple[Scenario, ...], target: Target, environment: Mapping[str, str]
) -> dict[str, str]:
    """The needed secrets. A refused one weighs more than a missing one: it might be live."""
    values: dict[str, str] = {}
    missing: list[str] = []
    for name in sorted(needed_secrets(contract, scenarios)):
        secret = contract.secrets[name]
        variable = target.secrets.get(name, secret.env)
        value = environment.get(variable, "")
        if value:
            check_secret(secret, variable, value)
            values[name] = value
        else:
            missing.append(variable)
    if missing:
        raise Unauthorized(
            "E372",
            f"credentials for {contract.provider}",
            f"not set: {', '.join(missing)}",
            f"Set {'it' if len(missing) == 1 else 'them'}, or run without --sandbox",
        )
    return values


def check_secret(secret: Secret, variable: str, value: str) -> None:
    """Raises RefusedCredential for a value that may not leave the machine; it does not show the value."""
    if secret.allow is None:
        raise RefusedCredential(
            "E371",
            f"an `allow` pattern for the secret {secret.name!r}",
            f"the contract does not say which values of {variable} may leave this machine",
            f"Add `allow` to secrets.{secret.name}, with a pattern that only test credentials fit",
        )
    if not secret.allows(value):
        raise RefusedCredential(
            "E371",
            f"a value of {variable} that fits {secret.allow!r}",
            f"the value of {variable} does not fit {secret.allow!r}; it might be a live credential, and is not sent",
            f"Set {variable} to a test credential",
        )
    if value != value.strip() or not value.isprintable():
        # Such a value breaks the header that it goes into, and the error would quote it.
        raise RefusedCredential(
            "E371",
            f"a value of {variable} without spaces around it and without line breaks",
            f"the value of {variable} has some",
            f"Set {variable} again, without them",
        )
