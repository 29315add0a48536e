"""Which links are idle and have work for each other, kept as bit sets so that a choice is one step."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


class Links:
    """Outbound and inbound link of every broker.

    Bit k of a mask stands for the broker of rank k, where ranks order links by the work they have
    left: the lowest bit of a mask is the choice.
    """

    def __init__(self, has_work: npt.NDArray[np.bool_]) -> None:
        """``has_work`` is ``(n_brokers, n_brokers)``: copies from row to column are left."""
        self.has_work = has_work.copy()
        self.idle_out = [True] * len(has_work)
        self.idle_in = [True] * len(has_work)

    def rank(self, out_left: list[float], in_left: list[float]) -> None:
        """Rank the links anew by what each has left, ties by broker."""
        by_out = np.argsort(-np.array(out_left), kind="stable")
        by_in = np.argsort(-np.array(in_left), kind="stable")
        self.source_of, self.target_of = by_out.tolist(), by_in.tolist()
        self.source_bit, self.target_bit = bits(by_out), bits(by_in)
        # By rank on both sides, so that the lowest common bit of two masks is the choice, with no search.
        ordered = self.has_work[by_out][:, by_in]
        self.targets = unpermute(masks(ordered), self.source_of)
        self.sources = unpermute(masks(ordered.T), self.target_of)
        self.out_mask = sum(bit for bit, idle in zip(self.source_bit, self.idle_out, strict=True) if idle)
        self.in_mask = sum(bit for bit, idle in zip(self.target_bit, self.idle_in, strict=True) if idle)

    def target_for(self, source: int) -> int:
        """The idle target with most left that ``source`` has work for, -1 where there is none."""
        # A number and its negative share only the lowest bit that is set.
        found = self.targets[source] & self.in_mask
        return self.target_of[(found & -found).bit_length() - 1] if found else -1

    def source_for(self, target: int) -> int:
        """The idle source with most left that has work for ``target``, -1 where there is none."""
        found = self.sources[target] & self.out_mask
        return self.source_of[(found & -found).bit_length() - 1] if found else -1

    def go_on(self, source: int, target: int) -> bool:
        """Whether a busy pair, were it released, would choose each other again."""
        bit = self.target_bit[target]
        # As if the target were idle: where it would be chosen,
        # holding on to it is the same and saves the way there.
        found = self.targets[source] & (self.in_mask | bit)
        return found & -found == bit

    def any_pair(self) -> tuple[int, int] | None:
        """An idle pair with work for each other, the source with most left first."""
        waiting = self.out_mask
        while waiting:
            bit = waiting & -waiting
            source = self.source_of[bit.bit_length() - 1]
            target = self.target_for(source)
            if target >= 0:
                return source, target
            # No idle target has work from this source: the next in rank is asked.
            waiting ^= bit
        return None

    def occupy(self, source: int, target: int) -> None:
        self.idle_out[source] = self.idle_in[target] = False
        self.out_mask &= ~self.source_bit[source]
        self.in_mask &= ~self.target_bit[target]

    def release(self, source: int, target: int) -> None:
        self.idle_out[source] = self.idle_in[target] = True
        self.out_mask |= self.source_bit[source]
        self.in_mask |= self.target_bit[target]

    def set_work(self, source: int, target: int, there: bool) -> None:
        """Say whether anything can now be copied from ``source`` to ``target``."""
        self.has_work[source, target] = there
        if there:
            self.targets[source] |= self.target_bit[target]
            self.sources[target] |= self.source_bit[source]
        else:
            self.targets[source] &= ~self.target_bit[target]
            self.sources[target] &= ~self.source_bit[source]


def bits(by_rank: npt.NDArray[np.int64]) -> list[int]:
    """The bit of each broker: ``1 << rank``."""
    bit = [0] * len(by_rank)
    for rank, broker in enumerate(by_rank.tolist()):
        bit[broker] = 1 << rank
    return bit


def masks(table: npt.NDArray[np.bool_]) -> list[int]:
    """Each row of a boolean table as one integer, column k at bit k."""
    packed = np.packbits(table, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


def unpermute(values: list[int], broker_of: list[int]) -> list[int]:
    """Values by rank put back in the order of the brokers."""
    result = [0] * len(values)
    for value, broker in zip(values, broker_of, strict=True):
        result[broker] = value
    return result
