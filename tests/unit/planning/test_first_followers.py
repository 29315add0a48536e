"""First followers within a budget of moves: no move that the budget allows is left over."""

from __future__ import annotations

import numpy as np

from equipoise.planning.flow.network import Network, Objective
from equipoise.planning.networks.first_followers import best_within


def test_a_price_of_one_is_tried() -> None:
    """Two moves would help, one by 2 and one by 1; one is allowed, and at a price of 2 none is worth it.

    Nodes: the sink, A with two units and B with one, C and D to which they may move.
    """
    network = Network(
        np.array([-3, 2, 1, 0, 0]),
        np.array([1, 1, 3, 2, 2, 4], dtype=np.int32),
        np.array([0, 3, 0, 0, 4, 0], dtype=np.int32),
        np.zeros(6, dtype=np.int64),
        np.array([2, 2, 2, 1, 1, 1]),
    )
    to_sink = np.array([0, 2, 3, 5], dtype=np.int32)
    fall = Objective.of_bands(6, to_sink, np.zeros(4, dtype=np.int64), np.array([0, 0, 0, 1]))
    moves = np.array([0, 1, 0, 0, 1, 0])
    flow = best_within(network, fall, moves, 1)
    assert (int((flow * moves).sum()), fall.value(flow)) == (1, 3)
