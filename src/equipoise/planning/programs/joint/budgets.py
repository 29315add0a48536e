"""What the request's budgets allow of the arrivals on a face: conditions beside its flow.

`--max-moves` is one condition on all arrivals, `--max-changes-per-partition` one for each partition.
Flows keep neither: the first has no node of its own, the second is kept rack by rack alone. `--max-bytes` is
held as the goal `bytes` is (`question`), and binds none of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.planning.flow.network import Int64
from equipoise.planning.goals.moves import Moves
from equipoise.planning.networks.faces import OptimalFace
from equipoise.planning.rules.interface import MANY
from equipoise.planning.rules.max_bytes import MAX_BYTES
from equipoise.planning.rules.max_changes_per_partition import most_arrivals
from equipoise.planning.rules.max_moves import MAX_MOVES


@dataclass(frozen=True, eq=False)
class Budgets:
    """Conditions on arrivals: the first on all of them, then one for each row."""

    arc: Int64
    """The arcs on which replicas arrive, ``(n_arrivals,)``, and the row of each."""
    row: Int64
    room: Int64
    """``(1 + n_rows,)``: so many may arrive."""
    binds: npt.NDArray[np.bool_]
    """``(1 + n_rows,)``: more could arrive on the face."""

    def entries(self, number: Int64) -> list[tuple[Int64, Int64]]:
        """Conditions and arcs that belong together; ``number`` of each condition, ``(1 + n_rows,)``."""
        some = self.binds[1 + self.row]
        of_rows = number[1 + self.row[some]], self.arc[some]
        in_all = np.full(len(self.arc) * int(self.binds[0]), number[0])
        return [(in_all, self.arc[: len(in_all)]), of_rows]

    def on_arcs(self, price: Int64) -> Int64:
        """What an arrival on each of ``arc`` costs beside all else, ``(n_arrivals,)``."""
        return price[0] + price[1 + self.row]


def budgets_on(face: OptimalFace, reached: Mapping[str, int]) -> Budgets | None:
    """The budgets of the request on a face whose units are rows; None where it has none.

    ``reached``: the goals before; where ``moves`` is among them its value is the nearer limit.
    """
    problem, arrive = face.net.data.problem, face.net.arrive
    rows = face.net.data.rows
    in_all, of_each = MAX_MOVES.allowed(problem.request), most_arrivals(problem, rows)
    if in_all is None and of_each is None and not MAX_BYTES.is_given(problem.request):
        return None
    taken_over = measures.arrivals_by_row(problem.cluster.replicas, problem.current)[rows]
    most = np.bincount(arrive.unit, weights=face.network.upper[arrive.index], minlength=len(rows))
    most = np.minimum(most.astype(np.int64), problem.rf[rows])
    room = np.full(1 + len(rows), MANY)
    if in_all is not None and Moves.name not in reached:
        # Arcs do not carry all moves: the offset counts what
        # has been taken over, and takes off what is created.
        room[0] = in_all - face.net.objective(Moves.name).offset
    if of_each is not None:
        room[1:] = of_each - taken_over
    # A condition that no flow of the face can break is left out of the program; its price is 0.
    binds = np.concatenate([[most.sum() > room[0]], most > room[1:]])
    return Budgets(arrive.index.astype(np.int64), arrive.unit, room, binds)
