"""Broker counts within ``--max-moves``, as large clusters get them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from bench.instances import Shape, cluster
from bench.instances import cluster_of as cluster_of_shape
from tests.scenarios.checks import check_judged
from tests.scenarios.named import cluster_of, values_of
from tests.seeds import seeds

from equipoise.cluster import Brokers, Cluster, build_cluster, measures
from equipoise.planning import Params, Request, build_problem, make_plan
from equipoise.planning.driver import first
from equipoise.planning.networks.move_budget import MAX_PRICE, Line, best_counts, neighbours
from equipoise.planning.networks.place import place
from equipoise.planning.problem.params import Effort


@pytest.mark.parametrize("allowed", [30, 53, 62, 71])
@pytest.mark.slow
def test_no_move_is_left_over(allowed: int) -> None:
    """600 partitions on 17 brokers of three racks, and three new brokers: each move that is allowed is made.

    Plans as good with a price on every move have somewhat fewer or more, and differ in several at once.
    """
    state = cluster(600, 20, 3, 10, new=3)
    found = best_counts(build_problem(state, Request(max_moves=allowed)))
    outside = found.held - 90
    assert found.level.value == (outside**2).sum()
    assert found.of_moves(allowed, found.level.value).value == allowed


@pytest.mark.parametrize("seed", range(20))
def test_a_few_crossings_find_the_price_of_a_move(seed: int) -> None:
    """Where moves pass the budget: the one below makes too many, the next does not, few are asked."""
    rng = random.Random(seed)
    moves = sorted(rng.sample(range(10_000), 400), reverse=True)
    slopes, lines = sorted(rng.sample(range(1, 2**rng.randint(10, 20)), 399)), [Line(0, moves[0])]
    for more, slope in zip(moves[1:], slopes, strict=True):
        lines.append(Line(lines[-1].value + slope * (lines[-1].moves - more), more))
    allowed, asked = rng.randrange(moves[-1], moves[0]), []

    def best_line(price: int) -> Line:
        asked.append(price)
        return min(lines, key=lambda line: (line.value + price * line.moves, line.moves))

    low, high = neighbours(best_line, lines[-1], allowed)
    assert len(asked) < 20
    assert high == low + 1 < MAX_PRICE
    assert best_line(high).moves <= allowed < best_line(low).moves


@pytest.mark.slow
def test_what_follows_large_values_is_proved() -> None:
    """3,000 partitions on 12 brokers, three of them new, with 90 moves allowed: 90 it takes, proved.

    ``replicas`` stays above two millions; one of them is worth a thousandth of a move, and a price rounded
    to no less than that would prove 66.
    """
    plan = make_plan(cluster(3_000, 12, 3, 3, new=3), Request(max_moves=90, goals=("replicas", "moves")))
    assert [level.goal for level in plan.certificate][:2] == ["replicas", "moves"]
    assert plan.certificate[0].value > 2_000_000
    assert plan.certificate[1].value == plan.certificate[1].lower_bound == 90
    check_judged(plan)


RACKS = {b: "abc"[b % 3] for b in range(9)}
LARGE = Params(small_cells=0, face_columns=0)
"""As clusters of some thousand partitions are planned."""


def drawn(seed: int, *, broken: bool) -> Cluster:
    """40 to 90 partitions of three replicas on nine unevenly loaded brokers; some ``broken`` crowd a rack."""
    rng = random.Random(seed)
    weights = [rng.paretovariate(1.5) for _ in RACKS]
    rows: list[list[int]] = []
    for row in range(rng.randint(40, 90)):
        held = [rng.choices(range(r, 9, 3), weights[r::3])[0] for r in range(3)]
        rng.shuffle(held)
        if broken and row % rng.randint(4, 9) == 0:
            held[1] = rng.choice([b for b in range(held[0] % 3, 9, 3) if b not in held])
        rows.append(held)
    return cluster_of({"t": rows[::2], "u": rows[1::2]}, RACKS)


@pytest.mark.slow
def test_the_rack_rule_is_mended_before_replicas_are_levelled() -> None:
    """4,000 partitions of which 20 crowd a rack: each budget mends what it can, and the rest levels replicas.

    Twelve moves mend twelve of them; with 370 those after the twentieth level brokers.
    """
    rng = random.Random(1)
    racks = {b: "abcde"[b % 5] for b in range(50)}
    rows = [sorted(rng.sample(range(20), 5), key=lambda b: b % 5)[:1] for _ in range(4_000)]
    rows = [[b, (b + 1) % 50, (b + 2) % 50] for [b] in rows]
    for row in range(0, 4_000, 200):
        rows[row][1] = (rows[row][0] + 10) % 50
    state = cluster_of({"t": rows}, racks)
    for allowed, left in ((12, 8), (20, 0), (370, 0)):
        plan = make_plan(state, Request(max_moves=allowed, goals=("racks", "replicas", "moves")))
        values = {level.goal: (level.value, level.lower_bound) for level in plan.certificate}
        assert values["racks"] == (left, left)
        assert values["moves"] == (allowed, allowed)
        check_judged(plan)


@pytest.mark.slow
def test_more_moves_never_mend_less() -> None:
    """800 partitions on 30 brokers, half of them crowding a rack: each budget is spent, and none in vain.

    Partition by partition what mends all takes more moves than a network of kinds of partitions says; with
    half of all moves, nothing was moved at all.
    """
    rng = random.Random(5)
    loads = [rng.paretovariate(1) for _ in range(30)]
    rows = []
    for _ in range(800):
        held: list[int] = []
        while len(held) < 3:
            held += [b for b in rng.choices(range(30), loads) if b not in held]
        rows.append(held)
    state = cluster_of({"t": rows}, {b: "abcde"[b % 5] for b in range(30)})
    goals, kept = ("racks", "replicas", "moves"), []
    everything = values_of(make_plan(state, Request(goals=goals), LARGE))["moves"]
    for percent in (25, 50, 75):
        allowed = everything * percent // 100
        plan = make_plan(state, Request(goals=goals, max_moves=allowed), LARGE)
        check_judged(plan)
        assert values_of(plan)["moves"] == allowed
        kept.append([values_of(plan)[goal] for goal in goals])
    assert kept == sorted(kept, reverse=True)
    assert kept[1][0] == kept[2][0] == 0


@pytest.mark.parametrize("seed", seeds(4))
@pytest.mark.parametrize("broken", [True, False])
@pytest.mark.parametrize("goals", [("racks", "replicas", "moves"), ("replicas", "racks", "moves"), None])
@pytest.mark.slow
def test_no_move_that_helps_is_left_over(seed: int, broken: bool, goals: tuple[str, ...] | None) -> None:
    """What is not as good as without a budget has spent it all, and its bounds are proved by the judge."""
    state = drawn(seed, broken=broken)
    allowed = random.Random(seed).choice((0, 1, 3, 7, 12, 25))
    best = values_of(make_plan(state, Request(goals=goals), LARGE))
    plan = make_plan(state, Request(goals=goals, max_moves=allowed), LARGE)
    check_judged(plan)
    found = values_of(plan)
    assert found["moves"] <= allowed
    first = ("racks", "replicas") if goals is None else goals[:2]
    if any(found[goal] > best[goal] for goal in first):
        assert found["moves"] == allowed


def test_one_change_of_each_partition_is_enough_to_level() -> None:
    """120 partitions drawn onto 19 of 21 brokers: where a pin forbids what a face has to carry, places are
    sought anew, and no request is refused for it."""
    draw = np.random.default_rng(10)
    lists = [draw.permutation(19)[:3].tolist() for _ in range(120)]
    brokers = Brokers.of(range(21), {k: f"r{k % 3}" for k in range(21)})
    names = [f"t{k // 9}" for k in range(120)]
    state = build_cluster("c", brokers, names, [k % 9 for k in range(120)], lists)
    request = Request(max_changes_per_partition=1, effort="quick")
    plan = make_plan(state, request, Params.of(Effort.QUICK))
    assert measures.arrivals(state.replicas, plan.target).sum(axis=1).max() == 1
    assert next(level.value for level in plan.certificate if level.goal == "replicas") == 0


def test_partitions_that_change_too_often_are_mended_near_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight of 600: in any other placement that is as good others would be, and seven tries are made."""
    state = cluster_of_shape(Shape(600, 18, topics=20, sizes="pareto", spread=0.4))
    problem = build_problem(state, Request(max_changes_per_partition=1))
    placement, tried = place(problem, problem.goals), list[None]()
    assert (measures.arrivals_by_row(state.replicas, placement.lists) > 1).sum() == 8
    once = first.pinned_on_face
    monkeypatch.setattr(first, "pinned_on_face", lambda *given: tried.append(None) or once(*given))
    mended = first.within_changes(problem, placement, None)
    assert measures.arrivals_by_row(state.replicas, mended.lists).max() == 1
    assert len(tried) <= 2
