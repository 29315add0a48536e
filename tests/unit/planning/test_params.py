"""Limits stand in `Params`: what else is a number in the planner is none, and says why."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import equipoise.planning

ROOM = Path(equipoise.planning.__file__).parent
NO_LIMITS = {
    "a guard against what has no end, far above all that ends": ("linear/warm.MOST",),
    "what the certificate stores, as the judge has it too": (
        "flow/prices.FINENESS", "flow/prices.SHIFT", "programs/model.MOST_UNITS",
        "programs/joint/question.SCALE", "programs/joint/question.LARGE", "programs/joint/question.FINE",
        "programs/joint/question.HIGHEST", "programs/joint/question.MOST", "programs/branching.SCALES",
        "programs/branching.CLOSED", "programs/branching.NARROWED", "programs/branching.MOST_NODES",
        "loads/prices.BITS",
    ),
    "the largest number that 64 bits or a solver take": (
        "networks/move_budget.MAX_PRICE", "programs/joint/bound.SAFE",
        "basis/distinct.ROOM", "programs/joint/narrowing.MOST_TIMES", "loads/prices.EXACT",
        "programs/branching.LARGEST", "request/laying.TIMES",
        "programs/joint/columns.FAR",
    ),
    "a number that stands for none": (
        "programs/rows.INFINITE", "rules/interface.MANY", "problem/shares.ANYTHING", "loads/weights.ANYTHING",
        "networks/topic_rounding.NOWHERE", "dirs/shelves.HOMELESS", "dirs/shelves.ANYTHING",
        "rules/rack_capacity.ANYTHING", "driver/on_bytes.ANY",
    ),
    "how far off reckoning may be": (
        "linear/highs.NEARLY", "programs/joint/solve.NOISE", "programs/joint/linear_program.NOISE",
        "programs/joint/linear_program.FINER", "programs/joint/linear_program.TENTH",
        "programs/joint/question.SLACK", "programs/joint/narrowing.EXACT",
        "loads/search.SLACK", "loads/search.NOTHING", "loads/sweeps.NOTHING", "loads/bounds.ROUNDING",
        "loads/prices.ROUNDING", "loads/proofs.ALIKE", "programs/scaling.BITS", "request/loads_named.SLACK",
    ),
    "what one thing weighs beside another, or where a search begins": (
        "loads/standing.MOVE", "loads/standing.ELECTION", "loads/pull.INSIDE", "loads/pull.GROWTH",
        "loads/pull.NEAR", "loads/together.NEARER", "dirs/weighed.OVERFULL",
        "networks/topic_rounding.FINENESS", "networks/topic_rounding.PENALTY",
        "networks/topic_rounding.GREAT", "bounds/topic_leaders.ELECTION",
    ),
    "a number by which HiGHS knows a method or a place": (
        "linear/binding.DUAL", "linear/binding.PRIMAL", "linear/growing.LOWER",
        "linear/growing.BASIC", "linear/growing.UPPER",
    ),
    "a unit, or a position": (
        "networks/free_followers.FIRST", "dirs/shelves.FINEST", "telling/written.CPU",
    ),
    "how much memory is worked on at a time, with the same outcome": (
        "flow/prices.BLOCK", "flow/prices.ROOM", "loads/prices.ROWS", "basis/distinct.ROOMY",
    ),
    "what may be asked, and what is asked where nothing is said": (
        "request/values.MOST", "request/brokers_named.MOST_BROKERS", "request/options.MOST_REPLICAS",
        "request/options.MOST_PARTITIONS", "problem/request.EXACT", "problem/request.WIDE",
        "dirs/plan.TOLERANCE", "dirs/plan.MOST_FULL",
    ),
    "how much is told in a sentence": (
        "request/part.SHOWN", "problem/rates.NAMED", "rules/health_words.MOST_LISTED",
        "rules/ways.MOST_NAMED", "rules/new_brokers.MOST_NEW", "telling/offers.UNEVEN",
    ),
}  # fmt: skip
"""Why → the numbers of the planner's modules that steer no work; those of published algorithms are theirs."""


def numbers(path: Path) -> Iterator[str]:
    """Names of a module that are given a number, or some, where they are made."""
    of = path.relative_to(ROOM).with_suffix("").as_posix()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and is_number(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for name in (name for target in targets for name in ast.walk(target)):
                if isinstance(name, ast.Name) and name.id.isupper():
                    yield f"{of}.{name.id}"


def is_number(value: ast.expr) -> bool:
    """True for numbers, sums and products of them, tuples of them, and calls of NumPy's types."""
    if isinstance(value, ast.Tuple):
        return bool(value.elts) and all(map(is_number, value.elts))
    if isinstance(value, ast.BinOp):
        return is_number(value.left) or is_number(value.right)
    if isinstance(value, ast.UnaryOp):
        return is_number(value.operand)
    if isinstance(value, ast.Call):
        return len(value.args) == 1 and is_number(value.args[0])
    return isinstance(value, ast.Constant) and isinstance(value.value, int | float)


def test_every_limit_is_a_field_of_params() -> None:
    """A number at the top of a module is a limit, and belongs there, or one of those above."""
    ours = (path for path in ROOM.rglob("*.py") if "published" not in path.parts)
    found = sorted(name for path in ours for name in numbers(path))
    assert found == sorted(name for names in NO_LIMITS.values() for name in names)
