"""A throttle between two bounds follows the health of the cluster, and neither bound is ever passed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from stories import MB, RATES, Killed, Log, Recorder, Story, Watcher, once, story, tp, with_options

from equipoise.cli.limits import Limits
from equipoise.errors import UnusableInput
from equipoise.execution.governing import CALM_S, SETTLE_S, Bounds, Governor
from equipoise.execution.instructions import Health
from equipoise.execution.machine import Machine
from equipoise.execution.memory import Memory, bounds_in
from equipoise.execution.orders import Orders
from equipoise.execution.port import Replica, Resource, TopicPartition

BOUNDS = Bounds(1 * MB, 11 * MB)
AUTO = with_options(throttle=1 * MB, bounds=BOUNDS)
LONG = {"pay-0": ([0, 1], [3, 1])}
WELL = Health({})


def behind(*names: str) -> Health:
    """Broker 4 is not in the ISR of these partitions."""
    return Health({tp(name): (4,) for name in names})


def watched(told: Story, act: Callable[[Machine], object] = lambda machine: None) -> dict[int, str]:
    """The rate of broker 3 second by second, while ``act`` may do something."""
    rates: dict[int, str] = {}

    def look(machine: Machine) -> None:
        act(machine)
        rates[int(told.model.now)] = told.model.settings[Resource.broker(3)].get(RATES[1], "")

    told.face = Watcher(look)
    return rates


def fall(told: Story, *, ill: bool = True) -> None:
    """A replica of somebody else's partition falls out of its ISR, or comes back."""
    (told.model.sick.add if ill else told.model.sick.discard)(Replica("calm", 0, 5))
    told.model.refresh(tp("calm-0"))


def test_calm_raises_it_and_a_lost_replica_halves_it() -> None:
    """Up by a tenth of the way every half minute; half at once when a replica falls out of an ISR; no higher
    until it is back, and then slowly up again."""
    told = story(LONG, size=800 * MB)
    told.model.create("calm", 0, [4, 5])
    falls = once(lambda: fall(told), lambda machine: told.model.now >= 100)
    back = once(lambda: fall(told, ill=False), lambda machine: told.model.now >= 160)
    rates = watched(told, lambda machine: (falls(machine), back(machine)))
    end = told.run(AUTO)
    assert (end.outcome, end.reasons, told.throttles()) == ("finished", (), {})
    at = {second: int(rates[second]) / MB for second in (5, 40, 70, 95, 105, 155, 180, 200)}
    assert at == {5: 1, 40: 2, 70: 3, 95: 4, 105: 2, 155: 2, 180: 2, 200: 3}
    calm = ": no replica left its ISR for 30 s"
    assert told.face.heard[:4] == [
        f"the throttle is 2,000,000 bytes a second from now on{calm}",
        f"the throttle is 3,000,000 bytes a second from now on{calm}",
        f"the throttle is 4,000,000 bytes a second from now on{calm}",
        "the throttle is 2,000,000 bytes a second from now on: broker 5 is no longer in the ISR of calm-0",
    ]


def test_it_never_passes_a_bound() -> None:
    """However long it is calm, and however much falls behind."""
    told = story(LONG, size=900 * MB)
    rates = watched(told)
    assert told.run(with_options(throttle=1 * MB, bounds=Bounds(1 * MB, 3 * MB))).outcome == "finished"
    assert {rate for rate in rates.values() if rate} <= {str(1_000_000 + k * 200_000) for k in range(11)}
    assert str(3 * MB) in rates.values()


def looked(governor: Governor, now: float, health: Health, rate: int) -> tuple[int, str]:
    """What comes of two looks, a second apart: what is seen once alone may be over already."""
    before, why = governor.advise(now - 1, health, rate, BOUNDS)
    return (before, why) if why else governor.advise(now, health, rate, BOUNDS)


def test_what_was_behind_before_is_no_reason_to_wait() -> None:
    """It is the cluster's state, and no doing of the run; that it comes back is none either."""
    governor, rate = Governor(), 5 * MB
    assert looked(governor, 1, behind("old-0"), rate) == (rate, "")
    rate, why = looked(governor, CALM_S + 1, behind("old-0"), rate)
    assert (rate, bool(why)) == (6 * MB, True)
    assert looked(governor, CALM_S + 3, WELL, rate) == (rate, "")
    assert looked(governor, CALM_S + 5, behind("old-0"), rate)[0] == 3 * MB


def test_one_trouble_halves_it_once() -> None:
    """Partition after partition loses the same broker within seconds; a later one is another trouble."""
    governor, rate = Governor(), 8 * MB
    looked(governor, 1, WELL, rate)
    rate, _ = looked(governor, 3, behind("a-0"), rate)
    assert rate == 4 * MB
    assert looked(governor, 5, behind("a-0", "a-1"), rate) == (rate, "")
    assert looked(governor, 5 + SETTLE_S, behind("a-0", "a-1", "a-2"), rate)[0] == 2 * MB


def test_what_is_seen_once_is_no_trouble() -> None:
    """A broker that has not yet heard of the end of a move shows its new replica out of the ISR; nor does the
    rate go up at such a look."""
    governor, rate = Governor(), 8 * MB
    assert governor.advise(0, WELL, rate, BOUNDS) == (rate, "")
    assert governor.advise(CALM_S, behind("a-0"), rate, BOUNDS) == (rate, "")
    assert governor.advise(CALM_S + 1, WELL, rate, BOUNDS)[0] == 9 * MB


def test_under_its_min_isr_it_goes_to_the_lower_bound() -> None:
    """Writes are refused there: whatever burdens that broker less is done."""
    health = Health({tp("a-0"): (4,)}, under_min_isr=frozenset({tp("a-0")}))
    assert looked(Governor(), 1, health, 11 * MB) == (1 * MB, "a-0 is under its min ISR")


@pytest.mark.parametrize("seed", range(20))
def test_among_random_troubles_no_bound_is_passed(seed: int) -> None:
    chance, governor, rate, now = Random(seed), Governor(), 4 * MB, 0.0
    names = [TopicPartition("t", p) for p in range(5)]
    for _ in range(400):
        now += chance.random() * 20
        out = {name: (chance.randrange(3),) for name in names if chance.random() < 0.05}
        under = frozenset(name for name in out if chance.random() < 0.1)
        before = rate
        rate, why = governor.advise(now, Health(out, under_min_isr=under), rate, BOUNDS)
        assert BOUNDS.low <= rate <= BOUNDS.high and (rate != before) == bool(why)
        assert not (out and rate > before and under)


@pytest.mark.parametrize("after", range(5, 15))
def test_killed_at_any_entry_it_goes_on_between_its_bounds(after: int) -> None:
    """With the rate that it had: the journal knows both."""
    told = story({**LONG, "log-0": ([1, 2], [4, 2])}, size=200 * MB)
    told.log = Log(kill_after=after)
    try:
        told.run(AUTO)
    except Killed:
        told.log.kill_after = -1
        memory = Memory.of(told.log.entries)
        assert bounds_in(memory.begun) == BOUNDS and BOUNDS.low <= memory.begun["throttle"] <= BOUNDS.high
        rates = watched(told)
        again = with_options(throttle=memory.begun["throttle"], bounds=bounds_in(memory.begun))
        assert told.run(again, carrier=Recorder(told.model)).outcome == "finished"
        assert all(BOUNDS.low <= int(rate) <= BOUNDS.high for rate in rates.values() if rate)
    assert told.throttles() == {} and told.lists() == {"log-0": (4, 2), "pay-0": (3, 1)}


def test_an_ordered_rate_ends_it() -> None:
    """From then on the rate stays, and the journal says so."""
    told = story(LONG, size=200 * MB)
    rates = watched(told)
    end = told.run(AUTO, helm=lambda: Orders(throttle=2 * MB) if told.model.now >= 40 else Orders())
    assert end.outcome == "finished"
    assert {rate for second, rate in rates.items() if second > 45 and rate} == {str(2 * MB)}
    assert Memory.of(told.log.entries).begun["bounds"] is None


def test_nothing_is_learned_while_nothing_is_copied() -> None:
    """A pause is calm, and says nothing of a rate."""
    told = story({**LONG, "log-0": ([1, 2], [4, 2])}, size=10 * MB)
    told.run(
        with_options(throttle=1 * MB, bounds=BOUNDS, max_inflight=1),
        helm=lambda: Orders("paused" if 5 <= told.model.now < 200 else ""),
    )
    assert not any("the throttle is" in line for line in told.face.heard)


@pytest.mark.parametrize("text", ["auto", "auto:", "auto:5MB", "auto:50MB-5MB", "auto:0-5MB", "auto:5MB-x"])
def test_bounds_that_are_none(text: str) -> None:
    with pytest.raises(UnusableInput, match="--throttle"):
        Limits(throttle=text).of_schedule()


INFLIGHT = with_options(max_inflight=1, inflight_bounds=Bounds(1, 6))
CALM = ": no replica left its ISR for 30 s"
TWELVE = {f"pay-{n}": ([0, 1], [3, 1]) for n in range(12)}


def in_flight(told: Story, act: Callable[[Machine], object] = lambda machine: None) -> dict[int, int]:
    """How many moves are in flight, second by second."""
    counts: dict[int, int] = {}

    def look(machine: Machine) -> None:
        act(machine)
        counts[int(told.model.now)] = len(told.model.moving)

    told.face = Watcher(look)
    return counts


@pytest.mark.slow
def test_the_number_in_flight_follows_too() -> None:
    """One more each half minute of calm, half of them when a replica falls out; what flies then goes on."""
    told = story(TWELVE, size=200 * MB)
    told.model.create("calm", 0, [4, 5])
    counts = in_flight(told, once(lambda: fall(told), lambda machine: told.model.now >= 115))
    options = replace(INFLIGHT, despite_sick=True)
    end = told.run(options, helm=lambda: Orders(over=told.model.now >= 700))
    assert (end.outcome, told.throttles()) == ("stopped", {})
    assert [counts[second] for second in (20, 50, 80, 110)] == [1, 2, 3, 4]
    assert {counts[second] for second in range(500, 700) if second in counts} <= {1, 2}
    assert told.face.heard[:4] == [
        *(f"at most {n} partitions are in flight from now on{CALM}" for n in (2, 3, 4)),
        "at most 2 partitions are in flight from now on: broker 5 is no longer in the ISR of calm-0",
    ]


@pytest.mark.parametrize("after", range(3, 15))
@pytest.mark.slow
def test_killed_at_any_entry_it_goes_on_with_the_number_that_it_had(after: int) -> None:
    told = story(TWELVE, size=60 * MB)
    told.log = Log(kill_after=after)
    with pytest.raises(Killed):
        told.run(INFLIGHT)
    told.log.kill_after = -1
    begun = Memory.of(told.log.entries).begun
    assert bounds_in(begun, "inflight_bounds") == Bounds(1, 6) and 1 <= begun["max_inflight"] <= 6
    counts = in_flight(told)
    again = with_options(max_inflight=begun["max_inflight"], inflight_bounds=Bounds(1, 6))
    assert told.run(again, carrier=Recorder(told.model)).outcome == "finished"
    assert max(counts.values()) <= 6 and told.throttles() == {}
    assert set(told.lists().values()) == {(3, 1)}


@pytest.mark.parametrize("text", ["auto", "auto:10", "auto:100-10", "auto:0-5", "auto:1-x"])
def test_numbers_in_flight_that_are_none(text: str) -> None:
    with pytest.raises(UnusableInput, match="--max-inflight"):
        Limits(max_inflight=text).of_schedule()


def test_numbers_in_flight_as_people_write_them() -> None:
    limits = Limits(max_inflight="auto:10-100")
    assert limits.inflight_bounds() == Bounds(10, 100) and limits.of_schedule() == {"max_inflight": 10}


def test_bounds_as_people_write_them() -> None:
    """It begins with the lower one, which is what times are foretold with."""
    limits = Limits(throttle="auto:5MB-50MB")
    assert limits.bounds() == Bounds(5 * MB, 50 * MB) and limits.of_schedule() == {"throttle": 5e6}
    assert Limits(throttle="5MB").bounds() is None


def test_a_journal_with_bounds_that_are_none_is_damaged_there() -> None:
    with pytest.raises(ValueError, match="no range"):
        Memory.of([{"type": "begin", "plan": "p", "operation": "apply", "bounds": [5, 1]}])
