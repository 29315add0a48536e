"""A bug in what reads or plans a cluster costs that cluster its plan, and is told; it goes no further."""

from __future__ import annotations

import pickle

import pytest

from equipoise.cluster import Brokers, build_cluster
from equipoise.files.wish import Wish
from equipoise.pipeline.transforms import merge_task, planner
from equipoise.pipeline.transforms.merge_task import State, Trouble, merge_cluster
from equipoise.pipeline.transforms.planner import Order, answer_to
from equipoise.planning.problem.request import Request

BUGS = [KeyError("a bug"), IndexError(), ValueError("half \ud800\nand more")]


def broken(error: Exception) -> object:
    def raises(*given: object, **named: object) -> None:
        raise error

    return raises


@pytest.mark.parametrize("weigh", [False, True], ids=["planned", "weighed"])
@pytest.mark.parametrize("error", BUGS)
def test_while_it_is_planned(error: Exception, weigh: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason is one line, and the whole story is kept beside it."""
    monkeypatch.setattr(planner, "prepared", broken(error))
    cluster = build_cluster("c", Brokers.of([1, 2]), ["t"], [0], [[1]])
    told = answer_to(Order(State(cluster, False, ()), Wish(Request()), None, "nowhere", weigh=weigh))
    assert isinstance(told, Trouble) and told.outcome == "set aside"
    assert told.reason.startswith(f"unexpected: {type(error).__name__}") and "\n" not in told.reason
    assert told.text is not None and "Traceback" in told.text


@pytest.mark.parametrize("error", BUGS)
def test_while_its_files_are_put_together(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is one row, which says so."""
    monkeypatch.setattr(merge_task, "state_of", broken(error))
    file = {"cluster": "c", "rank": 0, "file": "topics.txt", "fragment": None, "unusable": None}
    (batch,) = merge_cluster([file])
    (row,) = batch.to_pylist()
    state = pickle.loads(row["state"])
    assert isinstance(state, Trouble) and state.reason.startswith(f"unexpected: {type(error).__name__}")
