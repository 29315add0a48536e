"""Moves between the log dirs of a broker."""

from __future__ import annotations

from dataclasses import replace

from dir_stories import places, with_dirs
from stories import MB, OPTIONS, story

from equipoise.execution import instructions as ask
from equipoise.execution.port import Failure, Replica, Resource, TopicPartition


def test_a_new_replica_is_told_where_to_go_before_it_comes() -> None:
    """The broker refuses, and remembers: nothing is left to be moved afterwards."""
    told = with_dirs(story({"pay-0": ([0, 1], [3, 1])}), pay_0_3="/data/b")
    end = told.run()
    assert (end.outcome, end.reasons) == ("finished", ())
    assert places(told) == {"pay-0@3": "/data/b"}
    kinds = [type(one) for one in told.carrier.done]
    assert kinds.index(ask.PlaceInDirs) < kinds.index(ask.Submit)
    assert len(told.carrier.of(ask.PlaceInDirs)) == 1


def test_a_replica_that_stays_is_moved_at_the_end_throttled() -> None:
    """With the brokers' own throttle for copies between disks, which is taken off again."""
    told = with_dirs(story({"pay-0": ([0, 1], [1, 0])}), pay_0_1="/data/b", pay_0_0="/data/a")
    end = told.run()
    assert (end.outcome, end.reasons) == ("finished", ())
    assert places(told) == {"pay-0@1": "/data/b"}
    rate = {"replica.alter.log.dirs.io.max.bytes.per.second": str(2 * MB)}
    assert told.carrier.of(ask.AlterConfigs)[0].changes == {Resource.broker(1): rate}
    assert told.throttles() == {}


def test_a_log_dir_that_does_not_exist_is_told() -> None:
    """The rest of the plan is done all the same."""
    told = with_dirs(story({"pay-0": ([0, 1], [1, 0])}), pay_0_1="/nowhere")
    end = told.run()
    assert end.reasons == ("pay-0 on broker 1 cannot go to /nowhere (LOG_DIR_NOT_FOUND)",)
    assert told.lists() == {"pay-0": (1, 0)} and told.throttles() == {}


def test_replicas_that_are_where_they_should_be_are_left_alone() -> None:
    """Nothing is asked for, nothing is throttled."""
    told = with_dirs(story({"pay-0": ([0, 1], [1, 0])}), pay_0_1="/data/a")
    told.model.place(Replica("pay", 0, 0), "/data/a")
    told.run()
    assert told.carrier.of(ask.PlaceInDirs) == [] and told.model.replicas[TopicPartition("pay", 0)] == (1, 0)


def test_a_log_dir_without_room_is_told_and_nothing_is_begun() -> None:
    """The old copy stays until the new one is whole: both have to find room, and 5 % is never filled."""
    told = with_dirs(story({"pay-0": ([0, 1], [1, 0])}), pay_0_1="/data/b")
    told.model.disk = 2.2 * told.model.size[TopicPartition("pay", 0)]
    end = told.run()
    assert end.reasons == ("pay-0 on broker 1 cannot go to /data/b: there is no room",)
    assert told.carrier.of(ask.PlaceInDirs) == [] and told.lists() == {"pay-0": (1, 0)}


def test_a_broker_that_stays_silent_is_given_up_in_the_end() -> None:
    """Not before a stuck move would be; what became of its replicas is not known."""
    told = with_dirs(story({"pay-0": ([0, 1], [1, 0])}), pay_0_1="/data/b")
    looks: list[tuple[object, ...]] = []

    def silent(*asked: object) -> dict[int, Failure]:
        looks.append(asked)
        return {1: Failure("UNREACHABLE")}

    told.model.log_dirs = silent  # type: ignore[assignment, method-assign]
    end = told.run()
    assert end.reasons == ("pay-0 on broker 1 may not be in /data/b: the broker does not answer",)
    assert sum(asked[0] == (1,) for asked in looks) > OPTIONS.stuck_after_s


def test_on_the_way_back_replicas_go_where_they_were() -> None:
    """A replica that comes back is announced, one that had changed its dir changes back."""
    told = with_dirs(story({"pay-0": ([0, 1], [3, 1])}), pay_0_3="/data/b", pay_0_1="/data/b")
    told.model.place(Replica("pay", 0, 0), "/data/b")
    back = {Replica("pay", 0, 0): "/data/b", Replica("pay", 0, 1): "/data/a"}
    told.job = replace(told.job, dirs_before=back)
    told.run()
    assert places(told) == {"pay-0@3": "/data/b", "pay-0@1": "/data/b"}
    end = told.resume(job=told.job.way_back)
    assert (end.outcome, end.reasons) == ("finished", ())
    assert places(told) == {"pay-0@0": "/data/b"}
