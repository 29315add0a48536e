"""One Kafka broker as a process of its own, in its own process group."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.jars import class_archive, class_path, java_tool

JVM = (
    "-Xmx192m", "-Xms96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xlog:disable",
    "-XX:-UsePerfData", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
)  # fmt: skip


def java_command(version: str, main: str, *arguments: str, options: Sequence[str] = ()) -> list[str]:
    """The command that runs a class of one Kafka version; an archive that does not fit is left aside."""
    archive = class_archive(version)
    kept = [f"-XX:SharedArchiveFile={archive}"] if archive.exists() else []
    return [java_tool("java"), *JVM, *kept, *options, "-cp", class_path(version), main, *arguments]


def die_with_parent() -> None:
    """In the child: be killed when the test run is killed (Linux; elsewhere nothing)."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)


@dataclass
class Node:
    """A broker (some are controllers too): its files, its ports, its process."""

    id: int
    version: str
    folder: Path
    rack: str
    controller: bool
    ports: dict[str, int]
    """Port of each listener, by listener name."""
    java_options: tuple[str, ...] = ()
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def log_dirs(self) -> list[str]:
        return [str(self.folder / "data-a"), str(self.folder / "data-b")]

    @property
    def properties(self) -> Path:
        return self.folder / "server.properties"

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        """Start the process; it serves some seconds later."""
        assert not self.running, f"broker {self.id} is running already"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                java_command(self.version, "kafka.Kafka", str(self.properties), options=self.java_options),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, preexec_fn=die_with_parent,
            )  # fmt: skip

    def signal(self, number: int) -> None:
        """Send a signal to the process group (SIGSTOP makes a broker that hangs without dying)."""
        if self.running:
            assert self.process is not None
            os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        self.signal(signal.SIGKILL)
        if self.process is not None:
            self.process.wait(timeout=20)

    def stop(self) -> None:
        """Ask it to shut down in good order; kill it where it does not."""
        self.signal(signal.SIGCONT)
        self.signal(signal.SIGTERM)
        try:
            if self.process is not None:
                self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.kill()
