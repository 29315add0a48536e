"""What levels of placement and leaders at once leave: every plan that is as good, and few others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from tests.reference import values
from tests.reference.rules import broken_rules

from equipoise import judge
from equipoise.cluster import Brokers, Cluster, Plan, build_cluster
from equipoise.cluster.proofs import NetworkName
from equipoise.judge import certificate
from equipoise.judge.arc_costs import banded, nearly_least
from equipoise.judge.faces import OptimalFaces
from equipoise.judge.goals.interface import PARTS
from equipoise.judge.joint_network import arcs_between
from equipoise.judge.placement_layout import layout_of
from equipoise.planning import Params, Request, build_problem, make_plan

LARGE = Params(small_cells=0, partition_arcs=0)
"""Plans as on clusters that are too large for the 0-1 program, with the network of all topics as one."""
ORDERS = (
    None,
    ("replicas", "moves", "bytes", "topics", "leaders", "elections", "topic-leaders"),
    ("moves", "leaders", "elections", "replicas", "topic-leaders"),
    ("bytes", "elections", "topics", "moves"),
)


def crowded(seed: int) -> Cluster:
    """Three partitions of two topics, mostly on brokers 0 to 2 of 5, and of sizes from 1 to 40."""
    draw = np.random.default_rng(seed)
    lists = [draw.choice(5, 2, replace=False, p=[0.3, 0.3, 0.3, 0.05, 0.05]).tolist() for _ in range(3)]
    sizes = draw.integers(1, 40, 3).tolist()
    brokers = Brokers.of(range(5), dict(zip(range(5), "ababa", strict=True)))
    return build_cluster("crowded", brokers, ["one", "one", "two"], [0, 1, 0], lists, size_bytes=sizes)


def as_good(plan: Plan, request: Request) -> Iterator[tuple[int, np.ndarray]]:
    """Every plan that keeps the rules, with how many goals it is as good at, counted from the first."""
    problem = build_problem(plan.cluster, request)
    before = [set(row) for row in plan.cluster.replicas.tolist()]
    for rows in product(permutations(range(5), 2), repeat=3):
        lists = [list(row) for row in rows]
        # most have too many moves, which is soon told
        moves = sum(len(set(row) - had) for row, had in zip(lists, before, strict=True))
        if moves > (request.max_moves or 0) or broken_rules(problem, lists):
            continue
        levels = 0
        for level in plan.certificate:
            if values.value(problem, lists, level.goal) > level.value:
                break
            levels += 1
        if levels:
            yield levels, np.array(lists)


def assert_on_face(faces: OptimalFaces, lists: np.ndarray, told: str) -> None:
    """The plan's leaders, counts and moves are among those that the levels so far have left."""
    face, case = faces.joint, faces.case
    assert face is not None
    layout = layout_of(case, np.arange(len(lists)))
    n, n_racks = case.cluster.n_brokers, layout.n_racks
    leader, topic = lists[:, 0], case.cluster.topic_idx
    assert face.leads[np.arange(len(lists)), leader].all(), told
    counts = np.zeros(len(face.most), dtype=np.int64)
    np.add.at(counts, case.cluster.brokers.rack_idx[leader], 1)
    np.add.at(counts, n_racks + leader, 1)
    np.add.at(counts, n_racks + n + topic * n + leader, 1)
    assert ((face.fewest <= counts) & (counts <= face.most)).all(), told
    before, after = (
        (of[:, :, None] == np.arange(n)).any(axis=1) for of in (np.asarray(case.before), lists)
    )
    leave, arrive = arcs_between(layout, faces.on_face(NetworkName.PARTITIONS)[1])
    for ends, moved in ((leave, before & ~after), (arrive, after & ~before)):
        carried = moved[ends.row, ends.broker]
        assert ((face.lower[ends.arc] <= carried) & (carried <= face.upper[ends.arc])).all(), told


def with_gaps(plan: Plan, seed: int) -> Plan:
    """The plan with prices of which some are off, and a certificate that claims nothing by them."""
    draw, proofs = np.random.default_rng(seed), dict(plan.proofs)
    for key, array in plan.proofs.items():
        level, _, name = key.rpartition("/")
        if name == "potential" and "joint" in str(plan.proofs[f"{level}/network"]):
            off = draw.integers(0, 3, array.shape) * (draw.random(array.shape) < 0.05)
            proofs[key] = array + off * (PARTS // 2)
    levels = tuple(replace(level, lower_bound=0) for level in plan.certificate)
    return replace(plan, certificate=levels, proofs=proofs)


@pytest.mark.slow
@pytest.mark.parametrize("gaps", [False, True])
def test_every_plan_that_is_as_good_is_left(gaps: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """All plans of three partitions on five brokers, beside what each level leaves of leaders and of arcs.

    ``gaps``: also where prices prove less than the value.
    """
    made: list[OptimalFaces] = []

    def recorded(case: judge.Case, proofs: dict[str, np.ndarray]) -> OptimalFaces:
        made.append(OptimalFaces(case, proofs))
        return made[-1]

    monkeypatch.setattr(certificate, "OptimalFaces", recorded)
    looked_at, closed, missed = Counter[str](), 0, 0
    for seed in range(48):
        most = int(crowded(seed).size_bytes.sum()) if seed % 3 else None
        request = Request(max_moves=2 + seed % 2, max_bytes=most, goals=ORDERS[seed % len(ORDERS)])
        plan = make_plan(crowded(seed), request, LARGE)
        plan = with_gaps(plan, seed) if gaps else plan
        rules = judge.rules_of(plan.cluster, plan.request)
        case = judge.Case(plan.cluster, plan.target, rules, plan.eligible)
        others: list[tuple[int, np.ndarray]] = []
        for k, found in enumerate(certificate.findings(case, plan.certificate, plan.proofs)):
            assert gaps or not found.problem, (seed, found)
            missed += found.value > (found.bound or 0)
            faces = made[-1]
            if faces.joint is None:
                continue
            others = others or list(as_good(plan, request))
            left = [lists for levels, lists in others if levels > k]
            assert any(np.array_equal(lists, plan.target) for lists in left)
            for lists in left:
                assert_on_face(faces, lists, f"{seed} {found.goal} {lists.tolist()}")
            looked_at[found.goal] += len(left)
            closed += int((~faces.joint.leads).sum())
    assert len(looked_at) >= 5 and looked_at.total() > 200 and closed > 40, (looked_at, closed)
    assert not gaps or missed > 3, missed


def grown() -> tuple[Cluster, Request]:
    """Sixty partitions of different sizes on four brokers; two more are there, and take ten replicas."""
    draw = np.random.default_rng(3)
    lists = [draw.choice(4, 2, replace=False).tolist() for _ in range(60)]
    names = [f"t{k // 6}" for k in range(60)]
    sizes = draw.integers(10**9, 10**10, 60).tolist()
    cluster = build_cluster("grown", Brokers.of(range(6)), names, list(range(60)), lists, size_bytes=sizes)
    return cluster, Request(max_moves=10)


def problems_of(plan: Plan, proofs: dict[str, np.ndarray]) -> set[str]:
    """The goals of which the judge takes no proof."""
    rules = judge.rules_of(plan.cluster, plan.request)
    case = judge.Case(plan.cluster, plan.target, rules, plan.eligible)
    return {found.goal for found in certificate.verify(case, plan.certificate, proofs) if found.problem}


@pytest.mark.slow
def test_prices_of_a_level_need_not_pay_for_what_those_before_close() -> None:
    """Ten replicas move, of the fewest bytes: who those can be the judge reads from the prices of bytes."""
    cluster, request = grown()
    plan = make_plan(cluster, request, LARGE)
    assert all(level.value == level.lower_bound for level in plan.certificate)
    assert problems_of(plan, dict(plan.proofs)) == set()
    goals = [level.goal for level in plan.certificate]
    key = f"level{goals.index('bytes')}/potential"
    assert key in plan.proofs
    without = {**plan.proofs, key: np.zeros_like(plan.proofs[key])}
    assert {"bytes", "topics"} <= problems_of(plan, without)


@pytest.mark.parametrize("spare", [0, 1, 7, 40])
def test_what_costs_little_more_than_the_least_is_left(spare: int) -> None:
    """Each item by itself, with every price: all flows that cost so little more are between the two ends."""
    prices = np.arange(-45, 46)
    n, weight = len(prices), 3
    low, high = np.full(n, 3), np.full(n, 5)
    cost = banded(n, np.arange(n), low, high)
    lower, upper = np.zeros(n, dtype=np.int64), np.full(n, 9)
    first, last = nearly_least(prices, lower, upper, [(cost, weight)], spare)
    x = np.arange(10)
    outside = np.maximum(np.maximum(3 - x, x - 5), 0)
    paid = prices[:, None] * x + weight * outside**2
    near = paid - paid.min(axis=1, keepdims=True) <= spare
    fewest, most = near.argmax(axis=1), 9 - near[:, ::-1].argmax(axis=1)
    assert ((first <= fewest) & (most <= last)).all()
    if spare == 0:
        assert np.array_equal(first, fewest) and np.array_equal(last, most)
