"""One round of ``equipoise watch``: a snapshot, a plan, whether it is worth while, and its run."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from equipoise.cli.limits import Limits
from equipoise.cli.worth import why_idle
from equipoise.planning.problem.request import Request

if TYPE_CHECKING:
    from equipoise.cluster import Cluster, Plan


@dataclass(frozen=True)
class Round:
    """What a round did."""

    at: datetime
    words: str
    failed: bool = False


@dataclass(frozen=True)
class Rounds:
    """A cluster, and what is asked of it."""

    bootstrap_server: str
    command_config: Path | None
    request: Request
    above: float | None
    """Percent of its share that a broker may be off before it is levelled; None: by the tolerance."""
    out: Path | None
    limits: Limits | None
    """Of the runs; None where nothing is carried out."""
    ended: Event = field(default_factory=Event)
    """Set by a signal that ends it all: nothing is begun from then on."""

    def round(self) -> Round:
        """Take up a run that was left, or look, plan and carry out.

        Raises `EquipoiseError` where the cluster cannot be reached, or the request cannot be satisfied.
        """
        from equipoise.planning.driver.solve import make_plan
        from equipoise.report.figures import measure
        from equipoise.report.tables import costs

        now = datetime.now(UTC)
        left = self.unfinished()
        if left is not None and self.limits is not None:
            ended = self.run(left, resume=True)
            return Round(now, f"{left.name}: taken up; {ended}", ended != DONE)
        with tempfile.TemporaryDirectory(prefix="equipoise-watch-") as scratch:
            cluster = self.seen(Path(scratch) / "cluster")
        plan = make_plan(cluster, self.request)
        idle = why_idle(plan, cluster, self.request, self.above)
        if idle:
            return Round(now, idle)
        words = costs(plan, measure(plan))
        if self.ended.is_set():
            return Round(now, f"{words}; stopped before anything was done")
        if self.out is None:
            return Round(now, words)
        folder = self.write(plan, now)
        if self.limits is None:
            return Round(now, f"{words}: {folder}")
        ended = self.run(folder)
        return Round(now, f"{words}: {folder}; {ended}", ended != DONE)

    def seen(self, folder: Path) -> Cluster:
        """The cluster as it is now."""
        from equipoise.cli.carrying import cluster_at
        from equipoise.execution.snapshot import take_snapshot
        from equipoise.execution.snapshot_files import write_snapshot
        from equipoise.files.sources import read_sources

        with cluster_at(self.bootstrap_server, self.command_config) as port:
            told = take_snapshot(port, lambda what, done, of: None)
        write_snapshot(told, folder, taken_at=datetime.now(UTC))
        return read_sources([str(folder)])

    def write(self, plan: Plan, now: datetime) -> Path:
        """The plan folder of a round, named by its time."""
        from equipoise.library.verbs import save

        assert self.out is not None
        self.out.mkdir(parents=True, exist_ok=True)
        folder = self.out / f"{now:%Y%m%dT%H%M%SZ}"
        save(plan, folder, **(self.limits.of_schedule() if self.limits else {}))
        return folder

    def unfinished(self) -> Path | None:
        """The last plan folder with a run that was stopped or killed; what one gave up is planned anew."""
        from equipoise.execution.journal import read_journal
        from equipoise.execution.memory import Memory

        folders = sorted(path.parent for path in self.out.glob("*/journal.jsonl")) if self.out else []
        for folder in reversed(folders):
            memory = Memory.of(read_journal(folder).entries)
            if memory.unfinished and memory.outcome != "incomplete":
                return folder
        return None

    def run(self, folder: Path, *, resume: bool = False) -> str:
        """Carry a plan out as ``apply --yes`` does, and how that ended."""
        from equipoise.cli.apply import carried_out
        from equipoise.cli.carrying import code_of, opened, say_how
        from equipoise.cli.streams import Gone, Unwritable
        from equipoise.cli.voice import is_json

        assert self.limits is not None
        end = carried_out(
            opened(folder, self.limits), self.bootstrap_server, self.command_config, self.limits,
            yes=True, resume=resume, ended=self.ended,
        )  # fmt: skip
        with suppress(Gone, Unwritable):
            if not is_json():
                say_how(end)
        if end.outcome == "finished" and not end.reasons:
            return DONE
        return f"{end.outcome} (exit code {code_of(end)})"


DONE = "carried out"
