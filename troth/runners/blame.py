"""Who a disagreement is laid on, on what proof, since when, and in which words.

"The provider changed" and "the contract was always wrong" look the same in one night. The history of agreement tells
them apart; a contract may also claim a proof from elsewhere (``proven``), which stands in where there is no history.
"""

from __future__ import annotations

from dataclasses import dataclass

from troth.contracts.contract import Contract, Proven
from troth.runners.disagreement import Row
from troth.runners.finding import Blame
from troth.runners.history import Agreement

__all__ = ["Assigned", "Past", "assign", "claim_of", "night_words"]


@dataclass(frozen=True, slots=True)
class Past:
    """What is known of an origin's past. ``agreed`` None: sandbox and contract never agreed there.

    ``stands``: does that agreement speak for today's contract? True when the contract says the same there as it did
    then, or when the answer of that night fits it still; False when that answer does not fit any more, so that the edit
    made the disagreement; None when this could not be found out.
    """

    agreed: Agreement | None = None
    stands: bool | None = None
    again: bool = False
    """Was the answer of that night judged again, because contract, hooks or Troth were others then?"""
    unfit: Agreement | None = None
    """Where nothing agreed: a night whose answer, judged again, does not fit either."""
    night: int | None = None
    """The number of the night of ``agreed``."""

    @property
    def when(self) -> str:
        """The night of the last agreement, in words."""
        return night_words(self.night, self.agreed.run_id) if self.agreed else ""


def night_words(number: int | None, run_id: str) -> str:
    """``night 2 (run 20261201T0300-k3f9-1)``; the run alone where the number is not known."""
    return f"run {run_id}" if number is None else f"night {number} (run {run_id})"


@dataclass(frozen=True, slots=True)
class Assigned:
    """``proof`` is ``history``, ``claimed`` or ``none``; ``words`` is a sentence for people new to Troth."""

    blame: Blame
    words: str
    proof: str = "none"
    last_agreed: str | None = None
    claim: str = ""
    standing: str = ""
    """The same in a few words: ``changed since night 2``."""


_FIXED = {
    Row.SIMULATOR: (
        Blame.SIMULATOR,
        "The simulator does not do what the contract says: tests that ran against it were told something untrue.",
    ),
    Row.STALE: (
        Blame.CONTRACT,
        "Simulator and provider do the same, and the contract says something else: the contract is stale.",
    ),
    Row.ALL: (
        Blame.ALL,
        "Contract, simulator and provider say three different things: somebody has to look.",
    ),
    Row.LOOSE: (
        Blame.LOOSE,
        "The contract allows both, and they differ: the simulator is not representative here.",
    ),
    Row.UNOBSERVED: (
        Blame.UNOBSERVED,
        "The provider's answer says nothing about the contract: neither agreement nor drift.",
    ),
    Row.LEAK: (
        Blame.UNOBSERVED,
        "It says nothing about the contract, and it stays there until somebody removes it.",
    ),
    Row.ANNOUNCED: (
        Blame.PROVIDER,
        "The provider announces it with its replies; the contract does not speak of it.",
    ),
    Row.PAST: (
        Blame.LOOSE,
        "The contract allows it, and the provider does otherwise than it did on every night before.",
    ),
    Row.SCENARIO: (
        Blame.CONTRACT,
        "The scenario expects something that the contract itself does not give here: the scenario has to be mended.",
    ),
    Row.BROKEN: (
        Blame.ALL,
        "The exchange could not be judged consistently. This is a fault of Troth, or of a hook.",
    ),
}


def assign(row: Row, past: Past, proven: Proven | None) -> Assigned:
    """The blame for one row of the table, with its proof."""
    if row in _FIXED:
        blame, words = _FIXED[row]
        return Assigned(blame, words, standing=_STANDING.get(row, ""))
    return _provider_or_contract(past, proven)


_STANDING = {
    Row.SIMULATOR: "the simulator is wrong",
    Row.STALE: "stale",
    Row.ALL: "all three differ",
    Row.LOOSE: "loose",
    Row.UNOBSERVED: "not observed",
    Row.ANNOUNCED: "announced",
}


def _provider_or_contract(past: Past, proven: Proven | None) -> Assigned:
    agreed = past.agreed
    since = "" if agreed is None else f"since {f'night {past.night}' if past.night else f'run {agreed.run_id}'}"
    if agreed is not None and past.stands:
        again = " Its answer of that night was judged again with today's contract, and fits it." if past.again else ""
        words = f"The provider changed: it did what the contract says until {past.when}.{again}"
        return Assigned(Blame.PROVIDER, words, "history", agreed.run_id, standing=f"changed {since}")
    if agreed is not None and past.stands is False:
        words = (
            f"The contract was edited here: what the provider answered in {past.when} fitted it then, "
            "and does not fit it now."
        )
        return Assigned(Blame.CONTRACT, words, "history", agreed.run_id, standing=f"edited {since}")
    last = agreed.run_id if agreed else None
    if proven is not None:
        claim = f"{proven.by}, {proven.on}"
        words = f"The provider does not do what the contract says, and the contract claims a proof of it ({claim})."
        return Assigned(Blame.PROVIDER, words, "claimed", last, claim, f"claimed by {proven.by}, never proven here")
    if agreed is not None:
        words = (
            f"The contract was edited here since it last agreed with the provider in {past.when}; nothing "
            "shows that what it says now was ever so."
        )
        return Assigned(Blame.CONTRACT, words, "none", last, standing=f"edited {since}, never proven")
    words = (
        "The contract, never proven: the provider does not do what the contract says, and nothing shows yet that it "
        "ever did."
    )
    if past.unfit is not None:
        words += f" What it answered in run {past.unfit.run_id} does not fit the contract of today either."
    return Assigned(Blame.CONTRACT, words, "none", last, standing="never proven")


def claim_of(contract: Contract, operation: str, response: str | None) -> Proven | None:
    """The nearest ``proven``: of the response, else of its operation, else of the whole contract."""
    shape = contract.operations.get(operation)
    if shape is None:
        return contract.proven
    declared = shape.response(response) if response else None
    return (declared.proven if declared else None) or shape.proven or contract.proven
