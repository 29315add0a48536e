"""``equipoise cancel``: undo what is in flight, and nothing else."""

from __future__ import annotations

from typing import Annotated

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
    adopt: Annotated[
        bool,
        typer.Option(
            "--adopt", help="Take for its own what stands of this plan and its journal does not know."
        ),
    ] = False,
) -> None:
    of = opened(folder, operation=None)
    if not of.memory.begun and not adopt:
        raise UnusableInput(
            "no run of it was ever begun",
            source=str(folder),
            advice="There is nothing to cancel, unless its journal was lost: then give --adopt",
        )
    job = of.job.way_back if of.memory.begun.get("operation") == "rollback" else of.job
    what = "What is in flight will be cancelled and put back in its order; what has arrived stays."
    options = of.options(Limits(adopt=adopt))
    with cluster_at(bootstrap_server, command_config) as port:
        close(carry(of, job, options, port, what, yes=yes, stop="cancel"))
