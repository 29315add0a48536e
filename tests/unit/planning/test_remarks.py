"""Options that undo each other are refused, or what becomes of them is said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.planning import make_plan
from equipoise.planning.request.laying import build_problem
from equipoise.planning.request.options import request_of
from equipoise.planning.rules.rack_rule import NO_RACKS
from equipoise.scheduling import schedule


@pytest.fixture
def orders() -> Cluster:
    """Two partitions on brokers 1 to 3; broker 4 stands empty."""
    return build_cluster("orders", Brokers.of([1, 2, 3, 4]), ["t", "t"], [0, 1], [[1, 2], [2, 3]])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"add": "1"}, "--add: broker 1 is in the cluster already, with replicas: nothing is added"),
        ({"add": "1,2"}, "--add: brokers 1, 2 are in the cluster already, with replicas: nothing is added"),
        ({"brokers": "1-4", "drain": "3"}, "--brokers and --drain both name 3: drained"),
        ({"leaders-only": True, "add": "7"}, "--leaders-only moves no data: what --add names gets nothing"),
        ({"required-only": True, "tolerance": "7"},
         "--required-only levels nothing: no use is made of --tolerance"),
        ({"goals": "moves", "tolerance": "7"}, "--goals has no replicas: no use is made of --tolerance"),
        ({"exclude-topics": "t"},
         "no topic may change: --exclude-topics has every one that --topics chooses"),
        ({"exclude-topics": "u"},
         "--exclude-topics leaves out none: no topic matches 'u' with its whole name"),
        ({"balance": "leaders:5", "tolerance": "7"},
         "nothing is levelled without a tolerance of its own: no use is made of --tolerance"),
        ({"leaders-only": True, "tolerance": "7"},
         "nothing is levelled without a tolerance of its own: no use is made of --tolerance"),
        ({"leaders-only": True, "balance": "disk,leaders"},
         "--leaders-only levels what leaders bear: no use is made of disk in --balance"),
        ({"brokers": "1-4", "replace": "3=4"}, "--brokers and --replace both name 3: replaced"),
        ({"racks": "1:a,2:b,3:c,4:a,44:b"},
         "--racks names 44, of which no source tells: --add adds brokers"),
        ({"required-only": True, "goals": "replicas"},
         "--goals says what is levelled: no use is made of --required-only"),
        ({"required-only": True, "add": "7"},
         "--required-only levels nothing: what --add names gets only what rules force"),
        ({"leaders-only": True, "goals": "racks,leaders,moves"},
         "--leaders-only moves no data: no use is made of racks and moves in --goals"),
        ({"create": "u:1:1", "exclude-topics": "u|t"},
         "--exclude-topics has topics of --create: what is new of them is placed"),
        ({"strategy": "wix", "required-only": True},
         "--strategy wix says what changes: no use is made of --required-only"),
        ({"brokers": "1-2", "add": "3"},
         "--add: broker 3 is in the cluster already, and not emptied, though not in --brokers"),
        ({"brokers": "1-2", "add": "1"},
         "--add: broker 1 is in the cluster already, with replicas: nothing is added"),
        ({"brokers": "1-2", "cordon": "3"},
         "--cordon: broker 3 is not in --brokers, and to be emptied anyway"),
        ({"drain": "3", "cordon": "3"}, "--cordon: broker 3 is to be emptied anyway: no use is made of that"),
        ({"drain": "3", "no-leaders-on": "3"},
         "--no-leaders-on: broker 3 is to be emptied anyway: no use is made of that"),
        ({"leaders-only": True, "max-moves": "3", "cordon": "4"},
         "--leaders-only moves no data: no use is made of --cordon and --max-moves"),
        ({"goals": "replicas", "balance": "leaders"},
         "--balance says what replicas in --goals levels: leaders, and no counts"),
        ({"strategy": "greedy", "goals": "moves", "effort": "quick"},
         "--strategy greedy plans by itself: no use is made of --goals and --effort for that"),
        ({"consumption": "3"},
         "--consumption tells nothing: no inbound rate is known"),
    ],
)  # fmt: skip
def test_what_becomes_of_an_option_is_said(orders: Cluster, options: dict[str, Any], said: str):
    assert said in build_problem(orders, request_of(options)).warnings


def test_fewer_replicas_than_must_be_in_sync_are_said(orders: Cluster):
    """Such a partition takes no writes, so no wave has it: whoever plans is told, and what to do first."""
    strict = replace(orders, min_isr=np.array([2, 1], dtype=np.int32))
    said = (
        "--replication-factor leaves 1 partition fewer replicas than min.insync.replicas (t-0: 1 of 2): no "
        "write with acks=all would succeed, and no wave has it. Lower min.insync.replicas first"
    )
    request = request_of({"replication-factor": "1"})
    assert said in build_problem(strict, request).warnings
    assert schedule(make_plan(strict, request)).waves == ((1,),)
    assert not any("in sync" in line or "insync" in line for line in build_problem(orders, request).warnings)


@pytest.mark.parametrize(
    "options",
    [{"add": "4"}, {"add": "7"}, {"drain": "3"}, {"tolerance": "7"}, {}],
)
def test_nothing_is_said_of_what_is_done(orders: Cluster, options: dict[str, Any]):
    """Broker 4 is known and empty; broker 3 would go but for --add."""
    assert build_problem(orders, request_of(options)).warnings == (NO_RACKS,)


def test_leaders_are_levelled_whatever_the_goals(orders: Cluster):
    """Where leaders alone change, a goal of replicas is none that is missing."""
    options = {"leaders-only": True, "goals": "leaders", "balance": "leaders", "tolerance": "7"}
    assert build_problem(orders, request_of(options)).warnings == ()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"drain": "3", "replace": "3=7"}, "--drain: broker 3 is to be drained and replaced. "
         "--replace alone empties it; take 3 out of --drain"),
        ({"add": "7", "cordon": "7"},
         "--add: broker 7 is to be added and to receive nothing. Take 7 out of --cordon"),
        ({"add": "7:a", "racks": {"7": "b"}},
         "--racks: broker 7 is in rack 'b', but --add says 'a'. Name its rack once"),
        ({"brokers": "1-4:a", "add": "4:b"},
         "--add: broker 4 is in rack 'b', but --brokers says 'a'. Name its rack once"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused(orders: Cluster, options: dict[str, Any], said: str):
    with pytest.raises(UnusableInput) as refusal:
        build_problem(orders, request_of(options))
    assert str(refusal.value) == said


def test_nothing_to_plan_is_said_of_the_files():
    """Not of --brokers, which nobody gave."""
    empty = build_cluster("empty", Brokers.of([]), [], [], [], files=("empty.json",))
    with pytest.raises(UnusableInput, match=r"^empty\.json: no broker and no partition is told"):
        build_problem(empty, request_of({}))


@pytest.mark.parametrize("options", [{"replication-factor": "99999"}, {"create": "new:3:99999"}])
@pytest.mark.parametrize("racks", ["", "1:a,2:b,3:c,4:a"])
def test_more_replicas_than_brokers_by_far(orders: Cluster, options: dict[str, Any], racks: str):
    """Refused at once, with the most that can be had."""
    with pytest.raises(
        ImpossibleRequest, match=r"99,999 brokers; 4 can hold it: lower the replication factor to 4$"
    ):
        make_plan(orders, request_of(options | ({"racks": racks} if racks else {})))


def test_ways_out_add_brokers_that_kafka_can_number():
    """Next to the last number there is: a new broker gets another one."""
    last = 2**31 - 1
    cluster = build_cluster("ids", Brokers.of([40, last], {40: "a", last: "c"}), ["a"], [0], [[last]])
    with pytest.raises(ImpossibleRequest, match="add a broker"):
        make_plan(cluster, request_of({"replication-factor": "3"}))


@pytest.mark.parametrize(
    "option", ["drain", "max-moves", "brokers", "replace", "create", "replication-factor"]
)
@pytest.mark.parametrize("digits", ["9" * 5000, "٣"])
def test_numbers_of_any_length_and_alphabet(option: str, digits: str):
    written = {"replace": f"{digits}=3", "create": f"new:{digits}:3"}.get(option, digits)
    with pytest.raises(UnusableInput, match=rf"^--{option}: ") as refusal:
        request_of({option: written})
    assert len(str(refusal.value)) < 250
