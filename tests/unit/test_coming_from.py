"""docs/coming-from.md: every command of ours on it is run, from top to bottom, and ends well."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from equipoise.cli.main import app
from equipoise.execution import carrier
from equipoise.execution.simulated import SimulatedCarrier, SimulatedCluster

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "coming-from.md"
LISTS = ((1, 2, 3), (2, 3, 4), (3, 4, 5), (4, 5, 1), (5, 1, 2), (1, 3, 5))
"""Those of examples/orders.txt."""


def rows() -> list[list[str]]:
    """The cells of every row of every table, without its heading."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return [row for row in cells if row[1] not in ("Equipoise", "---")]


class Live:
    """The model with what a snapshot asks beside."""

    def __init__(self, model: SimulatedCluster) -> None:
        self.model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def cluster(self) -> Any:
        told = self.model.cluster()
        brokers = [replace(broker, host="kafka", port=9092) for broker in told.brokers]
        return replace(told, brokers=tuple(brokers))

    def topics(self, names: Collection[str] | None = None) -> tuple[dict[str, str], Any]:
        return {"orders": "3Wf9vQ0XQF2nT0dY5QkXbA"}, self.model.partitions(names)

    def features(self) -> dict[str, int]:
        return {}

    def version(self) -> str:
        return "4.3"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> SimulatedCluster:
    """The cluster that every command finds behind HOST:PORT."""
    cluster = SimulatedCluster({1: "a", 2: "b", 3: "c", 4: "a", 5: "b"}, cluster_id="orders")
    for number, replicas in enumerate(LISTS):
        cluster.create("orders", number, replicas, 5_000_000)

    @contextmanager
    def cluster_at(bootstrap_server: str, *_: object) -> Iterator[SimulatedCluster]:
        assert bootstrap_server == "HOST:PORT"
        yield cluster

    @contextmanager
    def port(bootstrap_server: str, *_: object) -> Iterator[Live]:
        assert bootstrap_server == "HOST:PORT"
        yield Live(cluster)

    for verb in ("apply", "status", "cancel", "rollback"):
        monkeypatch.setattr(f"equipoise.cli.{verb}.cluster_at", cluster_at)
    monkeypatch.setattr("equipoise.cli.carrying.cluster_at", port)
    monkeypatch.setattr("equipoise.execution.kafka.KafkaPort", port)
    monkeypatch.setattr(carrier, "Carrier", SimulatedCarrier)
    return cluster


def test_every_row_has_a_command_of_ours() -> None:
    """In its second cell, and nothing beside it, so that it can be copied."""
    assert len(rows()) > 30
    assert [row for row in rows() if len(row) != 3 or not re.fullmatch(r"`equipoise [^`]+`", row[1])] == []


@pytest.mark.slow
def test_the_commands_do_what_they_say(
    model: SimulatedCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them, one after the other; a later one may need the folder that an earlier one wrote."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    failed = []
    for command in dict.fromkeys(row[1].strip("`") for row in rows()):
        result = CliRunner().invoke(app(), shlex.split(command)[1:])
        if result.exit_code != 0:
            failed.append(f"{command}: {result.output or result.exception!r}")
    assert "\n".join(failed) == ""
