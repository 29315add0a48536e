"""The product at work: its command line as a process of its own, as an operator would run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from equipoise.cli.main import app
from harness.cluster import KafkaCluster
from harness.throttles import throttles
from harness.tools import is_complete, verify
from harness.waiting import soon

COMMAND = [sys.executable, "-m", "equipoise.cli.main"]


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


def equipoise(*arguments: str, environment: Mapping[str, str] | None = None) -> Done:
    """Run one command to its end, with nobody at the terminal."""
    done = subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, timeout=240, stdin=subprocess.DEVNULL,
        env={**os.environ, **(environment or {})}, check=False,
    )  # fmt: skip
    return Done(done.returncode, done.stdout, done.stderr)


def prepared(verb: str, *arguments: str) -> None:
    """One command in the test's own process: what is only its preparation need not begin with imports."""
    done = CliRunner().invoke(app([verb]), [verb, *arguments])
    assert done.exit_code == 0, f"{done.output}\n{done.exception!r}"


def well(done: Done) -> Done:
    """The same, after making sure that it ended with 0."""
    assert done.code == 0, f"exit {done.code}\n{done.out}\n{done.err}"
    return done


@dataclass(frozen=True)
class Plan:
    """A plan directory made from a live cluster, and the cluster."""

    cluster: KafkaCluster
    folder: Path

    def run(self, verb: str, *options: str, bootstrap: str | None = None) -> Done:
        servers = bootstrap or self.cluster.bootstrap()
        return equipoise(verb, str(self.folder), "--bootstrap-server", servers, *options)

    def start(self, verb: str, *options: str, **how: Any) -> subprocess.Popen[str]:
        """The same without waiting for its end; ``how`` is for the process."""
        return subprocess.Popen(
            [*COMMAND, verb, str(self.folder), "--bootstrap-server", self.cluster.bootstrap(), *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how,
        )  # fmt: skip

    @property
    def content(self) -> dict[str, Any]:
        return dict(json.loads((self.folder / "plan.json").read_text()))

    @property
    def moves(self) -> list[dict[str, Any]]:
        return list(self.content["moves"])

    @property
    def journal(self) -> list[dict[str, Any]]:
        path = self.folder / "journal.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def topics(self) -> list[str]:
        return sorted({move["topic"] for move in self.moves})

    def lists(self) -> dict[tuple[str, int], list[int]]:
        """What the brokers have now for every partition of the plan."""
        return {
            (t, p): state["replica_nodes"]
            for t in self.topics()
            for p, state in self.cluster.describe(t).items()
        }

    def leaders(self) -> dict[tuple[str, int], int]:
        return {
            (t, p): state["leader_id"] for t in self.topics() for p, state in self.cluster.describe(t).items()
        }

    @soon
    def assert_lists(self, wanted: Mapping[int, Sequence[int]]) -> None:
        """The brokers have these replicas, by partition of the plan's one topic."""
        (topic,) = self.topics()
        assert self.lists() == {(topic, p): list(ids) for p, ids in wanted.items()}

    def assert_applied(self) -> None:
        """Kafka's own tool and the metadata agree with the plan; leaders are preferred; no throttle."""
        assert is_complete(verify(self.cluster, self.folder / "reassignment.json"))
        self.assert_applied_quickly()

    @soon
    def assert_applied_quickly(self) -> None:
        """The same without a second witness."""
        lists, leaders = self.lists(), self.leaders()
        for move in self.moves:
            name = (move["topic"], move["partition"])
            assert lists[name] == move["after"]
            assert leaders[name] == move["after"][0]
        self.assert_clean()

    @soon
    def assert_undone(self) -> None:
        """Lists and leaders are exactly those from before."""
        lists, leaders = self.lists(), self.leaders()
        for move in self.moves:
            name = (move["topic"], move["partition"])
            assert lists[name] == move["before"], name
            assert leaders[name] == move["before"][0], name
        self.assert_clean()

    @soon
    def assert_cancelled(self) -> set[tuple[str, int]]:
        """What the journal calls restored has list and leader from before, the rest had arrived."""
        told = {name for entry in self.journal if entry["type"] == "restored" for name in entry["partitions"]}
        lists, leaders, restored = self.lists(), self.leaders(), set()
        for move in self.moves:
            name = (move["topic"], move["partition"])
            if f"{move['topic']}-{move['partition']}" in told:
                restored.add(name)
                assert leaders[name] == move["before"][0], name
            assert lists[name] == move["before" if name in restored else "after"], name
        self.assert_clean()
        return restored

    @soon
    def assert_clean(self) -> None:
        """Nothing moves, and no throttle is left on any broker or topic."""
        assert self.cluster.in_flight() == {}
        assert (
            throttles(self.cluster, [t for t in self.topics() if t in self.cluster.admin.list_topics()]) == {}
        )


def plan_for(cluster: KafkaCluster, folder: Path, *options: str, name: str = "plan") -> Plan:
    """Snapshot and plan; ``options`` are those of ``equipoise plan``."""
    source = folder / f"snapshot-{name}"
    prepared("snapshot", "--bootstrap-server", cluster.bootstrap(), "--out", str(source))
    prepared("plan", str(source), "--out", str(folder / name), *options)
    return Plan(cluster, folder / name)


def next_plan_is_empty(cluster: KafkaCluster, folder: Path, options: Sequence[str]) -> bool:
    """Whether planning again after the plan was carried out has nothing left to do."""
    return plan_for(cluster, folder, *options, name="again").moves == []
