"""The budget of a fleet: what each cluster gets of it, and how good any way to give it can be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from equipoise.comparing.shared_budget import Offer, Step, given, least_left
from equipoise.pipeline.schemas.tables import BUDGET
from equipoise.pipeline.transforms.merge_task import Trouble

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Row = Mapping[str, Any]
SHARE = "cluster string, goal string, wanted_bytes long, max_bytes long, level_before double, reason string"


@dataclass(frozen=True)
class Shares:
    """What each cluster gets; by default as much as it wishes."""

    given: Mapping[str, int | Trouble] = field(default_factory=dict)
    """Bytes, or why a cluster has no plan."""
    told: Sequence[tuple[Any, ...]] = ()
    """Rows of SHARE."""
    total: int = 0
    least_left: float | None = None
    """What any way to give the budget leaves at least: levels as parts of those before, added up. None where
    rules force more than there is."""


def shares_of(weighed: DataFrame, total: int) -> Shares:
    """Rows of WEIGHED to what each cluster gets of ``total`` bytes."""
    return shared([row.asDict() for row in weighed.collect()], total)


def shared(weighed: Iterable[Row], total: int) -> Shares:
    """Rows of WEIGHED to what each cluster gets of ``total`` bytes."""
    by_name = sorted(weighed, key=lambda row: (row["cluster"], row["max_bytes"] or 0))
    found = [(name, list(rows)) for name, rows in groupby(by_name, key=lambda row: str(row["cluster"]))]
    offers = [offer for name, rows in found if (offer := offer_of(name, rows)) is not None]
    bytes_of = given(offers, total)
    shares: dict[str, int | Trouble] = {}
    told = []
    for name, rows in found:
        first, last = rows[0], rows[-1]
        if first["outcome"] is not None:
            shares[name] = Trouble(first["outcome"], first["reason"], first["text"])
            continue
        shares[name] = bytes_of.get(name, 0)
        before = next((row["value"] for row in rows if row["value"] is not None), None)
        reason = None if first["goal"] else first["reason"]
        told.append((name, first["goal"], last["max_bytes"], shares[name], before, reason))
    return Shares(shares, told, total, least_left(offers, total))


def offer_of(name: str, rows: Sequence[Row]) -> Offer | None:
    """What budgets buy a cluster, by bytes; None where nobody knows what its plan copies."""
    last = rows[-1]["max_bytes"]
    if last is None or rows[0]["outcome"] is not None:
        return None
    points = [row for row in rows if row["value"] is not None]
    if not points:
        return Offer(name, (Step(last, 0.0),), above=last)
    unit = points[0]["value"] or 1.0
    steps = tuple(
        Step(row["max_bytes"], row["value"] / unit, (row["lower_bound"] or 0.0) / unit) for row in points
    )
    refused = [row["max_bytes"] for row in rows if row["value"] is None]
    return Offer(name, steps, above=max(refused, default=0))


def budget_table(spark: SparkSession, shares: Shares, summary: DataFrame) -> DataFrame:
    """The table ``budget``; ``summary``: rows of ``plan_summary``, which have the levels that came of it."""
    level = F.expr("get(filter(certificate, one -> one.goal = goal), 0)")
    plans = summary.select("cluster", "certificate")
    rows = spark.createDataFrame(list(shares.told), SHARE).join(F.broadcast(plans), on="cluster", how="left")
    told = rows.withColumns({"level": level["value"], "lower_bound": level["lower_bound"]})
    return told.select(*BUDGET.fieldNames())


def budget_record(rows: Sequence[Row], shares: Shares) -> dict[str, Any]:
    """What ``run.json`` says of the budget, from the rows of the table ``budget``."""
    known = [row for row in rows if row["level"] is not None and row["level_before"] is not None]
    parts = [row["level"] / row["level_before"] if row["level_before"] else 0.0 for row in known]
    is_whole = len(known) == sum(row["goal"] is not None for row in rows)
    least = shares.least_left if is_whole else None
    return {
        "max_bytes_total": shares.total,
        "given": sum(row["max_bytes"] for row in rows),
        "wanted": sum(row["wanted_bytes"] or 0 for row in rows),
        "clusters": len(known),
        "left": round(sum(parts) / len(known), 9) if known else None,
        "lower_bound": round(least / len(known), 9) if known and least is not None else None,
    }
