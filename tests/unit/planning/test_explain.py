"""Why each partition changes: one sentence with the rule, or else the level, that it serves."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

import pytest
from tests.scenarios.strategies import THEMES, case
from tests.seeds import seeds

from equipoise.cluster import Brokers, Cluster, Plan, build_cluster
from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.planning import Params, Request, make_plan
from equipoise.report.moves import reasons as counted

Racks = Mapping[int, str | None]


def cluster_of(topics: Mapping[str, Sequence[Sequence[int]]], racks: Racks) -> Cluster:
    """Topics with a replica list for each partition 0, 1, 2..."""
    rows = [(topic, p, held) for topic, lists in topics.items() for p, held in enumerate(lists)]
    return build_cluster("why", Brokers.of(list(racks), racks), *zip(*rows, strict=True))


def bare(n: int) -> Racks:
    """Brokers 1 to n without racks."""
    return dict.fromkeys(range(1, n + 1))


def reasons(plan: Plan) -> dict[str, str]:
    """Sentence by partition."""
    return {plan.cluster.label(row): why for row, why in plan.why.items()}


# topics, racks, request, the sentence of every change
SENTENCES: dict[str, tuple[Mapping[str, Sequence[Sequence[int]]], Racks, Request, set[str]]] = {
    "drained": (
        {"t": [[1, 3]]}, bare(3), Request(drain=(3,)),
        {"broker 3 is drained; broker 2 holds 1 below its share"},
    ),
    "not among those named": (
        {"t": [[1, 3]]}, bare(3), Request(brokers=((1, None), (2, None))),
        {"broker 3 is drained; broker 2 holds 1 below its share"},
    ),
    "replaced": ({"t": [[1, 2]]}, bare(2), Request(replace=((2, 9),)), {"broker 2 is replaced by 9"}),
    "created": ({"t": [[1]]}, bare(2), Request(create=(("new", 1, 1),)),
                {"the partition is created; broker 2 holds 1 below its share"}),
    "rf up": (
        {"t": [[1]]}, bare(3), Request(replication_factor=3),
        {"the replication factor is raised by 2; broker 2 holds 1 below its share"},
    ),
    "rf down": (
        {"t": [[1, 2]]}, bare(2), Request(replication_factor=1), {"the replication factor is lowered by 1"},
    ),
    "two in a rack": (
        {"t": [[1, 2]]}, {1: "a", 2: "a", 3: "b"}, Request(),
        {"rack a held two replicas; broker 3 is the only one in rack b that may receive"},
    ),
    "four in a rack": (
        {"t": [[1, 2, 4, 5]]},
        {1: "a", 2: "a", 4: "a", 5: "a", 3: "b", 6: "b"},
        Request(),
        {"rack a held four replicas; broker 3 has room for 1 more"},
    ),
    "too much on one": (
        {"t": [[1]] * 6}, bare(2), Request(),
        {"broker 1 holds 3 above its share; broker 2 holds 3 below its share"},
    ),
    "too little on one": (
        {"t": [[1], [2], [3], [1], [2], [3], [1], [2], [3]]},
        bare(4),
        Request(),
        {"broker 4 holds 2 below its share"},
    ),
    "a topic": (
        {"t": [[1], [1]], "u": [[2], [2]]},
        bare(2),
        Request(goals=("replicas", "topics")),
        {"levels the topic: broker 1 takes what others have more of",
         "levels the topic: broker 2 takes what others have more of"},
    ),
    "leads nothing": (
        {"t": [[1, 2]]},
        bare(2),
        Request(no_leaders_on=(1,), leaders_only=True),
        {"broker 1 may lead nothing; broker 2 leads 1 below its share"},
    ),
    "leads nothing and stands alone": (
        {"t": [[1]]}, bare(2), Request(no_leaders_on=(1,), goals=("moves",)),
        {"broker 1 may lead nothing; broker 2 has room for 1 more"},
    ),
    "leads too much": (
        {"t": [[1, 2]] * 4}, bare(2), Request(leaders_only=True), 
        {"broker 1 leads 2 above its share; broker 2 leads 2 below its share"},
    ),
    "leads too little": (
        {"t": [[1, 2], [2, 3], [3, 4], [1, 4], [2, 1], [3, 4]]},
        bare(4),
        Request(leaders_only=True),
        {"broker 4 leads 1 below its share"},
    ),
    "passed on": (
        {"t": [[1, 2], [1, 2], [1, 2], [2, 3], [2, 3]]},
        bare(3),
        Request(leaders_only=True),
        {"broker 1 leads 1 above its share; broker 2 gives other leads away",
         "broker 3 leads 1 below its share"},
    ),
    "topic leaders": (
        {"t": [[1, 2], [1, 2]], "u": [[2, 1], [2, 1]]},
        bare(2),
        Request(leaders_only=True, goals=("leaders", "topic-leaders")),
        {"passes leadership on from broker 1, to where it is missing",
         "passes leadership on from broker 2, to where it is missing"},
    ),
    "first followers": (
        {"t": [[1, 2, 3], [1, 2, 3], [2, 1, 3], [2, 1, 3], [3, 1, 2], [3, 1, 2]]},
        bare(3),
        Request(leaders_only=True, goals=("leaders", "elections", "failover", "reorders")),
        {"first followers are spread, for when a broker fails"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SENTENCES)
def test_the_sentence(name: str) -> None:
    """Each kind of change, on the smallest cluster that has it."""
    topics, racks, request, said = SENTENCES[name]
    assert set(reasons(make_plan(cluster_of(topics, racks), request)).values()) == said


def test_a_rule_is_named_before_a_level() -> None:
    """Broker 1 is overfull and drained: it is left because it is drained."""
    plan = make_plan(cluster_of({"t": [[1], [1], [1], [2]]}, bare(3)), Request(drain=(1,)))
    assert set(reasons(plan).values()) == {
        "broker 1 is drained; broker 2 holds 1 below its share",
        "broker 1 is drained; broker 3 holds 2 below its share",
    }


def test_large_numbers_are_grouped() -> None:
    """ "holds 1,500 above its share" reads better than without the comma."""
    plan = make_plan(cluster_of({"t": [[1]] * 3000}, bare(2)))
    assert set(reasons(plan).values()) == {
        "broker 1 holds 1,500 above its share; broker 2 holds 1,500 below its share"
    }


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES)
def test_every_change_has_one_sentence(theme: str) -> None:
    """Whatever is asked: one line for each partition that changes, about its own brokers, and no other."""
    for seed in seeds(7):
        drawn = case(theme, seed)
        try:
            plan = make_plan(drawn.cluster(), drawn.request)
        except (UnusableInput, ImpossibleRequest):
            continue
        assert sorted(plan.why) == plan.changed.tolist()
        for row, why in plan.why.items():
            before, after = (
                set(plan.cluster.ids_of(lists[row]).tolist())
                for lists in (plan.cluster.replicas, plan.target)
            )
            named = {int(b) for b in re.findall(r"broker (\d+)", why)}
            assert "\n" not in why and named <= before | after, f"{theme} {seed}: {why}"


@pytest.mark.slow
def test_every_target_has_its_reason() -> None:
    """Where a replica or the lead comes to a broker, that is named, and not only who gives it up."""
    state = uneven(60)
    mixes = (("count:0:0", "leaders:0:0"), ("count:10:10", "leaders:5:5", "disk:5:5"))
    for request in (Request(), Request(leaders_only=True), Request(no_leaders_on=(3,)),
                    Request(drain=(4,)), Request(create=(("new", 5, 2),)),
                    *(Request(balance=mix) for mix in mixes)):  # fmt: skip
        plan = make_plan(state, request, Params(load_tree_work=0))  # nothing is to be proved
        assert plan.why
        for row, why in plan.why.items():
            before, after = (
                plan.cluster.ids_of(lists[row]).tolist() for lists in (plan.cluster.replicas, plan.target)
            )
            come = {b for b in after if b >= 0 and b not in before} | ({after[0]} - {before[0]})
            named = {int(b) for b in re.findall(r"broker (\d+)", why)}
            assert come & named or not come, f"{request}: {before} {after} {why}"


def uneven(n: int) -> Cluster:
    """Partitions of two replicas on six brokers, of which each holds less than the one before."""
    rng = random.Random(1)
    rows = []
    for _ in range(n):
        first = rng.choices(range(1, 7), (6, 5, 4, 3, 2, 1))[0]
        rows.append([first, rng.choice([b for b in range(1, 7) if b != first])])
    sizes = [rng.randint(1, 9) * 1e9 for _ in rows]
    return build_cluster("c", Brokers.of(range(1, 7)), ["t"] * n, range(n), rows, size_bytes=sizes)


@pytest.mark.parametrize(
    ("budget", "moves"),
    [(Request(max_moves=1), "without it the plan has 3 data moves, this one 1"),
     (Request(max_bytes=20_000_000), "without it the plan has 3 data moves, this one 2"),
     (Request(max_changes_per_partition=0), "without it the plan has 3 data moves, this one 0")],
)  # fmt: skip
@pytest.mark.slow
def test_a_budget_that_binds_is_said(budget: Request, moves: str) -> None:
    """With what the plan would move without it."""
    cluster = build_cluster("why", Brokers.of([1, 2]), ["t"] * 6, range(6), [[1]] * 6, size_bytes=[10e6] * 6)
    assert make_plan(cluster, budget).warnings == (f"the budget binds: {moves}",)


@pytest.mark.parametrize("budget", [Request(max_moves=3), Request(max_changes_per_partition=1)])
def test_a_budget_that_is_enough_is_not(budget: Request) -> None:
    """Nothing was given up for it."""
    assert make_plan(cluster_of({"t": [[1]] * 6}, bare(2)), budget).warnings == ()


def test_who_is_down_is_named_as_that() -> None:
    """Nobody gave --no-leaders-on: the lead leaves a broker that is not alive."""
    brokers = Brokers.of(range(1, 4), down={1: "fenced"})
    state = build_cluster("why", brokers, ["t", "t"], [0, 1], [[1, 2], [2, 3]])
    (why,) = reasons(make_plan(state, Request(goals=("moves", "elections")))).values()
    assert why.startswith("broker 1 is not alive")
    (why,) = reasons(make_plan(state, Request(leaders_only=True, goals=("elections",)))).values()
    assert why.startswith("broker 1 is not alive")


def test_reasons_are_counted_without_where_things_go() -> None:
    """Two brokers take over what one gives up, for one reason."""
    plan = make_plan(cluster_of({"t": [[1], [1], [1], [2]]}, bare(3)), Request(drain=(1,)))
    assert counted(plan) == [{"why": "broker 1 is drained", "count": 3}]
