"""Plans that copy the fewest bytes: what they copy and cost beside plans that do not look at sizes."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

from bench.families import BROKERS, LOAD, PARTITIONS, measured, skewed
from bench.instances import Shape, folder_of
from bench.processes import plan_process
from bench.row import MOST_MB, Aim, Measure, Row, Rows, against, memory, passed, seconds
from equipoise.planning.goals import DEFAULT_GOALS

SIGMAS = (1.0, 1.5, 1.8)
"""Of lognormal sizes."""
MOST_RATIO = 1.05
"""CPU seconds beside those of the same plan without `bytes`: no more, but for how long the bound of
`topic-leaders` is sought, which differs from placement to placement."""
RUNS = 7
"""Of each of the two, in turn; their medians count, since single runs of the same plan are 10 % apart."""
UNSEEN = ("--goals", ",".join(goal for goal in DEFAULT_GOALS if goal != "bytes"))


def by_sigma(sigma: float, scratch: Path) -> Rows:
    """20,000 partitions on 60 brokers in 3 racks, brokers within 40 %."""
    shape = Shape(20_000, 60, topics=200, spread=0.4, known=True, sigma=sigma)
    folder, out, other = folder_of(shape), scratch / f"bytes-{sigma:g}", scratch / f"unseen-{sigma:g}"
    costs, others = [], []
    for _ in range(RUNS):
        costs.append(plan_process([str(folder)], out))
        others.append(plan_process([str(folder)], other, *UNSEEN))
    cost, beside = (sorted(some, key=lambda one: one.cpu_s)[RUNS // 2] for some in (costs, others))
    plan, unseen = (json.loads((path / "plan.json").read_text())["summary"] for path in (out, other))
    ratio, more = cost.cpu_s / beside.cpu_s, unseen["bytes_moved"] / plan["bytes_moved"]
    as_few = plan["data_moves"] == unseen["data_moves"]
    return [
        Row(
            f"20,000 × 60, sizes of sigma {sigma:g}: the fewest bytes of as few moves",
            "proved, 1 × without `bytes`",
            seconds(cost),
            f"{ratio:.2f} ×; a plan that does not look copies {more:.1f} × as much",
            memory(cost),
            passed(ratio <= MOST_RATIO and as_few and is_proved(out)),
        )
    ]


def is_proved(folder: Path) -> bool:
    """True where value and bound of `bytes` meet."""
    certificate = json.loads((folder / "plan.json").read_text())["certificate"]
    return any(level["goal"] == "bytes" and level["gap"] == 0 for level in certificate)


def large(scratch: Path) -> Rows:
    shape = replace(skewed(PARTITIONS, BROKERS), known=True, sigma=1.5)
    row = against(
        f"2.8 million replicas × {BROKERS} brokers with sizes: bytes proved",
        Aim(12, 6, MOST_MB),
        *measured(shape, scratch / "bytes-large"),
        LOAD,
    )
    return [row if is_proved(scratch / "bytes-large") else replace(row, verdict="miss")]


ROWS: dict[str, Measure] = {
    **{f"bytes/sigma-{sigma:g}": partial(by_sigma, sigma) for sigma in SIGMAS},
    "bytes/large": large,
}
