"""Flows of least cost by OR-Tools; beside one published algorithm the only file that knows its flow solver.

The solver holds the interpreter's lock: while it runs nothing else does, not even Ctrl-C. So large networks
are solved in other processes, which are kept for the next ones; and what hangs together by the sink alone,
such as racks whose replicas stay in them, is solved side by side.
"""

from __future__ import annotations

import atexit
import os
from multiprocessing.connection import wait
from typing import TYPE_CHECKING

import numpy as np

from equipoise.planning.flow.network import Infeasible, Int32, Int64, TooDear

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

    from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

    from equipoise.planning.problem.params import Params
    from equipoise.solver_process import SolverProcess

IDLE: list[SolverProcess] = []
"""Processes that wait for a network: one for each core at most, unless threads solve side by side."""
# A fork shares its parent's pipes: two that ask at one would read each other's answers.
os.register_at_fork(after_in_child=IDLE.clear)


def least_cost(
    tail: Int32, head: Int32, room: Int64, cost: Int64, supply: Int64, params: Params
) -> Int64:
    """The flow on each arc, ``(n_arcs,)``, that serves ``supply``, ``(n_nodes,)``, at the least cost.

    Node 0 is the sink. Raises `Infeasible` where no flow serves it, `TooDear` for costs that are too large,
    `NoAnswer` where a process that solves ends instead.
    """
    if int(np.abs(cost).max(initial=0)) * (len(supply) + 1) >= params.dearest:
        raise TooDear
    if len(tail) <= params.apart_arcs:
        return feasible(solved(laid_out(tail, head, room, cost, supply)))
    # No arc leads from part to part but by the sink, which takes whatever comes: the best flow of the whole
    # is the best of each. The sink has number 0, so the larger end of an arc is one that has a part.
    inside = parts(tail, head, len(supply), params.flow_parts)
    of_arc = inside[np.maximum(tail, head)]
    chosen = [np.flatnonzero(of_arc == k) for k in range(int(inside.max(initial=0)) + 1)]

    def part(k: int) -> tuple[Int32 | Int64, ...]:
        mine, arcs = inside == k, chosen[k]
        mine[0] = True
        number = (np.cumsum(mine) - 1).astype(np.int32)
        its = supply[mine]
        # A part has to bring to the sink what it has itself.
        its[0] = -its[1:].sum()
        return number[tail[arcs]], number[head[arcs]], room[arcs], cost[arcs], its

    flow = np.zeros(len(tail), dtype=np.int64)
    for arcs, answer in zip(chosen, solved_apart(len(chosen), part), strict=True):
        flow[arcs] = feasible(answer)
    return flow


def feasible(flow: Int64 | None) -> Int64:
    if flow is None:
        raise Infeasible
    return flow


def parts(tail: Int32, head: Int32, n_nodes: int, most: int) -> Int64:
    """The part of each node, ``(n_nodes,)``, below ``most``: no arc but the sink's leads to another.

    Whatever the cores are: of several best flows it is the same one on any machine. Each node points to a
    lower one that it is joined to, until all of a part point to its lowest.
    """
    lowest = np.arange(n_nodes)
    ends = np.stack([tail, head]).astype(np.int64)
    ends = ends[:, ends.all(axis=0)]
    while ends.size:
        np.minimum.at(lowest, ends[0], ends[1])
        np.minimum.at(lowest, ends[1], lowest[ends[0]])
        # Nodes point to lower ones alone, so no pointers go round in a circle, and this comes to an end.
        while np.any(lowest[lowest] != lowest):
            lowest = lowest[lowest]
        ends = lowest[ends]
        ends = ends[:, ends[0] != ends[1]]
    named = np.unique(lowest[1:], return_inverse=True)[1] % most
    return np.concatenate([[0], named])


def laid_out(tail: Int32, head: Int32, room: Int64, cost: Int64, supply: Int64) -> SimpleMinCostFlow:
    """The network as OR-Tools has it, in memory of its own."""
    from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

    solver = SimpleMinCostFlow()
    if len(tail):
        solver.add_arcs_with_capacity_and_unit_cost(tail, head, room, cost)
        solver.set_nodes_supplies(np.arange(len(supply), dtype=np.int32), supply)
    return solver


def solved(solver: SimpleMinCostFlow) -> Int64 | None:
    """The flow; None where there is none."""
    status = solver.solve()
    if status == solver.INFEASIBLE:
        return None
    if status != solver.OPTIMAL:
        raise RuntimeError(f"the flow solver ended with {status}")
    return np.asarray(solver.flows(np.arange(solver.num_arcs(), dtype=np.int32)), dtype=np.int64)


def solved_apart(n: int, network: Callable[[int], tuple[Int32 | Int64, ...]]) -> list[Int64 | None]:
    """The same of each of ``n`` networks, by other processes; each is made when its turn has come."""
    from equipoise.solver_process import SolverProcess

    solvers = [IDLE.pop() if IDLE else SolverProcess(serve) for _ in range(min(n, os.cpu_count() or 1))]
    flows: list[Int64 | None] = [None] * n
    try:
        free = list(solvers)
        at: dict[SolverProcess, int] = {}
        for k in range(n):
            if not free:
                free = answered(at, flows)
            at[free[-1]] = k
            free.pop().send(network(k))
        while at:
            answered(at, flows)
    # A process that was left in the middle would give its late answer to the next network that it gets.
    except BaseException:
        for solver in solvers:
            solver.end()
        raise
    IDLE.extend(solvers)
    return flows


def answered(at: dict[SolverProcess, int], flows: list[Int64 | None]) -> list[SolverProcess]:
    """Take, in place, the answers that have come, at least one; the processes that are free again."""
    heard = wait([solver.connection for solver in at])
    done = [solver for solver in at if solver.connection in heard]
    for solver in done:
        flows[at.pop(solver)] = solver.received()
    return done


def serve(connection: Connection) -> None:
    """In that process."""
    while True:
        connection.send(solved(laid_out(*connection.recv())))  # what came is freed before the solve


@atexit.register
def end_idle() -> None:
    """End the processes that wait, which gives their memory back; the next network starts others."""
    while IDLE:
        IDLE.pop().end()
