"""Copies between log dirs among random faults: killed, left, cancelled, brokers lost, throttles cleared."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from dir_stories import places, with_dirs
from stories import MB, RACKS, Killed, Log, Recorder, Story, Watcher, story, with_options

from equipoise.execution.machine import Machine
from equipoise.execution.port import Resource

DIR_RATE = "replica.alter.log.dirs.io.max.bytes.per.second"
MOVES = {"pay-0": ([0, 3], [0, 5]), "log-0": ([4, 0], [3, 0]), "tmp-0": ([0, 1, 2], [2, 1, 0])}
THERE = {"pay-0@0": "/data/b", "log-0@0": "/data/b", "tmp-0@1": "/data/b"}


def settling() -> Story:
    """Three copies between log dirs after two between brokers; two of them share a broker."""
    told = story(MOVES, size=6 * MB, dir_bytes_per_s=3.0 * MB)
    told = with_dirs(told, pay_0_0="/data/b", log_0_0="/data/b", tmp_0_1="/data/b")
    told.job = replace(told.job, dirs_before=dict.fromkeys(told.job.dirs, "/data/a"))
    return told


def trouble(told: Story, chance: Random) -> Watcher:
    """An eye before which anything may happen while replicas are copied between log dirs."""
    model = told.model

    def look(machine: Machine) -> str | None:
        if machine.run.phase != "settling" or chance.random() > 0.15:
            return None
        match chance.randrange(5):
            case 0 if not model.down:
                model.kill(chance.choice(sorted(RACKS)))
            case 1:
                for broker in sorted(model.down):
                    model.revive(broker)
            case 2:
                up = [Resource.broker(broker) for broker in RACKS if broker not in model.down]
                model.alter_configs({of: {DIR_RATE: None} for of in up})
            case 3 if model.between:
                del model.between[chance.choice(sorted(model.between))]
            case 4:
                return chance.choice(["finish", "leave", "cancel"])
        return None

    return Watcher(look)


@pytest.mark.parametrize("back", [False, True], ids=["there", "and back"])
@pytest.mark.parametrize("seed", range(20))
def test_whatever_happens_the_last_run_ends_as_planned(seed: int, back: bool) -> None:
    """A process that ends by itself leaves neither copy nor throttle without a word; after the last, which
    meets no trouble, replicas lie where they should, nothing is copied, and no throttle is left."""
    chance = Random(seed)
    told, options = settling(), with_options()
    job, before = told.job, told.lists()
    for turn in range(6):
        if turn == 3 and back:
            job = job.way_back
        told.face = trouble(told, chance)
        told.log = Log(told.log.entries)
        if chance.random() < 0.5:
            told.log.kill_after = len(told.log.entries) + chance.randrange(25)
        if chance.random() < 0.15:  # its journal is lost
            told.log.entries.clear()
            told.log.kill_after, options = -1, with_options(adopt=True)
        try:
            end = told.run(options, job=job)
        except Killed:
            told.model.advance(chance.random() * 3)
            continue
        said = " ".join(end.reasons)
        if end.outcome != "refused":
            assert not told.model.between or "between log dirs" in said, (seed, end)
            assert not told.throttles() or "throttle stays on" in said or "may still carry" in said, seed
    for broker in sorted(told.model.down):
        told.model.revive(broker)
    told.log, told.face = Log(told.log.entries), Watcher()
    for _ in range(2):
        end = told.run(options, job=job, carrier=Recorder(told.model))
    assert (end.outcome, end.reasons) == ("finished", ()), seed
    assert told.lists() == (before if back else {name: tuple(MOVES[name][1]) for name in sorted(MOVES)}), seed
    assert (told.model.between, told.throttles()) == ({}, {}), seed
    assert places(told) == ({} if back else THERE), seed
