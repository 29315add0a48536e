"""Stories of failure: brokers die, topics vanish, others interfere, the cluster is not the one it was."""

from __future__ import annotations

import pytest
from stories import MB, ONE, RACKS, SMALL, Watcher, halfway, once, story, tp, with_options

from equipoise.execution import instructions as ask
from equipoise.execution.port import Failure, Resource, Unreachable


def test_somebody_else_starts_a_move_meanwhile() -> None:
    """Nothing new is started until it is over; what flies goes on; the other's move is not touched."""
    told = story({**ONE, "log-0": ([1, 2], [4, 2])})
    other = told.model.create("foreign", 0, [4], 400 * MB)
    told.model.link = 4 * MB
    told.face = Watcher(once(lambda: told.model.alter_reassignments({other: [5]})))
    end = told.run(with_options(max_inflight=1))
    assert end.outcome == "finished"
    assert "no new moves for now: foreign-0 is being moved by somebody else" in told.face.heard
    assert told.model.replicas[other] == (5,)
    assert told.lists()["log-0"] == (4, 2)


def test_somebody_else_takes_one_of_ours_over() -> None:
    """It is theirs then: skipped, reported, left alone."""
    told = story(ONE)
    told.face = Watcher(once(lambda: told.model.alter_reassignments({tp("pay-0"): [5, 1, 2]}), halfway))
    end = told.run()
    assert end.reasons == ("pay-0 was skipped: somebody else put it on [5,1,2]",)
    assert told.throttles() == {}


def test_somebody_else_cancels_one_of_ours() -> None:
    """The order that a cancel leaves is told; nobody fights over it."""
    told = story(ONE)
    told.face = Watcher(once(lambda: told.model.alter_reassignments({tp("pay-0"): None}), halfway))
    end = told.run()
    assert end.reasons == ("pay-0 was skipped: somebody else put it on [1,2,0]",)


def test_nothing_starts_while_partitions_are_under_replicated() -> None:
    """A broker that has nothing to do with the plan is down: the run waits for it, and says why."""
    told = story({**ONE, "log-0": ([1, 2], [3, 2])})
    told.model.create("calm", 0, [5, 4])
    told.face = Watcher(lambda machine: dies(machine) or back(machine))
    dies = once(lambda: told.model.kill(4))
    back = once(lambda: told.model.revive(4), lambda machine: told.model.now > 50)
    end = told.run(with_options(max_inflight=1))
    assert end.outcome == "finished"
    assert "no new moves for now: calm-0 is under-replicated: broker 4 is not in its ISR" in told.face.heard
    submitted = [list(map(str, s.targets)) for s in told.carrier.of(ask.Submit)]
    assert submitted == [["pay-0"], ["log-0"]]


def test_a_run_does_not_begin_on_a_sick_cluster() -> None:
    """Refused with the partition and the broker named; nothing is changed."""
    told = story(ONE)
    told.model.create("calm", 0, [5, 4])
    told.model.kill(4)
    end = told.run()
    assert end.outcome == "refused"
    assert end.reasons == ("calm-0 is under-replicated: broker 4 is not in its ISR",)
    assert told.carrier.changes == 0 and told.log.entries == []


def test_under_its_min_isr_nothing_starts_whatever_was_asked_for() -> None:
    """Two of three replicas are gone where two are needed: neither at first nor later does a copy start."""
    told = story(ONE)
    told.model.create("calm", 0, [5, 4])
    told.model.min_isr["calm"] = 2
    told.model.kill(4)
    end = told.run(with_options(despite_sick=True))
    assert end.reasons == ("calm-0 is under its min ISR",) and told.carrier.changes == 0
    told.model.revive(4)
    told.face = Watcher(lambda machine: dies(machine) or back(machine))
    dies = once(lambda: told.model.kill(4), halfway)
    back = once(lambda: told.model.revive(4), lambda machine: told.model.now > 50)
    told.job = story({**ONE, "log-0": ([1, 2], [3, 2])}).job
    told.model.create("log", 0, [1, 2], 20 * MB)
    assert told.run(with_options(despite_sick=True, max_inflight=1)).outcome == "finished"
    assert told.face.heard == ["no new moves for now: calm-0 is under its min ISR", "moves begin again"]


def test_what_the_plan_mends_may_be_under_its_min_isr() -> None:
    """Two brokers are lost for good: draining them is the way back to writes."""
    told = story({"pay-0": ([0, 1, 2], [0, 3, 5])})
    told.model.min_isr["pay"] = 2
    told.model.kill(1)
    told.model.kill(2)
    assert (told.run().outcome, told.lists()) == ("finished", {"pay-0": (0, 3, 5)})


def test_at_its_min_isr_half_as_many_moves_start_at_a_time() -> None:
    """One replica more out of the ISR would stop writes: the run slows down, and says why."""
    told = story({f"pay-{i}": ([0, 1, 2], [3, 1, 2]) for i in range(4)})
    told.model.min_isr["pay"] = 2
    told.model.kill(0)
    most: list[int] = []
    told.face = Watcher(lambda machine: most.append(len(machine.run.flying)))
    assert told.run(with_options(max_inflight=4)).outcome == "finished"
    assert max(most) == 2
    assert "half as many moves at a time: pay-0 is at its min ISR" in told.face.heard


def test_offline_partitions_can_be_passed_by_on_purpose() -> None:
    """A single replica on a broker that is gone for good cannot be mended by waiting."""
    told = story(ONE)
    told.model.create("calm", 0, [5])
    told.model.kill(5)
    assert told.run().reasons == ("calm-0 is offline",)
    assert told.run(with_options(despite_sick=True)).outcome == "finished"


def test_the_wrong_cluster_is_refused() -> None:
    """One line, and nothing is changed."""
    told = story(ONE, cluster_id="other")
    end = told.run()
    assert end.reasons == ("this is cluster other, the plan was made for simulated",)
    assert told.carrier.changes == 0 and told.log.entries == []


def test_a_drifted_cluster_is_refused_partition_by_partition() -> None:
    """What differs is said for each partition, and nothing is changed, not even what would still fit."""
    told = story(SMALL)
    told.model.replicas[tp("pay-0")] = (0, 2, 1)
    told.model.delete_topic("tmp")
    told.model.alter_reassignments({tp("log-1"): [0, 4]})
    end = told.run()
    assert end.outcome == "refused"
    assert sorted(end.reasons) == [
        "log-1: somebody else is moving it to [0,4]",
        "pay-0: has [0,2,1], the plan was made from [0,1,2]",
        "tmp-0: the partition does not exist",
    ]
    assert told.carrier.changes == 0


def test_a_foreign_move_anywhere_is_refused() -> None:
    """Also when it has nothing to do with the plan's own partitions."""
    told = story(ONE)
    told.model.alter_reassignments({told.model.create("foreign", 0, [4], MB): [5]})
    assert told.run().reasons == ("foreign-0: somebody else is moving it to [5]; wait until that is over",)


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (lambda model: model.kill(3), "broker 3 is to receive replicas and is down"),
        (lambda model: model.racks.pop(3), "broker 3 is to receive replicas and is not in the cluster"),
    ],
)
def test_a_broker_that_cannot_receive_is_refused(act, reason: str) -> None:  # type: ignore[no-untyped-def]
    """A dead broker would be accepted by Kafka, and the move would hang."""
    told = story(ONE)
    act(told.model)
    assert reason in told.run().reasons


def test_a_request_that_nobody_answered_is_looked_after() -> None:
    """Whether it was carried out is read back: here it was not, so it is sent again."""
    told = story(ONE)
    alter, lost = told.model.alter_reassignments, []

    def flaky(targets):  # type: ignore[no-untyped-def]
        if not lost:
            lost.append(targets)
            raise Unreachable("the answer was lost")
        return alter(targets)

    told.model.alter_reassignments = flaky  # type: ignore[method-assign]
    end = told.run()
    assert end.outcome == "finished" and end.reasons == () and len(told.carrier.of(ask.Submit)) == 2


@pytest.mark.parametrize("refuses", [Resource.broker(4), Resource.topic("log")])
def test_without_the_right_to_throttle_nothing_is_copied(refuses: Resource) -> None:
    """A copy without its throttle would be worse than none: given up with the reason, the rest goes on."""
    told = story({**ONE, "log-0": ([1, 2], [4, 2])})
    alter = told.model.alter_configs

    def only_others(changes):  # type: ignore[no-untyped-def]
        answers = alter({of: values for of, values in changes.items() if of != refuses})
        return {of: answers.get(of, Failure("CLUSTER_AUTHORIZATION_FAILED")) for of in changes}

    told.model.alter_configs = only_others  # type: ignore[method-assign]
    end = told.run()
    assert told.lists() == {"log-0": (1, 2), "pay-0": (3, 1, 2)}
    why = f"no throttle can be set on {refuses.kind} {refuses.name} (CLUSTER_AUTHORIZATION_FAILED)"
    assert end.reasons[-1] == f"log-0 was skipped: {why}"


def test_a_cancel_that_is_refused_is_told() -> None:
    """Kafka cancels nothing where only new replicas are in sync: the move flies on, its throttle stays."""
    told = story(ONE)
    alter = told.model.alter_reassignments

    def no_cancels(targets):  # type: ignore[no-untyped-def]
        if None in targets.values():
            return dict.fromkeys(targets, Failure("INVALID_REPLICA_ASSIGNMENT"))
        return alter(targets)

    told.model.alter_reassignments = no_cancels  # type: ignore[method-assign]
    told.face = Watcher(lambda machine: "cancel" if halfway(machine) else None)
    end = told.run()
    assert told.face.heard == ["pay-0 cannot be cancelled: INVALID_REPLICA_ASSIGNMENT"]
    assert end.figures["in flight"] == 1 and told.throttles()
    assert "1 move goes on in Kafka and the throttle stays on" in end.reasons[0]
    assert tp("pay-0") in told.model.moving


def test_racks_are_those_of_the_story() -> None:
    """A guard for the stories above: two brokers in each of three racks."""
    assert sorted(RACKS.values()) == ["a", "a", "b", "b", "c", "c"]
