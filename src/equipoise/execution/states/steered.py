"""Steered: held, let go, and set to another rate in mid-flight."""

from __future__ import annotations

from dataclasses import replace

from equipoise.execution import instructions as ask
from equipoise.execution.run import Run, Steps
from equipoise.execution.states.unthrottled import unthrottling

GOES_ON = "moves begin again"


def steered(run: Run) -> Steps:
    """Follow the orders that have come since the last look."""
    orders = run.orders
    if orders.over and run.stop is None:
        run.stop = "finish"
        yield ask.Say("the time that it was given is over: what is in flight is finished")
    rate = orders.throttle
    if rate is not None and rate != run.options.throttle:
        yield ask.Say(f"the throttle is {rate:,} bytes a second from now on", "throttle")
        run.options, run.shown = replace(run.options, throttle=rate), set()
        yield from run.record("steer", hold=run.held, throttle=rate)
    if orders.hold != run.held:
        run.held = orders.hold
        yield ask.Say(f"{run.held}: no move begins", "held") if run.held else ask.Say(GOES_ON, "released")
        yield from run.record("steer", hold=run.held, throttle=run.options.throttle)
    if run.held and not run.flying and run.shown:
        yield from unthrottling(run)
        run.shown = set()
    run.phase = run.held or "moving"
