"""Named clusters with known answers, each with its story."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from tests.scenarios.checks import applied

from equipoise.cluster import Brokers, Cluster, Plan, build_cluster, measures
from equipoise.errors import UnusableInput
from equipoise.files.sources import read_sources
from equipoise.judge import check_assignment, rules_of
from equipoise.planning import DEFAULT_GOALS, Request, integer, make_plan
from equipoise.planning.joint import solve as joint
from equipoise.planning.networks import handout, place

FLEET = Path(__file__).parents[2] / "examples" / "fleet"
Topics = Mapping[str, Sequence[Sequence[int]]]


def cluster_of(topics: Topics, brokers: Mapping[int, str | None] | Sequence[int] = ()) -> Cluster:
    """A cluster of topics with a replica list for each partition 0, 1, 2..."""
    rows = [(topic, p, held) for topic, lists in topics.items() for p, held in enumerate(lists)]
    racks = dict(brokers) if isinstance(brokers, Mapping) else dict.fromkeys(brokers)
    for _, _, held in rows:
        racks |= {b: racks.get(b) for b in held}
    names, numbers, lists = zip(*rows, strict=True)
    return build_cluster("named", Brokers.of(list(racks), racks), names, numbers, lists)


def values_of(plan: Plan) -> dict[str, float]:
    return {level.goal: level.value for level in plan.certificate}


def lists_of(plan: Plan, topic: str) -> list[list[int]]:
    """Replica lists of a topic after the plan, as broker ids."""
    rows = plan.cluster.topic_idx == plan.cluster.topics.index(topic)
    return [[int(b) for b in held if b >= 0] for held in plan.cluster.ids_of(plan.target[rows])]


def replicas(plan: Plan) -> np.ndarray:
    return measures.replicas_per_broker(plan.target, plan.cluster.n_brokers)


def leaders(plan: Plan) -> np.ndarray:
    return measures.leaders_per_broker(plan.target, plan.cluster.n_brokers)


def proved(plan: Plan, *goals: str) -> bool:
    """The given goals meet their bounds."""
    levels = {level.goal: level for level in plan.certificate}
    return all(
        levels[goal].lower_bound == levels[goal].value and levels[goal].proof != "none" for goal in goals
    )


def test_one_broker_leaves_and_one_replica_moves() -> None:
    """Broker 19 of 20 leaves: Kafka's own tool moves 19 replicas, one is enough.

    killerwhile, "Kafka Partitions Assignment Optimizer", section "Demonstration": partition 1 becomes
    [8, 1], within the zone of odd brokers, and "all the other moves are not required".
    """
    plan = make_plan(read_sources([str(FLEET / "removal")]), Request(drain=(19,)))
    assert [plan.cluster.label(row) for row in plan.changed] == ["x.y.z.t-1"]
    assert lists_of(plan, "x.y.z.t")[1] == [8, 1]
    assert values_of(plan)["moves"] == 1
    assert proved(plan, *DEFAULT_GOALS)


def test_forty_brokers_that_grew_by_eight() -> None:
    """11,005 data moves make Wix's 40 brokers level to within one; its author's four steps ended 11 apart.

    Wix Engineering, "4 steps for kafka rebalance", prints the replicas on each broker: 263,577 of them, so
    6,589.4 are a share, and what stands above it has to leave.
    """
    plan = make_plan(read_sources([str(FLEET / "growth")]))
    assert Counter(replicas(plan).tolist()) == {6589: 23, 6590: 17}
    before = measures.replicas_per_broker(plan.cluster.replicas, 40)
    assert values_of(plan)["moves"] == 11_005 == fewest_moves(before, 6589, 6590)
    assert np.ptp(leaders(plan)) == 1
    assert proved(plan, *DEFAULT_GOALS[:-1])


def fewest_moves(held: np.ndarray, low: int, high: int) -> int:
    """What must leave overfull brokers, or must reach the others: the larger of the two."""
    return int(max(np.maximum(held - high, 0).sum(), np.maximum(low - held, 0).sum()))


def test_leaders_of_180_partitions_on_122_brokers() -> None:
    """Eleven elections level the leaders, no data moves; the published method needed 15.

    Pinterest Engineering, "Using graph algorithms to optimize Kafka operations, part 2": "a reasonable
    result that uses only 4 more reassignments than the lower bound".
    """
    cluster = read_sources([str(FLEET / "skewed-leaders")])
    assert (cluster.n_partitions, cluster.n_brokers) == (180, 122)
    plan = make_plan(cluster)
    assert values_of(plan)["moves"] == 0
    assert values_of(plan)["elections"] == 11
    assert Counter(leaders(plan).tolist()) == {1: 64, 2: 58}
    assert proved(plan, *DEFAULT_GOALS)


def test_leaders_of_120_partitions_on_135_brokers() -> None:
    """With more brokers than partitions level means that no broker leads two.

    Pinterest's second example has these sizes and no printed lists; here 120 lists are drawn. A broker for
    each partition is an assignment, of which SciPy's solver tells the cheapest.
    """
    rng = random.Random(135)
    topic = [rng.sample(range(135), 3) for _ in range(120)]
    plan = make_plan(cluster_of({"ads": topic}, range(135)), Request(leaders_only=True))
    cost = np.full((120, 135), 1000)
    for partition, held in enumerate(topic):
        cost[partition, held] = [0, 1, 1]
    assert leaders(plan).max() == 1
    assert values_of(plan)["elections"] == cost[linear_sum_assignment(cost)].sum()
    assert proved(plan, "leaders", "elections")


def test_pictures_of_leaders() -> None:
    """Four partitions, led by 1, 2, 1, 2: two hand-overs give brokers 3 and 4 their leader.

    Appier, "Kafka reassignment", the picture "leader-balance". Only p2 is on broker 4.
    """
    plan = make_plan(
        cluster_of({"p": [[1, 2, 3], [2, 3, 4], [1, 2, 3], [2, 1, 3]]}), Request(leaders_only=True)
    )
    assert leaders(plan).tolist() == [1, 1, 1, 1]
    assert values_of(plan)["elections"] == 2
    assert lists_of(plan, "p")[1][0] == 4
    assert lists_of(plan, "p")[3] == [2, 1, 3]


def test_pictures_of_partitions() -> None:
    """Brokers 1 and 2 hold all four partitions, 3 and 4 two each: one replica goes from each to the others.

    Appier, "Kafka reassignment", the picture "partition-balance".
    """
    plan = make_plan(cluster_of({"p": [[1, 2, 3], [2, 1, 4], [1, 2, 4], [2, 1, 3]]}))
    assert replicas(plan).tolist() == [3, 3, 3, 3]
    assert leaders(plan).tolist() == [1, 1, 1, 1]
    assert values_of(plan)["moves"] == 2
    assert proved(plan, *DEFAULT_GOALS)


def test_pictures_of_more_replicas() -> None:
    """A replication factor of 4 on five brokers, one of them empty: the new replicas nearly level it.

    Appier, "Kafka reassignment", the picture "increase-replica": 16 replicas, so 3 or 4 on each broker.
    """
    lists = [[1, 2, 3], [2, 1, 4], [1, 2, 4], [2, 1, 3]]
    plan = make_plan(cluster_of({"p": lists}, range(1, 6)), Request(replication_factor=4))
    assert sorted(replicas(plan).tolist()) == [3, 3, 3, 3, 4]
    assert values_of(plan)["moves"] == 5  # four new ones, and broker 1 or 2 gives one up
    assert proved(plan, "replicas", "moves")


def test_pictures_of_fewer_replicas() -> None:
    """Down to 2 replicas: dropping the right ones is enough, the dead end of the published extension.

    Appier, "Kafka reassignment": with a node on the sink's side "some cases do not succeed", those whose
    replicas all stand on brokers that are not overloaded.
    """
    lists = [[1, 2, 3], [2, 1, 4], [1, 2, 4], [2, 1, 3]]
    plan = make_plan(cluster_of({"p": lists}), Request(replication_factor=2))
    assert replicas(plan).tolist() == [2, 2, 2, 2]
    assert values_of(plan)["moves"] == 0


def test_pictures_of_first_followers() -> None:
    """Leaders stay; the first followers of 1 and 2 become 3 and 4, so that a loss is shared.

    Appier, "Kafka reassignment", the picture "1st-follower-balance". When broker 1 fails, broker 2 would lead
    all four partitions, afterwards each survivor leads one or two. What is left, 2, is that one of 3 and 4
    leads nothing while the other has failed.
    """
    lists = [[1, 2, 3], [2, 1, 4], [1, 2, 4], [2, 1, 3]]
    request = Request(leaders_only=True, goals=("elections", "failover", "reorders"))
    plan = make_plan(cluster_of({"p": lists}), request)
    assert lists_of(plan, "p") == [[1, 3, 2], [2, 4, 1], [1, 4, 2], [2, 3, 1]]
    assert values_of(plan) == {"elections": 0, "failover": 2, "reorders": 4}


def test_reorders_in_front_of_moves_have_no_fixed_point() -> None:
    """Four times [1, 2], broker 1 alone in its rack: 2 can lead nothing without a reorder, 3 by moves alone.

    The best without a reorder has leaders 2, 0 and 2, and each of its partitions is [1, 2], [1, 3] or [3, 1].
    Whoever planned it: what moved is not where it was, so on the result [2, 1] is no reorder any more, and
    levels the leaders. With ``moves`` in front, the second run is empty.
    """
    racks = {1: "a", 2: "b", 3: "b"}
    request = Request(goals=("reorders", "leaders", "replicas", "moves"))
    first = make_plan(cluster_of({"p": [[1, 2]] * 4}, racks), request)
    second = make_plan(applied(first), request)
    assert [(values_of(plan)["reorders"], values_of(plan)["leaders"]) for plan in (first, second)] == [
        (0, 1),
        (0, 0),
    ]
    assert all(level.gap == 0 for plan in (first, second) for level in plan.certificate)
    assert make_plan(applied(second), request).is_empty

    request = Request(goals=("moves", "reorders", "leaders", "replicas"))
    assert make_plan(applied(make_plan(cluster_of({"p": [[1, 2]] * 4}, racks), request)), request).is_empty


def test_all_permutations_are_left_alone() -> None:
    """The twelve ordered pairs of four brokers are level in every goal there is: the plan is empty.

    Appier, "Kafka reassignment", the earlier method: broker lists are taken from all permutations in turn.
    """
    pairs = [list(pair) for pair in permutations((1, 2, 3, 4), 2)]
    goals = (*DEFAULT_GOALS, "failover", "positions", "reorders")
    plan = make_plan(cluster_of({"p": pairs}), Request(goals=goals))
    assert plan.is_empty
    assert set(values_of(plan).values()) == {0}


def test_permutations_are_found_from_one_sided_pairs() -> None:
    """Every pair twice, always led by the lower id: four elections level the leaders, six also the failover.

    The six make the twelve permutations of Appier's earlier method, and no replica moves for it.
    """
    pairs = [sorted(pair) for pair in permutations((1, 2, 3, 4), 2)]
    plan = make_plan(cluster_of({"p": pairs}))
    assert leaders(plan).tolist() == [3, 3, 3, 3]
    assert (values_of(plan)["moves"], values_of(plan)["elections"]) == (0, 4)
    goals = ("racks", "replicas", "moves", "leaders", "failover", "elections")
    plan = make_plan(cluster_of({"p": pairs}), Request(goals=goals))
    assert sorted(map(tuple, lists_of(plan, "p"))) == sorted(permutations((1, 2, 3, 4), 2))
    assert (values_of(plan)["failover"], values_of(plan)["elections"]) == (0, 6)


@pytest.fixture
def exact_hand_outs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Placement by topic counts, whatever the size; how many units each exact hand-out could not place."""
    failures: list[int] = []
    hand_out_exactly = handout.hand_out_exactly

    def recorded(*arguments: object) -> np.ndarray:
        failed = hand_out_exactly(*arguments)  # type: ignore[arg-type]
        failures.append(len(failed))
        return failed

    monkeypatch.setattr(place, "MAX_PARTITION_ARCS", 0)
    monkeypatch.setattr(place, "MAX_ROW_ARCS", 0)
    monkeypatch.setattr(handout, "hand_out_exactly", recorded)
    return failures


def test_counts_that_the_first_fit_cannot_hand_out(exact_hand_outs: list[int]) -> None:
    """Without racks, broker 1 has one replica too many and only broker 2 wants one.

    Counts do not say that the first partition is on 2 already: a second flow over the partitions
    finds one that is not.
    """
    plan = make_plan(cluster_of({"p": [[1, 2], [1, 3], [1, 3]]}))
    assert exact_hand_outs == [0]
    assert values_of(plan)["moves"] == 1
    assert replicas(plan).tolist() == [2, 2, 2]
    assert lists_of(plan, "p")[0] == [1, 2]
    assert proved(plan, *DEFAULT_GOALS)


def test_counts_that_no_hand_out_can_meet(exact_hand_outs: list[int]) -> None:
    """Without racks, broker 1 is drained and broker 3 lacks one: counts promise one move, two are needed.

    The partition that leaves broker 1 is on 3 already, so it takes the place of another that goes to 3. The
    topic has to be expanded to its partitions.
    """
    cluster = cluster_of({"p": [[1, 2, 3], [4, 5, 2]], "still": [[4], [5]]})
    plan = make_plan(cluster, Request(drain=(1,), exclude_topics="still"))
    assert sum(exact_hand_outs) > 0
    assert values_of(plan)["moves"] == 2
    assert dict(zip(plan.cluster.brokers.ids.tolist(), replicas(plan).tolist(), strict=True)) == {
        1: 0, 2: 2, 3: 2, 4: 2, 5: 2
    }  # fmt: skip
    assert proved(plan, "replicas", "moves")


def test_racks_of_14_13_and_13_brokers() -> None:
    """One replica in each rack, so a broker of the larger rack holds less; that much is out of reach.

    1,820 partitions give 130 to each of 14 brokers and 140 to each of 26, where 136 or 137 are a share:
    14 * 6² + 26 * 3² = 738. Inside a rack what is above its level has to leave, and no more.
    """
    rng = random.Random(14)
    brokers = {b: "a" if b < 14 else "b" if b < 27 else "c" for b in range(40)}
    inside = [[b for b in brokers if brokers[b] == rack] for rack in "abc"]
    lists = [[rng.choice(rack) for rack in rng.sample(inside, 3)] for _ in range(1820)]
    plan = make_plan(cluster_of({"p": lists[:1000], "q": lists[1000:]}, brokers))
    held = measures.replicas_per_broker(plan.cluster.replicas, 40)
    assert replicas(plan).tolist() == [130] * 14 + [140] * 26
    assert values_of(plan)["replicas"] == 14 * 6**2 + 26 * 3**2
    assert values_of(plan)["moves"] == fewest_moves(held[:14], 130, 130) + fewest_moves(held[14:], 140, 140)
    assert set(leaders(plan).tolist()) == {45, 46}
    assert proved(plan, *DEFAULT_GOALS[:6])


@pytest.mark.parametrize("seed", range(6))
def test_two_replicas_always_level_the_leaders(seed: int) -> None:
    """With RF 2 and level replicas the leaders are level to within one, whoever shares what with whom.

    A partition is an edge between two brokers and its leader the end that it leaves; an Eulerian tour leaves
    every broker as often as it comes back, give or take one.
    """
    rng = random.Random(seed)
    n = rng.randint(3, 30)
    lists = [sorted(rng.sample(range(n), 2)) for _ in range(rng.randint(n, 300))]
    plan = make_plan(cluster_of({"p": lists}, range(n)))
    assert np.ptp(replicas(plan)) <= 1
    assert np.ptp(leaders(plan)) <= 1
    assert proved(plan, "replicas", "moves", "leaders")


def test_leaders_that_nobody_can_take_over() -> None:
    """Six partitions stand on brokers 1 and 2 alone and two on 3 and 4: no exchange of leaders can help.

    Six partitions see two brokers (P. Hall's condition fails), so each of those leads three where
    the share is two. That is proved, and nothing is changed for its own sake.
    """
    lists = [[1, 2], [2, 1], [1, 2], [2, 1], [1, 2], [2, 1], [3, 4], [4, 3]]
    plan = make_plan(cluster_of({"p": lists}), Request(leaders_only=True))
    assert plan.is_empty
    assert values_of(plan)["leaders"] == 4
    assert proved(plan, "leaders", "elections", "topic-leaders")


def test_replicas_moved_for_the_sake_of_leaders() -> None:
    """Two moves level the replicas in many ways; one of them also lets the leaders be level.

    Broker 19 holds three partitions of one replica and a share of a fourth; 13 is empty. Wherever placement
    is settled first and orders after it, 19 or 10 may end with two leaders.
    """
    cluster = cluster_of({"apples": [[19], [19], [10, 19, 15], [19]]}, [13])
    plan = make_plan(cluster)
    assert values_of(plan) == {
        "racks": 0, "replicas": 0, "moves": 2, "topics": 0, "leaders": 0, "elections": 2, "topic-leaders": 0
    }  # fmt: skip
    assert proved(plan, *DEFAULT_GOALS)


def test_what_is_required_is_spread_all_the_same() -> None:
    """Required moves alone: nothing is moved for balance, yet what has to be placed is spread."""
    ring = cluster_of({"t": [[p % 6, (p + 1) % 6] for p in range(12)]})
    more = make_plan(ring, Request(required_only=True, replication_factor=3))
    assert set(replicas(more)) == {6}
    away = make_plan(ring, Request(required_only=True, drain=(5,)))
    assert sorted(replicas(away)) == [0, 4, 5, 5, 5, 5]
    assert proved(more, "moves", "elections") and proved(away, "moves", "elections")


@pytest.mark.parametrize("successor", [9, 2])
def test_a_replacement_among_other_changes_is_done_once(successor: int) -> None:
    """Broker 5 is drained while another takes over all of 1: it keeps that and its own, also tomorrow."""
    state = cluster_of({"t": [[1, 2 + p % 4] if p % 2 else [1 + p % 5, 6] for p in range(12)]})
    asked = Request(replace=((1, successor),), drain=(5,))
    plan = make_plan(state, asked)
    before = [set(held) for held in state.ids_of(state.replicas).tolist()]
    kept = [successor in after for after in lists_of(plan, "t")]
    assert all(now for held, now in zip(before, kept, strict=True) if held & {1, successor})
    assert make_plan(dataclasses.replace(plan.cluster, replicas=plan.target), asked).is_empty


def test_leaders_that_have_to_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    """Broker 1 has three replicas too many, and leads all it holds: three elections, whatever moves.

    Flows alone prove it, as they have to on a large cluster; who leads has no part in it.
    """
    monkeypatch.setattr(joint, "MAX_ELECTIONS", 0)
    monkeypatch.setattr(integer, "is_small", lambda problem: False)
    state = cluster_of({"t": [[1, 2]] * 3 + [[1, 3]] * 3})
    plan = make_plan(state, Request(add=((4, None),), goals=("replicas", "moves", "elections")))
    (elections,) = (level for level in plan.certificate if level.goal == "elections")
    assert (elections.value, elections.lower_bound, elections.proof) == (3, 3, "flow-dual")


def test_two_of_four_replicas_stay_in_two_racks() -> None:
    """Two in each rack were allowed to four replicas; to two it is one, though nobody asked for `racks`.

    Brokers 3 and 4 hold another topic too: level counts would leave some partitions with 1 and 2 alone.
    """
    racks = {1: "a", 2: "a", 3: "b", 4: "b"}
    state = cluster_of({"t": [[1, 2, 3, 4]] * 6, "still": [[3], [4], [3], [4]]}, racks)
    asked = Request(replication_factor=2, topics="t", goals=("replicas", "leaders"))
    plan = make_plan(state, asked)
    assert all(len(set(held) & {1, 2}) == 1 for held in lists_of(plan, "t"))
    assert not check_assignment(plan.cluster, plan.target, rules_of(plan.cluster, plan.request))
    assert replicas(plan).tolist() == [3, 3, 5, 5]
    assert proved(plan, "racks", "replicas")


def test_bytes_are_budgeted_on_a_cluster_too_large_for_the_program() -> None:
    """Half of the bytes buy most of the balance; none buy none; with unknown sizes nobody could tell."""
    draw = np.random.default_rng(1)
    often = np.repeat([1.5, 0.5], 12) / 24
    lists = [draw.choice(24, 3, replace=False, p=often) for _ in range(900)]
    state = cluster_of({"a": lists[:600], "b": lists[600:]})
    sized = dataclasses.replace(state, size_bytes=draw.integers(1, 1000, 900).astype(float))
    whole = make_plan(sized)
    budget = bytes_moved(whole) // 2
    half, none = (make_plan(sized, Request(max_bytes=most)) for most in (budget, 0))
    assert bytes_moved(half) <= budget and bytes_moved(none) == 0
    assert 0 == values_of(whole)["replicas"] < values_of(half)["replicas"] < values_of(none)["replicas"] / 2
    with pytest.raises(UnusableInput, match=r"sizes of 900 partitions are not known \(a-0 is the first\)"):
        make_plan(state, Request(max_bytes=budget))


def bytes_moved(plan: Plan) -> int:
    return int(measures.arrivals(plan.cluster.replicas, plan.target).sum(axis=1) @ plan.cluster.size_bytes)
