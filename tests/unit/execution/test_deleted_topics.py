"""Topics that go while their moves are carried out or wait, and others that come under their names."""

from __future__ import annotations

from dataclasses import replace

import pytest
from stories import ONE, Killed, Watcher, halfway, once, story, with_options

from equipoise.execution import instructions as ask


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


def test_a_topic_deleted_before_its_turn_is_gone() -> None:
    """It needs no throttle, and nobody waits for one."""
    told = story({**ONE, "log-0": ([1, 2], [4, 2])})
    told.face = Watcher(once(lambda: told.model.delete_topic("log"), halfway))
    end = told.run(with_options(max_inflight=1))
    assert (end.outcome, end.reasons, end.figures["gone"]) == ("finished", (), 1)
    assert told.face.heard == ["log-0: gone with the topic"]
