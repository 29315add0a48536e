"""From the text of an option to the arrays that planners see, and the contradictions told in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.errors import UnusableInput
from equipoise.planning import DEFAULT_GOALS, Problem, Request, build_problem
from equipoise.planning.goals import REQUIRED_GOALS
from equipoise.planning.request.options import request_of

RACKS: Mapping[int, str | None] = {1: "a", 2: "a", 3: "b", 4: "b", 7: "c"}
TOPICS = {"bills": [[1, 3], [3, 1]], "orders": [[2, 4, 7], [4, 7, 1]]}


def cluster_of(
    topics: Mapping[str, Sequence[Sequence[int]]] = TOPICS,
    racks: Mapping[int, str | None] = RACKS,
    first: int = 0,
) -> Cluster:
    """Topics with a replica list for each partition, numbered from ``first``."""
    rows = [(topic, p, held) for topic, lists in topics.items() for p, held in enumerate(lists, first)]
    return build_cluster("c", Brokers.of(list(racks), racks), *zip(*rows, strict=True))


def problem_of(cluster: Cluster | None = None, **options: Any) -> Problem:
    """The problem of options as they are written on the command line."""
    given = {name.replace("_", "-"): value for name, value in options.items()}
    return build_problem(cluster or cluster_of(), request_of(given))


def named(problem: Problem, mask: np.ndarray) -> list[int]:
    """Broker ids of a mask."""
    return problem.cluster.brokers.ids[mask].tolist()


def test_nothing_asked() -> None:
    """All brokers may hold, receive and lead, all partitions change, and goals have their default order."""
    problem = problem_of()
    for mask in (problem.eligible, problem.receives, problem.leads):
        assert named(problem, mask) == [1, 2, 3, 4, 7]
    assert problem.movable.all() and not problem.pinned.any()
    assert problem.goals == tuple(goal for goal in DEFAULT_GOALS if goal != "bytes"), "no size is known"
    assert problem.rf.tolist() == [2, 2, 3, 3] and problem.limit.tolist() == [1, 1, 1, 1]
    assert np.array_equal(problem.current, problem.cluster.replicas)
    assert problem.warnings == ()


def test_brokers_that_are_not_named_are_drained() -> None:
    """`--brokers` is the whole list; what it names for the first time joins with its rack."""
    problem = problem_of(brokers="1-3,9:c")
    assert named(problem, problem.eligible) == [1, 2, 3, 9]
    assert problem.cluster.brokers.ids.tolist() == [1, 2, 3, 4, 7, 9]
    assert problem.cluster.brokers.racks[-1] == "c"
    assert problem.cluster.ids_of(problem.current[0])[:2].tolist() == [1, 3]


def test_added_brokers_join_the_others() -> None:
    """`--add` leaves those that are there."""
    problem = problem_of(add="9:c,8:a")
    assert named(problem, problem.eligible) == [1, 2, 3, 4, 7, 8, 9]


def test_drained_brokers_hold_nothing() -> None:
    """They neither hold, receive nor lead."""
    problem = problem_of(drain="1,7")
    for mask in (problem.eligible, problem.receives, problem.leads):
        assert named(problem, mask) == [2, 3, 4]


def test_a_successor_takes_the_places_of_the_old_broker() -> None:
    """In place, pinned, in the rack of the old one; nothing else is asked then."""
    problem = problem_of(replace="1=9")
    assert problem.cluster.ids_of(problem.current).tolist() == [[9, 3, -1], [3, 9, -1], [2, 4, 7], [4, 7, 9]]
    assert np.array_equal(problem.pinned, problem.cluster.ids_of(problem.current) == 9)
    assert problem.cluster.brokers.racks[-1] == "a"
    assert named(problem, problem.eligible) == [2, 3, 4, 7, 9]
    assert problem.goals == REQUIRED_GOALS


def test_a_successor_that_is_there_already_takes_nothing_over_twice() -> None:
    """Where it holds a replica of the partition, the old one's has to go elsewhere."""
    problem = problem_of(replace="1=3")
    assert problem.cluster.ids_of(problem.current).tolist()[0] == [1, 3, -1]


def test_a_successor_gives_nothing_away() -> None:
    """Neither what it takes over nor what it held: once it is done they look alike. Chosen topics only."""
    problem = problem_of(replace="1=3")
    assert np.array_equal(problem.pinned, problem.cluster.ids_of(problem.current) == 3)
    bills = problem_of(replace="1=3", topics="bills")
    assert bills.pinned.any(axis=1).tolist() == [True, True, False, False]


def test_replacing_among_other_changes_levels_as_ever() -> None:
    """With brokers added too, the default goals hold."""
    assert problem_of(replace="1=9", add="8:a").goals == problem_of().goals


def test_racks_where_the_sources_have_none() -> None:
    """`--racks` fills in and overrides; without any, what that may cost is the first thing to know."""
    bare = cluster_of(racks=dict.fromkeys(RACKS))
    assert problem_of(bare, drain="7").warnings[0] == (
        "no racks are known: two replicas of a partition may land in one zone; give racks with --racks"
    )
    assert not problem_of(bare, leaders_only=True).warnings  # nothing lands anywhere
    assert problem_of(bare, rack_rule="strict", stay_in_rack=True).warnings[1:] == (
        "--rack-rule strict keeps nothing apart: no racks are known",
        "--stay-in-rack keeps nothing in its place: no racks are known",
    )
    problem = problem_of(bare, racks="1:x,2:x,3:y,4:y,7:z")
    assert problem.cluster.brokers.racks == ("x", "x", "y", "y", "z")
    assert not problem.warnings
    assert problem_of(racks={7: "b"}).cluster.brokers.racks[-1] == "b"


def test_a_broker_whose_rack_alone_is_not_known() -> None:
    """It is refused by name where it may hold replicas: nobody can say which rule those would keep."""
    some = cluster_of(racks={**RACKS, 4: None, 7: None})
    with pytest.raises(UnusableInput) as refusal:
        problem_of(some)
    assert refusal.value.problem == "brokers 4, 7 have no rack, while others have one"
    assert refusal.value.advice == "Name their racks (--racks 4:RACK), or empty them (--drain 4,7)"
    assert problem_of(some, racks="4:b,7:c").cluster.brokers.racks[3:] == ("b", "c")
    assert not problem_of(some, drain="4,7").warnings


def test_an_empty_cordoned_broker_is_no_rack() -> None:
    """It may be there without a rack, since nothing comes to it; what racks may hold does not count it."""
    racks = {1: "a", 2: "b", 3: "a", 9: None}
    cluster = cluster_of({"t": [[1, 2, 3], [2, 3, 1]]}, racks)
    assert problem_of(cluster, cordon="9").limit.tolist() == [2, 2]  # of three replicas in two racks
    with pytest.raises(UnusableInput, match="broker 9 has no rack"):
        problem_of(cluster)
    racks |= {3: None, 9: "c"}
    with pytest.raises(UnusableInput, match="broker 3 has no rack"):  # it keeps what it holds
        problem_of(cluster_of({"t": [[1, 2, 3], [2, 3, 1]]}, racks), cordon="3")


def test_the_replication_factor_is_of_the_chosen_topics() -> None:
    """Others keep theirs."""
    assert problem_of(replication_factor="1", topics="bills").rf.tolist() == [1, 1, 3, 3]


@pytest.mark.parametrize(
    ("options", "movable"),
    [
        ({"topics": "bill.*"}, [True, True, False, False]),
        ({"topics": "bill"}, None),
        ({"exclude_topics": "orders"}, [True, True, False, False]),
        ({"exclude_topics": "order"}, [True, True, True, True]),
        ({"topics": ".*s", "exclude_topics": "b.*"}, [False, False, True, True]),
    ],
)
def test_topics_match_by_their_whole_name(options: dict[str, str], movable: list[bool] | None) -> None:
    """What may not change is still there as load; a pattern that matches nothing is a mistake."""
    if movable is None:
        with pytest.raises(
            UnusableInput, match=r"--topics: no topic matches 'bill'. It has to match the whole"
        ):
            problem_of(**options)
        return
    problem = problem_of(**options)
    assert problem.movable.tolist() == movable
    assert problem.cluster.n_partitions == 4


def test_what_stays_on_drained_brokers_is_said() -> None:
    """A topic that may not change keeps its replicas where they are."""
    assert problem_of(exclude_topics="bills", drain="1").warnings == (
        "2 replicas of topics that may not change stay on brokers to be emptied (1)",
    )
    assert problem_of(cluster_of({"bills": [[1]], "orders": [[2]]}), topics="orders", drain="1").warnings == (
        "1 replica of topics that may not change stays on brokers to be emptied (1)",
    )


def test_partitions_to_create_are_empty_lists() -> None:
    """New topics, and more partitions of one that is there with a factor of their own."""
    problem = problem_of(create="bills:3:1,cash:2:2")
    labels = [problem.cluster.label(row) for row in range(problem.cluster.n_partitions)]
    assert labels == ["bills-0", "bills-1", "bills-2", "cash-0", "cash-1", "orders-0", "orders-1"]
    assert problem.rf.tolist() == [2, 2, 1, 2, 2, 3, 3]
    assert problem.cluster.rf.tolist() == [2, 2, 0, 0, 0, 3, 3]


def test_what_is_created_is_placed_whatever_topics_are_chosen() -> None:
    """It has no place to keep."""
    problem = problem_of(create="bills:3:1", exclude_topics="bills")
    assert problem.movable.tolist() == [False, False, True, True, True]


def test_cordoned_brokers_keep_and_lead_but_receive_nothing() -> None:
    """And those that may lead nothing still hold and receive."""
    problem = problem_of(cordon="1", no_leaders_on="7")
    assert named(problem, problem.eligible) == [1, 2, 3, 4, 7]
    assert named(problem, problem.receives) == [2, 3, 4, 7]
    assert named(problem, problem.leads) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("options", "limits"),
    [
        ({}, [1, 1, 1, 1]),
        ({"drain": "7"}, [1, 1, 2, 2]),
        ({"drain": "7", "rack_rule": "strict"}, [1, 1, 1, 1]),
        ({"replication_factor": "4"}, [2, 2, 2, 2]),
        ({"replication_factor": "5"}, [2, 2, 2, 2]),
        ({"brokers": "1-2,7"}, [1, 1, 2, 2]),
    ],
)
def test_the_rack_limit(options: dict[str, str], limits: list[int]) -> None:
    """The smallest that the racks with eligible brokers can keep; one where strict."""
    assert problem_of(**options).limit.tolist() == limits


@pytest.mark.parametrize(
    ("options", "goals"),
    [
        ({"goals": "leaders,racks"}, ("leaders", "racks", "moves", "elections")),
        ({"goals": "elections,moves"}, ("elections", "moves")),
        ({"required_only": True}, REQUIRED_GOALS),
        ({"leaders_only": True}, ("leaders", "elections", "topic-leaders")),
        ({"leaders_only": True, "goals": "moves,failover,racks"}, ("failover", "elections")),
    ],
)
def test_goals_end_with_their_costs(options: dict[str, Any], goals: tuple[str, ...]) -> None:
    """So that a second run changes nothing; where no data moves only leader goals count."""
    assert problem_of(**options).goals == goals


def test_budgets_stay_in_the_request() -> None:
    """They are of the plan, not of a partition."""
    request = problem_of(max_moves="3", max_changes_per_partition="1").request
    assert (request.max_moves, request.max_changes_per_partition) == (3, 1)


def test_leaders_only_leaves_what_stands_on_drained_brokers() -> None:
    """It is said, since draining asks for more."""
    problem = problem_of(leaders_only=True, drain="7")
    assert problem.warnings == ("--leaders-only moves no data: replicas on brokers to be emptied stay there",)


CONTRADICTIONS: list[tuple[dict[str, Any], str]] = [
    ({"drain": "99"}, "--drain: there is no broker 99. The cluster has brokers 1, 2, 3, 4, 7"),
    ({"replace": "99=1"}, "--replace: there is no broker 99. The cluster has brokers"),
    ({"cordon": "99"}, "--cordon: there is no broker 99."),
    ({"no_leaders_on": "99"}, "--no-leaders-on: there is no broker 99."),
    ({"add": "9"}, "--add: broker 9 is new and has no rack, but the cluster has racks. Write 9:RACK"),
    ({"brokers": "1-4,9"}, "--brokers: broker 9 is new and has no rack, but the cluster has racks."),
    ({"drain": "1-4,7"}, "--drain: no broker is left to hold replicas. Keep at least one broker"),
    (
        {"replace": "7=11", "drain": "11"},
        "--replace: broker 11 cannot replace another and be drained. Take 11",
    ),
    ({"replace": "7=4", "cordon": "4"}, "--replace: broker 4 is cordoned and cannot replace another. Take 4"),
    ({"add": "9:a", "drain": "9"}, "--add: broker 9 cannot be added and drained. Take 9 out of --drain"),
    ({"leaders_only": True, "replication_factor": "2"}, "--leaders-only: moves no data. Leave out"),
    ({"leaders_only": True, "create": "cash:1:1"}, "--leaders-only: moves no data."),
    ({"leaders_only": True, "replace": "1=2"}, "--leaders-only: moves no data."),
    (
        {"leaders_only": True, "required_only": True},
        "--leaders-only: cannot be combined with --required-only",
    ),
    ({"create": "cash:0:1"}, "--create: cash:0:1 has no partitions or no replicas. Write"),
    ({"create": "cash:1:0"}, "--create: cash:1:0 has no partitions or no replicas."),
    ({"create": "bills:2:1"}, "--create: topic bills already has 2 partitions. Give the number"),
    ({"max_bytes": "1GB"}, "--max-bytes: the sizes of 4 partitions are not known (bills-0 is the first)."),
    ({"topics": "("}, "--topics: '(' is not a regular expression"),
]


@pytest.mark.parametrize(("options", "line"), CONTRADICTIONS)
def test_what_contradicts_itself_or_the_cluster(options: dict[str, Any], line: str) -> None:
    """One line with the option, the broker or topic, and what to do."""
    with pytest.raises(UnusableInput) as refusal:
        problem_of(**options)
    assert str(refusal.value).startswith(line)
    assert "\n" not in str(refusal.value)


def test_a_topic_told_in_part_gets_no_more_partitions() -> None:
    """Sources with partitions 5 and 6 alone do not say how many there are."""
    part = cluster_of({"bills": [[1], [2]]}, first=5)
    with pytest.raises(
        UnusableInput, match="--create: the sources tell 2 partitions of topic bills, up to number 6"
    ):
        problem_of(part, create="bills:9:1")


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ({"weight": {1: 1e300}}, "weight"),
        ({"bytes_in_per_s": {0: 1.0, 1: 1e27, 2: 1.0}}, "network-in capacity"),
    ],
)
def test_brokers_that_are_too_far_apart_to_share_are_refused(more: dict[str, Any], what: str) -> None:
    """A slip of the pen in a file: both brokers are named."""
    cluster = build_cluster("c", Brokers.of([0, 1, 2], **more), ["t"], [0], [[0, 1]])
    far = rf"c, broker 1: its {what} is more than 1,000,000 times that of broker 0"
    with pytest.raises(UnusableInput, match=far):
        build_problem(cluster, Request())
