"""Named clusters whose loads are to be level, each with its story."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from tests.scenarios.checks import check_judged

from equipoise import judge
from equipoise.cluster import Brokers, Cluster, Plan, build_cluster
from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.planning import Request, make_plan
from equipoise.planning.loads.leading import first_leaders
from equipoise.planning.loads.standing import Standing
from equipoise.planning.loads.thrift import leaders_back
from equipoise.planning.loads.weights import loads_of
from equipoise.planning.request.laying import build_problem
from equipoise.planning.solution.solution import Solution

DISK = Request(balance=("disk",))


def cluster_of(
    lists: Sequence[Sequence[int]],
    size: Sequence[float],
    brokers: Brokers | None = None,
    **rates: Sequence[float],
) -> Cluster:
    """One topic with a partition for each list."""
    known = brokers or Brokers.of(sorted({b for held in lists for b in held}))
    n = len(lists)
    return build_cluster("loads", known, ["t"] * n, range(n), lists, size_bytes=size, **rates)


def large(seed: int, n_racks: int = 1) -> Cluster:
    """6,000 partitions with sizes over four orders of magnitude on 12 unevenly used brokers."""
    draw = np.random.default_rng(seed)
    n, n_brokers = 6_000, 12
    liking = np.log(draw.dirichlet(np.full(n_brokers, 8.0))) + draw.gumbel(size=(n, n_brokers))
    if n_racks > 1:  # one replica a rack
        in_rack = liking.reshape(n, n_brokers // n_racks, n_racks)
        best = in_rack.argmax(axis=1) * n_racks + np.arange(n_racks)
        lists = draw.permuted(best, axis=1)[:, :3]
    else:
        lists = np.argsort(-liking, axis=1)[:, :3]
    size = np.round(draw.lognormal(18, 1.5, n))
    racks = {b: f"rack-{b % n_racks}" for b in range(n_brokers)} if n_racks > 1 else None
    return build_cluster(
        "large",
        Brokers.of(range(n_brokers), racks),
        [f"topic-{k:02d}" for k in draw.integers(0, 50, n)],
        np.arange(n),
        lists,
        size_bytes=size,
        bytes_in_per_s=np.round(size / 10_000 * draw.lognormal(0, 0.5, n)),
        bytes_out_per_s=np.round(size / 5_000 * draw.lognormal(0, 0.5, n)),
    )


def values(plan: Plan) -> dict[str, int]:
    return {level.goal: int(level.value or 0) for level in plan.certificate}


def bounds(plan: Plan) -> dict[str, int]:
    return {level.goal: int(level.lower_bound or 0) for level in plan.certificate}


def moved(plan: Plan) -> dict[int, list[int]]:
    """New lists by partition."""
    return {int(row): plan.cluster.ids_of(plan.target[row]).tolist() for row in plan.changed}


def bytes_on(plan: Plan) -> list[int]:
    held = np.zeros(plan.cluster.n_brokers)
    for row, at in enumerate(plan.target):
        held[at[at >= 0]] += plan.cluster.size_bytes[row]
    return held.astype(int).tolist()


def check(plan: Plan, request: Request) -> None:
    """Rules kept as the judge sees them, and nothing to do on a second run."""
    rules = judge.rules_of(plan.cluster, plan.request)
    assert judge.check_assignment(plan.cluster, plan.target, rules) == ()
    assert make_plan(replace(plan.cluster, replicas=plan.target), request).is_empty


def test_the_smallest_partition_that_is_enough_moves() -> None:
    """Broker 0 has 140 of 200 bytes; 35 bring both into the band, and one partition has exactly that."""
    plan = make_plan(cluster_of([[0], [0], [0], [1], [1]], [60, 45, 35, 30, 30]), DISK)
    assert moved(plan) == {2: [1]}
    assert bytes_on(plan) == [105, 95]
    assert values(plan) | bounds(plan) == values(plan), "every level meets its bound"
    assert plan.why[2] == (
        "broker 0 has 40 % more disk than its share; broker 1 has 40 % less disk than its share"
    )
    check(plan, DISK)


def test_bytes_come_before_moves() -> None:
    """Two partitions of 20 move rather than one of 50: fewer bytes, though more moves."""
    plan = make_plan(cluster_of([[0], [0], [0], [0], [1]], [50, 20, 20, 50, 60]), DISK)
    assert sorted(moved(plan)) == [1, 2]
    assert values(plan)["bytes"] == 40
    assert values(plan)["moves"] == 2


@pytest.mark.parametrize(
    ("now", "then"),
    [
        ([[1, 2], [1, 0]], [[0, 2], [1, 0]]),
        ([[1, 2], [0, 2]], [[0, 2], [1, 2]]),
        ([[0, 2], [1, 2]], [[0, 2], [1, 2]]),
    ],
    ids=["alone", "in exchange", "none left"],
)
def test_a_leader_stays_where_a_follower_may_go_in_its_place(
    now: list[list[int]], then: list[list[int]]
) -> None:
    """Of two replicas in a rack one has to go, and loads do not tell which: then it is not the leader.

    Alone where both brokers may have either weight; else another partition's replica goes the other way.
    """
    cluster = cluster_of([[0, 1], [1, 0]], [50, 50], Brokers.of([0, 1, 2], {0: "a", 1: "a", 2: "b"}))
    problem = build_problem(cluster, DISK)
    held = np.array([50, 100, 50]) if now[1] == [1, 0] else np.array([50, 50, 100])
    (disk,) = loads_of(problem)
    wide = 50 * (now[1] == [1, 0])
    lists = np.array(now, dtype=np.int32)
    bands = replace(disk, low=held - wide, high=held + wide)
    standing = Standing(problem, (bands,), np.full(2, 50), lists, first_leaders(problem, lists))
    assert leaders_back(standing) == (now != then)
    assert [sorted(row) for row in standing.ordered().tolist()] == [sorted(row) for row in then]


def test_shares_follow_capacities() -> None:
    """A disk three times as large takes three quarters."""
    brokers = Brokers.of([0, 1], disk_bytes={0: 1000.0, 1: 3000.0})
    plan = make_plan(cluster_of([[0]] * 4 + [[1]] * 4, [50] * 8, brokers), DISK)
    assert bytes_on(plan) == [100, 300]


def test_followers_bear_inbound_traffic_as_leaders_do() -> None:
    """Both replicas of a busy partition count for their brokers."""
    cluster = cluster_of([[0, 1], [1, 0], [2, 3], [3, 2]], [1] * 4, bytes_in_per_s=[40, 40, 10, 10])
    plan = make_plan(cluster, Request(balance=("network-in",)))
    assert values(plan)["network-in"] == 0
    assert values(plan)["moves"] == 4, "one of 40 each for one of 10"


def test_outbound_traffic_goes_with_the_leaders() -> None:
    """Nothing is copied: broker 0 leads everything, and hands the lead of half of the traffic on."""
    cluster = cluster_of([[0, 1]] * 4, [9] * 4, bytes_in_per_s=[0, 0, 0, 0], bytes_out_per_s=[30, 10, 10, 10])
    request = Request(balance=("network-out",), leaders_only=True)
    plan = make_plan(cluster, request)
    assert moved(plan) == {0: [1, 0]}
    assert values(plan) == {"network-out": 0, "elections": 1}
    assert bounds(plan) == {"network-out": 0, "elections": 1}
    assert plan.why[0] == (
        "broker 0 has 100 % more outbound traffic than its share; "
        "broker 1 has 100 % less outbound traffic than its share"
    )
    check(plan, request)


@pytest.mark.parametrize(
    ("load", "new", "noun"),
    [
        ("leaders-in", {1: [1, 0, -1]}, "inbound traffic of leaders"),
        ("replication-out", {0: [1, 0, 2]}, "replication traffic"),
    ],
)
def test_parts_of_the_traffic_that_go_with_the_lead(load: str, new: dict[int, list[int]], noun: str) -> None:
    """Of 20, 30 and 10 that producers send one hands 30 of 60 on; of 40, 30 and 10 for followers 40 of 80."""
    cluster = cluster_of([[0, 1, 2], [0, 1], [0, 1]], [9] * 3, bytes_in_per_s=[20, 30, 10])
    plan = make_plan(cluster, Request(balance=(f"{load}:0:0",), no_leaders_on=(2,)))
    assert moved(plan) == new
    assert values(plan) == bounds(plan)
    assert values(plan)[load] == values(plan)["moves"] == 0 and values(plan)["elections"] == 1
    assert plan.why[next(iter(new))] == (
        f"broker 0 has 100 % more {noun} than its share; broker 1 has 100 % less {noun} than its share"
    )
    check_judged(plan)


def test_a_drain_comes_first_and_goes_where_there_is_room() -> None:
    """Broker 2 is emptied onto the emptier of the two that stay."""
    request = Request(balance=("disk",), drain=(2,))
    plan = make_plan(cluster_of([[0], [0], [1], [2], [2]], [50, 30, 40, 30, 10]), request)
    assert moved(plan) == {3: [1], 4: [1]}
    assert values(plan)["bytes"] == bounds(plan)["bytes"] == 40
    check(plan, request)


def test_unknown_sizes_are_asked_for() -> None:
    """The partition is named, and the command that tells its size."""
    with pytest.raises(UnusableInput, match=r"1 partition .*t-1.*kafka-log-dirs --describe"):
        make_plan(cluster_of([[0], [1]], [5, np.nan]), DISK)


def test_rates_that_nobody_measured_are_size_over_retention_and_said_to_be_so() -> None:
    """Two partitions of equal size, one kept an hour, one a day: the first takes 24 times as much.

    With the one rate that is measured it is as it was measured; a partition kept for ever has none.
    """
    hour, size = 3600.0, 86_400.0
    lists = [[0], [0], [0], [1]]
    kept = [hour, 24 * hour, 24 * hour, hour]
    cluster = cluster_of(lists, [size] * 4, retention_s=kept)
    plan = make_plan(cluster, Request(balance=("disk", "network-in"), tolerance=(0, 0)))
    assert plan.warnings == ("derived, not measured: the inbound rates of 4 partitions are size / retention",)
    problem = build_problem(cluster, Request(balance=("network-in",)))
    assert loads_of(problem)[0].weight.tolist() == [24, 1, 1, 24]
    assert make_plan(cluster, Request(balance=("disk",))).warnings == ()
    measured = replace(cluster, bytes_in_per_s=np.array([7, np.nan, np.nan, np.nan]))
    problem = build_problem(measured, Request(balance=("network-in",)))
    assert loads_of(problem)[0].weight.tolist() == [7, 1, 1, 24]
    assert "of 3 partitions" in problem.warnings[0]
    endless = replace(cluster, retention_s=np.array([hour, np.inf, hour, hour]))
    with pytest.raises(UnusableInput, match="rates of 1 partition"):
        make_plan(endless, Request(balance=("network-in",)))


def test_cpu_is_what_a_source_says_that_leading_costs() -> None:
    """Broker 0 leads 3.5 % of a broker's CPU, broker 1 half a percent: one reorder levels both.

    Where one partition's is not known it is asked for, and `all` does without; nothing is estimated.
    """
    cluster = cluster_of([[0, 1], [0, 1], [1, 0]], [5, 5, 5], cpu_percent=[2.0, 1.5, 0.5])
    plan = make_plan(cluster, Request(balance=("cpu:0:0",)))
    assert plan.cluster.ids_of(plan.target).tolist() == [[0, 1], [1, 0], [1, 0]]
    assert values(plan)["cpu"] == bounds(plan)["cpu"] == 0 and values(plan)["moves"] == 0
    assert plan.why[1] == (
        "broker 0 has 75 % more CPU than its share; broker 1 has 75 % less CPU than its share"
    )
    check_judged(plan)
    everything = Request(balance=("all",))
    assert build_problem(cluster, everything).request.mix == ("count", "leaders", "disk", "cpu")
    untold = replace(cluster, cpu_percent=np.array([2.0, np.nan, 0.5]))
    with pytest.raises(UnusableInput, match=r"CPU figures of 1 partition .*t-1.*partition_load gives them"):
        make_plan(untold, Request(balance=("cpu",)))
    assert build_problem(untold, everything).request.mix == ("count", "leaders", "disk")


def test_unknown_rates_are_asked_for() -> None:
    with pytest.raises(UnusableInput, match=r"--balance network-in: .* rates of 2 partitions.*retention"):
        make_plan(cluster_of([[0], [1]], [5, 5]), Request(balance=("network-in",)))


@pytest.mark.parametrize(
    ("budget", "what"),
    [
        ({"max_bytes": 60}, "the moves that the rules need carry 70 bytes; --max-bytes allows 60"),
        ({"max_moves": 1}, "the rules need 2 data moves; --max-moves allows 1"),
    ],
)
def test_budgets_below_what_the_rules_need_are_refused(budget: dict[str, int], what: str) -> None:
    """Emptying broker 1 takes 70 bytes in two moves."""
    cluster = cluster_of([[0], [1], [1]], [10, 30, 40])
    with pytest.raises(ImpossibleRequest, match=what):
        make_plan(cluster, Request(balance=("disk",), drain=(1,), **budget))


@pytest.mark.slow
@pytest.mark.parametrize("n_racks", [1, 4])
def test_a_large_cluster_is_level_within_one_percent_of_the_fewest_bytes(n_racks: int) -> None:
    """Racks kept, every broker in its band, second run empty, the same plan whatever the row order."""
    cluster = large(1, n_racks)
    plan = make_plan(cluster, DISK)
    assert values(plan)["disk"] == bounds(plan)["disk"] == 0
    assert values(plan)["bytes"] <= 1.01 * bounds(plan)["bytes"]
    check(plan, DISK)
    order = np.random.default_rng(0).permutation(cluster.n_partitions)
    shuffled = build_cluster(
        "large",
        cluster.brokers,
        [cluster.topics[cluster.topic_idx[row]] for row in order],
        cluster.partition[order],
        cluster.ids_of(cluster.replicas)[order],
        size_bytes=cluster.size_bytes[order],
    )
    assert np.array_equal(make_plan(shuffled, DISK).target, plan.target)


@pytest.mark.slow
@pytest.mark.parametrize("budget", [{"max_bytes": 10**11}, {"max_moves": 40}])
def test_a_budget_is_kept_and_spent_well(budget: dict[str, int]) -> None:
    """A cluster too large for the program: within the budget, and within 1 % of the best level it allows."""
    plan = make_plan(large(2), Request(balance=("disk",), **budget))
    assert values(plan)["bytes"] <= budget.get("max_bytes", 10**18)
    assert values(plan)["moves"] <= budget.get("max_moves", 10**9)
    if "max_bytes" in budget:
        assert values(plan)["disk"] <= 1.01 * bounds(plan)["disk"]


@pytest.mark.slow
def test_all_loads_at_once() -> None:
    """Disk, inbound and outbound traffic end within their bands together; a second run is empty."""
    request = Request(balance=("disk", "network-in", "network-out"))
    plan = make_plan(large(3), request)
    assert [values(plan)[goal] for goal in request.balance] == [0, 0, 0]
    check(plan, request)


@pytest.mark.parametrize("balance", [("network-out:300:300",), ("count:10:10", "leaders:300:300")])
def test_who_may_lead_nothing_leads_nothing_though_loads_are_level(balance: tuple[str, ...]) -> None:
    """Every band is reached as it is, and broker 0 gives its leader away all the same."""
    cluster = replace(
        cluster_of([[0, 1, 2], [1, 2, 0], [2, 1, 0]], [5, 5, 5], Brokers.of([0, 1, 2])),
        bytes_in_per_s=np.ones(3), bytes_out_per_s=np.ones(3),
    )  # fmt: skip
    request = Request(balance=balance, no_leaders_on=(0,))
    plan = make_plan(cluster, request)
    assert 0 not in plan.target[:, 0] and values(plan)["elections"] == 1
    check(plan, request)


class Told:
    """Who is told what runs."""

    def __init__(self) -> None:
        self.methods = list[str]()
        self.bounds = list[dict[str, int]]()

    def began(self, method: str, goal: str, size: object, solution: object) -> None:
        self.methods.append(method)

    def ended(self, solution: Solution) -> None:
        self.bounds.append({proof.goal: proof.bound for proof in solution.proofs})


def test_whoever_watches_is_told_what_runs_and_quick_is_the_search_alone() -> None:
    """110 bytes come no nearer to 55 and 55 than 60 and 50: cases prove it, and the search does not."""
    cluster = cluster_of([[0], [0], [0], [1]], [30, 30, 30, 20])
    told, quick = Told(), Told()
    plan = make_plan(cluster, replace(DISK, tolerance=(0.0, 0.0)), watch=told)
    assert told.methods == ["search by prices", "0-1 program", "proof by cases"]
    assert [bounds["disk"] for bounds in told.bounds] == [0, 0, 10]
    assert values(plan)["disk"] == 10
    found = make_plan(cluster, replace(DISK, tolerance=(0.0, 0.0), effort="quick"), watch=quick)
    assert quick.methods == ["search by prices"]
    assert values(found)["disk"] == 10 and bounds(found)["disk"] == 0
