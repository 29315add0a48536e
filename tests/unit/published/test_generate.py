"""Kafka's own placements: their documented examples, a proposal printed in killerwhile's text, their cost."""

from __future__ import annotations

import pytest

from equipoise.errors import UnusableInput
from equipoise.planning.goals import value_of
from equipoise.planning.published.generate import brokers_by_rack, in_turn, round_robin
from equipoise.planning.published.interface import NoPlan, target_of
from equipoise.planning.published.settings import Settings
from equipoise.planning.published.stripes import Stripes

OLDER = Settings(placer="round-robin")


class NoLots:
    """Whatever is drawn is 0, and nothing is shuffled."""

    def randrange(self, n):
        return 0

    def shuffle(self, cards):
        pass


def order_of(problem):
    return in_turn(brokers_by_rack(problem, OLDER))


def test_stripes_of_three_racks():
    """The example in Kafka's documentation of the placer: three racks of three, all offsets 0."""
    stripes = Stripes([["A0", "A1", "A2"], ["B0", "B1", "B2"], ["C0", "C1", "C2"]], NoLots())
    assert [stripes.place(3) for _ in range(3)] == [
        ["A0", "B0", "C0"], ["B1", "C1", "A1"], ["C2", "A2", "B2"],
    ]  # fmt: skip


def test_a_small_rack_is_used_as_often_as_the_others():
    """So the documentation says: with one broker in rack C, a lot of partitions end up on that one."""
    stripes = Stripes([["A0", "A1", "A2"], ["B0", "B1", "B2"], ["C0"]], NoLots())
    placed = [stripes.place(3) for _ in range(7)]
    assert all("C0" in replicas for replicas in placed)
    assert [replicas.index("C0") for replicas in placed[:3]] == [2, 1, 0]


def test_more_replicas_than_racks_go_round_once_more():
    """A second replica of a rack comes when every rack has one, and no broker comes twice."""
    stripes = Stripes([["A0", "A1"], ["B0"]], NoLots())
    assert [stripes.place(3) for _ in range(2)] == [["A0", "B0", "A1"], ["B0", "A1", "A0"]]


def test_it_shuffles_when_every_broker_had_its_turn():
    """After as many partitions as there are brokers the same lists would come again."""
    shuffled = []

    class Counted(NoLots):
        def shuffle(self, cards):
            shuffled.append(len(cards))

    stripes = Stripes([[0, 1, 2], [3, 4, 5]], Counted())
    for _ in range(6):
        stripes.place(2)
    assert shuffled == []
    stripes.place(2)
    assert shuffled == [2, 3, 3]  # the racks, then the brokers of each


def test_leaders_of_a_topic_are_level(random_problem):
    """Today's rule takes the leader from each broker once before any comes again; the older one does, too."""
    problem = random_problem(1, 6, 24, 3, racks={broker: "abc"[broker % 3] for broker in range(6)})
    for settings in (Settings(), OLDER):
        target = target_of("generate", problem, settings)
        assert value_of(problem, target, "leaders") == 0


def test_by_default_it_is_todays_kafka(random_problem, lists_after):
    """Kafka 4.1 and later place by stripes; the older rule is there for who asks for it."""
    problem = random_problem(1, 6, 24, 3, racks={broker: "abc"[broker % 3] for broker in range(6)})
    plain = lists_after("generate", problem, Settings())
    assert plain == lists_after("generate", problem, Settings(placer="striped"))
    assert plain != lists_after("generate", problem, OLDER)


def test_racks_are_left_out_on_demand(problem_of):
    """``disable-rack-aware=yes``: all brokers are one rack."""
    problem = problem_of([[1, 2, 3]], racks={1: "a", 2: "b", 3: "a"})
    assert brokers_by_rack(problem, Settings()) == [[0, 2], [1]]
    assert brokers_by_rack(problem, Settings(disable_rack_aware=True)) == [[0, 1, 2]]


def test_numbers_of_the_older_rule_choose_it(problem_of, lists_after):
    """Only that one has a start index; beside the newer one it is refused."""
    problem = problem_of([[1, 2], [2, 3], [3, 1]])
    older = lists_after("generate", problem, Settings(start_index=0, shift=0))
    assert older == [[1, 2], [2, 3], [3, 1]]
    with pytest.raises(UnusableInput, match="older rule"):
        lists_after("generate", problem, Settings(start_index=0, placer="striped"))


def test_ten_partitions_on_five_brokers():
    """The table in Kafka's documentation of the method: start 0, shift 0, three replicas."""
    assert round_robin(range(5), 10, 3, 0, 0) == [
        [0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 0], [4, 0, 1],
        [0, 2, 3], [1, 3, 4], [2, 4, 0], [3, 0, 1], [4, 1, 2],
    ]  # fmt: skip


def test_six_brokers_in_three_racks_alternate(problem_of):
    """Kafka's example: racks {0, 5}, {3, 4}, {1, 2}; partition 6 does not repeat 0, 3, 1."""
    racks = {0: "rack1", 1: "rack3", 2: "rack3", 3: "rack2", 4: "rack2", 5: "rack1"}
    order = order_of(problem_of([[0, 1, 2]], brokers=range(6), racks=racks))
    assert order == [0, 3, 1, 5, 4, 2]
    assert round_robin(order, 7, 3, 0, 0, racks) == [
        [0, 3, 1], [3, 1, 5], [1, 5, 4], [5, 4, 2], [4, 2, 0], [2, 0, 3], [0, 4, 2],
    ]  # fmt: skip


def test_nine_brokers_of_three_racks_are_taken_in_turn(problem_of):
    """rack1: 0, 1, 2; rack2: 3, 4, 5; rack3: 6, 7, 8 give 0, 3, 6, 1, 4, 7, 2, 5, 8."""
    racks = {broker: f"rack{broker // 3 + 1}" for broker in range(9)}
    assert order_of(problem_of([[0]], brokers=range(9), racks=racks)) == [0, 3, 6, 1, 4, 7, 2, 5, 8]


def test_the_proposal_printed_by_the_real_tool_is_reproduced(problem_of, lists_after):
    """killerwhile's demonstration: brokers 0 to 18, start index 14 and shift 2 explain all ten lists."""
    before = [[7, 18], [8, 19], [9, 10], [0, 11], [1, 12], [2, 13], [3, 14], [4, 15], [5, 16], [6, 17]]
    problem = problem_of(before, brokers=range(20), drain=(19,))
    assert lists_after("generate", problem, Settings(start_index=14, shift=2)) == [
        [14, 17], [15, 18], [16, 0], [17, 1], [18, 2], [0, 3], [1, 4], [2, 5], [3, 6], [4, 7],
    ]  # fmt: skip
    target = target_of("generate", problem, Settings(start_index=14, shift=2))
    assert value_of(problem, target, "moves") == 20  # where one move is enough


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
        for settings in (Settings(seed=seed), Settings(seed=seed, placer="round-robin")):
            placed = problem.rack_idx[target_of("generate", problem, settings)]
            assert all(len(set(row)) == 3 for row in placed.tolist())


def test_racks_on_some_brokers_only_are_refused(problem_of, lists_after):
    """As Kafka answers: not all brokers have rack information."""
    with pytest.raises(NoPlan, match="not all brokers have a rack"):
        lists_after("generate", problem_of([[1, 2]], brokers=[3], racks={1: "a", 2: "b"}, cordon=(3,)))


def test_more_replicas_than_brokers_are_refused(problem_of, lists_after):
    """As Kafka answers."""
    with pytest.raises(NoPlan, match="larger than the 2 brokers"):
        lists_after("generate", problem_of([[1, 2]], replication_factor=3))
