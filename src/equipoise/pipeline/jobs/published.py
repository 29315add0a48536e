"""A published run, read back without Spark."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from equipoise.errors import UnusableInput
from equipoise.formats.object_rows import misfit
from equipoise.formats.shapes import Id
from equipoise.pipeline.jobs.claim import RECORD, TABLE_FOLDER
from equipoise.pipeline.jobs.shown import READ, at_hand, clusters, findings, pieces, runs, table
from equipoise.pipeline.places.addresses import local
from equipoise.pipeline.places.hadoop import hadoop_place
from equipoise.pipeline.places.runs import pointed
from equipoise.pipeline.schemas.tables import HISTORIES
from equipoise.pipeline.session import session, settings_of
from equipoise.wording import cut

Row = dict[str, Any]
ADVICE = "Give the folder of equipoise run --out"
SHAPE = {
    "fleet": str,
    "started": str,
    "equipoise": str,
    "set_aside": {"pieces": Id},
    "seconds": {},
    "before": {"taken_over": [str]},
    "budget?": {
        "max_bytes_total": int, "given": int, "wanted": int, "clusters": int, "left?": float,
        "lower_bound?": float,
    },
}
"""What a short report takes from ``run.json``."""


@dataclass(frozen=True)
class Published:
    """What a run published, as far as a short report needs it."""

    record: Row
    """``run.json``."""
    clusters: list[Row]
    """As :func:`equipoise.pipeline.jobs.shown.clusters` has them."""
    findings: list[Row]
    """Rows of ``checks`` with a subject, errors first."""
    quarantine: list[Row]
    history: list[Row]
    """Rows of ``plan_history`` beside those of ``load_history``."""
    budget: list[Row]
    """Rows of ``budget``: what each cluster got of the fleet's bytes; none where there is no such limit."""


@contextmanager
def run_at(address: str, conf: Sequence[str] = ()) -> Iterator[Path]:
    """The run at an address as a folder of this machine: of one elsewhere what is needed is brought here.

    That takes Spark, with the settings ``conf``. Raises :class:`UnusableInput` where there is none.
    """
    if (here := local(address)) is not None:
        yield here
        return
    settings = settings_of(conf)
    with TemporaryDirectory(prefix="equipoise-run-") as scratch, session("local[1]", conf=settings) as spark:
        run = pointed(hadoop_place(spark, address))
        if run is None:
            raise UnusableInput("holds no run", source=address, advice=ADVICE)
        (run / RECORD).download(Path(scratch))
        with at_hand(run / TABLE_FOLDER, (*READ, *HISTORIES)) as tables:
            (Path(scratch) / TABLE_FOLDER).symlink_to(tables)
            yield Path(scratch)


def published(out: Path, address: str = "") -> Published:
    """What is in the folder of a run; ``address`` is what messages call it.

    Raises :class:`UnusableInput` where it holds no run of this version.
    """
    tables = out / TABLE_FOLDER
    try:
        return Published(
            told(json.loads((out / RECORD).read_bytes())),
            clusters(tables), findings(tables), pieces(tables), runs(tables),
            list(table(tables, "budget").to_pylist()),
        )  # fmt: skip
    except (OSError, ValueError, RecursionError) as error:
        source = address or str(out)
        raise UnusableInput(f"holds no run ({error})", source=source, advice=ADVICE) from None


def told(record: Any) -> Row:
    """What ``run.json`` holds; raises ``ValueError`` where a short report could not be made of it."""
    place, problem = misfit(record, SHAPE) or ("", "")
    seconds = {} if problem else record["seconds"]
    if not problem and not all(isinstance(took, int | float) for took in seconds.values()):
        place, problem = "seconds", f"{cut(str(seconds))} are not all numbers"
    if problem:
        raise ValueError(": ".join(filter(None, [RECORD, place, problem])))
    return dict(record)
