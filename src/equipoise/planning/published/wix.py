"""Topic by topic, the fullest brokers hand replicas to the emptiest, one change a partition.

Wix Engineering, "4 steps for kafka rebalance: notes from the field" (2021). Step I, the original
files, and the migrated ones are `original/TOPIC.json` and `migrated/TOPIC.json` of a plan directory;
step II gathers the counts below, step III is `change_topic`, step IV the seven checks of a verdict.
The two listings that the text shows as pictures are rebuilt from its words. Topics are done one after
the other and partitions once touched stay as they are, so brokers end near level, not level.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import cycle
from statistics import median

from equipoise.cluster.brokers import IntArray
from equipoise.planning.problem.problem import Problem
from equipoise.planning.published.helpers import (
    Lists,
    eligible_brokers,
    lists_of,
    matrix_of,
    refuse_emptying,
    refuse_new_replication_factor,
    topics_of,
)
from equipoise.planning.published.settings import Settings

name = "wix"


@dataclass
class Gathered:
    """Step II: what the loop over topics looks at, kept up to date as it changes lists."""

    brokers: Sequence[int]
    partitions_per_broker: Counter[int]
    brokers_leadership_count: Counter[int]
    unbalanced: Sequence[int]
    """Brokers far below the median: those that are to receive."""

    @property
    def mean(self) -> Fraction:
        return Fraction(self.partitions_per_broker.total(), len(self.brokers))


def run(problem: Problem, settings: Settings) -> IntArray:
    """Raise the unbalanced brokers; raises `NoPlan` where brokers are to be emptied."""
    refuse_new_replication_factor(problem)
    refuse_emptying(problem, "it adds and levels brokers, and empties none")
    lists = lists_of(problem)
    gathered = gather(lists, eligible_brokers(problem), settings.unbalanced_ratio)
    if gathered.unbalanced:
        for _, rows in topics_of(problem):
            change_topic(lists, rows, gathered)
    return matrix_of(lists)


def gather(lists: Lists, brokers: Sequence[int], unbalanced_ratio: float) -> Gathered:
    """Count partitions and leaders; a broker is unbalanced below the median over ``unbalanced_ratio``."""
    held = Counter(broker for replicas in lists for broker in replicas)
    led = Counter(replicas[0] for replicas in lists)
    limit = median(held[broker] for broker in brokers) / Fraction(unbalanced_ratio)
    return Gathered(brokers, held, led, [broker for broker in brokers if held[broker] < limit])


def change_topic(lists: Lists, rows: Sequence[int], gathered: Gathered) -> None:
    """Step III for one topic: replace until ``replace_count`` is used up or no partition fits.

    Who is to reduce and who is to add is settled before the topic, highest and lowest first; they
    take turns.
    """
    total = gathered.partitions_per_broker
    held = Counter(broker for row in rows for broker in lists[row])
    share = -(-sum(held.values()) // len(gathered.brokers))
    # Below the mean in all and below its part of this topic:
    # else a broker is filled by the first topics alone.
    short = (b for b in gathered.unbalanced if total[b] < gathered.mean and held[b] < share)
    to_add = sorted(short, key=lambda broker: (total[broker], broker))
    above = (b for b in held if total[b] > gathered.mean)
    to_reduce = sorted(above, key=lambda broker: (-total[broker], broker))
    replace_count = sum(share - held[broker] for broker in to_add)
    untouched = list(rows)
    for highest, lowest in zip(cycle(to_reduce), cycle(to_add), strict=False):
        found = [row for row in untouched if highest in lists[row] and lowest not in lists[row]]
        if not found or replace_count == 0:
            return
        replace(lists[found[0]], highest, lowest, gathered)
        untouched.remove(found[0])
        replace_count -= 1


def replace(replicas: list[int], highest: int, lowest: int, gathered: Gathered) -> None:
    """Exchange the brokers; the new one comes first if it leads less than the others, else last."""
    led = gathered.brokers_leadership_count
    led[replicas[0]] -= 1
    replicas.remove(highest)
    if not replicas or led[lowest] < min(led[broker] for broker in replicas):
        replicas.insert(0, lowest)
    else:
        replicas.append(lowest)
    led[replicas[0]] += 1
    gathered.partitions_per_broker[highest] -= 1
    gathered.partitions_per_broker[lowest] += 1
