"""Stories of failure: brokers die, topics vanish, others interfere, the cluster is not the one it was."""

from __future__ import annotations

from dataclasses import replace

import pytest
from stories import MB, ONE, RACKS, SMALL, Killed, Recorder, Watcher, halfway, once, story, tp, with_options

from equipoise.execution import instructions as ask
from equipoise.execution.port import Failure, Resource, Unreachable


def test_a_target_that_dies_and_comes_back() -> None:
    """The move waits, the reason is told at once, and it ends when the broker is back; no throttle stays."""
    told = story(ONE)
    told.face = Watcher(lambda machine: dies(machine) or comes_back(machine))
    dies = once(lambda: told.model.kill(3), halfway)
    comes_back = once(lambda: told.model.revive(3), lambda machine: told.model.now > 60)
    end = told.run()
    assert (end.outcome, end.reasons) == ("finished", ())
    assert told.face.heard == ["pay-0 is stuck: broker 3 is down: its copy waits until it is back"]
    assert told.lists() == {"pay-0": (3, 1, 2)} and told.throttles() == {}


def test_a_target_that_stays_dead_can_be_skipped() -> None:
    """The exact order is back, the rest goes on, the throttle of the dead broker is remembered."""
    told = story({**ONE, "log-0": ([1, 2], [4, 2])})
    told.face = Watcher(once(lambda: told.model.kill(3), halfway))
    end = told.run(with_options(if_stuck="skip"))
    assert told.lists() == {"log-0": (4, 2), "pay-0": (0, 1, 2)}
    assert end.reasons == (
        "broker 3 may still carry our throttle; the next run removes it",
        "pay-0 was skipped: broker 3 is down: its copy waits until it is back",
    )
    assert set(told.throttles()) == {Resource.broker(3)}


def test_the_throttle_of_a_broker_that_was_down_goes_with_the_next_run() -> None:
    """The journal remembers what could not be taken off, and pays when the broker is back."""
    told = story(ONE)
    told.face = Watcher(once(lambda: told.model.kill(3), halfway))
    told.run(with_options(if_stuck="skip"))
    told.model.revive(3)
    end = told.resume()
    assert told.throttles() == {} and end.outcome == "finished"


def test_a_target_that_stays_dead_can_be_exchanged() -> None:
    """Retargeting takes a living broker of the same rack, and that is what the end is judged by."""
    told = story({"pay-0": ([1, 2], [3, 2])})
    told.face = Watcher(once(lambda: told.model.kill(3), halfway))
    end = told.run(with_options(if_stuck="retarget"))
    assert told.lists() == {"pay-0": (0, 2)}
    assert "pay-0 goes to [0,2] instead of [3,2]" in told.face.heard
    assert end.outcome == "finished" and end.reasons == (
        "broker 3 may still carry our throttle; the next run removes it",
    )


def test_the_leader_dies_while_it_is_copied_from() -> None:
    """Another replica leads on, the copy goes on, and nothing new starts while the cluster is not well."""
    told = story({"pay-0": ([0, 1, 2], [0, 1, 5]), "log-0": ([4, 2], [4, 3])})
    told.face = Watcher(lambda machine: dies(machine) or back(machine))
    dies = once(lambda: told.model.kill(0), halfway)
    back = once(lambda: told.model.revive(0), lambda machine: told.model.now > 40)
    end = told.run(with_options(max_inflight=1))
    assert end.outcome == "finished" and end.reasons == ()
    assert "no new moves for now: pay-0 is under-replicated: broker 0 is not in its ISR" in told.face.heard
    assert told.leaders() == {"log-0": 4, "pay-0": 0}


def test_a_deleted_topic_is_gone_not_done() -> None:
    """Nothing is left to move, nothing of it is left in any config, and nobody is told that it was moved."""
    told = story({**ONE, "log-0": ([1, 2], [4, 2])})
    told.face = Watcher(once(lambda: told.model.delete_topic("pay"), halfway))
    end = told.run()
    assert (end.outcome, end.reasons, end.figures["done"], end.figures["gone"]) == ("finished", (), 1, 1)
    assert told.face.heard == ["pay-0: gone with the topic"]
    assert told.lists() == {"log-0": (4, 2)} and told.throttles() == {}
    back = told.resume(job=told.job.way_back)
    assert (back.figures["done"], back.figures["gone"]) == (1, 1)


def test_a_topic_of_the_same_name_is_another_one() -> None:
    """Deleted and created anew in mid-run, with whatever lists: gone, and not rolled back onto."""
    told = story({**ONE, "log-0": ([1, 2], [4, 2])})

    def anew() -> None:
        told.model.delete_topic("pay")
        told.model.create("pay", 0, [3, 1, 2])

    told.face = Watcher(once(anew, halfway))
    end = told.run()
    assert (end.outcome, end.reasons, end.figures["gone"]) == ("finished", (), 1)
    back = told.resume(job=told.job.way_back)
    assert (back.outcome, back.figures["gone"]) == ("finished", 1)
    assert told.lists() == {"log-0": (1, 2), "pay-0": (3, 1, 2)}


@pytest.mark.parametrize("first", ["pay-0", "log-0"])
def test_what_waits_is_not_done_to_a_namesake(first: str) -> None:
    """Created anew with the same lists while one of its partitions is in flight, or none yet: what waits is
    gone too, nothing is submitted for the namesake, and neither the next run nor a roll back takes it up."""
    told = story({"log-0": ([1, 2], [4, 2]), "pay-0": ([0, 1], [3, 1]), "pay-1": ([0, 1], [3, 1])})
    moves = sorted(told.job.moves, key=lambda move: str(move.partition) != first)
    told.job = replace(told.job, moves=tuple(moves))

    def anew() -> None:
        told.model.delete_topic("pay")
        for number in range(2):
            told.model.create("pay", number, [0, 1])

    told.face = Watcher(once(anew, halfway))
    end = told.run(with_options(max_inflight=1))
    assert (end.outcome, end.reasons, end.figures["gone"]) == ("finished", (), 2)
    assert told.lists() == {"log-0": (4, 2), "pay-0": (0, 1), "pay-1": (0, 1)} and told.throttles() == {}
    submitted = {str(name) for one in told.carrier.of(ask.Submit) for name in one.targets}
    assert submitted == {first, "log-0"}
    again = told.resume()
    assert (again.outcome, again.figures["gone"]) == ("finished", 2)
    back = told.resume(job=told.job.way_back)
    assert (back.outcome, back.reasons, back.figures["gone"]) == ("finished", (), 2)
    assert told.lists() == {"log-0": (1, 2), "pay-0": (0, 1), "pay-1": (0, 1)}


@pytest.mark.parametrize("again", [True, False])
def test_a_topic_that_went_while_nobody_watched_is_gone_as_a_whole(again: bool) -> None:
    """One of its moves was in flight and one waited when the run was killed, and the topic was deleted, or
    created anew: the next run does what is left of the plan."""
    told = story({"pay-0": ([0, 1], [3, 1]), "pay-1": ([0, 1], [3, 1]), "log-0": ([1, 2], [4, 2])})
    told.log.kill_after = 3
    with pytest.raises(Killed):
        told.run(with_options(max_inflight=1))
    told.model.delete_topic("pay")
    if again:
        told.model.create("pay", 1, [0, 1])
    end = told.resume()
    assert (end.outcome, end.reasons) == ("finished", ())
    assert (end.figures["done"], end.figures["gone"]) == (1, 2)
    assert told.lists() == {"log-0": (4, 2), **({"pay-1": (0, 1)} if again else {})}
    assert told.throttles() == {}


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


def test_a_cluster_that_cannot_be_reached_any_more_is_lost_not_forgotten() -> None:
    """The run ends, says what may be left, and the next one takes everything up."""
    told = story(ONE)
    model, real = told.model, told.model.cluster
    cut: list[bool] = []

    def cluster():  # type: ignore[no-untyped-def]
        if cut:
            raise Unreachable("no broker answers")
        return real()

    def configs(resources, keys=None):  # type: ignore[no-untyped-def]
        if cut:
            raise Unreachable("no broker answers")
        return type(model).configs(model, resources, keys)

    model.cluster, model.configs = cluster, configs  # type: ignore[method-assign]
    told.face = Watcher(once(lambda: cut.append(True), halfway))
    end = told.run()
    assert end.outcome == "lost"
    assert len(end.reasons) == 1 and "1 move goes on in Kafka and the throttle stays on" in end.reasons[0]
    cut.clear()
    told.face = Watcher()
    assert told.resume().outcome == "finished"
    assert told.lists() == {"pay-0": (3, 1, 2)} and told.throttles() == {}


def test_a_run_whose_target_died_can_be_taken_up_while_it_is_dead() -> None:
    """Killed, and a broker with it: the next process waits for the broker rather than refuse."""
    told = story({**ONE, "log-0": ([1, 2], [4, 2])})
    with pytest.raises(Killed):
        told.run(carrier=Recorder(told.model, 1, after=True))
    told.model.advance(1)
    told.model.kill(3)
    told.face = Watcher(once(lambda: told.model.revive(3), lambda machine: told.model.now > 50))
    end = told.resume()
    assert (end.outcome, end.reasons) == ("finished", ())
    assert told.lists() == {"log-0": (4, 2), "pay-0": (3, 1, 2)} and told.throttles() == {}


def test_a_partition_that_was_given_up_does_not_block_the_next_run() -> None:
    """Somebody else has it: taken up again, the run does the rest and says what differs."""
    told = story({**ONE, "log-0": ([1, 2], [4, 2])})
    told.face = Watcher(once(lambda: told.model.alter_reassignments({tp("pay-0"): [5, 1, 2]}), halfway))
    told.run()
    told.face = Watcher()
    end = told.resume()
    assert (end.outcome, end.reasons) == ("incomplete", ("pay-0 has [5,1,2] instead of [3,1,2]",))
    assert told.resume().reasons == end.reasons


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


def test_a_topic_deleted_before_its_turn_is_gone() -> None:
    """It needs no throttle, and nobody waits for one."""
    told = story({**ONE, "log-0": ([1, 2], [4, 2])})
    told.face = Watcher(once(lambda: told.model.delete_topic("log"), halfway))
    end = told.run(with_options(max_inflight=1))
    assert (end.outcome, end.reasons, end.figures["gone"]) == ("finished", (), 1)
    assert told.face.heard == ["log-0: gone with the topic"]


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


def test_a_broker_that_dies_before_its_turn_keeps_its_moves_waiting() -> None:
    """Its moves are not submitted; skipping lets the run end and say what is left."""
    told = story({"a-0": ([0], [1]), "b-0": ([0], [4])})
    told.face = Watcher(once(lambda: told.model.kill(4)))
    end = told.run(with_options(max_inflight=1, if_stuck="skip"))
    assert told.lists() == {"a-0": (1,), "b-0": (0,)}
    assert end.reasons == ("b-0 was skipped: a broker it needs is down or cordoned",)


def test_racks_are_those_of_the_story() -> None:
    """A guard for the stories above: two brokers in each of three racks."""
    assert sorted(RACKS.values()) == ["a", "a", "b", "b", "c", "c"]
