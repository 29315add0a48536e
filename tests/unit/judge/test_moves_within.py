"""What a bound on another goal says of the moves within ``--max-moves``, worked out by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from equipoise.judge import moves_within


@pytest.mark.parametrize(("allowed", "price", "expected"), [(5, 3, 4), (5, 1, 2), (0, 1, -3), (5, 0, 0)])
def test_moves_that_a_level_asks_for(
    allowed: int, price: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A level of 10 where no plan is below 7: a move less than allowed would cost its price, and there are 3.

    Without a price nothing is said.
    """
    monkeypatch.setattr(moves_within, "priced_bound", lambda networks, goal, stored: 7)
    networks = SimpleNamespace(case=SimpleNamespace(rules=SimpleNamespace(max_moves=allowed)))
    assert moves_within.moves_bound(networks, "replicas", 10, np.array([price, 0])) == expected
