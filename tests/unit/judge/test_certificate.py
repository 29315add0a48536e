"""Claims of a certificate against what is counted and recomputed: true ones hold, false ones are named."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.cluster import Brokers, Level, build_cluster
from equipoise.judge import Case, relaxation, rules_of
from equipoise.judge.certificate import as_violations, verify
from equipoise.judge.duality import FlowProblem

GOALS = {"replicas": (0, True), "moves": (1, False)}
"""Goal → linear cost of a move, and whether levels count, in the network below."""


def two_brokers(case: Case, goal: str) -> FlowProblem:
    """One arc from broker 1, with three replicas, to broker 2; both flow on into the sink."""
    cost, levels = GOALS[goal]
    return FlowProblem(
        supply=np.array([3, 0, -3]),
        tail=np.array([0, 0, 1], dtype=np.int32),
        head=np.array([1, 2, 2], dtype=np.int32),
        lower=np.zeros(3, dtype=np.int64),
        upper=np.full(3, 3),
        cost=np.array([cost, 0, 0]),
        convex=np.array([1, 2] if levels else [], dtype=np.int32),
        band_low=np.array([1, 1] if levels else [], dtype=np.int64),
        band_high=np.array([2, 2] if levels else [], dtype=np.int64),
    )


@pytest.fixture
def case(monkeypatch: pytest.MonkeyPatch) -> Case:
    """Three partitions on broker 1, of which one goes to broker 2."""
    monkeypatch.setitem(relaxation.BUILDERS, "two", two_brokers)
    cluster = build_cluster("c", Brokers.of([1, 2]), ["t"] * 3, range(3), [[1], [1], [1]])
    target = cluster.brokers.index_of(np.array([[1], [1], [2]]))
    return Case(cluster, target, rules_of(cluster), np.ones(2, dtype=bool))


CLAIMS = (Level("replicas", 0, 0, "flow-dual"), Level("moves", 1, 1, "flow-dual"))
UNUSABLE = "goal moves: its proof cannot be used"
PROOFS = {
    "level0/network": np.array("two"),
    "level0/potential": np.array([0, 0, 0]),
    "level1/network": np.array("two"),
    "level1/potential": np.array([1, 0, 0]),
}


def test_a_true_certificate_holds(case: Case) -> None:
    """Both bounds come out as claimed; the second needs the face that the first leaves."""
    found = verify(case, CLAIMS, PROOFS)
    assert [(level.value, level.bound, level.problem) for level in found] == [(0, 0, ""), (1, 1, "")]
    assert as_violations(found) == ()


@pytest.mark.parametrize(
    ("claims", "proofs", "said"),
    [
        ((CLAIMS[0], Level("moves", 0, 0, "flow-dual")), {}, "goal moves: the value is 1, not 0"),
        ((CLAIMS[0], Level("moves", 1, 2, "flow-dual")), {}, "goal moves: the bound 2 is above the value 1"),
        (CLAIMS, {"level1/potential": np.array([0, 0, 0])}, "goal moves: the potentials prove 0, not 1"),
        (CLAIMS, {"level1/potential": np.array([0, 0])}, f"{UNUSABLE} (potentials of shape (2,), not (3,))"),
        (CLAIMS, {"level1/network": np.array("three")}, f"{UNUSABLE} (no network is called three)"),
        (
            (CLAIMS[0], Level("moves", 1, 1, "none")),
            {},
            "goal moves: a bound of 1 is claimed without a proof",
        ),
    ],
)
def test_a_false_claim_is_named(
    case: Case, claims: tuple[Level, ...], proofs: dict[str, np.ndarray], said: str
) -> None:
    """A wrong value, a bound too high, potentials or a network that do not prove it: one sentence each."""
    found = as_violations(verify(case, claims, PROOFS | proofs))
    assert [str(violation) for violation in found] == [said]


def test_missing_potentials_are_no_proof(case: Case) -> None:
    """A level whose potentials were taken out is not believed."""
    left = {key: array for key, array in PROOFS.items() if not key.startswith("level1")}
    found = as_violations(verify(case, CLAIMS, left))
    assert [str(violation) for violation in found] == [f"{UNUSABLE} (there are no potentials for it)"]
