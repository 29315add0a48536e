"""The run as a pure machine: answers in, instructions out.

Its states are coroutines, so that each reads from top to bottom; they do no input or output and know
no clock, so that whole stories of failure are plain calls in tests. Whoever drives the machine calls
:meth:`Machine.next` with the answer to the last instruction and carries out the one that comes back,
until that is ``End``. Every way out of the moving state leads through ``unthrottling``, which leaves a
throttle on what goes on by itself and on nothing else.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from typing import Any

from equipoise.execution import instructions as ask
from equipoise.execution.instructions import End, Instruction
from equipoise.execution.memory import Memory
from equipoise.execution.moves import Job, Options
from equipoise.execution.orders import Orders
from equipoise.execution.port import PortError
from equipoise.execution.run import JournalLost, Run, Steps
from equipoise.execution.states.checking import checking
from equipoise.execution.states.dirs import astray
from equipoise.execution.states.ending import finishing
from equipoise.execution.states.moving import moving
from equipoise.execution.states.settling import settling
from equipoise.execution.states.unthrottled import last_look, unthrottling


class Machine:
    """Carries one job out, or takes it up where an earlier run left it."""

    def __init__(
        self, job: Job, options: Options, memory: Memory | None = None, *, stop: str | None = None
    ) -> None:
        """``memory`` is what an earlier run's journal says; ``stop="cancel"`` only undoes what flies."""
        self.run = Run(job, options, memory or Memory())
        self.run.stop = stop
        self.steps = life(self.run)

    def next(self, answer: Any = None) -> Instruction:
        """The next instruction, given the answer to the last one (None for the first)."""
        return self.steps.send(answer)

    def failed(self, error: PortError) -> Instruction:
        """The next instruction after one that could not be carried out at all.

        Raises ``error`` where the run cannot go on: before it has begun.
        """
        return self.steps.throw(error)

    def depart(self) -> Instruction:
        """The first instruction of the way out, where a fault has ended the run at any point."""
        self.steps = departing(self.run)
        return self.next()

    def request(self, stop: str) -> None:
        """Stop: "finish" what is in flight, "cancel" it or "leave" it; takes effect at the next look."""
        self.run.stop = stop

    def steer(self, orders: Orders) -> None:
        """What it is to do from its next look on."""
        self.run.orders = orders


def life(run: Run) -> Generator[Instruction, Any, None]:
    """Check, begin, move, take the throttles off, elect, verify."""
    found, reasons = yield from checking(run)
    if reasons:
        yield End("refused", tuple(reasons))
    flying = len(found.flying) + len(found.opposed)
    dirs = yield from astray(run)
    if not (yield ask.Confirm(len(found.pending) + len(found.unrestored), flying, len(found.done), dirs)):
        yield End("declined")
    yield from beginning(run)
    left: list[str] = []
    try:
        outcome = yield from moving(run, found)
        if outcome != "left":
            outcome, left = yield from settling(run, outcome)
    except PortError as error:
        outcome = "lost"
        if isinstance(error, JournalLost):
            yield ask.Say(str(error))
            yield from last_look(run)
        else:
            yield ask.Say(f"the cluster cannot be reached any more: {error}")
    left += yield from unthrottling(run)
    if outcome in ("finished", "incomplete", "stopped"):
        left += yield from finishing(run)
    if outcome == "finished" and run.unlike:
        outcome = "incomplete"
    run.phase = "ended"
    with suppress(JournalLost):
        yield from run.record("end", outcome=outcome, left=left)
    yield End(outcome, tuple(left), run.figures())


def beginning(run: Run) -> Steps:
    """Note that it begins, and what it takes for its own."""
    yield from run.record(
        "begin",
        operation=run.job.operation,
        plan=run.job.plan,
        cluster=run.job.cluster_id,
        moves=len(run.job.moves),
        **run.limits(),
        **run.options.hours.to_json(),
        health=run.options.health,
        metrics_file=run.options.metrics_file,
        on_event=run.options.tells_events,
    )
    for kind, values in run.adopted:
        yield from run.record(kind, **values)


def departing(run: Run) -> Steps:
    """What is left to do where a fault ended the run: throttles off, but for what goes on."""
    yield from last_look(run)
    left = yield from unthrottling(run)
    for line in left:
        yield ask.Say(line)
    yield End("failed", tuple(left), run.figures())
