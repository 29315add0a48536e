"""Goals beside the best ones, in words that every face shares."""

from __future__ import annotations

from equipoise.report.distances import distance_rows


def test_squares_are_told_as_apart_and_bytes_as_sizes() -> None:
    """What is worse is marked; equal figures of unequal squares do not claim to be the same."""
    rows = distance_rows([
        {"goal": "racks", "value": 0, "optimum": 0, "distance": 0},
        {"goal": "replicas", "value": 88_148, "optimum": 5_240, "distance": 82_908, "apart": [222, 50]},
        {"goal": "leaders", "value": 6, "optimum": 4, "distance": 2, "apart": [2, 2]},
        {"goal": "topics", "value": 3, "optimum": 8, "distance": -5, "apart": [1, None]},
        {"goal": "bytes", "value": 2**40, "optimum": 2**39, "distance": 2**39},
        {"goal": "moves", "value": 3, "optimum": 5, "distance": -2},
    ])  # fmt: skip
    assert [row["cells"] for row in rows] == [
        ["0", "0", "0"],
        ["222 apart", "50 apart", "less level"],
        ["2 apart", "2 apart", "less level"],
        ["1 apart", "squared 8", "more level"],
        ["1.0 TiB", "512 GiB", "+512 GiB"],
        ["3", "5", "−2"],
    ]
    assert [row["worse"] for row in rows] == [False, True, True, False, True, False]
