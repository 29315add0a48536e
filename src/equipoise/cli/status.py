"""``equipoise status``: how far a plan is carried out; changes nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.carrying import Opened, PlanFolder, cluster_at, first_lines, opened
from equipoise.cli.output import say
from equipoise.cli.snapshot import BootstrapServer, CommandConfig

if TYPE_CHECKING:
    from equipoise.execution.port import Port


def register(app: typer.Typer) -> None:
    app.command("status", help="How far a plan is carried out, and what is left behind.")(status)


def status(
    folder: PlanFolder,
    bootstrap_server: BootstrapServer,
    command_config: CommandConfig = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    of = opened(folder)
    with cluster_at(bootstrap_server, command_config) as port:
        found = figures(of, port)
    if as_json:
        say(json.dumps(found, indent=2))
    else:
        say(text_of(found))


def figures(of: Opened, port: Port) -> dict[str, Any]:
    """Where every move stands, and the throttles of ours that are still set."""
    from equipoise.execution.carrier import Carrier
    from equipoise.execution.instructions import Survey
    from equipoise.execution.survey import standing, wrong_cluster
    from equipoise.execution.throttling import KEYS, clearing
    from equipoise.files.journal_lock import is_held

    memory = of.memory
    operation = memory.begun.get("operation", "")
    job = of.job.way_back if operation == "rollback" else of.job
    seen = Carrier(port).survey(Survey(job.topics, ()))
    found = standing(job, memory, seen)
    left = clearing(port.configs(memory.throttled, KEYS), memory) if memory.throttled else {}
    return {
        "plan": str(of.folder),
        "operation": operation,
        "outcome": "running" if is_held(of.folder) else memory.outcome if operation else "not begun",
        "done": len(found.done) + len(found.gone),
        "in_flight": len(found.flying) + len(found.opposed),
        "pending": len(found.pending) + len(found.unrestored),
        "moves": len(job.moves),
        "differs": [*wrong_cluster(job, seen), *found.drifted],
        "skipped": {str(name): why for name, why in sorted(memory.skipped.items())},
        "throttles_left": [f"{resource.kind} {resource.name}" for resource in sorted(left)],
    }


def text_of(found: dict[str, Any]) -> str:
    """The same for people."""
    what = {"apply": "apply", "rollback": "roll back", "": "run"}[found["operation"]]
    lines = [
        f"{found['plan']}: {what} {found['outcome'] or 'interrupted'}",
        "{done} of {moves} done, {in_flight} in flight, {pending} pending".format_map(found),
    ]
    lines += [f"skipped: {name}: {why}" for name, why in found["skipped"].items()]
    if found["differs"]:
        lines.append("differs: " + first_lines(tuple(found["differs"])))
    if found["throttles_left"] and found["outcome"] == "running":
        lines.append("throttled: " + ", ".join(found["throttles_left"]))
    elif found["throttles_left"]:
        lines.append("still throttled: " + ", ".join(found["throttles_left"]))
        lines.append("apply --resume, cancel or rollback takes the throttles off")
    return "\n".join(lines)
