"""Stories of replicas that go to log dirs."""

from __future__ import annotations

from dataclasses import replace

from stories import Story

from equipoise.execution.port import Replica


def with_dirs(told: Story, **dirs: str) -> Story:
    """The same story, in which replicas ("pay_0_3": topic, partition, broker) go to log dirs."""
    wanted = {}
    for name, path in dirs.items():
        topic, number, broker = name.split("_")
        wanted[Replica(topic, int(number), int(broker))] = path
    told.job = replace(told.job, dirs=wanted)
    return told


def places(told: Story) -> dict[str, str]:
    """Where each replica of the story is that is not in the first log dir."""
    found = {}
    for broker, dirs in told.model.log_dirs(told.model.racks).items():
        for one in dirs:  # type: ignore[union-attr]
            found |= {f"{name}@{broker}": one.path for name in one.replicas if one.path != "/data/a"}
    return found
