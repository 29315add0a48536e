"""Closed bounds of the log dirs of a broker, beside every way to place its replicas."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.judge.dir_bounds import Bands, Replica, all_loads, closed_moved, closed_outside

Band = tuple[int, int]


@pytest.mark.parametrize(("sizes", "stay", "bands", "outside"), [
    ([8], [0], [(0, 3), (0, 10)], 5),  # what may not move is 5 above its dir's band
    ([8], [], [(6, 9), (6, 9)], 6),  # one dir takes it, and the other one lacks 6
    ([8, 4], [], [(0, 3), (0, 3)], 5),  # wherever the largest goes, that dir has 5 too many
])  # fmt: skip
def test_what_stays_outside(sizes: list[int], stay: list[int], bands: list[Band], outside: int) -> None:
    """Whatever may not move is where it is, and the largest replica has to be somewhere."""
    replicas = [Replica(size, 0, 0, k not in stay) for k, size in enumerate(sizes)]
    staying, free = ([each for each in replicas if each.movable is kind] for kind in (False, True))
    start = [sum(each.size for each in staying), 0]
    low, high = zip(*bands, strict=True)
    assert closed_outside(staying, free, start, Bands((0, 1), low, high)) == outside


@pytest.mark.parametrize(("old", "bands", "moved"), [
    ([0, 0, -1], [(0, 20), (10, 20)], 6),  # 4 come to the broker: the second dir lacks 6 more
    ([0, 0, 1], [(0, 5), (0, 20)], 4),  # 3 too many in the first dir, and its smallest is 4
])  # fmt: skip
def test_what_must_move(old: list[int], bands: list[Band], moved: int) -> None:
    """Where nothing may be left outside the bands: what is new on the broker fills dirs without a move."""
    free = [Replica(4, at, 0, True) for at in old]
    low, high = zip(*bands, strict=True)
    assert closed_moved([], free, Bands((0, 1), low, high), 0) == moved


REPLICAS = st.lists(st.tuples(st.integers(0, 9), st.integers(-1, 2), st.booleans()), min_size=1, max_size=6)
BANDS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=3)


@given(told=REPLICAS, drawn=BANDS)
@pytest.mark.slow
def test_no_way_is_below(told: list[tuple[int, int, bool]], drawn: list[Band]) -> None:
    """Of all ways to place them none has less outside its bands, nor moves less for what it has outside."""
    dirs = tuple(range(len(drawn)))
    replicas = [Replica(size, at if at in dirs else -1, 0, may or at not in dirs) for size, at, may in told]
    staying, free = ([each for each in replicas if each.movable is kind] for kind in (False, True))
    bands = Bands(dirs, tuple(a for a, _ in drawn), tuple(a + more for a, more in drawn))
    start = [sum(each.size for each in staying if each.old == at) for at in dirs]
    loads = all_loads(free, start, dirs)
    assert loads is not None
    assert closed_outside(staying, free, start, bands) <= min(map(bands.outside, loads))
    for load, moved in loads.items():
        assert closed_moved(staying, free, bands, bands.outside(load)) <= moved
