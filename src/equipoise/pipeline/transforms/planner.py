"""Planning one cluster in a process of its own: what happens there costs this cluster alone."""

from __future__ import annotations

import importlib
import logging
import shutil
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from glob import escape
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from equipoise.errors import UnusableInput, is_out_of_memory
from equipoise.files.wish import Wish
from equipoise.pipeline.schemas.steps import arrow
from equipoise.pipeline.transforms import rows
from equipoise.pipeline.transforms.columns import union_batches
from equipoise.pipeline.transforms.known_loads import Used, with_loads
from equipoise.pipeline.transforms.memory import bounded, memory_held, memory_there
from equipoise.pipeline.transforms.merge_task import State, Trouble
from equipoise.solver_process import NoAnswer, SolverProcess

if TYPE_CHECKING:
    import pyarrow as pa

    from equipoise.cluster import Cluster, Plan
    from equipoise.planning.problem.request import Request

NEEDED = (
    "equipoise.comparing.frontier", "equipoise.files.plan_directory", "equipoise.planning.driver.solve",
    "equipoise.planning.linear.growing", "equipoise.report", "equipoise.report.compiled",
    "equipoise.scheduling", "ortools.graph.python.min_cost_flow", "pyarrow.compute",
)  # fmt: skip
"""What planning would load later, when no memory may be left for it."""


@dataclass(frozen=True)
class Order:
    """One cluster to be planned."""

    state: State
    wish: Wish
    loads: pa.Table | None
    """Its rows of ``partition_load``; None where the cluster has no samples."""
    folder: str
    """Where the plan directory is to stand."""
    weigh: bool = False
    """Whether it is asked what budgets buy, and no plan is wanted."""
    at_once: int = 1
    """So many clusters may be planned at one time by this machine, which has one memory."""

    @property
    def memory(self) -> int:
        """Bytes that planning may take: those that are wished for, else its part of what is there."""
        return self.wish.memory_limit or memory_there() // self.at_once


class Planner(SolverProcess):
    """A process that plans one cluster after the other, and what it takes to go on without it."""

    called = "its planning"

    def __init__(self) -> None:
        super().__init__(serve)


planner: Planner | None = None
"""That of this process: a new one for each cluster would start Python anew."""


def planned(order: Order) -> list[pa.RecordBatch] | Trouble:
    """The rows of a plan, whose directory is written then; or why there is none."""
    global planner
    answer: list[pa.RecordBatch] | Trouble
    if planner is not None and planner.process.poll() is not None:  # it died when it had nothing to do
        planner.end()
        planner = None
    try:
        planner = planner or Planner()
        planner.send(order)
        answer = planner.received(order.wish.time_limit_s)
    except NoAnswer as error:
        reason = str(error)
        if planner is not None:
            if planner.process.poll() is None:
                limit = f"its time-limit of {order.wish.time_limit_s:g} seconds"
                reason = f"its planning takes longer than {limit}"
            planner.end()
        planner = None
        answer = Trouble("set aside", reason)
    if isinstance(answer, Trouble) and not order.weigh:
        clear(Path(order.folder))
    return answer


def clear(folder: Path) -> None:
    """Remove what a process left that was ended while it wrote a plan directory."""
    for left in (folder, *folder.parent.glob(f".{escape(folder.name)}.equipoise-*")):
        shutil.rmtree(left, ignore_errors=True)


def serve(connection: Connection) -> None:
    """In the process: answer orders, for as long as any come."""
    logging.disable()  # nobody reads what would be said
    warnings.simplefilter("ignore")
    for module in NEEDED:
        importlib.import_module(module)
    while True:
        connection.send(answer_to(connection.recv()))


def answer_to(order: Order) -> list[pa.RecordBatch] | Trouble:
    """The rows of a plan, or why there is none."""
    try:
        with bounded(order.memory):
            return weighed(order) if order.weigh else carried_out(order)
    except Exception as error:  # a cluster that trips a bug must not take the fleet with it
        # what a library says that was refused memory and did not look
        silent = isinstance(error, SystemError) and memory_held() >= order.memory
        if is_out_of_memory(error) or silent:
            memory = f"{order.memory / 1e6:,.0f} MB of memory"
            return Trouble("set aside", f"its planning takes more than {memory}")
        return Trouble.of(error)


def carried_out(order: Order) -> list[pa.RecordBatch]:
    """The plan of a cluster as rows, with its directory written."""
    from equipoise.files.plan_directory import write_plan
    from equipoise.planning import make_plan
    from equipoise.report import plan_page
    from equipoise.scheduling import schedule

    wish = order.wish
    cluster, request, used = prepared(order)
    plan = make_plan(cluster, request)
    waves = schedule(plan, max_inflight=wish.max_inflight, throttle=wish.throttle)
    page = plan_page(plan, waves).encode()
    write_plan(plan, Path(order.folder), schedule=waves, extra={"report.html": page})
    return rows_of(plan, used, order.state)


def weighed(order: Order) -> list[pa.RecordBatch]:
    """What budgets of bytes buy a cluster, as rows of WEIGHED; else what its plan copies."""
    import pyarrow as pa

    from equipoise.comparing.frontier import frontier, moved_bytes
    from equipoise.planning import make_plan

    cluster, request, _ = prepared(order)
    try:
        found = frontier(cluster, request, unit="bytes")
        rows = [
            {"goal": found.goal, "max_bytes": point.budget, "value": point.value,
             "lower_bound": point.lower_bound, "reason": point.reason or None}
            for point in found.points
        ]  # fmt: skip
    except UnusableInput as error:  # it levels nothing, has a budget of its own, or sizes are not known
        rows = [{"max_bytes": moved_bytes(make_plan(cluster, request)), "reason": error.problem}]
    told = [{"cluster": cluster.name, **row} for row in rows]
    return [pa.RecordBatch.from_pylist(told, schema=arrow("WEIGHED"))]


def prepared(order: Order) -> tuple[Cluster, Request, list[Used]]:
    """The cluster with its loads, what is asked for, and which loads those are.

    A part that was not lost piece by piece is refused later on, unless the wish says ``partial``.
    """
    wish, cluster, used = order.wish, order.state.cluster, list[Used]()
    if order.loads is not None:
        cluster, used = with_loads(cluster, order.loads, wish.load)
    partial = wish.request.partial or (order.state.lost and bool(cluster.lacks))
    return cluster, replace(wish.request, partial=partial), used


def rows_of(plan: Plan, used: list[Used], state: State) -> list[pa.RecordBatch]:
    """Its rows of every table; the brokers that it adds are brokers too."""
    name, schema = plan.cluster.name, arrow("PLANNED")
    summary = rows.summary(plan, [asdict(one) for one in used])
    placed = rows.placed(plan)
    return [
        *union_batches(name, "moves", rows.moves(plan), schema),
        *([] if placed is None else union_batches(name, "placed", placed, schema)),
        *union_batches(name, "brokers", rows.brokers(plan.cluster, plan.eligible, state.up), schema),
        one(name, "plan_summary", summary),
    ]


def rows_without_plan(name: str, state: State | Trouble, trouble: Trouble) -> list[pa.RecordBatch]:
    """Why a cluster has no plan, and what of it is known."""
    fault = {"reason": trouble.reason, "text": trouble.text}
    found = [
        one(name, "quarantine", fault),
        one(name, "plan_summary", rows.not_planned(trouble.outcome, trouble.reason)),
    ]
    if isinstance(state, State):
        all_of_them = np.ones(state.cluster.n_brokers, dtype=bool)
        brokers = rows.brokers(state.cluster, all_of_them, state.up)
        found += union_batches(name, "brokers", brokers, arrow("PLANNED"))
    return found


def one(cluster: str, kind: str, row: Mapping[str, object]) -> pa.RecordBatch:
    """A single row of one kind."""
    import pyarrow as pa

    return pa.RecordBatch.from_pylist([{"cluster": cluster, kind: row}], schema=arrow("PLANNED"))
