"""``equipoise rollback``: back to the assignment from before the plan."""

from __future__ import annotations

import typer

from equipoise.cli.carrying import (
    DespiteSick,
    IfStuck,
    MaxInflight,
    PerBroker,
    PlanFolder,
    StuckAfter,
    Throttle,
    Yes,
    carry,
    close,
    cluster_at,
    opened,
    options_for,
)
from equipoise.cli.snapshot import BootstrapServer, CommandConfig


def register(app: typer.Typer) -> None:
    app.command(
        "rollback", help="Put back the lists from before the plan, as throttled and watched as apply."
    )(rollback)


def rollback(
    folder: PlanFolder,
    bootstrap_server: BootstrapServer,
    command_config: CommandConfig = None,
    yes: Yes = False,
    throttle: Throttle = None,
    max_inflight: MaxInflight = None,
    per_broker: PerBroker = None,
    if_stuck: IfStuck = "wait",
    stuck_after: StuckAfter = 120.0,
    despite_under_replicated: DespiteSick = False,
) -> None:
    of = opened(folder, throttle, max_inflight)
    options = options_for(of.schedule, per_broker, if_stuck, stuck_after, despite_under_replicated)
    job = of.job.way_back
    copies = sum(len(move.adding) for move in job.moves)
    what = (
        f"Up to {len(job.moves)} partitions go back to their lists from before ({copies} replicas to copy)."
    )
    with cluster_at(bootstrap_server, command_config) as port:
        close(carry(of, job, options, port, what, yes=yes))
