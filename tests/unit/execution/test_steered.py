"""A run that is steered: paused and let go, set to another rate, bound to hours and to a time."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from stories import MB, Killed, Log, Recorder, Story, Watcher, story, tp, with_options

from equipoise.cli.helm import Helm
from equipoise.cli.limits import Limits
from equipoise.errors import UnusableInput
from equipoise.execution.driver import drive
from equipoise.execution.hours import Hours, Window
from equipoise.execution.instructions import End, Instruction, Submit
from equipoise.execution.machine import Machine
from equipoise.execution.memory import Memory, hours_in
from equipoise.execution.moves import Options
from equipoise.execution.orders import Orders
from equipoise.execution.port import Resource
from equipoise.files.steering import NAME, Steering, forget_steering, read_steering, write_steering

TWO = {"pay-0": ([0, 1], [3, 1]), "log-0": ([1, 2], [4, 2])}
ONE_AT_A_TIME = with_options(max_inflight=1)
RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")


def steered(told: Story, *orders: tuple[float, Orders], options: Options = ONE_AT_A_TIME) -> End:
    """A run that gets each order from a second of its model on."""

    def helm() -> Orders:
        return next((order for since, order in reversed(orders) if told.model.now >= since), Orders())

    machine = Machine(told.job, options, Memory.of(told.log.entries))
    told.carrier = Recorder(told.model)
    return drive(machine, told.carrier, told.log, told.face, helm)


def test_a_pause_lets_land_what_flies_and_begins_nothing() -> None:
    """Nothing is throttled while nothing flies; continued, the rest is done as if nothing had been."""
    told = story(TWO)
    at: dict[int, tuple[int, bool]] = {}

    def look(machine: Machine) -> None:
        at[int(told.model.now)] = (len(told.model.moving), bool(told.throttles()))

    told.face = Watcher(look)
    end = steered(told, (3, Orders("paused")), (60, Orders()))
    assert (end.outcome, end.reasons, told.throttles()) == ("finished", (), {})
    assert at[5] == (1, True) and at[30] == (0, False) and at[62] == (1, True)
    assert told.face.heard == ["paused: no move begins", "moves begin again"]


def test_another_rate_is_in_force_at_the_next_look() -> None:
    """And is the one that goes from the brokers at the end."""
    told = story(TWO)
    seen: set[str] = set()
    told.face = Watcher(lambda machine: seen.update(told.model.settings[Resource.broker(3)].values()))
    end = steered(told, (3, Orders(throttle=5 * MB)))
    assert (end.outcome, end.reasons, told.throttles()) == ("finished", (), {})
    assert seen == {str(2 * MB), str(5 * MB)} and told.model.now < 13
    assert told.face.heard == ["the throttle is 5,000,000 bytes a second from now on"]


def test_a_run_that_began_without_a_throttle_may_get_one() -> None:
    told = story(TWO, link_bytes_per_s=1 * MB)
    end = steered(told, (3, Orders(throttle=100_000)), options=with_options(throttle=None))
    assert end.outcome == "finished" and told.model.now > 100 and told.throttles() == {}


def test_when_its_time_is_over_it_finishes_what_flies() -> None:
    """The rest is for the next run."""
    told = story(TWO)
    end = steered(told, (3, Orders(over=True)))
    assert (end.outcome, end.figures["done"], end.figures["pending"]) == ("stopped", 1, 1)
    assert told.throttles() == {} and told.model.replicas[tp("pay-0")] == (3, 1)
    assert steered(told).outcome == "finished"


@pytest.mark.parametrize("after", range(4, 16))
def test_killed_in_any_state_it_is_taken_up_in_it(after: int) -> None:
    """Paused, with another rate, at whichever entry: the orders are still there, the journal knows them."""
    told = story(TWO)
    told.log = Log(kill_after=after)
    orders = ((3, Orders("paused", 5 * MB)), (40, Orders("", 5 * MB)))
    try:
        steered(told, *orders)
    except Killed:
        told.log.kill_after = -1
        memory = Memory.of(told.log.entries)
        assert memory.held in ("", "paused") and memory.begun["throttle"] in (2 * MB, 5 * MB)
        told.model.advance(0.5)
        assert steered(told, *orders).outcome == "finished"
    assert told.throttles() == {} and told.lists() == {"log-0": (4, 2), "pay-0": (3, 1)}


def test_orders_are_kept_beside_the_journal(tmp_path: Path) -> None:
    """Until a run has ended; whoever may read the plan need not read them."""
    assert read_steering(tmp_path) == Steering()
    write_steering(tmp_path, Steering(paused=True, throttle=5))
    assert read_steering(tmp_path) == Steering(paused=True, throttle=5)
    assert stat.S_IMODE((tmp_path / NAME).stat().st_mode) == 0o600
    forget_steering(tmp_path)
    forget_steering(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "told",
    [
        "",
        "[]",
        '{"paused": 1, "throttle": null}',
        '{"paused": true, "throttle": 0}',
        '{"paused": true, "throttle": 9223372036854775808}',
    ],
)
def test_what_holds_no_orders_is_named_and_steers_nobody(tmp_path: Path, told: str) -> None:
    (tmp_path / NAME).write_text(told)
    with pytest.raises(UnusableInput, match=r"steering\.json: holds no orders"):
        read_steering(tmp_path)
    assert Helm(tmp_path, Hours())() == Orders()


def test_a_helm_follows_orders_hours_and_time(tmp_path: Path) -> None:
    """A pause says more than a closed window."""
    now = [datetime(2026, 1, 1, 21, 59, tzinfo=UTC)]
    hours = Hours(Window.of("22:00-06:00"), datetime(2026, 1, 2, tzinfo=UTC))
    helm = Helm(tmp_path, hours, lambda: now[0])
    assert helm() == Orders("outside 22:00-06:00")
    now[0] = datetime(2026, 1, 1, 22, 0, tzinfo=UTC)
    assert helm() == Orders()
    write_steering(tmp_path, Steering(paused=True, throttle=7))
    assert helm() == Orders("paused", 7)
    (tmp_path / NAME).write_text("{")
    now[0] = datetime(2026, 1, 2, tzinfo=UTC)
    assert helm() == Orders("paused", 7, over=True)


@pytest.mark.parametrize(
    ("text", "open_at"),
    [("22:00-06:00", {*range(6), 22, 23}), ("09:00-12:00", {9, 10, 11})],
    ids=["night", "day"],
)
def test_hours_may_go_over_midnight(text: str, open_at: set[int]) -> None:
    window = Window.of(text)
    assert {hour for hour in range(24) if window.holds(datetime(2026, 1, 1, hour).time())} == open_at


@pytest.mark.parametrize("text", ["", "22", "22:00", "25:00-06:00", "22:00-22:00", "22:00-06:00-07:00"])
def test_hours_that_are_none(text: str) -> None:
    with pytest.raises(UnusableInput, match="--between"):
        Limits(between=text).hours()


def test_a_time_that_is_none() -> None:
    with pytest.raises(UnusableInput, match="--for"):
        Limits(at_most="soon").hours()


def test_what_is_given_anew_overrules_what_a_run_was_given() -> None:
    """And nothing else does; ``always`` takes the hours away."""
    kept = Hours(Window.of("22:00-06:00"), datetime(2026, 1, 2, tzinfo=UTC))
    assert Limits().hours(kept) == kept
    assert Limits(between="01:00-02:00").hours(kept) == replace(kept, window=Window.of("01:00-02:00"))
    assert Limits(between="always").hours(kept) == replace(kept, window=None)
    anew = Limits(at_most="2h").hours(kept)
    assert anew.window == kept.window and anew.until is not None and anew.until > datetime.now(UTC)


BEGINS = datetime(2026, 1, 1, 5, 59, 50, tzinfo=UTC)
"""Ten seconds before ten minutes in which no move may begin."""
FOUR = {f"pay-{n}": ([0, 1], [3, 1]) for n in range(4)}
"""Four copies of ten seconds, one after the other."""


def within(told: Story, hours: Hours, folder: Path, begun: list[datetime]) -> End:
    """A run whose clock is that of its model, and the moments at which its moves began."""

    def now() -> datetime:
        return BEGINS + timedelta(seconds=told.model.now)

    class Noting(Recorder):
        def perform(self, instruction: Instruction) -> Any:
            if isinstance(instruction, Submit):
                begun.append(now())
            return super().perform(instruction)

    options = replace(ONE_AT_A_TIME, hours=hours)
    return told.run(options, carrier=Noting(told.model), helm=Helm(folder, hours, now))


@pytest.mark.parametrize("after", range(23))
@pytest.mark.slow
def test_hours_outlive_a_kill_at_any_entry(after: int, tmp_path: Path) -> None:
    """Inside the window, outside it while nothing may begin, and after it opened again: who takes the run up
    reads the hours in its journal, and keeps to them."""
    told, begun = story(FOUR), list[datetime]()
    told.log = Log(kill_after=after)
    hours = Hours(Window.of("06:10-06:00"))
    with pytest.raises(Killed):
        within(told, hours, tmp_path, begun)
    told.log.kill_after = -1
    kept = hours_in(Memory.of(told.log.entries).begun)
    assert kept == hours
    assert within(told, kept, tmp_path, begun).outcome == "finished"
    assert told.throttles() == {} and set(told.lists().values()) == {(3, 1)}
    assert hours.window is not None and all(hours.window.holds(moment.time()) for moment in begun)
    assert {moment.hour for moment in begun} == {5, 6}


@pytest.mark.parametrize("after", range(12))
def test_a_time_outlives_a_kill_at_any_entry(after: int, tmp_path: Path) -> None:
    """Near its end as well: what flies then is finished, and nothing has begun after it in either process."""
    told, begun = story(FOUR), list[datetime]()
    told.log = Log(kill_after=after)
    hours = Hours(until=BEGINS + timedelta(seconds=15))
    with pytest.raises(Killed):
        within(told, hours, tmp_path, begun)
    told.log.kill_after = -1
    end = within(told, hours_in(Memory.of(told.log.entries).begun), tmp_path, begun)
    assert end.outcome == "stopped" and told.throttles() == {} and told.model.moving == {}
    assert hours.until is not None and max(begun) < hours.until


def test_orders_are_plain_json(tmp_path: Path) -> None:
    """Any other program may give them."""
    write_steering(tmp_path, Steering(throttle=9))
    assert json.loads((tmp_path / NAME).read_text()) == {"paused": False, "throttle": 9}
