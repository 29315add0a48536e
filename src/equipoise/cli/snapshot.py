"""``equipoise snapshot``: a live cluster into a folder of plain files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli.output import say
from equipoise.cli.voice import is_quiet

if TYPE_CHECKING:
    from equipoise.execution.snapshot import Progress, Snapshot

BootstrapServer = Annotated[
    str, typer.Option("--bootstrap-server", metavar="H:P", help="Brokers to ask first: host:port,host:port.")
]
CommandConfig = Annotated[
    Path | None,
    typer.Option("--command-config", metavar="FILE", help="Kafka client properties: TLS, SASL, timeouts."),
]


def register(app: typer.Typer) -> None:
    app.command(
        "snapshot", help="Read a live cluster, changing nothing, into a folder that plan and run read."
    )(snapshot)


def snapshot(
    bootstrap_server: BootstrapServer,
    out: Annotated[Path, typer.Option("--out", metavar="FLEET/CLUSTER", help="Folder to write.")],
    command_config: CommandConfig = None,
) -> None:
    from datetime import UTC, datetime

    from equipoise.execution.client_config import ClientConfig
    from equipoise.execution.kafka import KafkaPort
    from equipoise.execution.snapshot import take_snapshot
    from equipoise.execution.snapshot_files import write_snapshot

    config = ClientConfig.read(command_config) if command_config else ClientConfig()
    warn(config.warnings)
    with KafkaPort(bootstrap_server, config) as port, shown_progress() as progress:
        told = take_snapshot(port, progress)
    write_snapshot(told, out, taken_at=datetime.now(UTC))
    warn(told.warnings)
    say(summary(told, out))
    if told.hidden:
        raise typer.Exit(1)


def warn(lines: tuple[str, ...]) -> None:
    for line in lines:
        say(f"equipoise: {line}", error=True)


def summary(told: Snapshot, out: Path) -> str:
    from equipoise.report.words import plural

    racks = {broker.rack for broker in told.cluster.brokers if broker.rack}
    topics = {partition.topic for partition in told.partitions}
    return (
        f"{out.name}: {plural(len(told.broker_ids), 'broker')} in {plural(len(racks), 'rack')}, "
        f"{plural(len(topics), 'topic')}, {plural(len(told.partitions), 'partition')}, "
        f"{len(told.moving)} in flight, Kafka {told.version}, "
        f"cluster id {told.cluster.cluster_id}\n{out}"
    )


@contextmanager
def shown_progress() -> Iterator[Progress]:
    """A bar on a terminal, nothing elsewhere."""
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(
        console=Console(stderr=True), transient=True, disable=is_quiet() or not sys.stderr.isatty()
    ) as bars:
        task = bars.add_task("", total=None)
        yield lambda what, done, of: bars.update(task, description=what, completed=done, total=of)
