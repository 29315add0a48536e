"""Undoing: cancel flights and restore the exact order and leader that they started from.

Kafka's own cancel leaves the replicas in the target's order: [1,2,3] on its way to [4,2,1] becomes
[2,1,3]. So the original list is submitted again, which copies nothing, and its leader elected.
"""

from __future__ import annotations

from collections.abc import Mapping

from equipoise.execution import instructions as ask
from equipoise.execution.instructions import Observed
from equipoise.execution.port import Failure, PartitionState, TopicPartition
from equipoise.execution.run import Run, Steps, names
from equipoise.execution.states.submitting import GONE, UNSURE
from equipoise.execution.survey import shown

TRIES = 20
NO_REFUSAL = UNSURE | {GONE, "NO_REASSIGNMENT_IN_PROGRESS"}
"""Answers to a cancellation after which its partition may be back, or will be."""


def undoing(run: Run, flights: list[TopicPartition]) -> Steps:
    """Cancel these flights; one that has just arrived stays where it is."""
    if not flights:
        return
    orders = {name: run.flying[name].home for name in flights}
    yield from run.record("cancel", partitions={str(name): list(order) for name, order in orders.items()})
    failures: Mapping[TopicPartition, Failure | None] = yield ask.Submit(dict.fromkeys(flights))
    for name in flights:
        failure = failures.get(name)
        if failure is not None and failure.code not in NO_REFUSAL:
            yield from run.say_once(f"{name} cannot be cancelled: {failure}")
            del orders[name]
    yield from restoring(run, orders)
    for name in orders:
        run.flying.pop(name, None)


def restoring(run: Run, orders: Mapping[TopicPartition, tuple[int, ...]]) -> Steps:
    """Give cancelled partitions their order back, and the lead to who had it."""
    waiting = dict(orders)
    for _ in range(TRIES):
        if not waiting:
            return
        seen: Observed = yield ask.Observe(tuple(waiting), ())
        restored = [name for name, order in waiting.items() if is_restored(run, name, order, seen)]
        if restored:
            yield from leading_again(run, restored, seen.partitions)
            yield from run.record("restored", partitions=names(restored))
        waiting = {name: order for name, order in waiting.items() if name not in restored}
        still = [name for name in waiting if name in seen.reassignments]
        if still:
            yield ask.Submit(dict.fromkeys(still))
        mixed = {n: order for n, order in waiting.items() if n not in still and reorders(n, order, seen)}
        if mixed:
            yield ask.Submit(mixed)
        if waiting:
            yield ask.Wait(min(1.0, run.options.poll_s))
    for name, order in waiting.items():
        yield ask.Say(f"{name} could not be put back to {shown(order)}")


def is_restored(run: Run, name: TopicPartition, order: tuple[int, ...], seen: Observed) -> bool:
    """Whether nothing is left to restore: the order is back, it had arrived before, or it is gone."""
    state = seen.partitions.get(name)
    if state is None:
        return True
    arrived = state.replicas == run.memory.submitted.get(name) and set(state.replicas) != set(order)
    return name not in seen.reassignments and (state.replicas == order or arrived)


def reorders(name: TopicPartition, order: tuple[int, ...], seen: Observed) -> bool:
    """Whether submitting ``order`` would only reorder: nothing may be copied while restoring."""
    state = seen.partitions.get(name)
    return state is not None and sorted(state.replicas) == sorted(order)


def leading_again(
    run: Run, restored: list[TopicPartition], states: Mapping[TopicPartition, PartitionState]
) -> Steps:
    """Elect the preferred leader where it led before we came and does not now."""
    lost = []
    for name in restored:
        state = states.get(name)
        if state is None or state.leader == state.replicas[0]:
            continue
        if run.memory.leaders.get(name, state.replicas[0]) == state.replicas[0]:
            lost.append(name)
    if lost:
        yield from run.record("elect", partitions=names(lost))
        yield ask.Elect(tuple(lost))
