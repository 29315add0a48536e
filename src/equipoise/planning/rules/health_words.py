"""What is said of a cluster's health before a plan: one sentence for each thing, worst first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from equipoise.cluster import measures
from equipoise.cluster.health import BoolArray, Health
from equipoise.planning.problem.request import Request
from equipoise.planning.rules.ways import MOST_NAMED, listed
from equipoise.wording import plural

MOST_LISTED = 10
"""Partitions in one sentence."""


def warnings(health: Health, request: Request, movable: BoolArray) -> Iterator[str]:
    """Who is down and what to do; what cannot be moved; what is unwell; what is only assumed.

    ``movable`` ``(n_partitions,)``: what the request lets change.
    """
    yield from of_brokers(health, request)
    yield from of_lowered(health, request, movable)
    yield from of_stuck(health)
    yield from of_partitions(health)
    yield from of_assumed(health, request)


def of_brokers(health: Health, request: Request) -> Iterator[str]:
    """A sentence for the brokers that are down in the same way; first those with replicas to move away."""
    brokers = health.cluster.brokers
    held = measures.replicas_per_broker(health.cluster.replicas, len(brokers))
    groups: dict[tuple[bool, str], list[int]] = {}
    for at in np.flatnonzero(~health.alive).tolist():
        empties = not held[at] or is_to_go(request, int(brokers.ids[at]))
        groups.setdefault((empties, brokers.down[at] or ""), []).append(at)
    for (empties, why), places in sorted(groups.items()):
        ids, one = brokers.ids[places].tolist(), len(places) == 1
        replicas = plural(int(held[places].sum()), "replica")
        yield (
            f"{are(ids)} not alive ({why}): no replica and no leader comes to {'it' if one else 'them'}. "
            + ("" if empties else f"--drain {given(ids)} moves {'its' if one else 'their'} {replicas} away; ")
            + f"--assume-alive {given(ids)} plans as if {'it' if one else 'they'} were up"
        )


def of_lowered(health: Health, request: Request, movable: BoolArray) -> Iterator[str]:
    """A lower replication factor is no reason to give a live copy up before one on a broker that is down."""
    cluster, factor = health.cluster, request.replication_factor
    if factor is None:
        return
    stays = np.array([not is_to_go(request, broker) for broker in cluster.brokers.ids.tolist()], dtype=bool)
    down = np.flatnonzero(~health.alive & stays)
    holds = np.isin(cluster.replicas, down)
    at_risk = holds.any(axis=1) & movable & (cluster.rf > factor)
    if at_risk.any():
        ids = cluster.brokers.ids[np.unique(cluster.replicas[at_risk][holds[at_risk]])].tolist()
        it = "it" if len(ids) == 1 else "them"
        yield (
            f"--replication-factor {factor} may take live replicas away and keep those on {named(ids)}: give "
            f"--drain {given(ids)} as well, and those on {it} go first "
            f"({plural(int(at_risk.sum()), 'partition')})"
        )


def is_to_go(request: Request, broker: int) -> bool:
    """True for a broker that the request empties."""
    gone = {*request.drain, *(old for old, _ in request.replace)}
    named = None if request.brokers is None else {kept for kept, _ in request.brokers}
    return broker in gone or (named is not None and broker not in named)


def of_stuck(health: Health) -> Iterator[str]:
    rows = np.flatnonzero(health.stuck)
    if len(rows):
        some = ", ".join(health.cluster.label(row) for row in rows[:MOST_LISTED].tolist())
        more = f" and {len(rows) - MOST_LISTED:,} more" if len(rows) > MOST_LISTED else ""
        yield (
            f"{plural(len(rows), 'partition')} cannot be moved now, as nobody who is alive has all data of "
            f"{'it' if len(rows) == 1 else 'them'}, and {'stays' if len(rows) == 1 else 'stay'} as "
            f"{'it is' if len(rows) == 1 else 'they are'}: {some}{more}"
        )


def of_partitions(health: Health) -> Iterator[str]:
    """How many partitions are unwell, of those of which that is known."""
    told = int(health.told.sum())
    counts = (
        (health.leaderless, "without a leader"),
        (health.under_replicated, "under-replicated"),
        (health.under_min_isr, "below min.insync.replicas"),
    )
    unwell = [f"{int(mask.sum()):,} {what}" for mask, what in counts if mask.any()]
    if unwell:
        known = "" if told == health.cluster.n_partitions else " whose Isr is told"
        yield f"of {plural(told, 'partition')}{known}: {', '.join(unwell)}"


def of_assumed(health: Health, request: Request) -> Iterator[str]:
    """What the sources say of brokers that are assumed to be alive."""
    brokers = health.cluster.brokers
    for at in np.flatnonzero(health.assumed).tolist():
        yield f"broker {brokers.ids[at]} counts as alive (--assume-alive), though it is {brokers.down[at]}"
    idle = [broker for broker in request.assume_alive if not health.assumed[brokers.index_of(broker)]]
    if idle:
        yield f"--assume-alive {given(idle)} changes nothing: no source says that {are(idle)} down"


def are(ids: Sequence[int]) -> str:
    """``broker 4 is``, ``brokers 4, 7 are``."""
    return f"{named(ids)} {'is' if len(ids) == 1 else 'are'}"


def named(ids: Sequence[int]) -> str:
    """``broker 4``, ``brokers 4, 7``."""
    return f"{'broker' if len(ids) == 1 else 'brokers'} {listed(ids)}"


def given(ids: Sequence[int]) -> str:
    """Ids as an option takes them; where there are many, a word for them."""
    return ",".join(map(str, ids)) if len(ids) <= MOST_NAMED else "IDS"
