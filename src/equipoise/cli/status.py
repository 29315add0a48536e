"""``equipoise status``: how far a plan is carried out; changes nothing."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.carrying import Opened, PlanFolder, cluster_at, first_lines, opened
from equipoise.cli.output import say
from equipoise.cli.snapshot import BootstrapServer, CommandConfig
from equipoise.wording import plural

if TYPE_CHECKING:
    from equipoise.execution.memory import Memory
    from equipoise.execution.moves import Job
    from equipoise.execution.port import Port
    from equipoise.execution.takeover import Values

ONGOING = ("running", "")
"""Under way, or interrupted: how it is steered matters still."""
OVER_OURS = "which somebody else set over ours: what they put back may be ours"


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
    if is_left(found):
        raise typer.Exit(1)


def is_left(found: dict[str, Any]) -> bool:
    """Whether something stands that nobody watches, or that was not to be."""
    stands = ("throttles_left", "throttles_over_ours", "adoptable", "plan_throttled", "between_log_dirs")
    left = any(found[key] for key in stands) and found["outcome"] != "running"
    return bool(left or found["holds"] or found["journal_damage"] or found["outcome"] == "incomplete")


def figures(of: Opened, port: Port) -> dict[str, Any]:
    """Where every move stands, and what is set or moving, whoever did it."""
    from equipoise.execution.carrier import Carrier
    from equipoise.execution.instructions import Survey
    from equipoise.execution.port import Resource
    from equipoise.execution.survey import standing, wrong_cluster
    from equipoise.execution.takeover import unknown_flights
    from equipoise.execution.throttling import KEYS
    from equipoise.files.journal_lock import is_held
    from equipoise.files.steering import read_steering

    memory = of.memory
    operation = memory.begun.get("operation", "")
    job = of.job.way_back if operation == "rollback" else of.job
    carrier = Carrier(port)
    seen = carrier.survey(Survey(job.topics, ()))
    found = standing(job, memory, seen)
    topics = sorted({name.topic for name in port.partitions()} | memory.pairs.keys())
    brokers = sorted(seen.cluster.ids | memory.rates.keys())
    values = port.configs([*map(Resource.topic, topics), *map(Resource.broker, brokers)], KEYS)
    ended = operation == "apply" and memory.outcome in ("finished", "incomplete")
    drained = job.drained
    held = drained.beyond(carrier.held(drained.brokers)) if ended and drained.brokers else {}
    return {
        "plan": str(of.folder),
        "operation": operation,
        "outcome": "running" if is_held(of.folder) else memory.outcome if operation else "not begun",
        "done": len(found.done),
        "gone": len(found.gone),
        "in_flight": len(found.flying) + len(found.opposed),
        "between_log_dirs": still_settling(memory, port),
        "pending": len(found.pending) + len(found.unrestored),
        "moves": len(job.moves),
        "differs": [*wrong_cluster(job, seen), *found.drifted],
        "skipped": {str(name): why for name, why in sorted(memory.skipped.items())},
        **throttles(job, memory, values),
        "adoptable": [str(move.partition) for move, _ in unknown_flights(job, memory, seen)],
        "holds": {str(broker): list(map(str, names)) for broker, names in held.items()},
        "journal_damage": of.damage,
        "journal_torn": "" if is_held(of.folder) else of.torn,
        "held": memory.held,
        "throttle": memory.begun.get("throttle"),
        "throttle_bounds": memory.begun.get("bounds"),
        "max_inflight": memory.begun.get("max_inflight"),
        "inflight_bounds": memory.begun.get("inflight_bounds"),
        "health": memory.begun.get("health"),
        "metrics_file": memory.begun.get("metrics_file"),
        "on_event": bool(memory.begun.get("on_event")),
        **hours_of(memory),
        "ordered": asdict(read_steering(of.folder)),
    }


def throttles(job: Job, memory: Memory, values: Values) -> dict[str, list[str]]:
    """Every throttle that is set, by whose it is: left of ours, set over ours, of others; and the topics of
    the plan whose own partitions are throttled without its journal's knowing."""
    from equipoise.execution.others import foreign_lists, named
    from equipoise.execution.takeover import standing_pairs, standing_rates
    from equipoise.execution.throttling import clearing, covered, listing, owed

    due = owed(memory)
    ours = clearing({of: values[of] for of in due.resources if of in values}, due, memory)
    over, rates = covered(values, due, memory), standing_rates(values, memory)
    lists = foreign_lists(memory, values)
    return {
        "throttles_left": [f"{resource.kind} {resource.name}" for resource in sorted(ours)],
        "throttles_over_ours": listing({int(of.name): theirs for of, theirs in over.items()}),
        "throttles_of_others": [*listing(rates), *named(lists)],
        "plan_throttled": sorted(standing_pairs(job, lists)) if rates or over else [],
    }


def still_settling(memory: Memory, port: Port) -> int:
    """Copies between log dirs that a run has begun and that go on, as far as brokers tell."""
    from equipoise.execution.between_dirs import heads_for, look_at

    if not memory.dir_moves:
        return 0
    asked = look_at(memory.dir_moves)
    dirs = port.log_dirs(asked.brokers, asked.partitions)
    return sum(bool(heads_for(one, dirs)) for one in memory.dir_moves)


def hours_of(memory: Memory) -> dict[str, Any]:
    """When its moves may begin, and the seconds that are left of its time; null where nothing was said."""
    from equipoise.cli.helm import local_now
    from equipoise.execution.memory import hours_in

    hours = hours_in(memory.begun)
    left = None if hours.until is None else max(0.0, (hours.until - local_now()).total_seconds())
    return hours.to_json() | {"seconds_left": None if left is None else round(left)}


def text_of(found: dict[str, Any]) -> str:
    """The same for people."""
    from equipoise.report.words import rate

    what = {"apply": "apply", "rollback": "roll back"}.get(found["operation"], "run")
    gone = "{gone} gone (topic deleted), " if found["gone"] else ""
    lines = [
        f"{found['plan']}: {what} {found['outcome'] or 'interrupted'}",
        ("{done} of {moves} done, " + gone + "{in_flight} in flight, {pending} pending").format_map(found),
    ]
    if n := found["between_log_dirs"]:
        lines.append(plural(n, "copy between log dirs goes on", "copies between log dirs go on"))
    if found["journal_damage"]:
        lines.append(f"the journal is damaged: {found['journal_damage']}; what follows it is not known")
    if found["journal_torn"]:
        lines.append(f"the journal: {found['journal_torn']}")
    if found["outcome"] in ONGOING:
        lines += steered_by(found)
    ordered = found["ordered"]
    if ordered["paused"] and found["held"] != "paused":
        lines.append("a pause is ordered; continue ends it")
    if ordered["throttle"] is not None:
        lines.append(f"ordered throttle: {rate(ordered['throttle'])} a broker each way")
    lines += [f"skipped: {name}: {why}" for name, why in found["skipped"].items()]
    if found["differs"]:
        lines.append("differs: " + first_lines(tuple(found["differs"])))
    for broker, names in found["holds"].items():
        lines.append(f"broker {broker} is not empty: it holds " + first_lines(tuple(names)))
    if found["throttles_left"] and found["outcome"] == "running":
        lines.append("throttled: " + ", ".join(found["throttles_left"]))
    elif found["throttles_left"]:
        lines.append("still throttled: " + ", ".join(found["throttles_left"]))
        lines.append("apply --resume, cancel or rollback takes the throttles off")
    lines += [f"{line}, {OVER_OURS}" for line in found["throttles_over_ours"]]
    lines += [f"{line}, which no run of this plan set" for line in found["throttles_of_others"]]
    if found["adoptable"] or (found["throttles_of_others"] and not found["operation"]):
        lines.append("apply --adopt and cancel --adopt take what stands of this plan for their own")
    return "\n".join(lines)


def steered_by(found: dict[str, Any]) -> list[str]:
    """What holds, bounds and follows a run that is not over, a line each."""
    from equipoise.report.words import duration, rate

    lines: list[str] = []
    if found["held"]:
        lines.append(f"held: {found['held']}, no move begins")
    if found["throttle_bounds"]:
        low, high = map(rate, found["throttle_bounds"])
        lines.append(f"throttle between {low} and {high} a broker each way, now {rate(found['throttle'])}")
    if found["inflight_bounds"]:
        low, high = found["inflight_bounds"]
        lines.append(f"{low} to {high} partitions in flight at most, now {found['max_inflight']}")
    if found["health"]:
        lines.append(f"held down by what {found['health']} shows of brokers")
    if found["metrics_file"]:
        lines.append(f"its metrics are written to {found['metrics_file']}")
    if found["on_event"]:
        lines.append("a command is run for each of its events")
    if found["between"]:
        lines.append(f"moves begin in {found['between']} alone")
    if found["until"]:
        left = f"in {duration(found['seconds_left'])}" if found["seconds_left"] else "now over"
        lines.append(f"its time ends at {found['until']}, {left}")
    return lines
