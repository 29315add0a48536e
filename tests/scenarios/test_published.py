"""The examples of the published methods, each with its story and its known answer."""

from __future__ import annotations

import json
import random
import re
import shlex
from collections import Counter
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from tests.scenarios.named import (
    COUNTED,
    cluster_of,
    fewest_moves,
    leaders,
    lists_of,
    proved,
    replicas,
    values_of,
)
from typer.testing import CliRunner

from equipoise.cli.main import app
from equipoise.cluster import measures
from equipoise.files.sources import read_sources
from equipoise.planning import Request, make_plan

FLEET = Path(__file__).parents[2] / "examples" / "fleet"


def test_one_broker_leaves_and_one_replica_moves() -> None:
    """Broker 19 of 20 leaves: Kafka's own tool moves 19 replicas, one is enough.

    killerwhile, "Kafka Partitions Assignment Optimizer", section "Demonstration": partition 1 becomes
    [8, 1], within the zone of odd brokers, and "all the other moves are not required".
    """
    plan = make_plan(read_sources([str(FLEET / "removal")]), Request(drain=(19,)))
    assert [plan.cluster.label(row) for row in plan.changed] == ["x.y.z.t-1"]
    assert lists_of(plan, "x.y.z.t")[1] == [8, 1]
    assert values_of(plan)["moves"] == 1
    assert proved(plan, *COUNTED)


def test_what_kafkas_own_tool_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command of docs/published.md writes the ten lists of killerwhale's demonstration.

    Its Kafka knew no racks: broker 19 is left out, the first leader is on 14, the first follower 2 further.
    """
    (tmp_path / "examples").symlink_to(FLEET.parent)
    monkeypatch.chdir(tmp_path)
    page = (FLEET.parents[1] / "docs" / "published.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^equipoise (plan .*start-index=.*)$", page, re.M)
    assert CliRunner().invoke(app(), shlex.split(command)).exit_code == 0
    told = json.loads((tmp_path / "kafkas" / "reassignment.json").read_text())["partitions"]
    assert [entry["replicas"] for entry in sorted(told, key=lambda entry: entry["partition"])] == [
        [14, 17], [15, 18], [16, 0], [17, 1], [18, 2], [0, 3], [1, 4], [2, 5], [3, 6], [4, 7],
    ]  # fmt: skip


@pytest.mark.slow
def test_forty_brokers_that_grew_by_eight() -> None:
    """11,005 data moves make Wix's 40 brokers level to within one; its author's four steps ended 11 apart.

    Wix Engineering, "4 steps for kafka rebalance", prints the replicas on each broker: 263,577 of them, so
    6,589.4 are a share, and what stands above it has to leave.
    """
    plan = make_plan(read_sources([str(FLEET / "growth")]))
    assert Counter(replicas(plan).tolist()) == {6589: 23, 6590: 17}
    before = measures.replicas_per_broker(plan.cluster.replicas, 40)
    assert values_of(plan)["moves"] == 11_005 == fewest_moves(before, 6589, 6590)
    assert np.ptp(leaders(plan)) == 1
    assert proved(plan, *COUNTED[1:-1])


def test_leaders_of_180_partitions_on_122_brokers() -> None:
    """Eleven elections level the leaders, no data moves; the published method needed 15.

    Pinterest Engineering, "Using graph algorithms to optimize Kafka operations, part 2": "a reasonable
    result that uses only 4 more reassignments than the lower bound".
    """
    cluster = read_sources([str(FLEET / "skewed-leaders")])
    assert (cluster.n_partitions, cluster.n_brokers) == (180, 122)
    plan = make_plan(cluster)
    assert values_of(plan)["moves"] == 0
    assert values_of(plan)["elections"] == 11
    assert Counter(leaders(plan).tolist()) == {1: 64, 2: 58}
    assert proved(plan, *COUNTED[1:])


def test_the_example_of_120_partitions_on_135_brokers() -> None:
    """Fewer partitions than brokers, as in the last picture of the same text: twenty elections, no moves."""
    plan = make_plan(read_sources([str(FLEET.parent / "few-partitions")]))
    assert (plan.cluster.n_partitions, plan.cluster.n_brokers) == (120, 135)
    assert (values_of(plan)["moves"], values_of(plan)["elections"]) == (0, 20)
    assert Counter(leaders(plan).tolist()) == {1: 120, 0: 15}
    assert proved(plan, *COUNTED[1:])


def test_leaders_of_120_partitions_on_135_brokers() -> None:
    """With more brokers than partitions level means that no broker leads two.

    Pinterest's second example has these sizes and no printed lists; here 120 lists are drawn. A broker for
    each partition is an assignment, of which SciPy's solver tells the cheapest.
    """
    rng = random.Random(135)
    topic = [rng.sample(range(135), 3) for _ in range(120)]
    plan = make_plan(cluster_of({"ads": topic}, range(135)), Request(leaders_only=True))
    cost = np.full((120, 135), 1000)
    for partition, held in enumerate(topic):
        cost[partition, held] = [0, 1, 1]
    assert leaders(plan).max() == 1
    assert values_of(plan)["elections"] == cost[linear_sum_assignment(cost)].sum()
    assert proved(plan, "leaders", "elections")


def test_pictures_of_leaders() -> None:
    """Four partitions, led by 1, 2, 1, 2: two hand-overs give brokers 3 and 4 their leader.

    Appier, "Kafka reassignment", the picture "leader-balance". Only p2 is on broker 4.
    """
    plan = make_plan(
        cluster_of({"p": [[1, 2, 3], [2, 3, 4], [1, 2, 3], [2, 1, 3]]}), Request(leaders_only=True)
    )
    assert leaders(plan).tolist() == [1, 1, 1, 1]
    assert values_of(plan)["elections"] == 2
    assert lists_of(plan, "p")[1][0] == 4
    assert lists_of(plan, "p")[3] == [2, 1, 3]


def test_pictures_of_partitions() -> None:
    """Brokers 1 and 2 hold all four partitions, 3 and 4 two each: one replica goes from each to the others.

    Appier, "Kafka reassignment", the picture "partition-balance".
    """
    plan = make_plan(cluster_of({"p": [[1, 2, 3], [2, 1, 4], [1, 2, 4], [2, 1, 3]]}))
    assert replicas(plan).tolist() == [3, 3, 3, 3]
    assert leaders(plan).tolist() == [1, 1, 1, 1]
    assert values_of(plan)["moves"] == 2
    assert proved(plan, *COUNTED[1:])


def test_pictures_of_more_replicas() -> None:
    """A replication factor of 4 on five brokers, one of them empty: the new replicas nearly level it.

    Appier, "Kafka reassignment", the picture "increase-replica": 16 replicas, so 3 or 4 on each broker.
    """
    lists = [[1, 2, 3], [2, 1, 4], [1, 2, 4], [2, 1, 3]]
    plan = make_plan(cluster_of({"p": lists}, range(1, 6)), Request(replication_factor=4))
    assert sorted(replicas(plan).tolist()) == [3, 3, 3, 3, 4]
    assert values_of(plan)["moves"] == 5  # four new ones, and broker 1 or 2 gives one up
    assert proved(plan, "replicas", "moves")


def test_pictures_of_fewer_replicas() -> None:
    """Down to 2 replicas: dropping the right ones is enough, the dead end of the published extension.

    Appier, "Kafka reassignment": with a node on the sink's side "some cases do not succeed", those whose
    replicas all stand on brokers that are not overloaded.
    """
    lists = [[1, 2, 3], [2, 1, 4], [1, 2, 4], [2, 1, 3]]
    plan = make_plan(cluster_of({"p": lists}), Request(replication_factor=2))
    assert replicas(plan).tolist() == [2, 2, 2, 2]
    assert values_of(plan)["moves"] == 0


def test_pictures_of_first_followers() -> None:
    """Leaders stay; the first followers of 1 and 2 become 3 and 4, so that a loss is shared.

    Appier, "Kafka reassignment", the picture "1st-follower-balance". When broker 1 fails, broker 2 would lead
    all four partitions, afterwards each survivor leads one or two. What is left, 2, is that one of 3 and 4
    leads nothing while the other has failed.
    """
    lists = [[1, 2, 3], [2, 1, 4], [1, 2, 4], [2, 1, 3]]
    request = Request(leaders_only=True, goals=("elections", "failover", "reorders"))
    plan = make_plan(cluster_of({"p": lists}), request)
    assert lists_of(plan, "p") == [[1, 3, 2], [2, 4, 1], [1, 4, 2], [2, 3, 1]]
    assert values_of(plan) == {"elections": 0, "failover": 2, "reorders": 4}


def test_all_permutations_are_left_alone() -> None:
    """The twelve ordered pairs of four brokers are level in every goal there is: the plan is empty.

    Appier, "Kafka reassignment", the earlier method: broker lists are taken from all permutations in turn.
    """
    pairs = [list(pair) for pair in permutations((1, 2, 3, 4), 2)]
    goals = (*COUNTED, "failover", "positions", "reorders")
    plan = make_plan(cluster_of({"p": pairs}), Request(goals=goals))
    assert plan.is_empty
    assert set(values_of(plan).values()) == {0}


def test_permutations_are_found_from_one_sided_pairs() -> None:
    """Every pair twice, always led by the lower id: four elections level the leaders, six also the failover.

    The six make the twelve permutations of Appier's earlier method, and no replica moves for it.
    """
    pairs = [sorted(pair) for pair in permutations((1, 2, 3, 4), 2)]
    plan = make_plan(cluster_of({"p": pairs}))
    assert leaders(plan).tolist() == [3, 3, 3, 3]
    assert (values_of(plan)["moves"], values_of(plan)["elections"]) == (0, 4)
    goals = ("racks", "replicas", "moves", "leaders", "failover", "elections")
    plan = make_plan(cluster_of({"p": pairs}), Request(goals=goals))
    assert sorted(map(tuple, lists_of(plan, "p"))) == sorted(permutations((1, 2, 3, 4), 2))
    assert (values_of(plan)["failover"], values_of(plan)["elections"]) == (0, 6)
