"""Reading, planning and comparing as the command line does them; each imports what it needs when called."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Unpack

from equipoise.cluster import Cluster, Plan
from equipoise.library.options import Options, wanted
from equipoise.planning.problem.request import Request

if TYPE_CHECKING:
    from equipoise.comparing import Row
    from equipoise.comparing.frontier import Frontier


class Change(NamedTuple):
    """What a plan does to one partition; lists are broker ids in the order of preference."""

    topic: str
    partition: int
    before: tuple[int, ...]
    """Empty where the partition is to be created."""
    after: tuple[int, ...]
    why: str


def read(*sources: str | Path, name: str | None = None) -> Cluster:
    """The cluster that files and folders describe together; the format of each is found from its content.

    ``name`` is by default that of the first of them. Raises `UnusableInput` naming file, place and value.
    """
    from equipoise.files.sources import read_sources

    return read_sources(sources, name=name)


def plan(cluster: Cluster, request: Request | None = None, **options: Unpack[Options]) -> Plan:
    """The best plan for a request, or for options as the command line has them.

    Raises `ImpossibleRequest` where no plan meets all rules, `UnusableInput` for an option without sense.
    """
    from equipoise.planning.driver.solve import make_plan

    return make_plan(cluster, wanted(request, options))


def changes(plan: Plan) -> list[Change]:
    """Every partition that a plan changes, with its reason, by topic and partition."""
    from equipoise.files.plan_summary import lists, reasons_of

    cluster, rows = plan.cluster, plan.changed
    before, after = (lists(cluster.ids_of(side[rows])) for side in (cluster.replicas, plan.target))
    topics = [cluster.topics[topic] for topic in cluster.topic_idx[rows]]
    numbers, why = cluster.partition[rows].tolist(), reasons_of(plan, rows)
    return [
        Change(topic, number, tuple(old), tuple(new), reason)
        for topic, number, old, new, reason in zip(topics, numbers, before, after, why, strict=True)
    ]


def reassignment(plan: Plan) -> str:
    """Kafka's own JSON of what a plan changes, for ``kafka-reassign-partitions``."""
    from equipoise.files.wave_files import rows_json

    return rows_json(plan, plan.touched).decode()


def save(
    plan: Plan,
    folder: str | Path,
    *,
    throttle: float | None = None,
    max_inflight: int | None = None,
    force: bool = False,
    budgets: Frontier | None = None,
) -> None:
    """Write the plan folder, with its report and its waves, as a whole or not at all.

    ``throttle`` is in bytes a second of every broker each way, ``max_inflight`` in partitions; None lets the
    plan choose. ``budgets``: what smaller ones would buy (see `frontier`), shown in the report. Raises
    `UnusableInput` where something is in the way; ``force`` replaces another plan.
    """
    from equipoise.files.plan_directory import write_plan
    from equipoise.report import plan_page
    from equipoise.scheduling import schedule

    waves = schedule(plan, max_inflight=max_inflight, throttle=throttle)
    page = plan_page(plan, waves, None if budgets is None else budgets.to_json()).encode()
    write_plan(plan, Path(folder), schedule=waves, extra={"report.html": page}, force=force)


def load(folder: str | Path) -> Plan:
    """The plan of a plan folder; raises `UnusableInput` where it is none, or any byte of it was changed."""
    from equipoise.files.plan_directory import read_plan

    return read_plan(Path(folder))


def compare(
    cluster: Cluster,
    request: Request | None = None,
    *,
    time_limit_s: float = 60.0,
    **options: Unpack[Options],
) -> list[Row]:
    """Every published algorithm beside ours: a row for each, ours first.

    ``time_limit_s`` is what each may take. They run in a process of their own, as solvers cannot be
    interrupted: a script calls this below ``if __name__ == "__main__":``.
    """
    from equipoise.comparing import compare as run
    from equipoise.comparing import entries

    asked = wanted(request, options)
    listed = entries(cluster, asked, time_limit_s)
    return run(cluster, asked, listed, time_limit_s=time_limit_s)


def frontier(
    cluster: Cluster,
    request: Request | None = None,
    *,
    budgets: Sequence[float] | None = None,
    **options: Unpack[Options],
) -> Frontier:
    """How level the cluster gets for each budget of data moved.

    ``budgets`` are percents of what the plan without one moves; None: 0, 5, 10, 25, 50, 75 and 100.
    """
    from equipoise.comparing.frontier import BUDGETS
    from equipoise.comparing.frontier import frontier as run

    return run(cluster, wanted(request, options), BUDGETS if budgets is None else budgets)
