"""``equipoise show``: a cluster as it is, from its files to the terminal; what is not told is never 0."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from equipoise.cli.main import app

LISTS = [[1, 2, 4], [2, 3, 4], [3, 1, 2], [1, 4, 2], [2, 1, 3], [1, 3, 6]]
"""Brokers 1 and 4 share zone a, 2 and 5 zone b, 3 and 6 zone c; 5 is empty; 4 is in no Isr."""


def describe(lists: list[list[int]], dead: int) -> str:
    counts = f"PartitionCount: {len(lists)}\tReplicationFactor: 3"
    lines = [f"Topic: pay\t{counts}\tConfigs: min.insync.replicas=3"]
    for number, held in enumerate(lists):
        isr = [broker for broker in held if broker != dead]
        leader = 3 if number == 2 else isr[-1] if number == 4 else isr[0]
        told = f"Replicas: {','.join(map(str, held))}\tIsr: {','.join(map(str, isr))}"
        lines.append(f"\tTopic: pay\tPartition: {number}\tLeader: {leader}\t{told}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def zones(tmp_path: Path) -> Path:
    folder = tmp_path / "zones"
    folder.mkdir()
    (folder / "topics.txt").write_text(describe(LISTS, dead=4))
    racks = "".join(f"{broker},{'abc'[(broker - 1) % 3]}\n" for broker in range(1, 7))
    (folder / "racks.csv").write_text(f"id,rack\n{racks}")
    return folder


def shown(*words: object) -> Any:
    result = CliRunner().invoke(app(), ["show", *map(str, words)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_loads_and_who_has_most(zones: Path) -> None:
    """Least, equal share and most of what is known; what no source tells has no level."""
    data = json.loads(shown(zones, "--json"))
    loads = {load["load"]: load for load in data["loads"]}
    replicas = loads["replicas"]
    assert (replicas["least"], replicas["least_on"], replicas["share"]) == (0, 5, 3)
    assert (replicas["most"], replicas["most_on"], replicas["skew"]) == (5, 1, 1.667)
    assert (loads["leaders"]["most"], loads["leaders"]["most_on"]) == (3, 1)
    for unknown in ("disk", "network_in", "network_out"):
        assert loads[unknown]["most"] is None and loads[unknown]["unknown"] == 6
        assert all(broker[unknown] is None for broker in data["brokers"])
    assert [entry["what"] for entry in data["missing"]] == ["sizes", "rates", "capacities"]


def test_what_is_dead_unwell_or_broken(zones: Path) -> None:
    """The broker in no Isr, what it leaves under-replicated, and racks with two replicas of a partition."""
    data = json.loads(shown(zones, "--json"))
    assert [(one["broker"], one["replicas"]) for one in data["health"]["not_alive"]] == [(4, 3)]
    unwell = {"partitions": 3, "first": ["pay-0", "pay-1", "pay-3"]}
    assert data["health"]["under_replicated"] == data["health"]["under_min_isr"] == unwell
    assert data["health"]["without_leader"]["partitions"] == 0
    assert data["health"]["led_by_another"] == {"partitions": 1, "first": ["pay-4"]}
    assert data["racks_broken"] == {"partitions": 3, "first": ["pay-0", "pay-3", "pay-5"]}
    text = shown(zones)
    assert text.startswith("broker 4 is not alive (in no Isr of topics.txt)")
    assert "3 partitions with more replicas in a rack than the rule allows: pay-0, pay-3, pay-5" in text
    assert "4 down   a" in text


def test_without_racks_and_isr_nothing_is_claimed(tmp_path: Path) -> None:
    """A reassignment JSON tells neither: what follows from them is None, not 0."""
    rows = [{"topic": "pay", "partition": k, "replicas": held} for k, held in enumerate(LISTS)]
    file = tmp_path / "current.json"
    file.write_text(json.dumps({"version": 1, "partitions": rows}))
    data = json.loads(shown(file, "--json"))
    assert data["racks_broken"] is None and data["counts"]["racks"] is None and data["racks"] == []
    unwell = ("without_leader", "under_replicated", "under_min_isr", "led_by_another")
    assert [data["health"][key] for key in unwell] == [None] * 4
    assert "rack rule" not in shown(file)


def test_sizes_rates_and_the_least_even_topics(tmp_path: Path) -> None:
    """Disk from log dirs, of what is known of it; the topic that lies on one broker comes first."""
    rows = [{"topic": "even", "partition": k, "replicas": [k + 1]} for k in range(3)]
    rows += [{"topic": "heap", "partition": k, "replicas": [1]} for k in range(4)]
    (tmp_path / "current.json").write_text(json.dumps({"version": 1, "partitions": rows}))
    heap = [{"partition": "heap-0", "size": 500, "offsetLag": 0, "isFuture": False}]
    brokers = [
        {"broker": broker, "logDirs": [{"error": None, "logDir": "/d", "partitions": parts}]}
        for broker, parts in ((1, heap), (2, []), (3, []))
    ]
    (tmp_path / "log-dirs.json").write_text(json.dumps({"version": 1, "brokers": brokers}))
    data = json.loads(shown(tmp_path / "current.json", tmp_path / "log-dirs.json", "--json"))
    (disk,) = (load for load in data["loads"] if load["load"] == "disk")
    assert (disk["least"], disk["most"], disk["unknown"]) == (0, 500, 6)
    (worst,) = data["topics"]
    assert worst["topic"] == "heap" and worst["most_replicas"] == 4 and worst["uneven"] == 4
    assert worst["bytes"] is None  # of one of four partitions it is known


def test_a_part_and_an_empty_cluster(tmp_path: Path) -> None:
    """A part is shown as one, with what is missing; where there is nothing, that is said (exit 2)."""
    part = tmp_path / "part.txt"
    part.write_text(describe(LISTS, dead=0).replace("PartitionCount: 6", "PartitionCount: 9"))
    data = json.loads(shown(part, "--json"))
    assert len(data["part"]) == 1 and "pay" in data["part"][0]
    assert data["warnings"][0].startswith("a part of a cluster is planned")
    empty = tmp_path / "empty.json"
    empty.write_text('{"version":1,"partitions":[]}')
    result = CliRunner().invoke(app(), ["show", str(empty)])
    assert "there is nothing to plan" in str(result.exception)


def test_a_broker_without_a_rack_is_none(zones: Path) -> None:
    """Heads and tables of racks know those that are named, whoever else is there."""
    named = "".join(f"{broker},{'abc'[(broker - 1) % 3]}\n" for broker in (1, 2, 3, 4, 6))
    (zones / "racks.csv").write_text(f"id,rack\n{named}5,\n")
    data = json.loads(CliRunner().invoke(app(), ["show", str(zones), "--json"]).stdout)
    assert data["counts"]["racks"] == 3
    assert [row["rack"] for row in data["racks"]] == ["a", "b", "c"]
    head = " ".join(CliRunner().invoke(app(), ["show", str(zones)]).stdout.split())
    assert "in 3 racks" in head and "broker 5 (no rack)" not in head
