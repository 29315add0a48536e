"""Brokers that die while moves are carried out, and what becomes of their moves."""

from __future__ import annotations

import pytest
from stories import ONE, Killed, Recorder, Watcher, halfway, once, story, tp, with_options

from equipoise.execution.port import Resource, Unreachable


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


def test_a_broker_that_dies_before_its_turn_keeps_its_moves_waiting() -> None:
    """Its moves are not submitted; skipping lets the run end and say what is left."""
    told = story({"a-0": ([0], [1]), "b-0": ([0], [4])})
    told.face = Watcher(once(lambda: told.model.kill(4)))
    end = told.run(with_options(max_inflight=1, if_stuck="skip"))
    assert told.lists() == {"a-0": (1,), "b-0": (0,)}
    assert end.reasons == ("b-0 was skipped: a broker it needs is down or cordoned",)
