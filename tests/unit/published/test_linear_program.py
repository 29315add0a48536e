"""killerwhile's program: demonstration, weights, constraints, and lp_solve on the written file."""

from __future__ import annotations

import re
import subprocess

import pytest

from equipoise.planning.published.helpers import lists_of
from equipoise.planning.published.interface import NoPlan
from equipoise.planning.published.linear_program import build, lp_text, weights
from equipoise.planning.published.settings import Settings

DEMONSTRATION = [[7, 18], [8, 19], [9, 10], [0, 11], [1, 12], [2, 13], [3, 14], [4, 15], [5, 16], [6, 17]]
RACKS = {broker: "ab"[broker % 2] for broker in range(20)}


@pytest.fixture
def demonstration(problem_of):
    return problem_of(DEMONSTRATION, topics=["x.y.z.t"] * 10, racks=RACKS, drain=(19,))


def test_removing_broker_19_moves_one_replica(demonstration, lists_after):
    """The text: only partition 1 has to change; its new replica keeps rack b, as broker 1 would."""
    after = lists_after("linear-program", demonstration)
    assert after[:1] + after[2:] == DEMONSTRATION[:1] + DEMONSTRATION[2:]
    assert after[1][0] == 8
    assert after[1][1] % 2 == 1


def test_ten_leaders_nine_followers_and_one_new_replica_weigh_59(demonstration):
    """10 * 4 + 9 * 2 + 1."""
    _, worth = build(demonstration, 10**6).solve(60)
    assert worth == 59


def test_weights_are_those_of_the_texts_example(problem_of):
    """4 for a leader that leads on, 2 for a replica that stays in either role, 1 for any other."""
    problem = problem_of([[19, 14]], brokers=[12, 14, 19])
    follower, leader = weights(lists_of(problem), [0], [0, 1, 2]).reshape(2, 3).tolist()
    assert follower == [1, 2, 2]
    assert leader == [1, 2, 4]


def test_the_written_file_has_every_family_of_the_text(demonstration):
    """One comment for each family, variables named as in the text, everything binary."""
    text = lp_text(demonstration)
    for family in ("Replication factor", "only one leader", "replicas of every broker",
                   "leaders of every broker", "No leader and follower", "replicas of every rack",
                   "every partition in every rack"):
        assert family in text
    assert re.search(r"^max: .*\b4 t1b7p0_l\b", text, re.M)
    assert "2 t1b18p0 " in text
    assert "bin\n" in text


@pytest.mark.parametrize("case", ["demonstration", "random", "no racks"])
def test_lp_solve_finds_the_same_objective(case, demonstration, random_problem, tmp_path):
    """An independent solver, given the file that we write, agrees on what the best assignment is worth."""
    problem = {
        "demonstration": lambda: demonstration,
        "random": lambda: random_problem(3, 6, 10, 2, racks={b: "abc"[b % 3] for b in range(6)}),
        "no racks": lambda: random_problem(8, 5, 8, 3),
    }[case]()
    file = tmp_path / "program.lp"
    file.write_text(lp_text(problem))
    command = ["lp_solve", "-S3", str(file)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    theirs = re.search(r"objective function: (\S+)", said.stdout)
    assert theirs, said.stdout
    assert float(theirs[1]) == build(problem, 10**6).solve(60)[1]


def test_racks_of_unequal_size_contradict_the_limits_of_brokers(problem_of, lists_after):
    """One rack has one broker of four, so racks cannot hold the same: no plan, though one exists."""
    lists = [[1, 2], [2, 1], [1, 3], [3, 1], [1, 4], [4, 1]]
    with pytest.raises(NoPlan, match=r"contradict .* every broker: broker 1 ends 3 above its limit of 3$"):
        lists_after("linear-program", problem_of(lists, racks={1: "a", 2: "b", 3: "b", 4: "b"}))


def test_large_programs_are_refused_before_they_are_begun(random_problem, lists_after):
    """400 partitions on 20 brokers are 16,000 variables."""
    with pytest.raises(NoPlan, match="16000 variables"):
        lists_after("linear-program", random_problem(1, 20, 400, 2), Settings(max_variables=10_000))
