"""The door of the published algorithms: every name loads, refusals have reasons, answers are checked."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.cluster import Brokers, build_cluster, measures
from equipoise.errors import UnusableInput
from equipoise.planning.problem.request import Request
from equipoise.planning.published.interface import STRATEGIES, NoPlan, load, plan_with, target_of
from equipoise.planning.request.laying import build_problem


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_name_loads_a_module_of_that_name_that_cites_its_source(name):
    """The registry and the modules agree, and each says whose method it is."""
    module = load(name)
    assert module.name == name
    assert any(word in module.__doc__ for word in ("section", "README", "KIP", "step", "part 1"))


def test_unknown_names_are_refused_with_the_known_ones():
    """Exit 2, and what could have been meant."""
    with pytest.raises(UnusableInput, match=r"there is no strategy 'magic'.*pinterest"):
        load("magic")


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_order_of_the_input_rows_does_not_matter(name):
    """The same cluster read backwards gives the same lists."""
    draw = np.random.default_rng(9)
    lists = [draw.choice(6, 3, replace=False).tolist() for _ in range(18)]
    sizes = draw.integers(1, 9, 18) * 2.0**30
    brokers = Brokers.of(range(6), {b: "abc"[b % 3] for b in range(6)})
    names = [f"t{k % 3}" for k in range(18)]
    answers = []
    for order in (range(18), range(17, -1, -1)):
        rows = [(names[k], k, lists[k]) for k in order]
        cluster = build_cluster("c", brokers, *zip(*rows, strict=True), size_bytes=[sizes[k] for k in order])
        try:
            answers.append(target_of(name, build_problem(cluster, Request())).tolist())
        except NoPlan as refusal:
            answers.append(refusal.reason)
    assert answers[0] == answers[1]


def test_a_plan_has_measured_levels_and_claims_no_proof(problem_of):
    """Every goal of the request is measured; the sentence of a move names the algorithm."""
    plan = plan_with("greedy-racks", problem_of([[1, 2], [1, 2], [1, 3], [3, 1]]))
    assert plan.strategy == "greedy-racks"
    goals = {level.goal for level in plan.certificate}
    assert goals >= {"racks", "replicas", "moves", "leaders", "elections"}
    proofs = {level.goal: level.proof for level in plan.certificate}
    assert proofs.pop("racks") == "unknown" and set(proofs.values()) == {"none"}
    assert set(plan.why) == set(plan.changed.tolist())
    assert all("greedy-racks" in sentence for sentence in plan.why.values())


@pytest.mark.parametrize(
    ("name", "request_", "reason"),
    [
        ("generate", {"max_moves": 1}, "more than the 1 allowed"),
        ("generate", {"max_bytes": 10}, "bytes, more than the 10 allowed"),
        ("generate", {"leaders_only": True}, "only leaders may change"),
        ("generate", {"cordon": (4,)}, "may receive none"),
        ("generate", {"max_changes_per_partition": 1}, "more than 1 replica of one partition"),
        ("greedy", {"no_leaders_on": (1,)}, "may not lead"),
    ],
)
def test_options_that_a_text_does_not_know_are_refused_not_ignored(problem_of, name, request_, reason):
    """The answer is held against the whole request, and the reason says what it breaks."""
    lists = [[1, 2, 3], [2, 1, 3], [1, 3, 2], [3, 2, 1], [4, 2, 6], [1, 5, 4]]
    with pytest.raises(NoPlan, match=reason):
        target_of(name, problem_of(lists, sizes=[5.0] * 6, **request_))


@pytest.mark.parametrize("name", STRATEGIES)
def test_topics_that_may_not_change_do_not(random_problem, name):
    """`--topics` holds for every algorithm that finds a plan."""
    draw = np.random.default_rng(4)
    lists = [draw.choice(5, 2, replace=False).tolist() for _ in range(20)]
    names = ["a", "b"] * 10
    cluster = build_cluster("c", Brokers.of(range(5)), names, range(20), lists, size_bytes=[1.0] * 20)
    problem = build_problem(cluster, Request(topics="a"))
    try:
        target = target_of(name, problem)
    except NoPlan:
        return
    assert not (measures.changed_rows(cluster.replicas, target) >= 10).any()


@pytest.mark.parametrize("name", STRATEGIES)
def test_where_nothing_may_change_nothing_does(problem_of, name):
    """Every topic excluded: the lists as they are, rather than a program without variables."""
    problem = problem_of([[1, 2], [1, 3]], exclude_topics="t")
    assert target_of(name, problem).tolist() == problem.current.tolist()
