"""Snapshots of the fake cluster: large ones, clusters that change meanwhile, folders that hold something."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fake import FakeKafka, Model, Partition
from fake.small import partitions

from equipoise.cli.main import main
from equipoise.execution import snapshot as snapshots
from equipoise.execution import snapshot_files
from equipoise.execution.kafka import KafkaPort
from equipoise.execution.port import Reassignment, RequestRefused, TopicPartition
from equipoise.execution.snapshot import take_snapshot
from equipoise.files.sources import read_sources


def run_snapshot(fake: FakeKafka, out: Path) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["snapshot", "--bootstrap-server", fake.bootstrap, "--out", str(out)])
    return int(ended.value.code or 0)


@pytest.mark.slow
def test_fifty_thousand_partitions_on_a_hundred_brokers(
    snapshot_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lists, sizes, racks and retention read back from the files are the cluster's; nothing was changed."""
    racks = {i: f"rack-{i % 5}" for i in range(100)}
    model = Model(racks, partitions(50_000, n_brokers=100))
    with FakeKafka(model) as fake:
        assert run_snapshot(fake, snapshot_folder) == 0
        asked = {name for name, _ in fake.requests}
    assert asked == READING
    cluster = read_sources([snapshot_folder])
    ids = cluster.ids_of(cluster.replicas).tolist()
    for row, (of, partition) in enumerate(sorted(model.partitions.items())):
        assert (cluster.label(row), ids[row]) == (f"{of[0]}-{of[1]}", partition.replicas)
    assert cluster.size_bytes.tolist() == [p.size for _, p in sorted(model.partitions.items())]
    assert set(cluster.retention_s.tolist()) == {7 * 86_400.0}  # Kafka's default, which nobody set
    assert cluster.brokers.racks == tuple(racks.values())
    assert cluster.cluster_id == model.cluster_id
    assert "100 brokers in 5 racks, 500 topics, 50,000 partitions" in capsys.readouterr().out


READING = {
    "ApiVersions",
    "DescribeCluster",
    "DescribeConfigs",
    "DescribeLogDirs",
    "ListPartitionReassignments",
    "Metadata",
}


def once(wanted: str, event: Callable[[], None]) -> Callable[[str, Any, int], None]:
    """A hook that lets an event happen just before the first request of a kind."""
    events = iter([event])

    def hook(name: str, request: Any, broker: int) -> None:
        if name == wanted:
            next(events, lambda: None)()

    return hook


@pytest.mark.slow
def test_moves_that_begin_or_end_meanwhile_do_not_blur_the_lists(fake: FakeKafka, port: KafkaPort) -> None:
    """The union is never taken for the list: the topics of such moves are read again."""
    model = fake.model
    model.partitions["t", 0] = Partition([0, 1, 2], size=100)
    model.partitions["t", 1] = Partition([0, 1, 2], size=100)
    model.alter(("t", 0), [3, 1, 2])
    seen: list[str] = []

    def hook(name: str, request: Any, broker: int) -> None:
        seen.append(name)
        if name == "ListPartitionReassignments" and seen.count(name) == 2:
            model.advance()
            model.alter(("t", 1), [3, 1, 2])

    fake.hook = hook
    told = take_snapshot(port)
    assert told.moving == {TopicPartition("t", 1): Reassignment((3, 1, 2, 0), (3,), (0,))}
    assert told.partitions[TopicPartition("t", 0)].replicas == (3, 1, 2)
    assert told.partitions[TopicPartition("t", 1)].replicas == (3, 1, 2, 0)


@pytest.mark.slow
def test_what_brokers_do_not_tell_is_said(fake: FakeKafka, port: KafkaPort) -> None:
    """A fenced broker, a failed log dir, a broker that only replica lists know: a sentence each."""
    fake.kill(5)
    fake.model.failed_dirs.add((0, "/data/b"))
    fake.model.partitions["t", 0] = Partition([0, 99], leader=0, isr=[0])
    told = take_snapshot(port)
    assert told.warnings == (
        "broker 99 holds replicas, but is not registered: its rack and sizes are unknown",
        "log dir /data/b of broker 0 has an error: KAFKA_STORAGE_ERROR",
        "broker 5 is fenced: its sizes are unknown (UNREACHABLE)",
    )
    assert 99 in told.broker_ids


@pytest.mark.slow
def test_progress_is_told_on_the_way(fake: FakeKafka, port: KafkaPort) -> None:
    """What is being read, and how many of how many brokers have answered."""
    told: list[tuple[str, int, int]] = []
    take_snapshot(port, lambda *step: told.append(step))
    assert [what for what, _, _ in told] == ["brokers", "topics", "log dirs", "configs"]
    assert ("log dirs", 0, 6) in told


@pytest.mark.slow
def test_a_second_snapshot_replaces_the_first_and_keeps_what_lies_beside(
    fake: FakeKafka, snapshot_folder: Path
) -> None:
    """Metrics collected beside a snapshot survive the next one; its own files are new."""
    assert run_snapshot(fake, snapshot_folder) == 0
    metrics = snapshot_folder / "metrics" / "day.csv"
    metrics.parent.mkdir()
    metrics.write_text("kept")
    fake.model.delete_topic("topic-0001")
    assert run_snapshot(fake, snapshot_folder) == 0
    assert metrics.read_text() == "kept"
    assert read_sources([snapshot_folder]).n_partitions == 100
    assert sorted(path.name for path in snapshot_folder.parent.iterdir()) == ["orders"]


@pytest.mark.slow
def test_a_folder_of_other_things_is_left_alone(
    fake: FakeKafka, snapshot_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder that holds anything but a snapshot is refused and stays as it is."""
    snapshot_folder.mkdir(parents=True)
    (snapshot_folder / "topics.txt").write_text("mine")
    assert run_snapshot(fake, snapshot_folder) == 2
    assert "holds files, but no snapshot" in capsys.readouterr().err
    assert [path.read_text() for path in snapshot_folder.iterdir()] == ["mine"]


@pytest.mark.slow
def test_an_interrupted_snapshot_leaves_the_old_one(
    fake: FakeKafka, snapshot_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped while it writes: the folder is the first snapshot's, whole, and nothing lies about."""
    assert run_snapshot(fake, snapshot_folder) == 0
    before = {path.name: path.read_bytes() for path in snapshot_folder.iterdir()}
    monkeypatch.setattr(
        "equipoise.execution.snapshot_files.config_lines",
        lambda told: (_ for _ in ()).throw(KeyboardInterrupt),
    )
    fake.model.delete_topic("topic-0001")
    assert run_snapshot(fake, snapshot_folder) == 130
    assert {path.name: path.read_bytes() for path in snapshot_folder.iterdir()} == before
    assert [path.name for path in snapshot_folder.parent.iterdir()] == ["orders"]


@pytest.mark.slow
def test_what_comes_beside_a_snapshot_meanwhile_survives(
    fake: FakeKafka,
    snapshot_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Metrics that come, or are written anew, once the others were taken along keep the folder there."""
    assert run_snapshot(fake, snapshot_folder) == 0
    day, lines = snapshot_folder / "day.csv", snapshot_files.config_lines
    for text in ("came", "written anew"):

        def late(told: snapshots.Snapshot, text: str = text) -> Iterator[str]:
            day.unlink(missing_ok=True)
            day.write_text(text)
            yield from lines(told)

        monkeypatch.setattr(snapshot_files, "config_lines", late)
        assert run_snapshot(fake, snapshot_folder) == 2
        assert "holds day.csv, which came or was changed while" in capsys.readouterr().err
        assert day.read_text() == text
        assert [path.name for path in snapshot_folder.parent.iterdir()] == ["orders"]
    monkeypatch.undo()
    assert run_snapshot(fake, snapshot_folder) == 0
    assert day.read_text() == "written anew"


def test_moves_that_never_settle_are_said(
    fake: FakeKafka, port: KafkaPort, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where moves begin and end faster than they can be read, no blurred snapshot is made."""
    monkeypatch.setattr(snapshots, "SETTLING_S", 0.0)
    targets = itertools.cycle([[0, 1, 2], [3, 1, 2]])
    fake.model.partitions["t", 0] = Partition([3, 1, 2], size=10)

    def hook(name: str, request: Any, broker: int) -> None:
        if name == "ListPartitionReassignments":
            fake.model.advance()
            fake.model.alter(("t", 0), next(targets))

    fake.hook = hook
    with pytest.raises(RequestRefused, match="try again"):
        take_snapshot(port)
