"""Two runs on one cluster: one of them waits, whatever each has done when the other begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from stories import MB, OPTIONS, RATES, Killed, Recorder, Story, story, with_options

from equipoise.execution import instructions as ask
from equipoise.execution.instructions import End
from equipoise.execution.machine import Machine
from equipoise.execution.memory import Memory
from equipoise.execution.moves import Move, Options
from equipoise.execution.port import Resource, TopicPartition
from equipoise.execution.simulated import SimulatedCarrier


def rates(told: Story, broker: int) -> set[str | None]:
    return {told.model.settings[Resource.broker(broker)].get(key) for key in RATES}


class Process:
    """One run, carried on an instruction at a time, so that two of them can take turns on one model."""

    def __init__(self, told: Story, options: Options, **how: Any) -> None:
        self.told, self.machine = told, Machine(told.job, options, Memory.of(told.log.entries), **how)
        self.carrier = SimulatedCarrier(told.model)
        self.instruction = self.machine.next()
        self.wakes = 0.0

    @property
    def ended(self) -> bool:
        return isinstance(self.instruction, End)

    def step(self) -> None:
        """Carry one instruction out."""
        answer: Any = None
        match self.instruction:
            case ask.Record(entry):
                self.told.log.append(entry)
            case ask.Confirm():
                answer = True
            case ask.Say(text):
                self.told.face.say(text)
            case ask.Wait(seconds):
                self.wakes = self.told.model.now + seconds
            case _:
                answer = self.carrier.perform(self.instruction)
        self.instruction = self.machine.next(answer)


def beside(*processes: Process, look: Callable[[], object] = lambda: None) -> None:
    """Let processes take turns, an instruction each, until all have ended."""
    model = processes[0].told.model
    while alive := [one for one in processes if not one.ended]:
        if awake := [one for one in alive if one.wakes <= model.now]:
            for one in awake:
                one.step()
        else:
            model.advance(min(one.wakes for one in alive) - model.now + 1e-9)
        look()


def two_plans() -> tuple[Story, Story]:
    """Plans for two topics of one cluster that share brokers 0 and 3."""
    alpha = story({f"alpha-{i}": ([0, 1], [3, 1]) for i in range(3)})
    names = [alpha.model.create("beta", i, [0, 2], 20 * MB) for i in range(3)]
    moves = tuple(Move(name, (0, 2), (3, 2), 20 * MB) for name in names)
    return alpha, Story(alpha.model, replace(alpha.job, plan="sha256:other", moves=moves))


@pytest.mark.parametrize("rate", [2 * MB, 5 * MB], ids=["one rate", "two rates"])
@pytest.mark.parametrize("late", range(14))
def test_of_two_runs_begun_together_one_waits(rate: int, late: int) -> None:
    """Whatever the first has done when the second begins: never do both copy, each copies at its own rate,
    both end, and no throttle is left."""
    alpha, beta = two_plans()
    first = Process(alpha, OPTIONS)
    for _ in range(late):
        first.step()
    second = Process(beta, with_options(throttle=rate))
    together: list[float] = []
    model = alpha.model

    def look() -> None:
        if len({name.topic for name in model.moving}) > 1:
            together.append(model.now)
        for name in model.moving:
            for process in (first, second):
                flies = name in process.machine.run.flying and process.wakes > model.now
                if flies and model.now - began.setdefault(name, model.now) > 2.5:
                    assert rates(alpha, 3) == {str(process.machine.run.options.throttle)}

    began: dict[TopicPartition, float] = {}

    beside(first, second, look=look)
    ends = {first.instruction.outcome, second.instruction.outcome}  # type: ignore[union-attr]
    if ends != {"finished"}:  # the second was told, before anything was changed
        assert ends == {"finished", "refused"} and beta.log.entries == []
    assert not together or max(together) - min(together) < 2.5
    assert alpha.throttles() == {}


def test_the_end_of_a_killed_run_leaves_the_rates_of_another_alone() -> None:
    """A is killed, its moves land; B keeps its rates and flies when A is taken up: A names what stands over
    its own, B puts back what it found and says so, and A's next run takes that off."""
    alpha, beta = two_plans()
    with pytest.raises(Killed):
        alpha.run(carrier=Recorder(alpha.model, 1, after=True))
    alpha.model.advance(1000)
    second = Process(beta, with_options(throttle=5 * MB, keep_rates=True))
    while not (beta.model.moving and isinstance(second.instruction, ask.Wait)):
        second.step()
    end = alpha.resume()
    assert any("which somebody else set over ours" in reason for reason in end.reasons)
    beside(second)
    assert any(line.startswith("put back") for line in beta.face.heard)
    assert {rate for broker in (0, 3) for rate in rates(alpha, broker)} == {str(2 * MB)}
    alpha.resume(stop="cancel")
    assert alpha.throttles() == {}
