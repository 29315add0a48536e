"""Two runs on one cluster: one of them waits, whatever each has done when the other begins."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from stories import LISTS, MB, OPTIONS, RACKS, RATES, Killed, Recorder, Story, story, with_options

from equipoise.execution import instructions as ask
from equipoise.execution.instructions import End
from equipoise.execution.machine import Machine
from equipoise.execution.memory import Memory
from equipoise.execution.moves import Job, Move, Options
from equipoise.execution.port import ConfigValue, Failure, Resource, TopicPartition
from equipoise.execution.simulated import SimulatedCarrier, SimulatedCluster


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
            case ask.Confirm(left_over=left_over):
                answer = not left_over
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


def test_the_end_of_a_killed_run_with_the_same_rate() -> None:
    """Nothing tells whose a rate is: A, taken up, takes it off; B sets it again at its next look, aloud, and
    says at its end that what it found stands again."""
    alpha, beta = two_plans()
    model, bare = alpha.model, list[float]()
    model.link = 5.0 * MB
    with pytest.raises(Killed):
        alpha.run(carrier=Recorder(model, 1, after=True))
    model.advance(1000)
    second = Process(beta, with_options(keep_rates=True))
    while not (model.moving and isinstance(second.instruction, ask.Wait)):
        second.step()

    def look() -> None:
        if model.moving and rates(alpha, 3) == {None}:
            bare.append(model.now)

    beside(Process(alpha, OPTIONS), second, look=look)
    assert bare and max(bare) - min(bare) < 1.5
    lost, *back = beta.face.heard
    assert lost == "somebody took our throttle off brokers 0, 3 while moves are in flight: set again"
    said = (f"put back {key}={2 * MB} on brokers 0, 3, where it stood before" for key in sorted(RATES))
    assert sorted(back) == list(said)
    assert beta.throttles().keys() == {Resource.broker(0), Resource.broker(3)}


def throttled_everywhere(model: SimulatedCluster, *topics: str) -> dict[Resource, dict[str, str]]:
    """Let the lists of topics say ``*``; what is set on the cluster then."""
    star = {Resource.topic(topic): dict.fromkeys(LISTS, "*") for topic in topics}
    model.alter_configs(star)
    return star


def test_rates_are_not_left_to_a_topic_that_is_throttled_for_good() -> None:
    """Somebody moves one without any rates in the moment in which a run sets its own: it makes room and takes
    them off, since nobody else would, and begins once the other is over."""
    alpha, beta = two_plans()
    star = throttled_everywhere(alpha.model, "beta")
    first = Process(alpha, OPTIONS)
    while rates(alpha, 3) == {None}:
        first.step()
    alpha.model.alter_reassignments({move.partition: move.after for move in beta.job.moves})
    seen: list[bool] = []

    def look() -> None:
        if {name.topic for name in alpha.model.moving} == {"beta"} and first.wakes > alpha.model.now:
            seen.append(rates(alpha, 3) == {None})
        assert alpha.model.now < 600

    beside(first, look=look)
    assert seen and all(seen)
    end = first.instruction
    assert isinstance(end, End) and (end.outcome, end.reasons) == ("finished", ())
    assert alpha.throttles() == star


class Late(SimulatedCluster):
    """Each broker shows a config some moments after it was set, as brokers learn it from the controller."""

    def __init__(self, chance: Random) -> None:
        super().__init__(RACKS)
        self.lag = {broker: chance.random() * chance.choice([0.0, 0.3, 1.5]) for broker in RACKS}
        self.past: dict[Resource, list[tuple[float, dict[str, str]]]] = defaultdict(lambda: [(-math.inf, {})])

    def alter_configs(
        self, changes: Mapping[Resource, Mapping[str, str | None]]
    ) -> Mapping[Resource, Failure | None]:
        answers = super().alter_configs(changes)
        for of in changes:
            self.past[of].append((self.now, dict(self.settings[of])))
        return answers

    def values(self, resource: Resource, keys: Collection[str] | None) -> dict[str, ConfigValue]:
        if resource.kind == "topic":
            return super().values(resource, keys)
        until = self.now - self.lag[int(resource.name)]
        there = [values for since, values in self.past[resource] if since <= until][-1]
        told = {key: there[key] for key in there if keys is None or key in keys}
        return {key: ConfigValue(value, "DYNAMIC_BROKER_CONFIG") for key, value in told.items()}


def plan_of(model: SimulatedCluster, topic: str, before: list[int], after: list[int], n: int) -> Story:
    """A plan of ``n`` moves of a topic that there was not yet."""
    names = [model.create(topic, i, before, 4 * MB) for i in range(n)]
    moves = tuple(Move(name, tuple(before), tuple(after), 4 * MB) for name in names)
    return Story(model, Job("apply", f"sha256:{topic}", model.id, moves, RACKS, frozenset(RACKS)))


def take_turns(model: Late, begins: Mapping[float, Callable[[], Process]], chance: Random) -> list[Process]:
    """Let processes begin at their times and take turns in a random order, an instruction at a time, until
    all have ended; what copies is never without its throttle for longer than its run takes to look twice."""
    waiting, processes = sorted(begins.items(), key=lambda one: one[0]), list[Process]()
    bare_since: dict[TopicPartition, float] = {}
    while waiting or not all(one.ended for one in processes):
        while waiting and waiting[0][0] <= model.now:
            processes.append(waiting.pop(0)[1]())
        if awake := [one for one in processes if not one.ended and one.wakes <= model.now]:
            chance.choice(awake).step()
        model.advance(chance.random() * 0.1)
        bare = {name for name in model.moving if not is_throttled(model, name)}
        bare_since = {name: bare_since.get(name, model.now) for name in bare}
        assert all(model.now - since < 3.0 for since in bare_since.values()), bare_since
    return processes


def is_throttled(model: Late, name: TopicPartition) -> bool:
    """Whether the brokers that copy a partition have rates of some run."""
    target = model.moving[name].target
    return all(model.settings[Resource.broker(broker)].get(key) for broker in target[:1] for key in RATES)


@pytest.mark.parametrize("star", [(), ("alpha", "beta")], ids=["listed", "all"])
@pytest.mark.parametrize("rate", [2 * MB, 5 * MB], ids=["one rate", "two rates"])
@pytest.mark.parametrize("seed", range(60))
def test_in_whatever_order_two_runs_do_what_they_do_both_end(
    seed: int, rate: int, star: tuple[str, ...]
) -> None:
    """Each instruction takes its time, brokers show configs late, one run begins a little after the other,
    the lists of both topics may say ``*``: both end as planned without a word of anything that is left, and
    no throttle of theirs is."""
    chance = Random(seed)
    model = Late(chance)
    alpha, beta = plan_of(model, "alpha", [0, 1], [3, 1], 3), plan_of(model, "beta", [0, 2], [3, 2], 3)
    stand = throttled_everywhere(model, *star)
    first = lambda: Process(alpha, OPTIONS)  # noqa: E731
    second = lambda: Process(beta, with_options(throttle=rate))  # noqa: E731
    one, other = chance.sample([first, second], 2)
    begins = {0.0: one, chance.random() * chance.choice([0.3, 3.0, 8.0]): other}
    for process in take_turns(model, begins, chance):
        end = process.instruction
        assert isinstance(end, End)
        if end.outcome == "refused":  # it was told before anything was changed
            assert process.told.log.entries == []
            end = process.told.run()
        assert (end.outcome, end.reasons) == ("finished", ()), process.told.face.heard
    after = {"alpha": (3, 1), "beta": (3, 2)}
    assert all(lists == after[name.topic] for name, lists in model.replicas.items())
    assert alpha.throttles() == stand
