"""Kafka's own command line tools, run from the same jars: independent witnesses."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.cluster import KafkaCluster
from harness.node import java_command

TOOLS = {
    "kafka-reassign-partitions": "org.apache.kafka.tools.reassign.ReassignPartitionsCommand",
    "kafka-topics": "org.apache.kafka.tools.TopicCommand",
    "kafka-log-dirs": "org.apache.kafka.tools.LogDirsCommand",
    "kafka-leader-election": "org.apache.kafka.tools.LeaderElectionCommand",
    "kafka-configs": "kafka.admin.ConfigCommand",
}


def tool(cluster: KafkaCluster, name: str, *arguments: str, bootstrap: str | None = None) -> str:
    """What a tool prints on standard output; fails where the tool fails."""
    servers = bootstrap or cluster.bootstrap()
    command = java_command(cluster.version, TOOLS[name], "--bootstrap-server", servers, *arguments)
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"{name}: {done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout


def verify(cluster: KafkaCluster, reassignment: Path, *, preserve_throttles: bool = True) -> str:
    """What ``kafka-reassign-partitions --verify`` says of a reassignment file.

    Without ``preserve_throttles`` it also takes throttles off, which would hide a left-over.
    """
    keep = ["--preserve-throttles"] if preserve_throttles else []
    return tool(
        cluster, "kafka-reassign-partitions", "--reassignment-json-file", str(reassignment), "--verify", *keep
    )


def is_complete(verdict: str) -> bool:
    """True where every partition of a ``--verify`` text is completed."""
    lines = [
        line for line in verdict.splitlines() if line.startswith(("Reassignment of", "There is no active"))
    ]
    return bool(lines) and all(line.endswith("is completed.") for line in lines)


def reassignment_file(path: Path, topic: str, lists: Mapping[int, Sequence[int]]) -> Path:
    """A version 1 reassignment file."""
    rows = [{"topic": topic, "partition": p, "replicas": list(ids)} for p, ids in lists.items()]
    path.write_text(json.dumps({"version": 1, "partitions": rows}))
    return path


def log_dirs(cluster: KafkaCluster, topic: str, bootstrap: str | None = None) -> list[dict[str, Any]]:
    """The brokers of ``kafka-log-dirs --describe``, parsed."""
    text = tool(cluster, "kafka-log-dirs", "--describe", "--topic-list", topic, bootstrap=bootstrap)
    (line,) = [line for line in text.splitlines() if line.startswith("{")]
    return list(json.loads(line)["brokers"])
