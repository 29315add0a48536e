"""Stuck moves: noticed, explained, and skipped or sent elsewhere where the operator chose so."""

from __future__ import annotations

from equipoise.execution import instructions as ask
from equipoise.execution.admission import closed_to
from equipoise.execution.flights import Flight, other_target, why_stuck
from equipoise.execution.instructions import Observed
from equipoise.execution.run import Run, Steps
from equipoise.execution.states.submitting import send
from equipoise.execution.states.throttled import throttling
from equipoise.execution.states.undoing import undoing
from equipoise.execution.survey import shown
from equipoise.wording import plural

AGAIN_S = 60.0
"""How often the same is said of the same move."""


def minding(run: Run, seen: Observed) -> Steps:
    """Look after every flight that does not get on."""
    patience = run.options.stuck_after_s
    for name, flight in list(run.flying.items()):
        why = why_stuck(flight, seen, patience)
        if why and (why != flight.told or seen.now - flight.told_at >= AGAIN_S):
            since = seen.now - flight.advanced
            how_long = f", for {since:.0f} s" if why == flight.told else ""
            yield ask.Say(f"{name} is stuck: {why}{how_long}", "stuck")
            flight.told_at = seen.now
        flight.told = why
        if not why or seen.now - flight.advanced < patience:
            continue
        if run.options.if_stuck == "retarget":
            yield from retarget(run, flight, seen)
        elif run.options.if_stuck == "skip":
            yield from give_up(run, flight, seen)


def retarget(run: Run, flight: Flight, seen: Observed) -> Steps:
    """Send a move to a living broker instead; where there is none, give it up."""
    other = other_target(flight, run.job, seen, run.flying.values())
    if other is None or other == flight.target:
        yield from give_up(run, flight, seen)
        return
    name = flight.move.partition
    yield ask.Say(f"{name} goes to {shown(other)} instead of {shown(flight.target)}")
    flight.aim(other)
    flight.advanced, flight.told = seen.now, ""
    yield from throttling(run, [], seen)
    yield from send(run, {name: other}, seen.now)


def give_up(run: Run, flight: Flight, seen: Observed) -> Steps:
    """Undo a move and go on without it; one that the cluster does not cancel is tried again in a while."""
    why, flight.advanced = flight.told, seen.now
    yield from undoing(run, [flight.move.partition])
    if flight.move.partition not in run.flying:
        yield from run.skip([flight.move], why)


def skip_closed(run: Run, seen: Observed) -> Steps:
    """Nothing flies and nothing can start: say why, and skip what will never start if that was chosen."""
    lost = [move for move in run.queue.waiting if closed_to(move, seen)]
    if lost:
        broker = min(closed_to(lost[0], seen))
        waiting = plural(len(lost), "move waits", "moves wait")
        yield from run.say_once(f"{waiting}: broker {broker} is down or cordoned")
    if lost and run.options.if_stuck == "wait":
        return
    why = "a broker it needs is down or cordoned" if lost else "no broker has room for both copies"
    out = lost or list(run.queue.waiting)
    run.queue.drop(out)
    if out:
        yield from run.skip(out, why)
