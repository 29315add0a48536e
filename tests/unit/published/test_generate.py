"""Kafka's own round robin: its documented examples, a proposal printed in killerwhile's text, its cost."""

from __future__ import annotations

import pytest

from equipoise.planning.goals import evaluate
from equipoise.planning.published.generate import broker_order, round_robin
from equipoise.planning.published.interface import NoPlan, target_of
from equipoise.planning.published.settings import Settings


def test_ten_partitions_on_five_brokers():
    """The table in Kafka's documentation of the method: start 0, shift 0, three replicas."""
    assert round_robin(range(5), 10, 3, 0, 0) == [
        [0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 0], [4, 0, 1],
        [0, 2, 3], [1, 3, 4], [2, 4, 0], [3, 0, 1], [4, 1, 2],
    ]  # fmt: skip


def test_six_brokers_in_three_racks_alternate(problem_of):
    """Kafka's example: racks {0, 5}, {3, 4}, {1, 2}; partition 6 does not repeat 0, 3, 1."""
    racks = {0: "rack1", 1: "rack3", 2: "rack3", 3: "rack2", 4: "rack2", 5: "rack1"}
    order = broker_order(problem_of([[0, 1, 2]], brokers=range(6), racks=racks))
    assert order == [0, 3, 1, 5, 4, 2]
    assert round_robin(order, 7, 3, 0, 0, racks) == [
        [0, 3, 1], [3, 1, 5], [1, 5, 4], [5, 4, 2], [4, 2, 0], [2, 0, 3], [0, 4, 2],
    ]  # fmt: skip


def test_nine_brokers_of_three_racks_are_taken_in_turn(problem_of):
    """rack1: 0, 1, 2; rack2: 3, 4, 5; rack3: 6, 7, 8 give 0, 3, 6, 1, 4, 7, 2, 5, 8."""
    racks = {broker: f"rack{broker // 3 + 1}" for broker in range(9)}
    assert broker_order(problem_of([[0]], brokers=range(9), racks=racks)) == [0, 3, 6, 1, 4, 7, 2, 5, 8]


def test_the_proposal_printed_by_the_real_tool_is_reproduced(problem_of, lists_after):
    """killerwhile's demonstration: brokers 0 to 18, start index 14 and shift 2 explain all ten lists."""
    before = [[7, 18], [8, 19], [9, 10], [0, 11], [1, 12], [2, 13], [3, 14], [4, 15], [5, 16], [6, 17]]
    problem = problem_of(before, brokers=range(20), drain=(19,))
    assert lists_after("generate", problem, Settings(start_index=14, shift=2)) == [
        [14, 17], [15, 18], [16, 0], [17, 1], [18, 2], [0, 3], [1, 4], [2, 5], [3, 6], [4, 7],
    ]  # fmt: skip
    target = target_of("generate", problem, Settings(start_index=14, shift=2))
    assert evaluate(problem, target, "moves") == 20  # where one move is enough


def test_another_seed_moves_everything_again(random_problem):
    """The tool draws its start: what one run placed the next one moves."""
    problem = random_problem(1, 12, 24, 2)
    first, second = (target_of("generate", problem, Settings(seed=seed)) for seed in (0, 1))
    assert (first != second).any()
    assert (first == target_of("generate", problem, Settings(seed=0))).all()


def test_one_rack_per_replica_while_there_are_racks(random_problem):
    """Three racks, three replicas: each in a rack of its own, whatever the start and the shift."""
    racks = {broker: "abc"[broker % 3] for broker in range(9)}
    problem = random_problem(1, 9, 40, 3, racks=racks)
    for seed in range(5):
        placed = problem.rack_idx[target_of("generate", problem, Settings(seed=seed))]
        assert all(len(set(row)) == 3 for row in placed.tolist())


def test_racks_on_some_brokers_only_are_refused(problem_of, lists_after):
    """As Kafka answers: not all brokers have rack information."""
    with pytest.raises(NoPlan, match="not all brokers have a rack"):
        lists_after("generate", problem_of([[1, 2]], racks={1: "a"}))


def test_more_replicas_than_brokers_are_refused(problem_of, lists_after):
    """As Kafka answers."""
    with pytest.raises(NoPlan, match="larger than the 2 brokers"):
        lists_after("generate", problem_of([[1, 2]], replication_factor=3))
