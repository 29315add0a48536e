"""Plan in, waves out: the one function of this room."""

from __future__ import annotations

import numpy as np

from equipoise.cluster import Plan
from equipoise.scheduling.copies import Copies, copies_of, urgent
from equipoise.scheduling.dirs import dir_waves
from equipoise.scheduling.listing import Listing
from equipoise.scheduling.orders import admission, batched, by_size
from equipoise.scheduling.rates import rates_of
from equipoise.scheduling.result import Schedule
from equipoise.scheduling.room import Room
from equipoise.scheduling.rounds import elections, expected_s
from equipoise.scheduling.rules import below_min_isr, leaves_rack_rule
from equipoise.scheduling.waves import cut, no_room, wave_lengths
from equipoise.wording import plural

DISK_LIMIT = 0.95
"""Share of a disk that may be in use while both copies of moving partitions exist."""


def default_inflight(n_brokers: int) -> int:
    """Partitions in flight where none are asked for: five a broker, as Cruise Control keeps, at least 50."""
    return max(50, 5 * n_brokers)


def schedule(
    plan: Plan,
    *,
    max_inflight: int | None = None,
    throttle: float | None = None,
    per_broker: int | None = None,
    disk_limit: float = DISK_LIMIT,
) -> Schedule:
    """Order the changes of ``plan`` and tell how long they take.

    What copies nothing (reorders, fewer replicas) comes first: it gains at no cost and frees disks.
    Then rows that mend something or empty a broker, then the rest; among equals the link with most
    left, since it decides the end. A plan in batches keeps their order, and no wave has rows of two.

    ``throttle`` is bytes a second for each broker, each way; ``per_broker`` bounds the partitions that
    one broker sends or receives in a wave. Every wave keeps the rack rule, min ISR, the room on disks
    with old and new copies both counted, and so what ``--max-fill`` allows of other loads. Deterministic.
    Raises ``ValueError`` for limits below 1.
    """
    disk_limit = min(disk_limit, asked_limit(plan))
    inflight = default_inflight(plan.cluster.n_brokers) if max_inflight is None else max_inflight
    check_limits(inflight, throttle, per_broker)
    notes: list[str] = []
    blocked = below_min_isr(plan)
    copies = without(copies_of(plan, notes), blocked)
    bound, bottleneck = lower_bound(copies, plan, inflight)
    seconds = seconds_per_unit(copies, throttle)

    def listed(some: Copies, room: Room) -> Listing:
        return Listing(some, ~mends[some.row], plan.cluster.n_brokers, inflight, room)

    mends = urgent(plan)
    # Partitions grow while they wait; no order is done sooner than the bound, so at least so long.
    room, rates = Room(plan, copies, disk_limit, bound * seconds), rates_of(plan)
    listing = listed(copies, room)
    order = admission(plan, copies, listing.start, blocked)
    if room.tight.any() or rates:  # then rows keep the order in which they make room for each other
        # The list schedule has used the room up, so waves begin with new room.
        alike, room = order, Room(plan, copies, disk_limit, bound * seconds)
    else:
        alike = by_size(order, copies, mends, lambda some: listed(some, room).start)
    order = np.concatenate(batched(order, plan))
    waves = [
        wave for rows in batched(alike, plan) for wave in cut(rows, copies, room, inflight, per_broker, rates)
    ]
    # From here on these too are blocked, though they have a place in ``order``: they go off it below.
    blocked |= no_room(order, waves)
    lengths = wave_lengths(waves, copies, plan.cluster.n_brokers, plan.cluster.n_partitions)
    between, held_up = dir_waves(plan, inflight, disk_limit)
    each = [
        expected_s(length * seconds, len(wave), elections(plan, wave), inflight)
        for length, wave in zip(lengths.tolist(), waves, strict=True)
    ]
    length = listing.length if plan.batch is None else float(lengths.sum())
    ordered = order[~np.isin(order, list(blocked))] if blocked else order
    return Schedule(
        plan=plan,
        order=ordered,
        waves=tuple(waves),
        max_inflight=inflight,
        throttle_bytes_per_s=throttle,
        unit=copies.unit,
        wave_seconds=np.array(each),
        seconds=sum(each)
        if plan.batch is not None
        else expected_s(length * seconds, len(ordered), elections(plan, ordered), inflight),
        copy_seconds=length * seconds,
        bound_seconds=bound * seconds,
        gap=max(0.0, length / bound - 1) if bound else 0.0,
        bottleneck=bottleneck,
        blocked=blocked,
        notes=(*notes, *remarks(plan, copies, throttle), *held_up),
        dir_waves=between,
    )


def seconds_per_unit(copies: Copies, throttle: float | None) -> float:
    """How long one unit of a copy takes, NaN where sizes or the rate are unknown; no copies take no time."""
    if not len(copies):
        return 0.0
    return 1.0 / throttle if throttle is not None and copies.unit == "bytes" else np.nan


def asked_limit(plan: Plan) -> float:
    """The share of a disk that ``--max-fill`` allows, 1 where it says nothing of disks."""
    asked = (spec.split(":") for spec in plan.request.get("max_fill", ()))
    return min([float(percent) / 100 for load, percent in asked if load == "disk"], default=1.0)


def check_limits(max_inflight: int, throttle: float | None, per_broker: int | None) -> None:
    """Raise ``ValueError`` for limits under which nothing could ever move."""
    if max_inflight < 1 or (per_broker is not None and per_broker < 1):
        raise ValueError("max_inflight and per_broker must be at least 1")
    if throttle is not None and throttle <= 0:
        raise ValueError("the throttle must be more than 0 bytes a second")


def without(copies: Copies, blocked: dict[int, str]) -> Copies:
    """The copies of rows that are not blocked."""
    return copies.only(~np.isin(copies.row, list(blocked))) if blocked else copies


def lower_bound(copies: Copies, plan: Plan, max_inflight: int) -> tuple[float, str]:
    """What no order can beat, in the unit of the copies at rate 1, and where it comes from.

    A broker sends and receives one after the other whatever it is to send and receive; and at most
    ``max_inflight`` partitions, each fed by one leader, are under way at any moment.
    """
    if not len(copies):
        return 0.0, ""
    sent, received = copies.per_link(plan.cluster.n_brokers)
    ids = plan.cluster.brokers.ids
    bounds = [
        (float(sent.max()), f"broker {ids[sent.argmax()]}, outbound"),
        (float(received.max()), f"broker {ids[received.argmax()]}, inbound"),
        # A partition is in flight at least as long as its leader needs to send all its copies.
        (float(copies.amount.sum()) / max_inflight, "partitions in flight"),
    ]
    return max(bounds, key=lambda bound: bound[0])


def remarks(plan: Plan, copies: Copies, throttle: float | None) -> list[str]:
    """What an operator should know before the first wave."""
    found = []
    created = int((plan.cluster.rf[plan.changed] == 0).sum())
    if created:
        some = plural(created, "partition is", "partitions are")
        found.append(f"{some} to be created, not moved, and in no wave")
    racks = len(leaves_rack_rule(plan))
    if racks:
        some = plural(racks, "partition keeps", "partitions keep")
        found.append(f"{some} the rack rule today, but not once moved")
    # A follower has to fetch what is written meanwhile within the same throttle.
    written = np.nan_to_num(plan.cluster.bytes_in_per_s[copies.row])
    if throttle is not None and written.max(initial=0.0) >= throttle:
        found.append("a moving partition is written faster than the throttle: its copy can never catch up")
    return found
