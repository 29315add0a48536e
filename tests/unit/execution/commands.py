"""Commands on the simulated cluster: how they are given, and runs that were left in the middle."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from equipoise.cli import carrying
from equipoise.cli.main import app
from equipoise.execution.port import Resource, TopicPartition
from equipoise.execution.simulated import SimulatedCluster

BEFORE = {"pay-0": (0, 1), "pay-1": (1, 2), "pay-2": (2, 0)}
AFTER = {"pay-0": (3, 1), "pay-1": (1, 2), "pay-2": (0, 2)}
RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")


def run(verb: str, folder: Path, *options: str) -> tuple[int, str]:
    """Exit code and everything that was printed."""
    done = CliRunner().invoke(app(), [verb, str(folder), "--bootstrap-server", "nobody:1", *options])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


def lists(model: SimulatedCluster) -> dict[str, tuple[int, ...]]:
    return {str(name): replicas for name, replicas in sorted(model.replicas.items())}


def interrupted(folder: Path, outcome: str = "", **more: object) -> None:
    """A journal as a killed run leaves it, with the first move submitted."""
    of = carrying.opened(folder)
    entries = [
        {"type": "begin", "operation": "apply", "plan": of.job.plan, "throttle": 1000, "max_inflight": 7}
        | more,
        {"type": "submit", "partitions": {"pay-0": [3, 1]}, "leaders": {"pay-0": 0}},
    ]
    if outcome:
        entries.append({"type": "end", "outcome": outcome, "left": []})
    (folder / "journal.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))


def throttled(folder: Path, model: SimulatedCluster) -> None:
    """A killed run whose move is in flight, throttled as its journal says."""
    interrupted(folder)
    line = {"type": "rates", "rate": 1000, "brokers": {"3": dict.fromkeys(RATES)}}
    with (folder / "journal.jsonl").open("a") as journal:
        journal.write(json.dumps(line) + "\n")
    model.alter_configs({Resource.broker(3): dict.fromkeys(RATES, "1000")})
    model.alter_reassignments({TopicPartition("pay", 0): (3, 1)})
    model.advance(0.001)
