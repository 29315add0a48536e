"""Copies between the log dirs of a broker, in the model's time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.execution.port import Failure, Replica, Resource, TopicPartition
from equipoise.execution.simulated.copying import Copying
from equipoise.execution.simulated.world import LOG_DIRS
from equipoise.execution.throttling import DIR_RATE


@dataclass
class Between:
    """A second copy of a replica, on its way to another log dir."""

    path: str
    copied: float = 0.0


class Settling(Copying):
    """A world in which replicas change their log dirs."""

    def __init__(
        self, racks: Mapping[int, str | None], *, dir_bytes_per_s: float | None = None, **options: Any
    ) -> None:
        """``dir_bytes_per_s``: of each broker; None: what changes its log dir is there at once."""
        super().__init__(racks, **options)
        self.dir_bytes_per_s = dir_bytes_per_s
        self.between: dict[Replica, Between] = {}
        """What is copied between log dirs."""

    def place(self, replica: Replica, path: str) -> Failure | None:
        """AlterReplicaLogDirs; a copy under way to another dir ends with it."""
        held = replica.broker in self.replicas.get(TopicPartition(replica.topic, replica.partition), ())
        if self.dir_bytes_per_s is None or not held or path not in self.paths_of(replica.broker):
            return super().place(replica, path)
        if path == self.dir_of(replica):
            self.between.pop(replica, None)
        elif replica not in self.between or self.between[replica].path != path:
            self.between[replica] = Between(path)
        return None

    def paths_of(self, broker: int) -> tuple[str, ...]:
        return self.paths.get(broker, LOG_DIRS)

    def dir_of(self, replica: Replica) -> str:
        return self.dirs.get(replica, self.paths_of(replica.broker)[0])

    def advance(self, seconds: float) -> None:
        """Let time pass, for copies between log dirs too."""
        super().advance(seconds)
        for replica, copy in list(self.between.items()):
            beside = sum(other.broker == replica.broker for other in self.between)
            copy.copied += seconds * self.dir_rate(replica.broker) / beside
            if copy.copied >= self.size[TopicPartition(replica.topic, replica.partition)]:
                self.dirs[replica] = copy.path
                del self.between[replica]

    def dir_rate(self, broker: int) -> float:
        """Bytes a second between the log dirs of a broker, throttled or not."""
        throttle = float(self.settings[Resource.broker(broker)].get(DIR_RATE, "inf"))
        return min(throttle, self.dir_bytes_per_s or 0.0)
