"""Descent: hand over, one broker to another, what levels most for what it costs.

A board (`placing.Placing`, `leading.Leading`) says what stands where, what may go where and at what
price. A hand-over is worth making while the share of the load that it brings into the bands is at
least ``least`` times the share of all data that it moves. Sweeps run from the best such rates down to the
lowest that is worth it (``load_rates``), so what is cheap is done first; the end is a state in which nothing
worth making is left, whatever was done on the way there, and so planning again finds nothing to do.
"""

from __future__ import annotations

from math import floor, log2
from typing import Protocol

import numpy as np

from equipoise.planning.loads.weights import BoolArray, Int64, Load
from equipoise.planning.problem.problem import Problem

SLACK = 1 - 1e-9
"""Rates this near to each other are equal: they are sums of floating point numbers."""
NOTHING = 1e-15
"""Gains below it are rounding."""


class Board(Protocol):
    """What the descent needs to know."""

    problem: Problem
    loads: tuple[Load, ...]
    weight: Int64
    """``(n_loads, n_partitions)``."""
    borne: Int64
    """``(n_loads, n_brokers)``: what each broker bears now."""
    scale: np.ndarray
    """``(n_loads, 1)``: one over the total of each load."""
    takes: BoolArray
    """``(n_brokers,)``: may be given something."""

    def candidates(self, source: int, target: int) -> Int64:
        """Rows that may be handed over."""

    def price(self, rows: Int64, source: int, target: int) -> np.ndarray:
        """What handing over costs, as shares of everything there is; negative where a move is undone."""

    def affordable(self, rows: Int64, source: int, target: int) -> BoolArray:
        """Mask of the longest prefix of rows that the budgets allow together."""

    def shift(self, rows: Int64, source: int, target: int) -> None:
        """Hand over."""

    def affordable_swap(self, there: int, back: int, source: int, target: int) -> bool:
        """True where the budgets allow an exchange of two rows."""

    def undoable(self) -> list[tuple[int, int]]:
        """Pairs (source, target) between which something could be put back to where it is today."""


def descend(board: Board) -> None:
    """Until nothing worth making is left."""
    rates = board.problem.params.load_rates
    least = float(rates)
    while least >= 1 / rates:
        best_left = sweep(board, least)
        # Rates at which there is nothing are passed over, down
        # to the power of two below the best that is left.
        least = min(least / 2, 2.0 ** floor(log2(max(best_left / SLACK, NOTHING))))
    # Each change brings loads nearer to their bands, or
    # saves something and leaves them as near: so this ends.
    while swaps(board) or undo(board):
        sweep(board, 1 / rates)


def outside(board: Board, borne: Int64) -> Int64:
    """``(n_loads, n_brokers)``: distance of loads from their bands."""
    return np.stack([load.outside(held) for load, held in zip(board.loads, borne, strict=True)])


def over(board: Board) -> np.ndarray:
    """``(n_brokers,)``: shares of the loads above the bands, summed over loads."""
    high = np.stack([load.high for load in board.loads])
    return (np.maximum(board.borne - high, 0) * board.scale).sum(axis=0)


def under(board: Board) -> np.ndarray:
    """The same below the bands."""
    low = np.stack([load.low for load in board.loads])
    return (np.maximum(low - board.borne, 0) * board.scale).sum(axis=0)


def fullness(board: Board) -> np.ndarray:
    """``(n_brokers,)``: how far above the middle of its bands a broker is; inf where it has none."""
    low = np.stack([load.low for load in board.loads])
    high = np.stack([load.high for load in board.loads])
    bounded = high < 2**61
    middle = np.where(bounded, low + (np.where(bounded, high, low) - low) / 2, 0)
    above = ((board.borne - middle) * board.scale).sum(axis=0)
    return np.where(bounded.all(axis=0), above, np.inf)


def pairs_of_brokers(board: Board) -> list[tuple[int, int]]:
    """Those outside a band with everyone they could hand over to, or take from: the worst first."""
    full, above, below = fullness(board), over(board), under(board)
    takers = [int(b) for b in np.argsort(full, kind="stable") if board.takes[b] and np.isfinite(full[b])]
    givers = [int(b) for b in np.argsort(-full, kind="stable") if np.isfinite(full[b])]
    sources = [int(b) for b in np.argsort(-above, kind="stable") if above[b] > 0]
    targets = [int(b) for b in np.argsort(-below, kind="stable") if below[b] > 0 and board.takes[b]]
    # Who has too much first, then who has too little; a pair counts once, where it came first.
    found = [(b, c) for b in sources for c in takers if b != c]
    found += [(b, c) for c in targets for b in givers if b != c]
    return list(dict.fromkeys(found))


def sweep(board: Board, least: float) -> float:
    """Hand-overs at a rate of at least ``least``, until there are none; the best rate that is left."""
    while True:
        made = [hand_over(board, source, target, least) for source, target in pairs_of_brokers(board)]
        if not any(moved for moved, _ in made):
            return max((rate for _, rate in made), default=0.0)


def gains(board: Board, rows: Int64, source: int, target: int, *, together: bool) -> np.ndarray:
    """Share of the loads that each row brings into the bands; ``together``: after those before it."""
    weight = board.weight[:, rows]
    # What went before fills the band of the taker: a replica brings no more after others than alone.
    before = np.cumsum(weight, axis=1) - weight if together else np.zeros_like(weight)
    total = np.zeros(len(rows))
    for k, load in enumerate(board.loads):
        for broker, sign in ((source, -1), (target, 1)):
            start = board.borne[k, broker] + sign * before[k]
            nearer = distance(load, broker, start) - distance(load, broker, start + sign * weight[k])
            total += nearer * board.scale[k, 0]
    return total


def distance(load: Load, broker: int, held: Int64) -> Int64:
    return np.maximum(np.maximum(load.low[broker] - held, held - load.high[broker]), 0)


def is_sick(board: Board, source: int, target: int) -> bool:
    """True where the source has too much or the target too little."""
    return any(
        held[source] > load.high[source] or held[target] < load.low[target]
        for load, held in zip(board.loads, board.borne, strict=True)
    )


def hand_over(board: Board, source: int, target: int, least: float) -> tuple[bool, float]:
    """Everything from one broker to the other at a rate of at least ``least``.

    Returns whether there was any, and the best rate of what was left. While every byte moved serves a
    broker (rates from 1), the largest go first and together, so that few move; moves that overshoot go
    one by one, the best first.
    """
    moved = False
    while is_sick(board, source, target):
        rows = board.candidates(source, target)
        rate = rates(board, rows, source, target, together=False)
        good = rate >= least * SLACK
        left = float(rate[~good].max(initial=0.0))
        if least < 1:
            rows = rows[good][np.argmax(rate[good])][None] if good.any() else rows[:0]
        else:
            rows = rows[good]
            rows = rows[np.argsort(-gains(board, rows, source, target, together=False), kind="stable")]
            rows = rows[: prefix(rates(board, rows, source, target, together=True) >= least * SLACK)]
        rows = rows[: prefix(board.affordable(rows, source, target))]
        if not len(rows):
            return moved, left
        board.shift(rows, source, target)
        moved = True
    return moved, 0.0


def rates(board: Board, rows: Int64, source: int, target: int, *, together: bool) -> np.ndarray:
    """Gain for the price of each row; 0 where nothing is gained."""
    gain, price = gains(board, rows, source, target, together=together), board.price(rows, source, target)
    return np.where(gain > NOTHING, gain / np.maximum(price, NOTHING), 0.0)


def prefix(good: BoolArray) -> int:
    """How many hold before the first that does not."""
    return len(good) if good.all() else int(np.argmin(good))


def swaps(board: Board) -> bool:
    """Exchanges of one for another, where no hand-over alone is worth it; True if there was any."""
    moved = False
    for source, target in pairs_of_brokers(board)[: board.problem.params.load_pairs]:
        while board.takes[source] and is_sick(board, source, target) and swap(board, source, target):
            moved = True
    return moved


def swap(board: Board, source: int, target: int) -> bool:
    """The exchange with the best rate that is worth making."""
    there, back = board.candidates(source, target), board.candidates(target, source)
    if not (len(there) and len(back)):
        return False
    # Exchanges are sought by the load that is farthest outside on these two; all loads decide which is made.
    worst = int(np.argmax(outside(board, board.borne)[:, [source, target]].sum(axis=1) * board.scale[:, 0]))
    back = back[np.argsort(board.weight[worst, back], kind="stable")]
    best, chosen = SLACK / board.problem.params.load_rates, None
    for wanted in differences(board, worst, source, target):
        # For each that could go, the one back that leaves a difference
        # of just about ``wanted``, a little below or above.
        at = np.searchsorted(board.weight[worst, back], board.weight[worst, there] - wanted)
        for step in (-1, 0):
            other = back[np.clip(at + step, 0, len(back) - 1)]
            gain = swap_gains(board, there, other, source, target)
            price = board.price(there, source, target) + board.price(other, target, source)
            rate = np.where(gain > NOTHING, gain / np.maximum(price, NOTHING), 0)
            for k in np.argsort(-rate, kind="stable")[:1]:
                if rate[k] > best and board.affordable_swap(int(there[k]), int(other[k]), source, target):
                    best, chosen = rate[k], (there[k : k + 1], other[k : k + 1])
    if chosen is None:
        return False
    board.shift(chosen[0], source, target)
    board.shift(chosen[1], target, source)
    return True


def differences(board: Board, worst: int, source: int, target: int) -> list[int]:
    """Weights whose change of place would bring one side, or both, to the edge of its band."""
    load, held = board.loads[worst], board.borne[worst]
    edges = {
        held[source] - load.high[source],
        load.low[target] - held[target],
        load.high[target] - held[target],
        held[source] - load.low[source],
    }
    return sorted(int(edge) for edge in edges if 0 < edge < 2**61)


def swap_gains(board: Board, there: Int64, back: Int64, source: int, target: int) -> np.ndarray:
    """Share of the loads that exchanging ``there[k]`` for ``back[k]`` brings into the bands."""
    difference = board.weight[:, there] - board.weight[:, back]
    total = np.zeros(len(there))
    for k, load in enumerate(board.loads):
        for broker, sign in ((source, -1), (target, 1)):
            start = board.borne[k, broker]
            nearer = distance(load, broker, start) - distance(load, broker, start + sign * difference[k])
            total += nearer * board.scale[k, 0]
    return total


def undo(board: Board) -> bool:
    """Take back what is not needed after all; True if there was any."""
    moved = False
    for source, target in board.undoable():
        rows = board.candidates(source, target)
        rows = rows[board.price(rows, source, target) < 0]
        rows = rows[np.argsort(board.price(rows, source, target), kind="stable")]
        for row in rows:
            one = np.array([row])
            # Loads together are no farther outside for it, and it saves a copy or an election.
            if gains(board, one, source, target, together=False)[0] >= 0:
                board.shift(one, source, target)
                moved = True
    return moved
