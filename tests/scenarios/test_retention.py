"""Sizes and retention alone ("Constraint Based Kafka Partition Balancing"): what comes in follows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.scenarios.checks import check_judged
from typer.testing import CliRunner

from equipoise.cli.main import app
from equipoise.cluster import Cluster, Plan
from equipoise.errors import UnusableInput
from equipoise.files.sources import merge, parse_file
from equipoise.planning import Request, make_plan
from equipoise.planning.loads.weights import loads_of
from equipoise.planning.request.laying import build_problem

GIB = 2**30
HOUR_MS = 3_600_000
SIZES = {"clicks": 36, "orders": 864, "users": 36}
"""GiB of a replica."""


def check(plan: Plan, request: Request) -> None:
    """Rules and certificate hold as the judge sees them, and nothing is left to do on a second run."""
    check_judged(plan)
    assert make_plan(replace(plan.cluster, replicas=plan.target), request).is_empty


def describe(configs: dict[str, str], partitions: dict[str, list[int]]) -> str:
    """``kafka-topics --describe`` of topics with one replica; each partition's broker."""
    lines = []
    for topic, on in partitions.items():
        head = f"PartitionCount: {len(on)}\tReplicationFactor: 1\tConfigs: {configs[topic]}"
        lines.append(f"Topic: {topic}\t{head}\n")
        for p, b in enumerate(on):
            lines.append(f"\tTopic: {topic}\tPartition: {p}\tLeader: {b}\tReplicas: {b}\tIsr: {b}\n")
    return "".join(lines)


def told(configs: dict[str, str], partitions: dict[str, list[int]], size: dict[str, int]) -> dict[str, str]:
    """What two of Kafka's own commands print of the cluster."""
    held: dict[int, list[dict[str, object]]] = {1: [], 2: [], 3: []}
    for topic, on in partitions.items():
        for p, broker in enumerate(on):
            held[broker].append({"partition": f"{topic}-{p}", "size": size[topic] * GIB})
    dirs = [{"broker": b, "logDirs": [{"logDir": "/d", "partitions": each}]} for b, each in held.items()]
    return {"describe": describe(configs, partitions), "dirs": json.dumps({"version": 1, "brokers": dirs})}


def cluster(configs: dict[str, str], partitions: dict[str, list[int]], size: dict[str, int]) -> Cluster:
    """The cluster that they tell of."""
    texts = told(configs, partitions, size)
    return merge([parse_file(text.encode(), name) for name, text in texts.items()], "seed")


CONFIGS = {
    "clicks": f"cleanup.policy=delete,retention.ms={HOUR_MS}",
    "orders": f"cleanup.policy=delete,retention.ms={24 * HOUR_MS}",
}
EVERYWHERE = {"clicks": [1, 1, 1], "orders": [1, 2, 3]}


def test_disks_and_networks_are_level_from_retention_alone() -> None:
    """36 GiB kept an hour and 864 GiB kept a day both take in 10.24 MiB a second (36 GiB / 3,600 s).

    Broker 1 has three replicas of clicks beside one of orders: its disk is 8 % above its share, and it takes
    in four times what the others do. One replica each to brokers 2 and 3 levels both: 72 GiB are copied, and
    nothing of orders, which would be 24 times as dear for the same traffic.
    """
    found = cluster(CONFIGS, EVERYWHERE, SIZES)
    request = Request(balance=("disk", "network-in"), tolerance=(1.0, 1.0))
    disk, inward = loads_of(build_problem(found, request))
    assert set(inward.weight.tolist()) == {10_737_419}  # 36 GiB / 3,600 s, rounded up
    assert disk.held(found.replicas).tolist() == [972 * GIB, 864 * GIB, 864 * GIB]
    assert (inward.held(found.replicas) / 2**20).round(2).tolist() == [40.96, 10.24, 10.24]
    plan = make_plan(found, request)
    assert disk.held(plan.target).tolist() == [900 * GIB] * 3
    assert (inward.held(plan.target) / 2**20).round(2).tolist() == [20.48] * 3
    values = {level.goal: (level.value, level.lower_bound) for level in plan.certificate}
    assert values["disk"] == values["network-in"] == (0, 0)
    assert values["bytes"] == (72 * GIB, 72 * GIB) and values["moves"] == (2, 2)
    assert plan.warnings[-1] == (
        "derived, not measured: the inbound rates of 6 partitions are size / retention"
    )
    check(plan, request)


def test_the_command_needs_no_more_than_what_two_others_print(tmp_path: Path) -> None:
    """The same by `plan --balance disk,network-in`: 72 GiB in two moves, and where its rates come from."""
    for name, text in told(CONFIGS, EVERYWHERE, SIZES).items():
        (tmp_path / name).write_text(text)
    options = ["--balance", "disk,network-in", "--tolerance", "1", "--json"]
    done = CliRunner().invoke(app(), ["plan", str(tmp_path / "describe"), str(tmp_path / "dirs"), *options])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    values = {level["goal"]: (level["value"], level["lower_bound"]) for level in found["certificate"]}
    assert values["disk"] == values["network-in"] == (0, 0)
    assert values["bytes"] == (72 * GIB, 72 * GIB) and values["moves"] == (2, 2)
    assert found["loads"]["network-in"] == [{"source": "size / retention of 2 topics", "partitions": 6}]


@pytest.mark.parametrize(
    ("users", "why"),
    [
        ("cleanup.policy=compact,retention.ms=3600000", "users: compacted, or kept for ever"),
        ("cleanup.policy=[compact,delete],retention.ms=3600000", "users: compacted, or kept for ever"),
        ("retention.ms=-1", "users: compacted, or kept for ever"),
        (f"retention.ms=3600000,retention.bytes={30 * GIB}",
         "users: as large as retention.bytes lets them be"),
    ],
)  # fmt: skip
def test_what_age_does_not_delete_has_no_rate(users: str, why: str) -> None:
    """Compacted, endless or limited by bytes: size says nothing of the rate. It is asked for, and `all` does
    without it and says why.
    """
    found = cluster(CONFIGS | {"users": users}, EVERYWHERE | {"users": [1, 2, 3]}, SIZES)
    with pytest.raises(UnusableInput, match=r"rates of 3 partitions are not known \(users-0 is the first\)"):
        make_plan(found, Request(balance=("disk", "network-in")))
    problem = build_problem(found, Request(balance=("all",)))
    assert problem.request.mix == ("count", "leaders", "disk")
    assert any(why in warning for warning in problem.warnings)


def test_a_limit_of_bytes_that_is_not_reached_is_none() -> None:
    """Kafka deletes by bytes only what leaves at least that many: below them age is what deletes."""
    limited = CONFIGS | {"clicks": f"retention.ms={HOUR_MS},retention.bytes={40 * GIB}"}
    found = cluster(limited, EVERYWHERE, SIZES)
    inward = loads_of(build_problem(found, Request(balance=("network-in",))))[0]
    assert set(inward.weight.tolist()) == {10_737_419}


def test_what_consumers_read_as_a_multiple_of_what_comes_in() -> None:
    """Each record is read three times: a leader of one replica sends three times what it takes in."""
    found = cluster(CONFIGS, EVERYWHERE, SIZES)
    with pytest.raises(UnusableInput, match="--consumption says how often a record is read"):
        make_plan(found, Request(balance=("network-out",)))
    request = Request(balance=("network-out",), consumption=3.0)
    sent = loads_of(build_problem(found, request))[0]
    np.testing.assert_allclose(sent.weight, 3 * 36 * GIB / 3600, atol=1)
    plan = make_plan(found, request)
    assert (sent.held(plan.target) / 2**20).round(2).tolist() == [61.44] * 3
    check(plan, request)
