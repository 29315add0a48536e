"""The run before: what of it is taken over, and what the next run has to know of this one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import reduce
from operator import truediv
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from equipoise import __version__
from equipoise.files import plan_claim
from equipoise.files.places import Place
from equipoise.pipeline.jobs.claim import (
    CLUSTERS,
    INPUTS,
    PARTS,
    RECORD,
    STATE,
    TABLE_FOLDER,
    fleet_of,
    inside,
    is_of,
)
from equipoise.pipeline.jobs.inputs import Inputs
from equipoise.pipeline.jobs.store import parts, read_table, write_json
from equipoise.pipeline.places.literal import literal
from equipoise.pipeline.places.taking import take_along
from equipoise.pipeline.schemas.steps import TOLD
from equipoise.pipeline.schemas.tables import INT, TABLES, must

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from equipoise.pipeline.jobs.loads import SampleFile

RUN = "run"
TOLD_BY_RUN = StructType([*TOLD, must(RUN, INT)])


def made_by() -> str:
    """What makes tables as this program does: its version, and what its tables and samples look like."""
    shapes = [TOLD.json(), *(f"{name} {table.key} {table.schema.json()}" for name, table in TABLES.items())]
    return f"{__version__} {hashlib.sha256(' '.join(shapes).encode()).hexdigest()}"


@dataclass(frozen=True)
class Earlier:
    """What a run finds of the one before; by default nothing."""

    folder: Place | None = None
    """Its tables, plans and samples, which stay whatever becomes of OUT; None: no run."""
    inputs: Mapping[str, Inputs] = field(default_factory=dict)
    told: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Of each cluster and file of samples the run that read it."""
    planned: frozenset[str] = frozenset()
    run: int = 0
    """How many runs there were, one after another."""
    started: str = ""
    budget: Mapping[str, Any] | None = None
    """What it said of the fleet's budget."""

    def forgotten(self) -> Earlier:
        """The same as far as its histories go, with nothing to take over."""
        return replace(self, inputs={}, told={}, planned=frozenset())

    def has_plan(self, cluster: str) -> bool:
        """Whether the plan of a cluster may be taken over: nobody has begun to carry it out, or changed it.

        One without a plan is tried again, for a worker may have been killed.
        """
        return cluster in self.planned and is_complete(self.at(CLUSTERS, cluster))

    def at(self, *names: str) -> Place:
        """A path in its folder."""
        assert self.folder is not None
        return reduce(truediv, names, self.folder)

    def told_digests(self, cluster: str) -> Mapping[str, str]:
        """The digest of each file of samples of a cluster that it, or one before it, has read."""
        return {file: self.inputs[cluster].metrics[file] for file in self.told.get(cluster, ())}

    def history(self, spark: SparkSession, name: str) -> DataFrame | None:
        """What it knows of all runs up to it, whatever version made them; None for nothing."""
        if self.folder is None or not self.at(TABLE_FOLDER, name).is_dir():
            return None
        return read_table(spark, TABLES[name], self.at(TABLE_FOLDER, name))

    def samples(self, spark: SparkSession, files: Mapping[SampleFile, int]) -> DataFrame | None:
        """The rows of TOLD of some files; None for no file."""
        if not files:
            return None
        wanted = [(cluster, file, run) for (cluster, file), run in sorted(files.items())]
        of_files = spark.createDataFrame(wanted, "cluster string, file string, run int")
        rows = spark.read.schema(TOLD_BY_RUN).parquet(literal(self.at(STATE, PARTS)))
        near = rows.where(
            F.col("cluster").isin(sorted({cluster for cluster, _ in files}))
            & F.col(RUN).isin(sorted(set(files.values())))
        )
        return near.join(F.broadcast(of_files), on=["cluster", "file", RUN], how="left_semi").select(
            *TOLD.fieldNames()
        )


def is_complete(place: Place) -> bool:
    """Whether a plan folder is complete, and what the run before wrote.

    Nobody can carry out a plan that is in a file system of Hadoop, so there it is enough that it is there.
    """
    if not (place / "report.html").is_file():
        return False
    if not isinstance(place, Path):
        return {entry.name for entry in place.iterdir()} >= plan_claim.NEEDED
    return not plan_claim.foreign(place) and not plan_claim.precious(place)


def is_whole(tables: Place, rows: Mapping[str, int]) -> bool:
    """Whether the tables are there, on this machine with as many rows as were written.

    Raises ``OSError`` or ``ValueError`` where a file is none of Parquet.
    """
    import pyarrow.parquet as pq

    if not all((tables / name).is_dir() for name in TABLES):
        return False
    if not isinstance(tables, Path):  # there somebody else's job would have to count them
        return True
    found = {name: sum(pq.read_metadata(path).num_rows for path in parts(tables / name)) for name in TABLES}
    return found == rows


def earlier_run(place: Place | None, fleet: Place) -> Earlier:
    """The run over ``fleet`` that stands at ``place``, which stays as it is while it is in use.

    Of one of another version, or one that cannot be understood, there are only the histories.
    """
    nothing = Earlier()
    if place is None or not is_of(fleet_of(place), fleet):
        return nothing
    try:
        record = json.loads((place / RECORD).read_bytes())
    except (OSError, ValueError):
        return nothing
    before = Earlier(place, started=str(record.get("started", "")))
    try:
        told = json.loads((place / STATE / INPUTS).read_bytes())
        if told["made_by"] != made_by() or not is_whole(place / TABLE_FOLDER, record["out"]["rows"]):
            return before
        parts = {path.name for path in inside(place / STATE / PARTS)}
        return replace(
            before,
            inputs={name: Inputs.of_json(inputs) for name, inputs in told["clusters"].items()},
            told={
                name: {file: run for file, run in inputs["told"].items() if f"{RUN}={run}" in parts}
                for name, inputs in told["clusters"].items()
            },
            planned=frozenset(row["cluster"] for row in record["clusters"] if row["outcome"] == "planned"),
            run=told["run"],
            budget=record.get("budget"),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return before


def write_state(
    folder: Place, earlier: Earlier, now: Mapping[str, Inputs], runs: Mapping[SampleFile, int]
) -> None:
    """Tell the next run what this one was made from, and which run has read each file of samples."""
    told: dict[str, dict[str, Any]] = {name: asdict(inputs) | {"told": {}} for name, inputs in now.items()}
    for (cluster, file), run in runs.items():
        told[cluster]["told"][file] = run
    parts = folder / STATE / PARTS
    for run in sorted(set(runs.values())):
        if not (parts / f"{RUN}={run}").exists():
            take_along(earlier.at(STATE, PARTS, f"{RUN}={run}"), parts / f"{RUN}={run}")
    if not (folder / STATE).exists():
        (folder / STATE).mkdir()
    state = {"made_by": made_by(), "run": earlier.run + 1, "clusters": told}
    write_json(folder / STATE / INPUTS, state)
