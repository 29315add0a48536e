"""Large networks are solved by another process: the same flows, the same refusals, and a clear end."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from equipoise.cluster import Brokers, build_cluster
from equipoise.errors import NO_MEMORY
from equipoise.planning import Request, make_plan
from equipoise.planning.flow import convex, solver
from equipoise.planning.flow.network import Infeasible
from equipoise.planning.flow.solver import least_cost
from equipoise.planning.problem.params import Params
from equipoise.solver_process import NoAnswer


def network(seed: int) -> tuple[np.ndarray, ...]:
    """Eighty nodes, half of which give; arcs of a whole range of costs, so that few flows cost the same."""
    rng = np.random.default_rng(seed)
    tail, head = rng.integers(0, 80, (2, 2000)).astype(np.int32)
    supply = np.r_[np.full(40, 10), np.full(40, -10)]
    return tail, head, rng.integers(1, 9, 2000), rng.integers(0, 10**9, 2000), supply


APART = Params(apart_arcs=-1)
"""Every network is a large one."""


@pytest.fixture
def apart() -> Iterator[None]:
    """No process waits for the next test."""
    yield
    solver.end_idle()


def pids() -> list[int]:
    return [process.process.pid for process in solver.IDLE]


@pytest.mark.slow
def test_the_same_flow(apart: None) -> None:
    """Here and there, network after network; the process stays for the next one."""
    used = set()
    for seed in range(3):
        given = network(seed)
        np.testing.assert_array_equal(least_cost(*given, APART), solver.solved(solver.laid_out(*given)))
        used.update(pids())
    assert len(used) == 1
    solver.end_idle()
    assert pids() == []


def islands(n: int) -> tuple[np.ndarray, ...]:
    """Networks of which node 0, the sink, is the one that they share; their nodes are numbered at random."""
    number = (np.random.default_rng(n).permutation(80 * n) + 1).astype(np.int32)
    supply, columns = np.zeros(80 * n + 1, dtype=np.int64), []
    for k, node in enumerate(number.reshape(n, 80)):
        tail, head, room, cost, own = network(k)
        takes = node[own < 0]
        none = np.zeros_like(takes)
        ends = np.r_[node[tail], takes], np.r_[node[head], none]
        columns.append((*ends, np.r_[room, none + 10], np.r_[cost, none]))
        supply[node] = np.maximum(own, 0)
    supply[0] = -supply.sum()
    return (*(np.concatenate(column) for column in zip(*columns, strict=True)), supply)


@pytest.mark.parametrize("cores", [1, 2, 16])
@pytest.mark.parametrize("n", [2, 3, 9])
@pytest.mark.slow
def test_side_by_side(apart: None, monkeypatch: pytest.MonkeyPatch, n: int, cores: int) -> None:
    """What the sink alone holds together, as racks whose replicas stay in them: the one flow that is best."""
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    given = islands(n)
    tail, head, supply = given[0], given[1], given[-1]
    assert len(np.unique(solver.parts(tail, head, len(supply), 6)[1:])) == min(n, 6)
    np.testing.assert_array_equal(least_cost(*given, APART), solver.solved(solver.laid_out(*given)))
    assert len(pids()) == min(n, APART.flow_parts, cores)
    supply[tail[0]] += 10_000
    supply[0] -= 10_000
    with pytest.raises(Infeasible):
        least_cost(*given, APART)


def test_infeasible_carries_over(apart: None) -> None:
    """A supply that no arc can carry; the next network is solved all the same."""
    tail, head, room, cost, supply = network(1)
    with pytest.raises(Infeasible):
        least_cost(tail, head, room, cost, supply * 1000, APART)
    assert least_cost(tail, head, room, cost, supply, APART).sum() > 0


@pytest.mark.slow
def test_a_killed_process_is_told(apart: None) -> None:
    """As by a system out of memory, with the exit code of that; the next network gets another process."""
    given = network(1)
    flow = least_cost(*given, APART)
    os.kill(pids()[0], signal.SIGKILL)
    with pytest.raises(NoAnswer, match=r"^the solver's process was killed by signal 9: out of memory") as end:
        least_cost(*given, APART)
    assert end.value.exit_code == NO_MEMORY
    np.testing.assert_array_equal(least_cost(*given, APART), flow)


@pytest.mark.slow
def test_its_last_words_are_told(apart: None) -> None:
    """What it could not cope with, had it not been refused before."""
    tail, head, room, cost, supply = network(1)
    with pytest.raises(NoAnswer, match=r"ended with 1: RuntimeError: the flow solver ended with .*COST"):
        least_cost(tail, head, room, cost + 2**61, supply, replace(APART, dearest=2**80))


@pytest.mark.slow
def test_threads_do_not_share_a_process(apart: None) -> None:
    """A library's user may plan several clusters at a time."""
    with ThreadPoolExecutor(3) as pool:
        flows = list(pool.map(lambda seed: least_cost(*network(seed), APART), range(6)))
    assert 1 <= len(pids()) <= 3
    for seed, flow in enumerate(flows):
        np.testing.assert_array_equal(flow, least_cost(*network(seed), APART))


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.slow
def test_a_fork_has_a_process_of_its_own(apart: None) -> None:
    """As in the workers of Spark: what is forked while a process waits neither uses nor ends it."""
    flow, before = least_cost(*network(1), APART), pids()
    with multiprocessing.get_context("fork").Pool(1) as pool:
        theirs, used = pool.apply(solve_and_tell)
    np.testing.assert_array_equal(theirs, flow)
    assert used != before
    np.testing.assert_array_equal(least_cost(*network(1), APART), flow)
    assert pids() == before


def solve_and_tell() -> tuple[np.ndarray, list[int]]:
    return least_cost(*network(1), APART), pids()


@pytest.mark.parametrize(
    "request_",
    [
        Request(),
        Request(drain=(0,), goals=("racks", "failover", "replicas", "leaders", "topic-leaders")),
        Request(max_moves=9),
        Request(leaders_only=True),
        Request(replication_factor=3),
    ],
)
@pytest.mark.slow
def test_every_flow_keeps_to_the_limits_that_are_given(
    request_: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of placements and leaders, first followers, bounds: no network has forgotten them."""
    rng, used = np.random.default_rng(5), list[Params]()

    def noted(*given: Any) -> np.ndarray:
        used.append(given[-1])
        return least_cost(*given)

    monkeypatch.setattr(convex, "least_cost", noted)
    lists = np.argsort(rng.random((60, 6)) ** np.arange(1, 7), axis=1)[:, :2].astype(np.int32)
    names = np.array([f"t{k % 3}" for k in range(60)], dtype=object)
    brokers = Brokers.of(np.arange(6), {broker: f"r{broker % 3}" for broker in range(6)})
    cluster = build_cluster("drawn", brokers, names, np.arange(60) // 3, lists)
    limits = Params(small_cells=0, order_options=0, exact_leaders=0, open_leaders=0, exact_batch=0)
    make_plan(cluster, request_, limits)
    assert used
    assert all(params is limits for params in used)
