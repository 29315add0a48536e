"""Cutting an order of rows into waves, each done by itself before the next one starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from equipoise.scheduling.copies import Copies
from equipoise.scheduling.rates import Rates
from equipoise.scheduling.result import FloatArray, RowArray
from equipoise.scheduling.room import Room


def cut(
    order: RowArray, copies: Copies, room: Room, max_inflight: int, per_broker: int | None,
    rates: tuple[Rates, ...] = (),
) -> list[RowArray]:
    """Waves of at most ``max_inflight`` rows in the given order.

    Where ``per_broker`` is given, no broker sends or receives more partitions in one wave; a tight
    broker never gets more in a wave than it has room for before the wave begins, on its disk and of
    each of the ``rates``. A row that does not fit waits for a later wave; rows that fit in none are
    left out. ``room`` and ``rates`` are used up.
    """
    if per_broker is None and not room.tight.any() and not rates:
        return [order[at : at + max_inflight] for at in range(0, len(order), max_inflight)]
    return list(fitting(order, copies, room, max_inflight, per_broker or max_inflight, rates))


def fitting(
    order: RowArray, copies: Copies, room: Room, max_inflight: int, per_broker: int,
    rates: tuple[Rates, ...],
) -> Iterator[RowArray]:
    """The waves of :func:`cut` where rows have to be tried one by one."""
    parts = by_row(copies, room)
    pending = order.tolist()
    while pending:
        wave: list[int] = []
        later: list[int] = []
        links: Counter[tuple[str, int]] = Counter()
        for at, row in enumerate(pending):
            # Enough has been looked at for a wave that has something; an empty one would end all.
            if len(wave) == max_inflight or (wave and len(later) > 4 * max_inflight):
                later += pending[at:]
                break
            mine = parts.get(row, [])
            if all(each.fits(row) for each in rates) and fits(mine, room, links, per_broker):
                wave.append(row)
                for each in rates:
                    each.take(row)
            else:
                later.append(row)
        if not wave:
            return
        # All that leaves makes room at once, after the wave: before, no one knows what is done.
        for row in wave:
            room.done(row)
            for each in rates:
                each.done(row)
        yield np.array(wave, dtype=np.int64)
        pending = later


Part = tuple[int, int, float]
"""Source, target and incoming bytes of one copy."""


def fits(parts: list[Part], room: Room, links: Counter[tuple[str, int]], per_broker: int) -> bool:
    """Whether the copies of a row fit into a wave; they take their place in it if so."""
    for source, target, incoming in parts:
        if room.tight[target] and incoming > room.free[target]:
            return False
        if links["in", target] >= per_broker or links["out", source] >= per_broker:
            return False
    for _, target, incoming in parts:
        room.free[target] -= incoming if room.tight[target] else 0.0
        links["in", target] += 1
    if parts:
        # One leader feeds all copies of a partition, which counts once at it.
        links["out", parts[0][0]] += 1
    return True


def by_row(copies: Copies, room: Room) -> dict[int, list[Part]]:
    """The copies of each row that has any."""
    parts: dict[int, list[Part]] = {}
    columns = (copies.row, copies.source, copies.target, room.incoming)
    for row, *part in zip(*(column.tolist() for column in columns), strict=True):
        parts.setdefault(row, []).append((part[0], part[1], part[2]))
    return parts


def no_room(order: RowArray, waves: list[RowArray]) -> dict[int, str]:
    """Rows of ``order`` that are in no wave."""
    left = np.setdiff1d(order, np.concatenate(waves), assume_unique=True) if waves else order
    why = "no order was found in which its new brokers have room for both copies, or for what it brings"
    return dict.fromkeys(np.sort(left).tolist(), why)


def wave_lengths(waves: list[RowArray], copies: Copies, n_brokers: int, n_partitions: int) -> FloatArray:
    """``(n_waves,)``: the busiest link of each wave at rate 1."""
    wave_of = np.full(n_partitions, -1, dtype=np.int64)
    for k, rows in enumerate(waves):
        wave_of[rows] = k
    inside = copies.only(wave_of[copies.row] >= 0)
    wave = wave_of[inside.row]
    return np.maximum(
        busiest(wave, inside.source, inside.amount, len(waves), n_brokers),
        busiest(wave, inside.target, inside.amount, len(waves), n_brokers),
    )


def busiest(wave: RowArray, broker: RowArray, amount: FloatArray, n_waves: int, n_brokers: int) -> FloatArray:
    """``(n_waves,)``: the most that any one broker has of ``amount`` in each wave.

    ``wave``, ``broker`` and ``amount`` have one element for each thing carried.
    """
    pair, at = np.unique(wave * n_brokers + broker, return_inverse=True)
    most = np.zeros(n_waves)
    np.maximum.at(most, pair // n_brokers, np.bincount(at, weights=amount, minlength=len(pair)))
    return most
