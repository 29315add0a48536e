"""Flows of least cost by OR-Tools; the only file that knows its flow solver.

The solver holds the interpreter's lock: while it runs nothing else does, not even Ctrl-C. So large networks
are solved in another process, which is kept for the next one.
"""

from __future__ import annotations

import atexit
import os
from typing import TYPE_CHECKING

import numpy as np

from equipoise.planning.networks.network import Infeasible, Int32, Int64

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

    from equipoise.apart import Apart

LARGE = 250_000
"""Arcs that are solved here at most: well under a second."""
IDLE: list[Apart] = []
"""Processes that wait for a network; one, unless threads solve side by side."""
os.register_at_fork(after_in_child=IDLE.clear)


def least_cost(tail: Int32, head: Int32, room: Int64, cost: Int64, supply: Int64) -> Int64:
    """The flow on each arc, ``(n_arcs,)``, that serves ``supply``, ``(n_nodes,)``, at the least cost.

    Raises `Infeasible` where none does, `NoAnswer` where the process that solves ends instead.
    """
    network = tail, head, room, cost, supply
    flow = solved(laid_out(*network)) if len(tail) <= LARGE else solved_apart(*network)
    if flow is None:
        raise Infeasible
    return flow


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


def solved_apart(*network: Int32 | Int64) -> Int64 | None:
    """The same, by another process."""
    from equipoise.apart import Apart

    solver = IDLE.pop() if IDLE else Apart(serve)
    try:
        solver.send(network)
        flow: Int64 | None = solver.received()
    except BaseException:
        solver.end()
        raise
    IDLE.append(solver)
    return flow


def serve(connection: Connection) -> None:
    """In that process."""
    while True:
        connection.send(solved(laid_out(*connection.recv())))  # what came is freed before the solve


@atexit.register
def end() -> None:
    """End the processes that wait."""
    while IDLE:
        IDLE.pop().end()
