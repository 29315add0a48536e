"""everpeace's program: the scenarios of its README, its band, its batches, leaders left alone."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from equipoise.cluster import measures
from equipoise.files.plan_directory import read_plan, write_plan
from equipoise.planning.driver.solve import make_plan
from equipoise.planning.linear import highs
from equipoise.planning.published.interface import NoPlan, target_of
from equipoise.planning.published.mixed_integer import batches
from equipoise.planning.published.settings import Settings
from equipoise.planning.request.options import request_of
from equipoise.scheduling import schedule

EXPANDED = {"add": ((4, None), (5, None))}


def moves(before, after):
    return sum(len(set(b) - set(a)) for a, b in zip(before, after, strict=True))


def test_expanding_from_three_brokers_to_five_moves_two_replicas(problem_of, lists_after):
    """README, "Expanding Clusters": two partitions of three replicas, leaders stay."""
    before = [[3, 1, 2], [1, 3, 2]]
    after = lists_after("mixed-integer", problem_of(before, **EXPANDED))
    assert moves(before, after) == 2
    assert sorted(Counter(chain.from_iterable(after)).values()) == [1, 1, 1, 1, 2]
    assert [replicas[0] for replicas in after] == [3, 1]


def test_shrinking_to_three_brokers_moves_three_replicas(problem_of, lists_after):
    """README, "Shrinking Clusters": [3,5,4] and [1,3,2] without 2 and 3; the leader on 1 stays."""
    before = [[3, 5, 4], [1, 3, 2]]
    after = lists_after("mixed-integer", problem_of(before, drain=(2, 3)))
    assert moves(before, after) == 3
    assert Counter(chain.from_iterable(after)) == {1: 2, 4: 2, 5: 2}
    assert after[1][0] == 1


def test_batches_of_weight_one_are_two(problem_of):
    """README, "Executing Reassignment in Batch Mode": 1 and 2 moves make two batches."""
    problem = problem_of([[1, 2, 3], [2, 3, 1]], **EXPANDED)
    target = problem.cluster.brokers.index_of([[1, 5, 4], [2, 3, 5]])
    assert batches(problem, target, Settings(batch_weight=1)).tolist() == [0, 1]
    assert batches(problem, target, Settings(batch_weight=3)).tolist() == [0, 0]
    assert batches(problem, target, Settings()) is None


def test_batches_are_the_waves(random_problem, tmp_path):
    """From the option to the files: no wave moves more than the weight, also of a plan read back."""
    options = {"strategy": "mixed-integer", "strategy-settings": "batch-weight=3"}
    problem = random_problem(5, 6, 30, 3, add=((6, None), (7, None)))
    plan = make_plan(problem.cluster, replace(request_of(options), add=problem.request.add))
    write_plan(plan, tmp_path / "plan")
    again = read_plan(tmp_path / "plan")
    assert again.batch.tolist() == plan.batch.tolist()
    for read in (plan, again):
        waves = schedule(read).waves
        assert (np.diff(read.batch[schedule(read).order]) >= 0).all()
        moved = [int(measures.arrivals(read.cluster.replicas, read.target)[rows].sum()) for rows in waves]
        assert sum(moved) == measures.data_moves(read.cluster.replicas, read.target) > 9
        assert max(moved) <= 3
    files = sorted((tmp_path / "plan" / "waves").glob("[0-9]*.json"))
    assert [len(json.loads(f.read_text())["partitions"]) for f in files] == [len(rows) for rows in waves]
    assert [sorted(rows.tolist()) for rows in waves] == [
        np.flatnonzero(plan.batch == number).tolist() for number in range(len(waves))
    ]


def test_storage_weighs_partitions_by_size(problem_of, lists_after):
    """With sizes as weights the band is one of MiB: the broker of the large partition holds nothing else."""
    gib, sizes = 2**30, (2, 1, 1)
    problem = problem_of([[1, 2], [2, 1], [2, 1]], brokers=[1, 2, 3, 4], sizes=[size * gib for size in sizes])
    after = lists_after("mixed-integer", problem, Settings(placement="storage"))
    stored = Counter[int]()
    for replicas, size in zip(after, sizes, strict=True):
        stored.update(dict.fromkeys(replicas, size))
    assert stored == {1: 2, 2: 2, 3: 2, 4: 2}


def test_the_band_is_between_0_9_and_1_0_of_the_mean(random_problem):
    """No broker below floor(0.9 mean) or above ceil(mean), and a level cluster within it does not move."""
    problem = random_problem(5, 6, 20, 3)
    target = target_of("mixed-integer", problem)
    held = np.bincount(target.ravel(), minlength=6)
    assert held.min() >= 9 and held.max() <= 10


def test_the_band_is_the_one_asked_for(random_problem):
    """Wider factors leave more in place, at the price of brokers further apart."""
    problem = random_problem(5, 6, 20, 3)
    narrow, wide = (
        target_of("mixed-integer", problem, Settings(balance_factors=factors))
        for factors in ((0.9, 1.0), (0.5, 1.5))
    )
    held = np.bincount(wide.ravel(), minlength=6)
    assert held.min() >= 5
    assert held.max() <= 15
    assert measures.data_moves(problem.current, wide) < measures.data_moves(problem.current, narrow)


def test_leaders_are_not_levelled(problem_of, lists_after):
    """The weakness that Appier names: six leaders stay on one broker."""
    before = [[1, 2, 3], [1, 3, 2], [1, 2, 3], [1, 3, 2]]
    assert lists_after("mixed-integer", problem_of(before)) == before


def test_a_pinned_leader_can_make_the_band_impossible(problem_of, lists_after):
    """Broker 1 leads everything, so it can hand over nothing."""
    with pytest.raises(NoPlan, match=r"well balanced.*: broker 1 ends 4 above its limit of 2"):
        lists_after("mixed-integer", problem_of([[1]] * 6, brokers=[1, 2, 3]))


def test_one_input_has_one_answer(random_problem, monkeypatch):
    """Of many equally good answers always the same, whatever else the machine does.

    With equal weights the corners of the linear program are whole, and a simplex finds always the same one:
    the search for whole numbers, parts of which go by the clock, is not even begun.
    """
    asked, solver_of = [], highs.solver_of

    def solver(cost, rows, ends, options, integral):
        asked.append(integral.any())
        return solver_of(cost, rows, ends, options, integral)

    monkeypatch.setattr(highs, "solver_of", solver)
    problem = random_problem(7, 8, 40, 3, add=((8, None),))
    assert len({target_of("mixed-integer", problem).tobytes() for _ in range(3)}) == 1
    assert asked == [False, False, False]


def test_replication_factors_stay(problem_of, lists_after):
    """Constraint C2."""
    with pytest.raises(NoPlan, match="replication factors"):
        lists_after("mixed-integer", problem_of([[1, 2]], brokers=[1, 2, 3], replication_factor=3))
