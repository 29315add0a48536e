"""A small cluster, requests of every kind, and plans for them at random, right and wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.judge import Case, check_assignment, rules_of

RACKS = {1: "a", 2: "a", 3: "b", 4: "b", 5: "c"}
REQUESTS: dict[str, dict[str, Any]] = {
    "nothing asked": {},
    "strict racks": {"rack_rule": "strict"},
    "in its rack": {"stay_in_rack": True},
    "drained": {"drain": [5]},
    "cordoned": {"cordon": [4], "no_leaders_on": [1]},
    "one replica more": {"replication_factor": 3},
    "one topic": {"topics": "pay"},
    "a rack whose leader stays and may not lead": {"topics": "log", "no_leaders_on": [5]},
    "leaders only": {"leaders_only": True},
    "replaced": {"replace": [[3, 4]]},
    "one change each": {"max_changes_per_partition": 1},
    "two moves": {"max_moves": 2},
    "thirty bytes": {"max_bytes": 30},
}


def crowded() -> Cluster:
    """Topics "log" and "pay"; the first list has both replicas in rack a."""
    return build_cluster(
        "crowded", Brokers.of([1, 2, 3, 4, 5], RACKS), ["log", "pay", "pay"], [0, 0, 1],
        [[1, 2], [5, 3], [4, 1]], size_bytes=[10, 20, 30],
    )  # fmt: skip


def drawn(cluster: Cluster, request: dict[str, Any], seed: int) -> Iterator[Case]:
    """Today's lists, and at random one replica or some of them elsewhere, or the order another."""
    rules, rng = rules_of(cluster, request), np.random.default_rng(seed)
    everyone = np.ones(cluster.n_brokers, dtype=bool)
    width = int(rules.rf.max())
    for _ in range(50):
        target = np.full((cluster.n_partitions, width), -1, dtype=np.int32)
        for row, rf in enumerate(rules.rf.tolist()):
            stays = rules.base[row][rules.base[row] >= 0].tolist()
            other = rng.permutation(cluster.n_brokers).tolist()
            others = [b for b in other if b not in stays]
            keep = rng.choice([len(stays), len(stays), max(0, len(stays) - 1), 0])
            mixed = (
                (stays[:keep] + others)[:rf] if rng.random() < 0.7 else (others[:1] + stays + others[1:])[:rf]
            )
            target[row, :rf] = rng.permutation(mixed) if rng.random() < 0.4 else mixed
        target[~rules.movable] = -1
        target[~rules.movable, : cluster.replicas.shape[1]] = cluster.replicas[~rules.movable]
        yield Case(cluster, target, rules, everyone)


def legal(name: str, seed: int) -> list[Case]:
    """Those of them that break no rule, for the request of that name."""
    cases = drawn(crowded(), REQUESTS[name], seed)
    return [case for case in cases if not check_assignment(case.cluster, case.target, case.rules)]
