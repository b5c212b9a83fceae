"""``troth drift --plan`` in lines: what a run would do to each sandbox."""

from __future__ import annotations

from collections.abc import Iterator

from troth.reports.visible import visible
from troth.runners.forecast import Creation, Forecast
from troth.runners.order import Queued

__all__ = ["plan_lines"]


def plan_lines(plan: Forecast) -> Iterator[str]:
    """A line for each thing that somebody may want to know before."""
    yield f"{visible(plan.provider)}: nothing was sent; a run on the sandbox would do this"
    yield f"  hosts      {', '.join(map(visible, plan.hosts)) or 'not known'}"
    yield f"  proxy      {visible(plan.proxy) or 'none'}"
    yield f"  scenarios  {plan.scenarios}{_in_this_order(plan)}"
    yield from (f"             {_turn(plan, item)}" for item in plan.order)
    more = ", and more where a step polls or repeats" if plan.polls else ""
    yield f"  requests   {plan.requests}{more}; {sum(plan.cleanup.values())} to clean up"
    if plan.again:
        times = "once" if plan.again == 1 else f"up to {plan.again} times"
        yield f"  again      scenarios that disagree, {times}"
    yield f"  creates    {'; '.join(_created(item) for item in plan.creations) or 'nothing'}"
    undone = "; ".join(f"{count} by {visible(name)}" for name, count in plan.cleanup.items())
    yield f"  cleanup    {undone or 'nothing'}{_left(plan)}"
    cost = ", ".join(f"{amount:g} {visible(unit)}" for unit, amount in plan.cost.items())
    yield f"  cost       {cost or 'the contract says none'}"
    yield f"  limits     {', '.join(plan.limits) or 'none'}"
    yield f"  variables  {', '.join(f'{visible(item.name)} ({item.state})' for item in plan.variables) or 'none'}"
    yield from (f"  not ready  {visible(fault)}" for fault in plan.faults)


def _in_this_order(plan: Forecast) -> str:
    return ", in this order" if len(plan.order) > 1 else ""


def _turn(plan: Forecast, item: Queued) -> str:
    over = plan.left_out.get(item.label)
    return f"{visible(item.label)}: {item.why}" + (f"; not run, over budget: {over}" if over else "")


def _created(item: Creation) -> str:
    by = f"{item.count} in {visible(item.collection)} by {visible(item.operation)}"
    return by if item.undo else f"{by}, which has no `undo`"


def _left(plan: Forecast) -> str:
    return f"; {plan.left} left by earlier runs" if plan.left else ""
