"""``equipoise rollback``: back to the assignment from before the plan."""

from __future__ import annotations

import typer

from equipoise.cli.carrying import PlanFolder, Yes, carry, close, cluster_at, opened
from equipoise.cli.limits import Limits, with_limits
from equipoise.cli.snapshot import BootstrapServer, CommandConfig
from equipoise.cli.voice import is_json
from equipoise.wording import plural


def register(app: typer.Typer) -> None:
    app.command(
        "rollback", help="Put back the lists from before the plan, as throttled and watched as apply."
    )(rollback)


@with_limits
def rollback(
    folder: PlanFolder,
    bootstrap_server: BootstrapServer,
    limits: Limits,
    command_config: CommandConfig = None,
    yes: Yes = False,
) -> None:
    from equipoise.report.words import duration, rate

    of = opened(folder, limits, "rollback")
    job = of.job.way_back
    copies = sum(len(move.adding) for move in job.moves)
    back = plural(len(job.moves), "partition goes", "partitions go")
    throttle, inflight = of.schedule.throttle_bytes_per_s, of.schedule.max_inflight
    pace = "" if throttle is None else f" at {rate(throttle)} a broker each way"
    if (seconds := job.seconds(throttle, inflight)) == seconds:
        pace += f", in about {duration(seconds)}"
    what = f"Up to {back} back to their lists from before ({plural(copies, 'replica')} to copy){pace}."
    if job.dirs:
        replicas = plural(len(job.dirs), "replica goes", "replicas go")
        what += f" {replicas} back to the log dirs from before."
    options = of.options(limits)
    with cluster_at(bootstrap_server, command_config) as port:
        end = carry(of, job, options, port, what, yes=yes, limits=limits)
        close(end, told=is_json())
