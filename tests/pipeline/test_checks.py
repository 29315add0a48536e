"""The seven checks on Spark say what the judge says in memory, whatever the plan."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from equipoise.cluster import Brokers, Plan, build_cluster
from equipoise.judge.checks import seven_checks as judged
from equipoise.pipeline.schemas.conform import conform
from equipoise.pipeline.schemas.tables import CHECKS
from equipoise.pipeline.transforms import rows
from equipoise.pipeline.transforms.checks import seven_checks

pytestmark = pytest.mark.spark


def random_plan(seed: int) -> Plan:
    """Any assignment before, any after: skew, several changes at once, replicas where none may be."""
    rng = np.random.default_rng(seed)
    n_brokers, n = int(rng.integers(3, 9)), int(rng.integers(1, 60))
    skew = rng.dirichlet(np.full(n_brokers, rng.choice([0.5, 20.0])))

    def lists() -> np.ndarray:
        picks = [
            rng.choice(n_brokers, size=3, replace=False, p=0.9 * skew + 0.1 / n_brokers) for _ in range(n)
        ]
        held = np.array(picks, dtype=np.int32)
        held[rng.random(n) < 0.2, 2] = -1
        return held

    before = lists()
    brokers = Brokers.of(10 * np.arange(n_brokers))
    cluster = build_cluster(
        f"c{seed:02d}",
        brokers,
        [f"t{i % 7}" for i in range(n)],
        np.arange(n),
        np.where(before >= 0, 10 * before, -1),
    )
    changed = rng.random(n) < rng.choice([0.0, 0.3, 1.0])
    after = np.where(changed[:, None], lists(), cluster.replicas)
    eligible = rng.random(n_brokers) < 0.8
    eligible[0] = True
    return Plan(cluster, after, eligible)


def table_of(plan: Plan, columns: rows.Columns) -> pa.Table:
    name = pa.repeat(plan.cluster.name, len(next(iter(columns.values()))))
    return pa.table({"cluster": name, **columns})


@pytest.fixture(scope="module")
def plans() -> list[Plan]:
    return [random_plan(seed) for seed in range(40)]


def test_as_the_judge(spark: SparkSession, plans: list[Plan]) -> None:
    """Forty random plans at once: name, verdict, value and words of every check agree."""
    told = {
        "brokers": lambda plan: rows.brokers(plan.cluster, plan.eligible, {}),
        "partitions": lambda plan: rows.partitions(plan.cluster),
        "moves": rows.moves,
    }
    # in one piece: Spark stops reading a table at its first empty chunk
    parts = [
        spark.createDataFrame(
            pa.concat_tables([table_of(plan, columns(plan)) for plan in plans]).combine_chunks()
        )
        for columns in told.values()
    ]
    clusters = spark.createDataFrame([(plan.cluster.name,) for plan in plans], "cluster string")
    found = conform(seven_checks(clusters, *parts), CHECKS).collect()
    expected = {
        (plan.cluster.name, check.name): (check.passed, check.value, check.detail)
        for plan in plans
        for check in judged(plan.cluster, plan.target, plan.eligible)
    }
    assert {(row.cluster, row.check): (row.passed, row.value, row.detail) for row in found} == expected
    assert len(found) == 7 * len(plans)


def test_the_random_plans_fail_every_check_that_can_fail(plans: list[Plan]) -> None:
    """The comparison is no comparison of passes: each check that a plan can fail fails for some of them."""
    failed = {
        check.name
        for plan in plans
        for check in judged(plan.cluster, plan.target, plan.eligible)
        if not check.passed
    }
    assert failed == {
        "changes_in_assignment", "topics_are_balanced", "brokers_in_assign_files", "leadership_balance"
    }  # fmt: skip


def test_a_broker_that_no_list_has(spark: SparkSession) -> None:
    """Tables that name a broker outside the list of brokers, to give or to hold, fail both checks of that."""
    brokers = spark.createDataFrame([("c", 1, True)], "cluster string, broker int, eligible boolean")
    partitions = spark.createDataFrame(
        [("c", "t", 0, [7])], "cluster string, topic string, partition int, replicas array<int>"
    )
    moves = spark.createDataFrame(
        [("c", "t", 0, [7], [8])],
        "cluster string, topic string, partition int, before array<int>, after array<int>",
    )
    clusters = spark.createDataFrame([("c",)], "cluster string")
    failed = seven_checks(clusters, brokers, partitions, moves).where("not passed").orderBy("check").collect()
    assert [(row.check, row.detail) for row in failed] == [
        ("brokers_in_assign_files", "1 replica on brokers outside the list (8)"),
        ("brokers_to_reduce", "brokers that give replicas away: 1 of 1"),
    ]
