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
from statistics import median

from equipoise.cluster.brokers import IntArray
from equipoise.planning.problem import Problem
from equipoise.planning.published.helpers import (
    Lists,
    eligible_brokers,
    lists_of,
    matrix_of,
    refuse_emptying,
    refuse_new_replication_factor,
    topics_of,
)
from equipoise.planning.published.interface import Settings

name = "wix"


@dataclass
class Gathered:
    """Step II: what the loop over topics looks at, kept up to date as it changes lists."""

    brokers: Sequence[int]
    partitions_per_broker: Counter[int]
    brokers_leadership_count: Counter[int]
    unbalanced: Sequence[int]
    """Brokers far below the median: those that are to receive."""


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
    """Step III for one topic: replace until ``replace_count`` is used up or nothing is left to improve."""
    held = Counter(broker for row in rows for broker in lists[row])
    share = -(-sum(held.values()) // len(gathered.brokers))
    replace_count = sum(max(0, share - held[broker]) for broker in gathered.unbalanced)
    untouched = list(rows)
    while replace_count > 0 and (found := search(lists, untouched, gathered)):
        row, highest, lowest = found
        replace(lists[row], highest, lowest, gathered)
        untouched.remove(row)
        replace_count -= 1


def search(lists: Lists, untouched: Sequence[int], gathered: Gathered) -> tuple[int, int, int] | None:
    """(row, highest, lowest): an untouched partition on the highest broker that may go to the lowest."""
    total = gathered.partitions_per_broker
    lowest = min(gathered.unbalanced, key=lambda broker: (total[broker], broker))
    candidates = [row for row in untouched if lowest not in lists[row]]
    above = {broker for row in candidates for broker in lists[row] if total[broker] - total[lowest] > 1}
    if not above:
        return None
    highest = min(above, key=lambda broker: (-total[broker], broker))
    return next(row for row in candidates if highest in lists[row]), highest, lowest


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
