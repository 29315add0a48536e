"""A move of ours that copies is throttled as agreed; a throttle of ours ends with the last move it is for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from stories import LISTS, MB, ONE, RATES, Story, Watcher, halfway, once, story, with_options

from equipoise.execution import instructions as ask
from equipoise.execution.port import Resource


@pytest.mark.parametrize("value", [None, "999999999"], ids=["cleared", "changed"])
def test_rates_are_set_again_while_anything_flies(value: str | None) -> None:
    """Kafka's own tool clears every broker when one partition is cancelled: a poll later ours is back, and
    it is said who lost what; the copy takes the time that it was to take."""
    told = story(ONE, link_bytes_per_s=4 * MB)

    def meddle() -> None:
        told.model.alter_configs({Resource.broker(b): dict.fromkeys(RATES, value) for b in range(4)})

    told.face = Watcher(once(meddle, halfway))
    end = told.run()
    assert (end.outcome, end.reasons) == ("finished", ())
    assert told.face.heard == [
        "somebody took our throttle off brokers 0, 1, 2, 3 while moves are in flight: set again"
    ]
    assert told.model.now > 8.5 and told.throttles() == {}


def test_lists_are_set_again_while_anything_flies() -> None:
    """A topic that lost its list copies at full speed though every rate stands."""
    told = story(ONE)
    bare = {Resource.topic("pay"): {LISTS[1]: None}}
    told.face = Watcher(once(lambda: told.model.alter_configs(bare), halfway))
    told.run()
    (line,) = told.face.heard
    assert line == "somebody took our throttle off topic pay while moves are in flight: set again"
    assert told.throttles() == {}


def test_a_rate_set_over_ours_at_the_very_end_is_named_and_stays_owed() -> None:
    """Whoever set it may put ours back one day: the journal remembers until it is seen gone."""
    told = story(ONE)

    def at_the_end(entry: Mapping[str, Any]) -> None:
        append(entry)
        if entry["type"] == "done":
            told.model.alter_configs({Resource.broker(3): {RATES[1]: "777"}})

    append, told.log.append = told.log.append, at_the_end  # type: ignore[method-assign]
    end = told.run()
    said = f"broker 3 has {RATES[1]}=777, which somebody else set over ours: what they put back may be ours"
    assert end.reasons == (said,)
    told.model.alter_configs({Resource.broker(3): {RATES[1]: str(2 * MB)}})
    assert told.resume().reasons == () and told.throttles() == {}


def left_over(rate: str = "300000") -> Story:
    """A cluster on which a run of another plan left its rates."""
    told = story(ONE)
    told.model.alter_configs({Resource.broker(b): dict.fromkeys(RATES, rate) for b in (0, 1, 3)})
    return told


def test_a_rate_that_stands_is_named_and_nothing_begins() -> None:
    """Saved as what was there before, it would be put back at the end and last for good."""
    told = left_over()
    end = told.run()
    assert end.outcome == "refused" and len(end.reasons) == 2 and told.carrier.changes == 0
    assert end.reasons[0].startswith(
        f"brokers 0, 1, 3 have {RATES[1]}=300000, which no run of this plan set: --adopt"
    )


@pytest.mark.parametrize("rate", ["300000", str(2 * MB)], ids=["another rate", "our rate"])
def test_a_rate_that_stands_is_kept_on_purpose_and_put_back_aloud(rate: str) -> None:
    """Also where it is the run's own, so that nothing needs to be altered: it lasts all the same."""
    told = left_over(rate)
    before = told.throttles()
    assert told.run(with_options(keep_rates=True)).reasons == ()
    assert told.throttles() == before
    assert told.face.heard[-1] == f"put back {RATES[0]}={rate} on brokers 0, 1, 3, where it stood before"


def test_a_left_over_is_adopted_and_ends_with_the_run() -> None:
    told = left_over()
    assert told.run(with_options(adopt=True)).reasons == ()
    assert told.throttles() == {}


def test_left_overs_are_cleared_where_the_operator_wants_that() -> None:
    """They are named before anything begins, lists of other topics too; they end with the run."""
    told, asked = left_over(), list[ask.Confirm]()
    told.model.create("old", 0, [4, 5], MB)
    told.model.alter_configs({Resource.topic("old"): {LISTS[0]: "0:4"}, Resource.broker(5): {RATES[0]: "9"}})
    told.face.clears = True
    confirm = told.face.confirm

    def watched(question: ask.Confirm) -> bool:
        asked.append(question)
        return confirm(question)

    told.face.confirm = watched  # type: ignore[method-assign]
    assert told.run().reasons == () and told.throttles() == {}
    assert [question.pending for question in asked] == [0, 1]
    assert asked[0].left_over == (
        f"brokers 0, 1, 3 have {RATES[1]}=300000",
        f"brokers 0, 1, 3 have {RATES[0]}=300000",
        f"broker 5 has {RATES[0]}=9",
        "topic old has throttled replicas",
    )


def test_who_begins_while_the_question_stands_keeps_throttles() -> None:
    """Another run is taken up before the operator says yes: its rates are no left-over any more."""
    told = left_over()
    old = told.model.create("old", 0, [4, 5], MB)
    told.model.alter_configs({Resource.topic("old"): {LISTS[1]: "0:3"}})
    before = told.throttles()

    def taken_up(question: ask.Confirm) -> bool:
        told.model.alter_reassignments({old: [3, 5]})
        return True

    told.face.confirm = taken_up  # type: ignore[method-assign]
    end = told.run()
    assert end.outcome == "refused" and "topic old needs it: wait until that is over" in end.reasons[0]
    assert told.throttles() == before


def test_rates_that_a_throttled_topic_needs_are_no_left_over() -> None:
    """A list of all replicas throttles whatever comes; nobody is asked to clear that."""
    told = left_over()
    told.model.create("old", 0, [4, 5], MB)
    told.model.alter_configs({Resource.topic("old"): {LISTS[0]: "*"}})
    told.face.clears = True
    end = told.run()
    assert end.outcome == "refused" and told.carrier.changes == 0
    assert end.reasons[0] == (
        f"brokers 0, 1, 3 have {RATES[1]}=300000, which no run of this plan set; topic old needs it: wait"
        " until that is over, --keep-rates puts it back at the end"
    )


def test_a_run_without_a_throttle_names_the_rates_that_stand() -> None:
    """It leaves them as they are, and goes on."""
    told = left_over()
    before = told.throttles()
    end = told.run(with_options(throttle=None))
    assert (end.outcome, end.reasons, told.throttles()) == ("finished", (), before)
    assert f"brokers 0, 1, 3 have {RATES[0]}=300000, which no run of this plan set" in told.face.heard


def test_a_rate_that_comes_in_mid_run_keeps_its_brokers_moves_waiting() -> None:
    """Broker 5 has no part in what flies when somebody throttles it for a purpose of his own."""
    told = story({**ONE, "log-0": ([1, 2], [5, 2])})
    theirs = {Resource.broker(5): {RATES[0]: "4000"}}
    over = {Resource.broker(5): {RATES[0]: None}}
    told.face = Watcher(lambda machine: comes(machine) or goes(machine))
    comes = once(lambda: told.model.alter_configs(theirs), halfway)
    goes = once(lambda: told.model.alter_configs(over), lambda machine: told.model.now > 60)
    end = told.run(with_options(max_inflight=1))
    assert (end.outcome, end.reasons, told.throttles()) == ("finished", (), {})
    assert told.face.heard == [f"broker 5 has {RATES[0]}=4000, which this run did not set: its moves wait"]
