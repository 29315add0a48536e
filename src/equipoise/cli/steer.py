"""``equipoise pause``, ``continue`` and ``throttle``: steer a run in flight from another terminal."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from equipoise.cli.carrying import PlanFolder
from equipoise.cli.output import say
from equipoise.files.steering import Steering, read_steering, write_steering

Rate = Annotated[
    str, typer.Argument(metavar="RATE", help="Bytes a second of every broker, each way.", show_default=False)
]


def register(app: typer.Typer) -> None:
    app.command("pause", help="Let no further move of a run begin; what is in flight goes on.")(pause)
    app.command("continue", help="Let moves begin again after a pause.")(go_on)
    app.command("throttle", help="Give a run in flight another throttle.")(throttle)


def pause(folder: PlanFolder) -> None:
    steer(folder, replace(known(folder), paused=True), "no further move begins")


def go_on(folder: PlanFolder) -> None:
    steer(folder, replace(known(folder), paused=False), "moves begin again")


def throttle(folder: PlanFolder, rate: Rate) -> None:
    from equipoise.planning.request.values import rate as parsed
    from equipoise.report.words import rate as shown

    value = int(parsed("RATE", rate))
    steer(folder, replace(known(folder), throttle=value), f"{shown(value)} a broker each way")


def known(folder: PlanFolder) -> Steering:
    """The orders so far; raises `UnusableInput` where the folder holds no plan."""
    from equipoise.files.plan_directory import read_plan

    read_plan(folder)
    return read_steering(folder)


def steer(folder: PlanFolder, orders: Steering, what: str) -> None:
    """Leave orders, and say who will follow them."""
    from equipoise.files.journal_lock import is_held

    write_steering(folder, orders)
    who = "from its next look on" if is_held(folder) else "no run is under way; the next one will see it"
    say(f"{folder}: {what}, {who}")
