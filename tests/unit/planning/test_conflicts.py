"""Requests that nothing satisfies: what conflicts, and ways out that are ways out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from tests.scenarios.strategies import case
from tests.seeds import seeds
from tests.unit.planning.ways import relaxed, without_rules

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.planning import Request, make_plan

Racks = Mapping[int, str | None]
THREE_RACKS: Racks = {1: "a", 2: "a", 3: "b", 5: "b", 4: "c", 7: "c"}
NO_RACKS: Racks = dict.fromkeys(range(1, 5))


def cluster_of(racks: Racks, *lists: Sequence[int], megabytes: float = 10) -> Cluster:
    """Topic t with a partition for each list."""
    n = len(lists)
    sizes = [megabytes * 1e6] * n
    return build_cluster("c", Brokers.of(list(racks), racks), ["t"] * n, range(n), lists, size_bytes=sizes)


def down(cluster: Cluster, *ids: int) -> Cluster:
    """The cluster with some brokers that are not alive."""
    why = tuple("fenced" if broker in ids else None for broker in cluster.brokers.ids.tolist())
    return replace(cluster, brokers=replace(cluster.brokers, down=why))


def refusal(cluster: Cluster, request: Request) -> ImpossibleRequest | None:
    """Why a request is impossible; None where it is not."""
    try:
        make_plan(cluster, request)
    except ImpossibleRequest as error:
        return error
    return None


# cluster, request, what is said, rules that conflict
CONFLICTS: dict[str, tuple[Cluster, Request, str, tuple[str, ...]]] = {
    "too few racks": (
        cluster_of(THREE_RACKS, [1, 3, 4]),
        Request(rack_rule="strict", drain=(4, 7)),
        "3 racks are needed for RF 3 with one replica per rack (partition t-0); 2 are left (a, b): "
        "allow 2 per rack (--rack-rule spread) or keep one of brokers 4, 7 "
        "or lower the replication factor to 2 or add a broker in rack c or in a rack of its own (--add)",
        ("rack-rule", "drain"),
    ),
    "too few brokers": (
        cluster_of(NO_RACKS, [1, 2, 3]),
        Request(drain=(3, 4)),
        "replication factor 3 of partition t-0 needs 3 brokers; 2 can hold it: keep one of brokers 3, 4 "
        "or lower the replication factor to 2 or add a broker (--add)",
        ("drain",),
    ),
    "too few brokers by two": (
        cluster_of(NO_RACKS, [1, 2, 3, 4]),
        Request(brokers=((1, None), (2, None))),
        "replication factor 4 of partition t-0 needs 4 brokers; 2 can hold it: keep brokers 3, 4 "
        "or lower the replication factor to 2 or add 2 brokers (--add)",
        ("brokers",),
    ),
    "too few that receive": (
        cluster_of(NO_RACKS, [1, 2]),
        Request(drain=(2,), cordon=(3, 4)),
        "replication factor 2 of partition t-0 needs 2 brokers; 1 can hold it: keep broker 2 "
        "or take one of brokers 3, 4 out of --cordon "
        "or lower the replication factor to 1 or add a broker (--add)",
        ("drain", "cordon"),
    ),
    "too high a factor": (
        cluster_of(NO_RACKS, [1, 2]),
        Request(replication_factor=6),
        "replication factor 6 of partition t-0 needs 6 brokers; 4 can hold it: "
        "lower the replication factor to 4 or add 2 brokers (--add)",
        ("replication-factor",),
    ),
    "too much to create": (
        cluster_of(NO_RACKS, [1, 2]),
        Request(create=(("new", 2, 5),)),
        "replication factor 5 of partition new-0 needs 5 brokers; 4 can hold it: "
        "lower the replication factor to 4 or add a broker (--add)",
        ("create",),
    ),
    "more of a topic": (
        cluster_of(NO_RACKS, [1, 2]),
        Request(create=(("t", 2, 4),), drain=(1,)),
        "replication factor 4 of partition t-1 needs 4 brokers; 3 can hold it: keep broker 1 "
        "or lower the replication factor to 3 or add a broker (--add)",
        ("create", "drain"),
    ),
    "too few that are alive": (
        down(cluster_of(NO_RACKS, [1, 2], [2, 3]), 3, 4),
        Request(replication_factor=3),
        "replication factor 3 of partition t-0 needs 3 brokers; 2 can hold it, "
        "as brokers 3, 4 are not alive: count one of brokers 3, 4 as alive (--assume-alive) "
        "or lower the replication factor to 2 or add a broker (--add)",
        ("replication-factor",),
    ),
    "nobody leads": (
        cluster_of(NO_RACKS, [1, 2]),
        Request(drain=(1, 2), no_leaders_on=(3, 4)),
        "no broker is left that may lead a partition: keep one of brokers 1, 2 "
        "or take one of brokers 3, 4 out of --no-leaders-on or add a broker (--add)",
        ("drain", "no-leaders-on"),
    ),
    "no leader can be reached": (
        cluster_of(NO_RACKS, [1, 2]),
        Request(no_leaders_on=(1, 2), cordon=(3, 4)),
        "no broker that may lead can take a replica of partition t-0: "
        "take one of brokers 3, 4 out of --cordon or take one of brokers 1, 2 out of --no-leaders-on "
        "or add a broker (--add)",
        ("cordon", "no-leaders-on"),
    ),
    "the successor may not lead": (
        cluster_of(NO_RACKS, [1]),
        Request(replace=((1, 4),), no_leaders_on=(4,)),
        "broker 4 takes over partition t-0, which has one replica, and may not lead: "
        "take broker 4 out of --no-leaders-on",
        ("replace", "no-leaders-on"),
    ),
    "the successor may not lead what it held": (
        cluster_of(NO_RACKS, [4], [1, 2]),
        Request(replace=((1, 4),), no_leaders_on=(4,)),
        "broker 4 keeps partition t-0, which has one replica, and may not lead: "
        "keep broker 1 or take broker 4 out of --no-leaders-on",
        ("replace", "no-leaders-on"),
    ),
    "leaders alone": (
        cluster_of(NO_RACKS, [1, 2]),
        Request(leaders_only=True, no_leaders_on=(1, 2)),
        "partition t-0 stands only on brokers that may not lead, and --leaders-only moves nothing: "
        "leave out --leaders-only or take one of brokers 1, 2 out of --no-leaders-on",
        ("leaders-only", "no-leaders-on"),
    ),
    "stuck in a rack": (
        cluster_of({1: "a", 2: "b", 3: "b"}, [1, 2]),
        Request(stay_in_rack=True, drain=(1,)),
        "partition t-0 has 1 replica in rack a, which can keep 0 under --stay-in-rack: "
        "leave out --stay-in-rack or keep broker 1 "
        "or lower the replication factor to 1 or add a broker in rack a (--add)",
        ("stay-in-rack", "drain"),
    ),
    "too many changes": (
        cluster_of(NO_RACKS, [1, 2]),
        Request(max_changes_per_partition=1, drain=(1, 2)),
        "partition t-0 has to change 2 replicas; --max-changes-per-partition allows 1: "
        "allow 2 (--max-changes-per-partition) or keep one of brokers 1, 2 "
        "or lower the replication factor to 1",
        ("max-changes-per-partition", "drain"),
    ),
    "rules together": (
        cluster_of({1: "a", 2: "b", 3: "c"}, [1, 2]),
        Request(stay_in_rack=True, no_leaders_on=(1, 2)),
        "no place for partition t-0 satisfies --stay-in-rack and --no-leaders-on together: "
        "leave out --stay-in-rack or take one of brokers 1, 2 out of --no-leaders-on "
        "or add a broker in rack a or b (--add)",
        ("stay-in-rack", "no-leaders-on"),
    ),
    "a change too many for the leader": (
        cluster_of(NO_RACKS, [1, 2]),
        Request(max_changes_per_partition=0, no_leaders_on=(1, 2)),
        "no place for partition t-0 satisfies --no-leaders-on and --max-changes-per-partition together: "
        "allow 1 (--max-changes-per-partition) or take one of brokers 1, 2 out of --no-leaders-on",
        ("no-leaders-on", "max-changes-per-partition"),
    ),
    "too few moves": (
        cluster_of(NO_RACKS, [1, 2], [2, 1]),
        Request(max_moves=1, drain=(1,)),
        "the rules need 2 data moves; --max-moves allows 1: allow 2 (--max-moves)",
        ("max-moves", "drain"),
    ),
    "too few bytes": (
        cluster_of(NO_RACKS, [1, 2], [2, 1]),
        Request(max_bytes=10_000_000, drain=(1,)),
        "the moves that the rules need carry 20,000,000 bytes; --max-bytes allows 10,000,000: "
        "allow 20,000,000 (--max-bytes)",
        ("max-bytes", "drain"),
    ),
}
ALL = pytest.mark.parametrize("name", CONFLICTS)


@ALL
@pytest.mark.slow
def test_what_is_said(name: str) -> None:
    """The rules that conflict, and the nearest ways out."""
    cluster, request, said, _ = CONFLICTS[name]
    assert str(refusal(cluster, request)) == said


@ALL
@pytest.mark.slow
def test_every_rule_named_is_needed(name: str) -> None:
    """Without any one of them the request can be had."""
    cluster, request, _, rules = CONFLICTS[name]
    for rule in rules:
        assert refusal(cluster, without_rules(request, [rule])) is None, rule


@ALL
@pytest.mark.slow
def test_every_way_out_is_one(name: str) -> None:
    """Asking for what is named instead gives a plan, whichever of several brokers or racks is taken."""
    cluster, request, _, _ = CONFLICTS[name]
    for way in refusal(cluster, request).relaxations:
        for instead in relaxed(cluster, request, way):
            assert refusal(cluster, instead) is None, way


def test_two_conflicts_at_once_are_left_together() -> None:
    """Everything that can take a replica is cordoned, and none may change: no single way out helps."""
    cluster = cluster_of({1: "a", 2: "a", 3: "b", 4: "b"}, [1, 3])
    request = Request(stay_in_rack=True, drain=(1, 3), cordon=(2, 4), max_changes_per_partition=0)
    found = refusal(cluster, request)
    assert found is not None and found.relaxations
    assert all(
        refusal(cluster, r) is None for way in found.relaxations for r in relaxed(cluster, request, way)
    )


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["one", "several", "rules", "budget", "leaders"])
def test_ways_out_of_random_requests(theme: str) -> None:
    """Each way out frees the partition that was named: a plan, or a conflict of another partition."""
    for seed in seeds(20):
        drawn = case(theme, seed)
        request = replace(drawn.request, goals=("moves",))
        try:
            found = refusal(drawn.cluster(), request)
        except UnusableInput:
            continue
        for way in found.relaxations if found else ():
            for instead in relaxed(drawn.cluster(), request, way):
                still = refusal(drawn.cluster(), instead)
                assert still is None or partition(still) != partition(found), f"{theme} {seed}: {way}"
        assert found is None or found.relaxations, f"{theme} {seed}"


def partition(of: ImpossibleRequest) -> str:
    """The partition that a refusal names."""
    named = re.search(r"partition (\S+-\d+)\b", str(of))
    return named[1] if named else ""
