"""``equipoise cancel``: undo what is in flight, and nothing else."""

from __future__ import annotations

import typer

from equipoise.cli.carrying import PlanFolder, Yes, carry, close, cluster_at, opened
from equipoise.cli.limits import Limits
from equipoise.cli.snapshot import BootstrapServer, CommandConfig
from equipoise.errors import UnusableInput


def register(app: typer.Typer) -> None:
    app.command("cancel", help="Cancel what a run left in flight; order and leaders are restored exactly.")(
        cancel
    )


def cancel(
    folder: PlanFolder,
    bootstrap_server: BootstrapServer,
    command_config: CommandConfig = None,
    yes: Yes = False,
) -> None:
    of = opened(folder)
    if not of.memory.begun:
        raise UnusableInput(
            "no run of it was ever begun", source=str(folder), advice="There is nothing to cancel"
        )
    job = of.job.way_back if of.memory.begun["operation"] == "rollback" else of.job
    what = "What is in flight will be cancelled and put back in its order; what has arrived stays."
    with cluster_at(bootstrap_server, command_config) as port:
        close(carry(of, job, Limits().of_run(of.schedule), port, what, yes=yes, stop="cancel"))
