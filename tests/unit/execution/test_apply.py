"""A run that goes well, and one that has to watch out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from stories import MB, OPTIONS, SMALL, Killed, Log, Recorder, Watcher, story, tp, with_options

from equipoise.execution import instructions as ask
from equipoise.execution.moves import Options
from equipoise.execution.port import Replica, Resource

LEADER, FOLLOWER = "leader.replication.throttled.replicas", "follower.replication.throttled.replicas"
RATE, FOLLOWER_RATE = "leader.replication.throttled.rate", "follower.replication.throttled.rate"


def targets() -> dict[str, tuple[int, ...]]:
    return {name: tuple(after) for name, (_, after) in sorted(SMALL.items())}


def test_a_plan_is_carried_out() -> None:
    """Lists and leaders are the plan's, no throttle is left, the journal says it ended."""
    told = story(SMALL)
    end = told.run()
    assert (end.outcome, end.reasons) == ("finished", ())
    assert told.lists() == targets()
    assert told.leaders() == {name: after[0] for name, after in targets().items()}
    assert told.throttles() == {}
    assert told.log.entries[-1]["type"] == "end"
    assert {name: count for name, count in end.figures.items() if count} == {"moves": 5, "done": 5}


def test_exactly_the_moving_replicas_are_throttled_while_they_move() -> None:
    """First of all: all existing replicas on the leaders' list, only new ones on the followers'."""
    told = story(SMALL)
    told.run()
    (first, *_) = told.carrier.of(ask.AlterConfigs)
    assert first.changes[Resource.topic("pay")] == {LEADER: "0:0,0:1,0:2,1:0,1:1,1:2", FOLLOWER: "0:3,1:3"}
    assert first.changes[Resource.topic("log")] == {LEADER: "1:0,1:1", FOLLOWER: "1:5"}
    assert Resource.topic("tmp") not in first.changes
    assert set(first.changes[Resource.broker(3)].values()) == {"2000000"}
    assert Resource.broker(4) not in first.changes
    kinds = [type(one) for one in told.carrier.done]
    assert kinds.index(ask.AlterConfigs) < kinds.index(ask.Submit)


def test_a_landed_partition_is_no_longer_throttled() -> None:
    """Lists shrink while the run goes on: a broker that restarts is not held back by what is over."""
    told = story({"pay-0": ([0], [1]), "pay-1": ([0], [2])}, size=4 * MB)
    told.model.size[tp("pay-0")] = 1 * MB
    told.run()
    lists = [
        c.changes[Resource.topic("pay")]
        for c in told.carrier.of(ask.AlterConfigs)
        if Resource.topic("pay") in c.changes
    ]
    assert lists == [
        {LEADER: "0:0,1:0", FOLLOWER: "0:1,1:2"},
        {LEADER: "1:0", FOLLOWER: "1:2"},
        {LEADER: None, FOLLOWER: None},
    ]


def test_what_others_have_set_is_kept_and_restored() -> None:
    """Another tool's pairs stay in the lists, a rate that was there comes back, a star is left alone."""
    told = story(SMALL)
    model = told.model
    before = {
        Resource.topic("pay"): {LEADER: "7:1,0:1", FOLLOWER: "7:2"},
        Resource.topic("log"): {LEADER: "*"},
        Resource.broker(3): {RATE: "555"},
    }
    model.alter_configs(before)
    end = told.run(with_options(keep_rates=True))
    assert end.outcome == "finished"
    assert told.face.heard == [f"put back {RATE}=555 on broker 3, where it stood before"]
    assert told.throttles() == {
        Resource.topic("pay"): {LEADER: "0:1,7:1", FOLLOWER: "7:2"},
        Resource.topic("log"): {LEADER: "*"},
        Resource.broker(3): {RATE: "555"},
    }


def test_throttles_that_somebody_clears_between_two_moves_are_set_again() -> None:
    """``kafka-reassign-partitions --verify`` takes everyone's throttles off once nothing is in flight."""
    told = story({"pay-0": ([0, 1], [3, 1]), "log-0": ([0, 1], [3, 1])})
    append, seen = told.log.append, []

    def verify(entry: Mapping[str, Any]) -> None:
        append(entry)
        if entry["type"] == "done":
            told.model.settings.clear()

    told.log.append = verify  # type: ignore[method-assign]
    told.face = Watcher(lambda machine: seen.append((set(machine.run.flying), told.throttles())))
    told.run(with_options(max_inflight=1))
    rates = [values[Resource.broker(3)] for flying, values in seen if flying == {tp("log-0")} and values]
    assert rates and all(rate[FOLLOWER_RATE] == rate[RATE] == str(2 * MB) for rate in rates)
    assert told.throttles() == {}


def test_copies_begin_once_brokers_show_their_throttle() -> None:
    """A config is in force a moment after it was accepted; a copy begun before would run at full speed."""
    told = story({"pay-0": ([0, 1], [3, 1])})
    configs, late = told.model.configs, [1, 2]

    def behind(resources, keys=None):  # type: ignore[no-untyped-def]
        found = configs(resources, keys)
        if late and any(found.values()):
            late.pop()
            return {of: {} for of in found}
        return found

    told.model.configs = behind  # type: ignore[method-assign]
    told.run()
    kinds = [type(one).__name__ for one in told.carrier.done]
    set_at, submitted_at = kinds.index("AlterConfigs"), kinds.index("Submit")
    assert kinds[set_at:submitted_at] == ["AlterConfigs", *["ReadConfigs"] * 3, "Observe"] and not late


def test_another_rate_on_the_way_and_the_one_from_before_at_the_end() -> None:
    """A run that is taken up with another throttle changes it live; what was there first comes back."""
    told = story({"pay-0": ([0, 1], [3, 1])})
    told.model.alter_configs({Resource.broker(3): {FOLLOWER_RATE: "77"}})
    with pytest.raises(Killed):
        told.run(with_options(keep_rates=True), carrier=Recorder(told.model, 1, after=True))
    told.resume(with_options(throttle=5 * MB))
    set_to = [
        change.changes[Resource.broker(3)].get(FOLLOWER_RATE)
        for change in told.carrier.of(ask.AlterConfigs)
        if Resource.broker(3) in change.changes
    ]
    assert set_to == [str(5 * MB), "77"]
    assert told.throttles() == {Resource.broker(3): {FOLLOWER_RATE: "77"}}


def test_leaders_are_elected_a_few_at_a_time() -> None:
    """An election is a moment without a leader: never many of them in one request."""
    told = story({f"pay-{i}": ([0, 1], [1, 0]) for i in range(7)})
    told.run(with_options(election_batch=3))
    assert [len(elect.partitions) for elect in told.carrier.of(ask.Elect)] == [3, 3, 1]
    assert set(told.leaders().values()) == {1}


def test_leaders_that_the_controller_elected_itself_are_left_alone() -> None:
    """``auto.leader.rebalance.enable`` is on by default: within minutes the first of a list leads."""
    told = story({"pay-0": ([0, 1], [1, 0])})
    told.face = Watcher(lambda machine: told.model.elect(tp("pay-0")) and None)
    assert told.run().outcome == "finished" and told.carrier.of(ask.Elect) == []


def test_without_a_throttle_no_config_is_touched() -> None:
    """Then there is nothing to remove either."""
    told = story(SMALL)
    told.run(with_options(throttle=None))
    assert told.carrier.of(ask.AlterConfigs) == []
    assert told.lists() == targets()


def test_no_more_than_asked_are_in_flight() -> None:
    """Admission is continuous and bounded, in all and for each broker."""
    moves = {f"t-{i}": ([0, 1], [0, 2 + i % 4]) for i in range(12)}
    told, most = story(moves), []
    told.face = Watcher(lambda machine: most.append(len(told.model.moving)))
    told.run(with_options(max_inflight=6, per_broker=3))
    assert max(most) == 3  # broker 0 sends all of them
    assert told.lists() == {name: tuple(after) for name, (_, after) in sorted(moves.items())}


def test_a_slow_partition_does_not_hold_up_the_rest() -> None:
    """While a large one is copied, small ones come and go beside it."""
    moves = {"big-0": ([0], [1]), **{f"small-{i}": ([2], [3]) for i in range(8)}}
    told = story(moves, size=1 * MB)
    told.model.size[tp("big-0")] = 100 * MB
    order: list[str] = []
    told.face = Watcher(
        lambda machine: (
            order.extend(sorted(map(str, machine.run.memory.done)))
            if not order and len(machine.run.memory.done) == 8
            else None
        )
    )
    told.run(with_options(max_inflight=2))
    assert order == [f"small-{i}" for i in range(8)]


def test_requests_are_chunked() -> None:
    """No request carries more partitions than one chunk; KRaft refuses 10,000 records as a whole."""
    moves = {f"t-{i}": ([0, 1], [1, 0]) for i in range(25)}
    told = story(moves)
    told.run(with_options(max_inflight=100, chunk=10, election_batch=7))
    assert [len(s.targets) for s in told.carrier.of(ask.Submit)] == [10, 10, 5]
    assert [len(e.partitions) for e in told.carrier.of(ask.Elect)] == [7, 7, 7, 4]
    assert set(told.leaders().values()) == {1}


def test_the_drained_broker_that_is_down_does_not_stop_its_own_drain() -> None:
    """Partitions that miss only the replica that is being taken away are no reason to wait."""
    told = story({"pay-0": ([0, 1, 2], [3, 1, 2])})
    told.model.kill(0)
    end = told.run()
    assert (end.outcome, end.reasons) == ("finished", ())
    assert told.lists() == {"pay-0": (3, 1, 2)} and told.throttles() == {}


def test_a_refused_partition_is_reported_and_the_others_proceed() -> None:
    """Per-partition errors are read: one bad list does not hide behind the good ones."""
    told = story({"a-0": ([0], [1]), "b-0": ([0], [2])})
    reassign = told.model.reassign
    from equipoise.execution.port import Failure

    told.model.reassign = lambda name, target: (  # type: ignore[method-assign]
        Failure("INVALID_REPLICA_ASSIGNMENT") if name == tp("a-0") else reassign(name, target)
    )
    end = told.run()
    assert end.reasons == ("a-0 was skipped: the cluster refused it (INVALID_REPLICA_ASSIGNMENT)",)
    assert told.lists() == {"a-0": (0,), "b-0": (2,)}
    assert told.throttles() == {}


def test_a_disk_without_room_waits_for_room() -> None:
    """With old and new copies both counted, the second partition follows once the first has left."""
    told = story({"b-0": ([1], [2]), "a-0": ([0], [1])}, size=20 * MB, disk_bytes=30 * MB)
    held: list[float] = []
    told.face = Watcher(lambda machine: held.append(told.model.used[1]))
    end = told.run()
    assert end.outcome == "finished" and max(held) <= 30 * MB
    assert told.lists() == {"a-0": (1,), "b-0": (2,)}


def test_progress_is_told_in_bytes() -> None:
    """Half-way through 20 MB at 2 MB/s the run knows it."""
    told = story({"a-0": ([0], [1])})
    seen: list[tuple[float, float]] = []
    told.face = Watcher(lambda machine: seen.append(machine.run.bytes_now()))
    told.run()
    assert (10 * MB, 10 * MB) in [(round(a), round(b)) for a, b in seen]


def test_the_predicted_time_is_the_time_it_takes() -> None:
    """20 MB at 2 MB/s take ten seconds, and as many looks."""
    told = story({"a-0": ([0], [1])})
    told.run()
    assert 9.9 < told.model.now < 13


def test_an_old_cluster_waits_for_a_sick_kept_replica_and_the_run_says_so() -> None:
    """Up to Kafka 4.2 a replica that stays and is out of the ISR holds its partition up."""
    told = story({"a-0": ([0, 1], [0, 2])}, version=(4, 2))
    told.face = Watcher(
        lambda machine: (
            told.model.sick.add(Replica("a", 0, 0)) or told.model.refresh(tp("a-0"))
            if machine.run.flying and not told.model.sick
            else None
        )
    )
    end = told.run(with_options(if_stuck="skip"))
    assert any("not in the ISR, and Kafka up to 4.2 waits for it" in line for line in told.face.heard)
    assert told.lists() == {"a-0": (0, 1)} and end.reasons[0].startswith("a-0 was skipped")
    assert told.throttles() == {}


def test_a_second_run_of_a_finished_plan_finds_nothing_to_do() -> None:
    """Taking up a finished run changes nothing."""
    told = story(SMALL)
    told.run()
    told.log = Log(told.log.entries)
    end = told.resume()
    assert end.outcome == "finished" and told.carrier.changes == 0


def test_defaults_are_kind_to_a_cluster() -> None:
    """Nobody has to know the limits that matter."""
    assert Options().chunk < 10_000 and Options().if_stuck == "wait" and OPTIONS.election_batch <= 250
