"""Log dirs of a plan: levelled, emptied, and proved, broker by broker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import log_dirs as reference

from equipoise.cluster import Brokers, Cluster, Level, Plan, build_cluster
from equipoise.cluster.log_dirs import DirPlan, LogDirs
from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.judge import Case, rules_of
from equipoise.judge.log_dirs import judge_dirs
from equipoise.planning import make_plan
from equipoise.planning.dirs import small
from equipoise.planning.dirs.counts import level_counts
from equipoise.planning.dirs.shelves import ANYTHING, Placed, Shelves, bands
from equipoise.planning.dirs.weighed import level_bytes
from equipoise.planning.request.options import request_of

GB = 10**9
Held = Mapping[str, tuple[list[int], dict[int, str], float]]
"""Replica lists, log dirs by broker and size of each partition."""


def cluster(held: Held, *, volumes: Mapping[str, float] | None = None, closed: str = "") -> Cluster:
    """Brokers 1, 2 and 3 with dirs /a and /b; ``volumes`` are sizes by dir, ``closed`` takes no replicas."""
    names = [(broker, path) for broker in (1, 2, 3) for path in ("/a", "/b")]
    labels = sorted(held)
    lying = sorted(
        (row, names.index((broker, path)))
        for row, label in enumerate(labels)
        for broker, path in held[label][1].items()
    )
    dirs = LogDirs(
        np.array([broker for broker, _ in names]),
        tuple(path for _, path in names),
        np.array([(volumes or {}).get(path, np.nan) for _, path in names]),
        np.array([f"{broker}:{path}" != closed for broker, path in names]),
        np.array([row for row, _ in lying], dtype=np.int64),
        np.array([at for _, at in lying], dtype=np.int32),
    )
    return build_cluster(
        "orders", Brokers.of([1, 2, 3]), [label.rpartition("-")[0] for label in labels],
        [int(label.rpartition("-")[2]) for label in labels], [held[label][0] for label in labels],
        size_bytes=[held[label][2] for label in labels], dirs=dirs,
    )  # fmt: skip


def one_broker(*sizes: float, path: str = "/a") -> Held:
    """Partitions of "pay" with their one replica on broker 1, all in the same dir."""
    return {f"pay-{number}": ([1], {1: path}, size) for number, size in enumerate(sizes)}


def planned(state: Cluster, **options: str | bool) -> Plan:
    """The plan for these options, with the certificate of its log dirs accepted by the judge."""
    asked = {"required-only": True, **{name.replace("_", "-"): value for name, value in options.items()}}
    plan = make_plan(state, request_of(asked))
    assert judged(plan) == []
    return plan


def judged(plan: Plan) -> list[str]:
    """What the judge finds wrong with the log dirs of a plan."""
    everyone = np.ones(plan.cluster.n_brokers, dtype=bool)
    case = Case(plan.cluster, plan.target, rules_of(plan.cluster, plan.request), everyone)
    found, broken = judge_dirs(case, plan.dirs, plan.request)
    return [*(f"{each.goal}: {each.problem}" for each in found if each.problem), *map(str, broken)]


def places(plan: Plan) -> dict[str, str]:
    """``pay-0@1`` and the dir that the replica ends in, "any" where Kafka chooses."""
    state, wanted = plan.cluster, plan.dirs
    assert state.dirs is not None and wanted is not None
    return {
        f"{state.label(row)}@{state.brokers.ids[plan.target[row, at]]}": (*state.dirs.paths, "any")[
            wanted.target[row, at]
        ]
        for row, at in np.argwhere(plan.target >= 0).tolist()
    }


def reached(plan: Plan) -> dict[str, tuple[float | None, float | None]]:
    """Value and bound of each level of the log dirs."""
    assert plan.dirs is not None
    return {level.goal: (level.value, level.lower_bound) for level in plan.dirs.certificate}


def test_the_fewest_bytes_level_a_broker() -> None:
    """Of 60 GB in one dir 30 have to go: one replica of 30, not the three small ones and one of 20."""
    state = cluster(one_broker(30 * GB, 20 * GB, 4 * GB, 3 * GB, 3 * GB))
    plan = planned(state, log_dirs="level:0")
    assert reached(plan) == {"log-dirs": (0, 0), "log-dir-bytes": (30 * GB, 30 * GB)}
    assert [name for name, path in places(plan).items() if path == "/b"] == ["pay-0@1"]
    assert not len(plan.changed) and not plan.is_empty


def test_a_band_is_enough() -> None:
    """Within 20 percent of 30 GB nothing has to be exact."""
    state = cluster(one_broker(24 * GB, 20 * GB, 16 * GB))
    assert reached(planned(state, log_dirs="level:20")) == {
        "log-dirs": (0, 0),
        "log-dir-bytes": (24 * GB, 24 * GB),
    }


def test_one_huge_partition_is_left_alone() -> None:
    """It is more than any dir's share, wherever it lies; the others make room for it, as far as they can."""
    state = cluster(one_broker(90 * GB, 5 * GB, 5 * GB))
    plan = planned(state, log_dirs="level:0")
    assert reached(plan) == {"log-dirs": (80 * GB, 80 * GB), "log-dir-bytes": (10 * GB, 10 * GB)}
    assert places(plan) == {"pay-0@1": "/a", "pay-1@1": "/b", "pay-2@1": "/b"}


def test_larger_volumes_hold_more() -> None:
    """Where every volume is known, a dir's share is in proportion to it."""
    state = cluster(one_broker(10 * GB, 10 * GB, 10 * GB, 10 * GB), volumes={"/a": 3e12, "/b": 1e12})
    plan = planned(state, log_dirs="level:0")
    assert sorted(places(plan).values()) == ["/a", "/a", "/a", "/b"]


def test_without_sizes_replicas_are_counted() -> None:
    """As many in each dir as whole numbers allow, by the fewest moves."""
    state = cluster(one_broker(*[np.nan] * 5))
    plan = planned(state, log_dirs="level")
    assert reached(plan)["log-dir-replicas"] == (0, 0) and reached(plan)["log-dir-moves"] == (2, 2)


def test_one_size_that_is_not_known_makes_a_broker_counted() -> None:
    """What leaves is what is known to be small."""
    plan = planned(cluster(one_broker(np.nan, 3 * GB, 2 * GB, 1 * GB)), log_dirs="level")
    assert reached(plan)["log-dir-moves"] == (2, 2)
    assert [name for name, path in places(plan).items() if path == "/b"] == ["pay-2@1", "pay-3@1"]


def test_a_dir_is_drained_and_the_others_stay() -> None:
    """What it has goes where there is room; what new replicas come do not go there either."""
    held: Held = {
        "pay-0": ([1], {1: "/a"}, GB),
        "pay-1": ([1], {1: "/b"}, GB),
        "pay-2": ([2], {2: "/a"}, GB),
    }
    plan = planned(cluster(held), drain_dir="1:/a", replace="2=1")
    assert places(plan) == {"pay-0@1": "/b", "pay-1@1": "/b", "pay-2@1": "/b"}
    assert reached(plan)["log-dir-bytes"] == (GB, GB)
    assert plan.dirs is not None and plan.dirs.why == {1: "/a is drained"}


def test_new_replicas_level_what_they_can_before_any_is_moved() -> None:
    """Broker 1 has 2 GB in /a; the 2 GB that come go to /b, and nothing is copied within it."""
    held: Held = {
        "pay-0": ([1], {1: "/a"}, 2 * GB),
        "pay-1": ([2], {2: "/a"}, GB),
        "pay-2": ([2], {2: "/a"}, GB),
    }
    plan = planned(cluster(held), log_dirs="level", replace="2=1")
    assert places(plan) == {"pay-0@1": "/a", "pay-1@1": "/b", "pay-2@1": "/b"}
    assert reached(plan)["log-dir-bytes"] == (0, 0)


def test_a_dir_that_takes_nothing_is_neither_filled_nor_emptied() -> None:
    """A failed or cordoned dir: what lies there stays, and the others are levelled without it."""
    state = cluster(one_broker(10 * GB, 10 * GB), closed="1:/b")
    assert planned(state, log_dirs="level").is_empty
    with pytest.raises(UnusableInput, match="--drain-dir: broker 1 has no other log dir that takes what /a"):
        planned(state, drain_dir="1:/a")


def test_topics_that_may_not_change_stay_in_their_dirs() -> None:
    """They count as load all the same, and the bounds are of plans that leave them."""
    held: Held = {
        "logs-0": ([1], {1: "/a"}, 10 * GB),
        "logs-1": ([1], {1: "/a"}, 10 * GB),
        "pay-0": ([1], {1: "/b"}, 4 * GB),
    }
    plan = planned(cluster(held), log_dirs="level:0", topics="pay")
    assert plan.is_empty and reached(plan)["log-dirs"] == (16 * GB, 16 * GB)


def test_what_nobody_sees_is_counted_and_left_alone() -> None:
    """A replica that no source finds in a dir may be in any: it is not moved, and is told."""
    held: Held = {"pay-0": ([1], {}, GB), "pay-1": ([1], {1: "/a"}, GB), "pay-2": ([1], {1: "/a"}, GB)}
    plan = planned(cluster(held), log_dirs="level:0")
    assert places(plan)["pay-0@1"] == "any" and len(plan.touched) == 1
    assert plan.dirs is not None and plan.dirs.unknown == 1


def test_a_dir_that_does_not_exist_is_refused() -> None:
    """With those that do."""
    with pytest.raises(UnusableInput) as refusal:
        planned(cluster(one_broker(GB)), drain_dir="1:/c")
    assert str(refusal.value).startswith("--drain-dir: broker 1 has no log dir /c: it has /a, /b. ")
    with pytest.raises(UnusableInput, match="broker 9 has no log dir /a: none of it is known"):
        planned(cluster(one_broker(GB)), drain_dir="9:/a")


def test_where_no_dirs_are_known_nothing_is_levelled_and_that_is_said() -> None:
    """To empty a dir that nobody knows is refused."""
    bare = replace(cluster(one_broker(GB)), dirs=None)
    plan = make_plan(bare, request_of({"log-dirs": "level"}))
    told = "--log-dirs: no source tells of a broker with more than one log dir, so nothing is levelled"
    assert plan.dirs is None and plan.warnings[-1] == told
    with pytest.raises(UnusableInput, match="broker 1 has no log dir /a: no source tells"):
        planned(bare, drain_dir="1:/a")


def carried_out(plan: Plan) -> Cluster:
    """The cluster once a plan has been carried out."""
    state, wanted = plan.cluster, plan.dirs
    assert state.dirs is not None and wanted is not None
    rows, columns = np.nonzero(wanted.target >= 0)
    at = wanted.target[rows, columns]
    order = np.lexsort((at, rows))
    dirs = replace(state.dirs, row=rows[order], at=at[order])
    return replace(state, replicas=plan.target, leader=plan.target[:, 0], dirs=dirs)


@st.composite
def broker_contents(draw: st.DrawFn, most: int) -> tuple[list[int], list[int], list[bool], list[int], int]:
    """Sizes, homes, which are fixed, weights of dirs, and a tolerance."""
    n_dirs, n = draw(st.integers(1, 3)), draw(st.integers(0, most))
    sizes = draw(st.lists(st.one_of(st.integers(0, 12), st.integers(0, 400)), min_size=n, max_size=n))
    homes = draw(st.lists(st.integers(-1, n_dirs - 1), min_size=n, max_size=n))
    fixed = [home >= 0 and draw(st.integers(0, 4)) == 0 for home in homes]
    weights = draw(st.lists(st.integers(1, 3), min_size=n_dirs, max_size=n_dirs))
    return sizes, homes, fixed, weights, draw(st.sampled_from((0, 5, 20)))


def shelves(
    sizes: list[int], homes: list[int], fixed: list[bool], weights: list[int], tolerance: float,
    room: list[int] | None = None,
) -> Shelves:  # fmt: skip
    low, high = bands(sum(sizes), tuple(weights), tolerance)
    columns = np.array(sizes, dtype=np.int64), np.array(homes, dtype=np.int64), np.array(fixed, dtype=bool)
    return Shelves(tuple(weights), *columns, low, high, tuple(room or [ANYTHING] * len(weights)))


def got(some: Shelves, placed: Placed) -> tuple[int, int]:
    return some.outside(some.held(placed.places)), some.moved(placed.places)


@given(broker_contents(6))
@pytest.mark.slow
def test_counts_are_exact(drawn: tuple[list[int], list[int], list[bool], list[int], int]) -> None:
    """Value and bound are those of the best of all ways."""
    sizes, homes, fixed, weights, tolerance = drawn
    ones = [1] * len(sizes)
    some = shelves(ones, homes, fixed, weights, tolerance)
    placed = level_counts(some, np.arange(len(sizes)))
    best = reference.least(ones, homes, fixed, weights, Fraction(tolerance))
    assert best is not None
    assert got(some, placed) == best == (placed.least_outside, placed.least_moved)
    assert all(place == home for place, home, stays in zip(placed.places, homes, fixed, strict=True) if stays)


@given(broker_contents(6))
@pytest.mark.slow
def test_bytes_are_exact_where_little_is_to_be_placed_and_bounded_elsewhere(
    drawn: tuple[list[int], list[int], list[bool], list[int], int],
) -> None:
    """The search reaches what it claims, and nothing is below its bounds."""
    sizes, homes, fixed, weights, tolerance = drawn
    some = shelves(*drawn)
    best = reference.least(sizes, homes, fixed, weights, Fraction(tolerance))
    assert best is not None
    tried = small.best_of_all(some)
    assert got(some, tried) == best == (tried.least_outside, tried.least_moved)
    found = level_bytes(some, 200)
    outside, moved = got(some, found)
    assert found.least_outside <= best[0] <= outside and (outside, moved) >= best
    ways = reference.ways(homes, fixed, len(weights))
    as_good = [way for way in ways if reference.outside(sizes, way, weights, Fraction(tolerance)) <= outside]
    assert found.least_moved <= min(reference.moved(sizes, homes, way) for way in as_good) <= moved
    assert all(place == home for place, home, stays in zip(found.places, homes, fixed, strict=True) if stays)


@given(broker_contents(6), st.lists(st.integers(0, 500), min_size=3, max_size=3))
@pytest.mark.slow
def test_no_dir_is_filled_above_its_room(
    drawn: tuple[list[int], list[int], list[bool], list[int], int], room: list[int]
) -> None:
    """All ways that keep to it are tried, and the search claims no more than the best of those.

    What lies in a dir may stay there, however little room that has.
    """
    sizes, homes, fixed, weights, tolerance = drawn
    lies = [sum(s for s, home in zip(sizes, homes, strict=True) if home == at) for at in range(len(weights))]
    most = [max(each, own) for each, own in zip(room, lies, strict=False)]
    some = shelves(*drawn, most)
    best = reference.least(sizes, homes, fixed, weights, Fraction(tolerance), most)
    tried, found = small.best_of_all(some), level_bytes(some, 200)
    assert (best is None) is (some.overfull(some.held(tried.places)) > 0)
    if best is not None:
        assert got(some, tried) == best == (tried.least_outside, tried.least_moved)
        if not some.overfull(some.held(found.places)):
            assert found.least_outside <= best[0] and best <= got(some, found)


def test_a_dir_to_be_emptied_into_one_too_small_is_refused() -> None:
    """Of 20 GB no more than 19 are filled: with what there is room for, and what else would do."""
    held = one_broker(10 * GB, 8 * GB, 2 * GB)
    with pytest.raises(ImpossibleRequest) as refusal:
        planned(cluster(held, volumes={"/a": 100 * GB, "/b": 20 * GB}), drain_dir="1:/a")
    assert str(refusal.value) == (
        "20,000,000,000 bytes that come to log dirs of broker 1 find no room there, the largest replica has "
        "10,000,000,000: room is in /b for 19,000,000,000: drain the broker (--drain 1) or make room on it"
    )
    fits = cluster(held, volumes={"/a": 100 * GB, "/b": 22 * GB})
    assert set(places(planned(fits, drain_dir="1:/a")).values()) == {"/b"}


def test_what_moves_keeps_to_the_fill_that_is_asked_for() -> None:
    """Of two new replicas the small dir takes the one that leaves it below 50 percent."""
    held: Held = {
        "pay-0": ([1], {1: "/a"}, 40 * GB),
        "pay-1": ([2], {2: "/a"}, 9 * GB),
        "pay-2": ([2], {2: "/a"}, 8 * GB),
    }
    state = cluster(held, volumes={"/a": 100 * GB, "/b": 18 * GB})
    disks = replace(state.brokers, disk_bytes=np.full(3, 118 * GB, dtype=np.float64))
    plan = planned(replace(state, brokers=disks), log_dirs="level:0", replace="2=1", max_fill="disk:50")
    assert places(plan) == {"pay-0@1": "/a", "pay-1@1": "/b", "pay-2@1": "/a"}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.slow
def test_many_replicas_come_close_and_a_second_plan_is_empty(seed: int) -> None:
    """Sizes as uneven as in practice: bands are reached, by at most 5 percent more than the bound."""
    rng = np.random.default_rng(seed)
    held: dict[str, tuple[list[int], dict[int, str], float]] = {}
    for number in range(300):
        brokers = rng.permutation([1, 2, 3])[:2].tolist()
        paths = {broker: str(rng.choice(["/a", "/b"], p=[0.8, 0.2])) for broker in brokers}
        held[f"pay-{number:03}"] = brokers, paths, float(np.ceil(rng.lognormal(20, 1.5)))
    numbered = {f"pay-{int(label[4:])}": entry for label, entry in held.items()}
    plan = planned(cluster(numbered), log_dirs="level:2")
    values = reached(plan)
    assert values["log-dirs"] == (0, 0)
    value, bound = values["log-dir-bytes"]
    assert value is not None and bound is not None and bound <= value <= 1.05 * bound
    again = make_plan(carried_out(plan), request_of({"log-dirs": "level:2", "required-only": True}))
    assert again.is_empty


def spoiled(plan: Plan, **changes: object) -> Plan:
    assert plan.dirs is not None
    return replace(plan, dirs=replace(plan.dirs, **changes))  # type: ignore[arg-type]


def test_the_judge_finds_what_is_wrong() -> None:
    """A better figure, a better bound, a replica in the dir that is to be empty, no log dirs at all."""
    plan = planned(cluster(one_broker(30 * GB, 20 * GB, 10 * GB)), drain_dir="1:/a")
    assert plan.dirs is not None
    less = tuple(replace(level, value=0) for level in plan.dirs.certificate)
    assert judged(spoiled(plan, certificate=less)) == [f"log-dir-bytes: its value is {60 * GB}, not 0"]
    more = tuple(replace(level, lower_bound=70 * GB) for level in plan.dirs.certificate)
    assert judged(spoiled(plan, certificate=more)) == [
        f"log-dirs: only 0 is proved, not {70 * GB}",
        f"log-dir-bytes: only {60 * GB} is proved, not {70 * GB}",
    ]
    assert judged(spoiled(plan, certificate=())) == [
        "log-dirs: the plan says nothing of it", "log-dir-bytes: the plan says nothing of it",
    ]  # fmt: skip
    back = plan.dirs.target.copy()
    back[0, 0] = 0
    assert "pay-0: /a of broker 1 is to be empty" in judged(spoiled(plan, target=back))
    assert judged(replace(plan, dirs=None)) == ["log dirs were asked for, and the plan has none"]


def test_the_judge_finds_a_dir_that_is_filled_too_much() -> None:
    """By its own count of the volume; where what lies there is too much already no more may come."""
    full = {"/a": 100 * GB, "/b": 10 * GB}
    plan = planned(cluster(one_broker(10 * GB, 5 * GB), volumes=full), drain_dir="3:/a")
    assert plan.dirs is not None
    asked = replace(plan, request={"log_dirs": "level:0", "required_only": True})
    moved = spoiled(asked, target=np.ones((2, 1), dtype=np.int32))
    assert f"/b of broker 1 is to hold {15 * GB} bytes, at most {95 * GB // 10} may" in judged(moved)
    assert not [told for told in judged(asked) if "at most" in told]


def test_the_judge_finds_a_replica_in_a_closed_dir() -> None:
    """And one of a topic that may not change."""
    state = cluster(one_broker(GB, GB), closed="1:/b")
    plan = planned(state, log_dirs="level")
    target = np.array([[1], [0]], dtype=np.int32)
    assert "pay-0: /b of broker 1 takes no replicas" in judged(replace(plan, dirs=DirPlan(target)))
    kept = planned(state, log_dirs="level", exclude_topics="pay")
    told = judged(replace(kept, dirs=DirPlan(target, (Level("log-dirs", 0, 0, "closed-form"),))))
    assert "pay-0: its replica on broker 1 may not change its log dir" in told
