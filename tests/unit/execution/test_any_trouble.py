"""Runs among random faults: killed, steered, brokers lost, moves cancelled, throttles cleared by others."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from stories import MB, RACKS, RATES, Killed, Log, Recorder, Story, Watcher, story, tp, with_options

from equipoise.execution import instructions as ask
from equipoise.execution.machine import Machine
from equipoise.execution.orders import Orders
from equipoise.execution.port import Failure, Resource

MOVES = {
    **{f"pay-{i}": ([i % 3, 3 + i % 2], [i % 3, 5]) for i in range(4)},
    **{f"log-{i}": ([4, i], [3, i]) for i in range(3)},
    "tmp-0": ([0, 1, 2], [2, 1, 0]),
}
AFTER = {name: tuple(after) for name, (_, after) in sorted(MOVES.items())}
OPTIONS = with_options(max_inflight=3, if_stuck="wait")


class Strict(Recorder):
    """Sees to it that no copy begins on a broker that was not seen throttled the last time it was asked."""

    def __init__(self, *how: Any, **more: Any) -> None:
        super().__init__(*how, **more)
        self.shown: dict[str, set[str | None]] = {}

    def perform(self, instruction: Any) -> Any:
        if isinstance(instruction, ask.Submit):
            for name, target in instruction.targets.items():
                copies = set(target or ()) - set(self.model.replicas.get(name, ()))
                for broker in copies & set(map(int, self.shown)):
                    assert self.shown[str(broker)] == {str(OPTIONS.throttle)}, (name, broker)
        answer = super().perform(instruction)
        if isinstance(instruction, ask.ReadConfigs):
            for of, values in answer.items():
                if isinstance(values, Failure):  # it died a moment ago, and what it took is not lost
                    self.shown.pop(of.name, None)
                elif of.kind == "broker":
                    self.shown[of.name] = {value.value for key, value in values.items() if key in RATES}
        return answer


def ours(told: Story) -> dict[Resource, dict[str, str]]:
    """Throttles that are not somebody else's rate."""
    return {of: values for of, values in told.throttles().items() if "77" not in values.values()}


def trouble(told: Story, chance: Random) -> Watcher:
    """An eye before which anything may happen."""
    model = told.model

    def look(machine: Machine) -> str | None:
        if machine.run.phase != "moving" or chance.random() > 0.15:
            return None
        mine = sorted(name for name in model.moving if str(name) in MOVES)
        match chance.randrange(8):
            case 0 if not model.down:
                model.kill(chance.choice(sorted(RACKS)))
            case 1:
                for broker in sorted(model.down):
                    model.revive(broker)
            case 2:
                up = [Resource.broker(broker) for broker in RACKS if broker not in model.down]
                model.alter_configs({of: dict.fromkeys(RATES, chance.choice([None, "77"])) for of in up})
            case 3:
                model.settings.pop(Resource.topic("pay"), None)
            case 4 if mine:
                model.alter_reassignments({chance.choice(mine): None})
            case 5:
                return chance.choice(["finish", "leave", "cancel"])
        return None

    return Watcher(look)


def orders(told: Story, chance: Random) -> Orders:
    """A pause now and then, for some seconds."""
    return Orders("paused" if told.model.now % 40 < 10 and chance.random() < 0.9 else "")


@pytest.mark.parametrize("back", [False, True], ids=["there", "and back"])
@pytest.mark.parametrize("seed", range(40))
def test_whatever_happens_the_last_run_ends_as_planned(seed: int, back: bool) -> None:
    """Each process may be killed at any entry or request, paused, or be the first after the journal is lost;
    the last one meets no more trouble: lists are the plan's, or those from before where it was to be rolled
    back half-way; nothing moves, no throttle is left. A process that ends by itself leaves none without a
    word."""
    chance = Random(seed)
    told = story(MOVES, size=6 * MB)
    options, job, before = OPTIONS, told.job, told.lists()
    for turn in range(6):
        if turn == 3 and back:
            job = job.way_back
        told.face = trouble(told, chance)
        told.log = Log(told.log.entries)
        if chance.random() < 0.5:
            told.log.kill_after = len(told.log.entries) + chance.randrange(12)
        die_at = chance.randrange(10) if chance.random() < 0.3 else -1
        carrier = Strict(told.model, die_at, after=chance.random() < 0.5)
        if chance.random() < 0.15:  # its journal is lost
            told.log.entries.clear()
            told.log.kill_after, options = -1, replace(OPTIONS, adopt=True)  # and everyone knows it since
        try:
            end = told.run(options, job=job, carrier=carrier, helm=lambda: orders(told, chance))
        except Killed:
            told.model.advance(chance.random() * 3)
            continue
        said = " ".join(end.reasons)
        if ours(told) and end.outcome != "refused":
            assert "throttle stays on" in said or "may still carry" in said, (seed, end, ours(told))
        if end.outcome == "refused":
            assert told.model.down or said, seed
    for broker in sorted(told.model.down):
        told.model.revive(broker)
    told.log, told.face = Log(told.log.entries), Watcher()
    for _ in range(2):  # a rate that somebody set over ours is theirs, until they take it off
        theirs = [of for of, values in told.throttles().items() if "77" in values.values()]
        told.model.alter_configs({of: dict.fromkeys(RATES) for of in theirs})
        end = told.run(options, job=job, carrier=Strict(told.model))
    assert (end.outcome, end.reasons) == ("finished", ()), seed
    assert told.lists() == (before if back else AFTER), seed
    assert told.model.moving == {} and told.throttles() == {}, seed


def test_the_moves_of_the_stories_differ() -> None:
    """A guard: there is something to copy, and something to reorder."""
    job = story(MOVES).job
    assert {bool(move.adding) for move in job.moves} == {True, False}
    assert replace(job.moves[-1]).partition == tp("tmp-0")
