"""Claims of a certificate against what is counted and recomputed: true ones hold, false ones are named."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest

from equipoise.cluster import Brokers, Level, Plan, build_cluster
from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.judge import Case, check_assignment, faces, rules_of
from equipoise.judge.arc_costs import Cost, banded, each
from equipoise.judge.certificate import Finding, as_violations, verify
from equipoise.judge.duality import FlowProblem
from equipoise.judge.relaxation import Arcs, Relaxation, one_each
from equipoise.planning import Request, make_plan
from equipoise.planning.problem.params import Params


def two_brokers(*_: object) -> Relaxation:
    """Broker 1 has three replicas and an arc to broker 2; both flow on into the sink."""
    arcs = Arcs()
    arcs.add("move", np.array([0]), np.array([1]), np.array([3]))
    arcs.add("sink", np.array([0, 1]), np.array([2, 2]), np.array([3, 3]))

    def cost(goal: str) -> Cost:
        if goal == "moves":
            return each(3, arcs.kinds["move"])
        return banded(3, arcs.kinds["sink"], np.array([1, 1]), np.array([2, 2]))

    def lifted(_: str, potential: np.ndarray, __: FlowProblem) -> np.ndarray:
        return one_each(potential, 3)

    return Relaxation(arcs.network(np.array([3, 0, -3])), cost, lifted)


@pytest.fixture
def case(monkeypatch: pytest.MonkeyPatch) -> Case:
    """Three partitions on broker 1, of which one goes to broker 2, judged on the network above."""
    monkeypatch.setattr(faces, "placement_relaxation", two_brokers)
    cluster = build_cluster("c", Brokers.of([1, 2]), ["t"] * 3, range(3), [[1], [1], [1]])
    target = cluster.brokers.index_of(np.array([[1], [1], [2]]))
    return Case(cluster, target, rules_of(cluster), np.ones(2, dtype=bool))


CLAIMS = (Level("replicas", 0, 0, "flow-dual"), Level("moves", 1, 1, "flow-dual"))
UNUSABLE = "goal moves: its proof cannot be used"
PROOFS = {
    "level0/network": np.array("merged"),
    "level0/potential": np.array([0, 0, 0]),
    "level1/network": np.array("merged"),
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
        *(
            (
                (CLAIMS[0], Level("moves", 1, 1, proof)),
                {},
                "goal moves: a bound of 1 is claimed without a proof",
            )
            for proof in ("none", "closed-form", "integer-program")
        ),
    ],
)
def test_a_false_claim_is_named(
    case: Case, claims: tuple[Level, ...], proofs: dict[str, np.ndarray], said: str
) -> None:
    """A wrong value, a bound too high, potentials or a network that do not prove it: one sentence each."""
    found = as_violations(verify(case, claims, PROOFS | proofs))
    assert [str(violation) for violation in found] == [said]


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        (Level("moves", 1, 1, "trust me"), "there is no kind of proof called trust me"),
        (Level("moves", 1, 1, ""), "there is no kind of proof called "),
        (Level("moves", 1, 1, 5), "its goal, proof or note is no text"),  # type: ignore[arg-type]
        (Level(["moves"], 1, 1, "none"), "its goal, proof or note is no text"),  # type: ignore[arg-type]
        (Level(None, 1, 1, "none"), "its goal, proof or note is no text"),  # type: ignore[arg-type]
        (Level("moves", "x", 1, "flow-dual"), "its value is no number"),  # type: ignore[arg-type]
        (Level("moves", True, 1, "flow-dual"), "its value is no number"),
        (Level("moves", 1, math.nan, "flow-dual"), "its bound is no number"),
        (Level("moves", 1, -math.inf, "none"), "its bound is no number"),
        (Level("moves", 1, 10**400, "none"), "its bound is no number"),
        (Level("moves", 1, None, "none"), "its bound is no number"),  # type: ignore[arg-type]
        (Level("moves", 1, 0, "given-placement", "", "1"), "its bound of all placements is no number"),  # type: ignore[arg-type]
        (
            Level("moves", 1, 0, "none", "", 1),
            "a bound of all placements stands beside a proof by none",
        ),
        (Level("moves", 1, 1, "unknown"), "it is called unknown and has a value"),
        (Level("moves", None, None, "unknown"), "it is called unknown, and its value is 1"),  # type: ignore[arg-type]
    ],
)
def test_a_level_in_no_form_is_refused(case: Case, claim: Level, said: str) -> None:
    """Words that are none, figures that are none, and what contradicts itself: one sentence each."""
    found = verify(case, (CLAIMS[0], claim), PROOFS)
    assert (found[1].bound, found[1].problem) == (None, said)


def test_what_the_sources_do_not_tell_may_be_unknown(case: Case) -> None:
    """Without racks there is no value of the rack rule to state."""
    found = verify(case, (Level("racks", None, None, "unknown"),), {})  # type: ignore[arg-type]
    assert [(level.value, level.bound, level.problem) for level in found] == [(None, None, "")]


def test_missing_potentials_are_no_proof(case: Case) -> None:
    """A level whose potentials were taken out is not believed."""
    left = {key: array for key, array in PROOFS.items() if not key.startswith("level1")}
    found = as_violations(verify(case, CLAIMS, left))
    assert [str(violation) for violation in found] == [f"{UNUSABLE} (there are no potentials for it)"]


def test_an_unknown_network_proves_nothing() -> None:
    """A name that no network has is not taken for a proof."""
    cluster = build_cluster("c", Brokers.of([1, 2]), ["t"], [0], [[1]])
    case = Case(cluster, cluster.replicas, rules_of(cluster), np.ones(2, dtype=bool))
    proofs = {"level0/network": np.array("made up"), "level0/potential": np.zeros(3, dtype=np.int64)}
    found = as_violations(verify(case, (Level("moves", 0, 0, "flow-dual"),), proofs))
    assert [str(violation) for violation in found] == [f"{UNUSABLE} (no network is called made up)"]


def random_plan(seed: int) -> Plan | None:
    """The plan for a small cluster and a few options, both at random; None where there is none."""
    rng = np.random.default_rng(seed)
    n_brokers, n = int(rng.integers(3, 7)), int(rng.integers(2, 14))
    racks = {i: "abc"[int(rng.integers(0, 3))] for i in range(n_brokers)}
    lists = [rng.permutation(n_brokers)[: rng.integers(1, 4)].tolist() for _ in range(n)]
    topics = [f"t{k}" for k in rng.integers(0, 3, n)]
    cluster = build_cluster("c", Brokers.of(range(n_brokers), racks), topics, range(n), lists)
    drain, cordon = ((int(rng.integers(0, n_brokers)),) if rng.random() < 0.3 else () for _ in range(2))
    request = Request(
        drain=drain,
        cordon=cordon,
        add=((n_brokers, "a"),) if rng.random() < 0.3 else (),
        replication_factor=2 if rng.random() < 0.2 else None,
        stay_in_rack=bool(rng.random() < 0.1),
        leaders_only=bool(rng.random() < 0.2),
        max_changes_per_partition=1 if rng.random() < 0.1 else None,
    )
    try:
        return make_plan(cluster, request)
    except (ImpossibleRequest, UnusableInput):
        return None


def checked(plan: Plan, proofs: Mapping[str, np.ndarray]) -> tuple[Finding, ...]:
    rules = rules_of(plan.cluster, plan.request)
    everyone = np.ones(plan.cluster.n_brokers, dtype=bool)
    assert check_assignment(plan.cluster, plan.target, rules) == ()
    return verify(Case(plan.cluster, plan.target, rules, everyone), plan.certificate, proofs)


@pytest.mark.slow
def test_the_planners_certificates_hold_and_spoilt_ones_do_not() -> None:
    """On random clusters every flow proof is met on networks that the judge built itself; with potentials
    of 0 moves are not proved to be needed any more."""
    proved = spoilt = 0
    for seed in range(60):
        plan = random_plan(seed)
        if plan is None:
            continue
        found = checked(plan, plan.proofs)
        assert [level.problem for level in found if level.problem] == [], seed
        for k, (level, claim) in enumerate(zip(found, plan.certificate, strict=True)):
            proved += level.bound is not None
            key = f"level{k}/potential"
            if level.bound is None or claim.lower_bound == 0 or claim.goal != "moves":
                continue
            wrong = np.zeros_like(plan.proofs[key])
            assert checked(plan, {**plan.proofs, key: wrong})[k].problem != ""
            spoilt += 1
    assert proved > 100
    assert spoilt > 10


@pytest.mark.slow
def test_a_rack_rule_that_moves_do_not_pay_for() -> None:
    """400 of 600 partitions crowd a rack, and 30 moves mend 30: a price of a move proves it, and no more.

    Limits are set so that the small cluster is planned as one of some thousand partitions is.
    """
    racks = dict.fromkeys((1, 2, 3), "a") | dict.fromkeys((4, 5, 6), "b")
    lists = [[1 + k % 3, 1 + (k + 1) % 3 if k % 3 else 4] for k in range(600)]
    cluster = build_cluster("c", Brokers.of(range(1, 7), racks), ["t"] * 600, range(600), lists)
    plan = make_plan(cluster, Request(max_moves=30), params=Params(small_cells=0, face_columns=0))
    assert plan.certificate[0] == Level("racks", 370, 370, "flow-dual")
    assert plan.proofs["level0/network"] == "merged-budget"
    assert as_violations(checked(plan, plan.proofs)) == ()
    less = dict(plan.proofs) | {"level0/potential": plan.proofs["level0/potential"] * 0}
    assert str(as_violations(checked(plan, less))[0]) == "goal racks: the potentials prove 0, not 370"
