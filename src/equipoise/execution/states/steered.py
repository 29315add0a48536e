"""Steered: held, let go, and set to another rate in mid-flight."""

from __future__ import annotations

from equipoise.execution import instructions as ask
from equipoise.execution.instructions import Observed
from equipoise.execution.run import Run, Steps
from equipoise.execution.states.unthrottled import unthrottling

GOES_ON = "moves begin again"
NEW_INFLIGHT = "at most {:,} partitions are in flight from now on"
NEW_RATE = "the throttle is {:,} bytes a second from now on"


def steered(run: Run, phase: str = "moving") -> Steps:
    """Follow the orders that have come since the last look; ``phase``: what it does where none holds it."""
    orders = run.orders
    if orders.over and run.stop is None:
        run.stop = "finish"
        yield ask.Say("the time that it was given is over: what is in flight is finished")
    rate = orders.throttle
    if rate is not None and (rate != run.options.throttle or run.options.bounds):
        yield ask.Say(NEW_RATE.format(rate), "throttle")
        yield from run.set_rate(rate, None)
    if orders.blind:
        yield from run.say_once(orders.blind)
    if orders.hold != run.held:
        run.held = orders.hold
        yield ask.Say(f"{run.held}: no move begins", "held") if run.held else ask.Say(GOES_ON, "released")
        yield from run.note_steer()
    if run.held and not run.flying and not run.memory.dir_moves and run.shown:
        yield from unthrottling(run)
        run.shown = set()
    run.phase = run.held or phase


def governed(run: Run, seen: Observed) -> Steps:
    """Let throttle and number in flight follow the cluster's health, where they have two bounds."""
    options, run.health = run.options, None
    bounds = options.bounds if options.throttle is not None else None
    if bounds is None and options.inflight_bounds is None:
        return
    if not run.memory.dir_moves and not any(flight.adding for flight in run.flying.values()):
        run.governor.rest(seen.now)
        run.inflight_governor.rest(seen.now)
        return
    run.health = health = yield ask.CheckHealth()
    if bounds is not None:
        rate, why = run.governor.advise(
            seen.now, health, options.throttle or 0, bounds, run.orders.burden
        )
        if why:
            yield ask.Say(f"{NEW_RATE.format(rate)}: {why}", "throttle")
            yield from run.set_rate(rate, bounds)
    if options.inflight_bounds is not None:
        most, why = run.inflight_governor.advise(
            seen.now, health, options.max_inflight, options.inflight_bounds, run.orders.burden
        )
        if why:
            yield ask.Say(f"{NEW_INFLIGHT.format(most)}: {why}", "throttle")
            yield from run.set_inflight(most)
