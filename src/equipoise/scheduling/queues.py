"""The copies that wait, one queue for each pair of source and target."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.scheduling.copies import Copies
from equipoise.scheduling.result import FloatArray


class Queues:
    """The copies from each source to each target, in the order in which they are to go."""

    def __init__(self, copies: Copies, later: npt.NDArray[np.bool_], n_brokers: int) -> None:
        """Copies marked ``later`` go after the others of their pair; among equals the largest goes first."""
        pair = copies.source * n_brokers + copies.target
        sizes = np.bincount(pair, minlength=n_brokers**2)
        self.order: list[int] = np.lexsort((copies.row, -copies.amount, later, pair)).tolist()
        self.end: list[int] = np.cumsum(sizes).tolist()
        self.next: list[int] = (np.cumsum(sizes) - sizes).tolist()
        self.n = n_brokers
        self.has_work = (sizes > 0).reshape(n_brokers, n_brokers)

    def take(self, source: int, target: int) -> tuple[int, bool]:
        """The next copy of a pair, and whether the pair has more."""
        pair = source * self.n + target
        at = self.next[pair]
        self.next[pair] = at + 1
        return self.order[at], at + 1 < self.end[pair]

    def bring_forward(self, source: int, target: int, incoming: FloatArray, free: float) -> bool:
        """Put the first copy of at most ``free`` incoming bytes at the head; False where none is."""
        pair = source * self.n + target
        at = self.next[pair]
        for place in range(at, self.end[pair]):
            # The others of the pair keep their order, one place back each.
            if incoming[self.order[place]] <= free:
                self.order[at : place + 1] = [self.order[place], *self.order[at:place]]
                return True
        return False
