"""Moving: admit, watch and land moves until none is left or the operator wants to stop."""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import Any

from equipoise.execution import instructions as ask
from equipoise.execution.admission import Queue
from equipoise.execution.flights import Flight
from equipoise.execution.instructions import Health, Instruction, Observed, Surveyed
from equipoise.execution.moves import Move
from equipoise.execution.port import TopicPartition
from equipoise.execution.run import Run, Steps, names, some
from equipoise.execution.states.beginnings import giving_way, looking_again
from equipoise.execution.states.dirs import landing_dirs
from equipoise.execution.states.steered import GOES_ON, governed, steered
from equipoise.execution.states.stuck import minding, skip_closed
from equipoise.execution.states.submitting import send, submitting
from equipoise.execution.states.throttled import throttling
from equipoise.execution.states.undoing import restoring, undoing
from equipoise.execution.survey import Standing, shown, sickness, standing


def moving(run: Run, found: Standing) -> Generator[Instruction, Any, str]:
    """The heart of a run; returns "finished", "incomplete", "stopped", "cancelled" or "left"."""
    run.phase = "moving"
    yield from taking_up(run, found)
    while True:
        seen: Observed = yield run.observe()
        yield from landing(run, seen)
        yield from landing_dirs(run)
        if not run.alone and (yield from giving_way(run, seen)):
            continue
        if run.stop == "leave":
            return "left"
        if run.stop == "cancel":
            yield from undoing(run, list(run.flying))
            return "cancelled"
        yield from steered(run)
        yield from governed(run, seen)
        yield from minding(run, seen)
        admitted = yield from admitting(run, seen)
        admitted = yield from throttling(run, admitted, seen)
        if admitted and not run.flying:
            admitted = yield from looking_again(run, admitted)
        yield from submitting(run, admitted, seen.now)
        if not run.flying and (run.stop or not run.queue):
            return "stopped" if run.stop else "incomplete" if run.memory.skipped else "finished"
        copying = any(flight.adding for flight in run.flying.values())
        yield ask.Wait(run.options.poll_s if copying or not admitted else 0.0)


def taking_up(run: Run, found: Standing) -> Steps:
    """Put right what an earlier run left half undone; the rest waits in the queue."""
    if found.unrestored or found.opposed:
        orders = {move.partition: run.memory.cancelled[move.partition] for move in found.unrestored}
        yield from restoring(run, orders)
        yield from undoing(run, [move.partition for move in found.opposed])
        seen: Surveyed = yield run.survey()
        found = standing(run.job, run.memory, seen)
    run.n_done, run.n_gone = len(found.done), len(found.gone)
    run.queue = Queue(found.pending)
    todo = (*found.pending, *(flight.move for flight in run.flying.values()))
    run.bytes_total = sum(m.size_bytes * len(m.adding) for m in todo if not math.isnan(m.size_bytes))


def landing(run: Run, seen: Observed) -> Steps:
    """Take flights that have arrived off the list; see to those that somebody else took over."""
    done, gone = list[Flight](), list[Flight]()
    for name, flight in list(run.flying.items()):
        flight.see(seen)
        underway, state = seen.reassignments.get(name), seen.partitions.get(name)
        if state is not None:
            run.leaders[name] = state.leader
        if underway is not None and underway.target == flight.target:
            flight.odd_since = None
        elif run.is_gone(name, state):
            if underway is None or state is not None:
                gone.append(flight)
        elif underway is None and state is not None and state.replicas == flight.target:
            done.append(flight)
        else:
            yield from lost_track(run, flight, seen)
    for flight in done:
        del run.flying[flight.move.partition]
        run.n_done += 1
        run.bytes_done += 0.0 if math.isnan(flight.total) else flight.total * len(flight.adding)
    if done:
        yield from run.record("done", partitions=names(flight.move.partition for flight in done))
    for flight in gone:
        del run.flying[flight.move.partition]
    yield from noting_gone(run, [flight.move.partition for flight in gone])


def noting_gone(run: Run, gone: list[TopicPartition]) -> Steps:
    """Say and note which moves ended with their topic, be there another one of its name or not."""
    if gone:
        run.n_gone += len(gone)
        yield ask.Say(f"{some(gone)}: gone with the topic")
        yield from run.record("gone", partitions=names(gone), topic_ids=run.topic_ids_of(gone))


def leaving_namesakes(run: Run, health: Health) -> Steps:
    """Take what waits for a topic that was deleted and created anew off the queue: it is not begun."""
    known = {**run.topic_ids, **run.memory.topic_ids}
    anew = {topic for topic, number in known.items() if health.topic_ids.get(topic, number) != number}
    gone = [move for move in run.queue.waiting if move.partition.topic in anew] if anew else []
    run.queue.drop(gone)
    yield from noting_gone(run, [move.partition for move in gone])


def lost_track(run: Run, flight: Flight, seen: Observed) -> Steps:
    """The cluster shows neither a move nor its end: wait for brokers to agree, then try again or give up."""
    name = flight.move.partition
    flight.odd_since = seen.now if flight.odd_since is None else flight.odd_since
    if seen.now - flight.odd_since < run.options.grace_s:
        return
    underway, state = seen.reassignments.get(name), seen.partitions.get(name)
    if underway is None and state is not None and state.replicas == flight.home and flight.attempts < 3:
        yield from send(run, {name: flight.target}, seen.now)  # the request was never carried out
        return
    where = underway.target if underway is not None else state.replicas if state is not None else ()
    yield from run.skip([flight.move], f"somebody else put it on {shown(where)}")


def admitting(run: Run, seen: Observed) -> Generator[Instruction, Any, list[Move]]:
    """The moves that may start now; none while anything is not well, fewer while something is close to it."""
    if not run.queue or run.stop or run.held or len(run.flying) >= run.options.max_inflight:
        return []
    foreign = sorted(seen.reassignments.keys() - run.flying.keys())
    run.behind = not run.flying and (run.behind or bool(foreign))
    hold = [f"{name} is being moved by somebody else" for name in foreign]
    health: Health = run.health or (yield ask.CheckHealth())
    yield from leaving_namesakes(run, health)
    hold += sickness(health, run.moves, run.flying.keys(), despite=run.options.despite_sick)
    was_ill, run.ill = run.ill, hold[0] if hold else ""
    if hold:
        more = f" (and {len(hold) - 1} more)" if len(hold) > 1 else ""
        yield from run.say_once(f"no new moves for now: {hold[0]}{more}", "held")
        return []
    if was_ill:
        yield ask.Say(GOES_ON, "released")
    places = run.options.max_inflight
    if health.at_min_isr:
        places = max(1, places // 2)
        yield from run.say_once(f"half as many moves at a time: {min(health.at_min_isr)} is at its min ISR")
    flying = [flight.move for flight in run.flying.values()]
    admitted = run.queue.admit(flying, run.leaders, seen, places - len(flying), run.options)
    if not admitted and not run.flying:
        yield from skip_closed(run, seen)
    return admitted
