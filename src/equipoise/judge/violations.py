"""The hard rules, one function each, on an assignment before and after."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Cluster, measures
from equipoise.cluster.brokers import IntArray
from equipoise.judge.rates import LEADERS, allowed, borne
from equipoise.judge.rules import Rules, rack_limits
from equipoise.wording import plural

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Violation:
    """One rule broken at one place."""

    rule: str
    topic: str | None
    """None where the rule is about the whole assignment."""
    partition: int | None
    broker: int | None
    detail: str
    """What is wrong, in one sentence that names the broker."""

    def __str__(self) -> str:
        return self.detail if self.topic is None else f"{self.topic}-{self.partition}: {self.detail}"

    def to_json(self) -> dict[str, Any]:
        return {
            "rule": self.rule,
            "topic": self.topic,
            "partition": self.partition,
            "broker": self.broker,
            "detail": self.detail,
        }


@dataclass(frozen=True, eq=False)
class Case:
    """An assignment to be judged; lists are ``(n_partitions, max_rf)`` int32 broker positions."""

    cluster: Cluster
    target: IntArray
    rules: Rules
    known: BoolArray
    """``(n_brokers,)``: brokers that the cluster has."""
    counts_racks: bool = False
    """True where a goal of the certificate counts what racks hold."""
    counts_sizes: bool = False
    """True where one, or a budget, asks how large the replicas are that leave a broker."""

    @property
    def before(self) -> IntArray:
        return self.cluster.replicas

    @property
    def new(self) -> BoolArray:
        """Mask over ``target``: data moves."""
        return measures.arrivals(self.before, self.target)

    @property
    def placed(self) -> BoolArray:
        """Mask over ``target``: replicas that come to a broker, those of created partitions too."""
        created: BoolArray = (self.target >= 0) & (self.cluster.rf == 0)[:, None]
        return self.new | created

    def at(self, rule: str, row: int, position: int | None, detail: str) -> Violation:
        """A violation at a row, of the broker at ``position``; ``{}`` in the detail is its id."""
        cluster = self.cluster
        broker = None if position is None else int(cluster.brokers.ids[position])
        topic = cluster.topics[cluster.topic_idx[row]]
        return Violation(rule, topic, int(cluster.partition[row]), broker, detail.format(broker))

    def each(self, rule: str, bad: BoolArray, detail: str) -> Iterator[Violation]:
        """A violation for each replica of the target that ``bad`` marks."""
        for row, place in np.argwhere(bad).tolist():
            yield self.at(rule, row, int(self.target[row, place]), detail)


def check_assignment(
    cluster: Cluster, target: IntArray, rules: Rules, known: BoolArray | None = None
) -> tuple[Violation, ...]:
    """Every rule that ``target`` breaks, in a fixed order of rules, then of partitions."""
    everyone = np.ones(cluster.n_brokers, dtype=bool)
    case = Case(cluster, target, rules, everyone if known is None else known)
    checks = dict.fromkeys((*OF_LISTS, *RULES.values()))  # rules that close the same share one
    return tuple(violation for check in checks for violation in check(case))


def unknown_brokers(case: Case) -> Iterator[Violation]:
    held = case.target >= 0
    return case.each("unknown-broker", held & ~case.known[case.target], "broker {} is not in the cluster")


def brokers_twice(case: Case) -> Iterator[Violation]:
    twice = np.zeros_like(case.target, dtype=bool)
    for k in range(1, twice.shape[1]):
        twice[:, k] = (case.target[:, :k] == case.target[:, k : k + 1]).any(axis=1) & (case.target[:, k] >= 0)
    return case.each("broker-twice", twice, "broker {} is in the replica list twice")


def eligible_only(case: Case) -> Iterator[Violation]:
    """Nothing on brokers that are to hold nothing; what may not move stays."""
    if case.rules.leaders_only:
        return
    barred = (case.target >= 0) & case.known[case.target] & ~case.rules.eligible[case.target]
    barred &= case.rules.movable[:, None]
    yield from case.each("not-eligible", barred & case.placed, "broker {} gets a replica but may hold none")
    yield from case.each("not-eligible", barred & ~case.placed, "broker {} keeps a replica but may hold none")


def cordoned(case: Case) -> Iterator[Violation]:
    closed = (case.target >= 0) & case.known[case.target] & case.rules.eligible[case.target]
    closed &= case.rules.alive[case.target] & ~case.rules.receives[case.target] & case.placed
    return case.each("cordon", closed, "broker {} gets a replica but is cordoned")


def alive_only(case: Case) -> Iterator[Violation]:
    """A broker that is down is given nothing and leads nothing; what Kafka cannot move now it keeps."""
    down = (case.target >= 0) & case.known[case.target] & ~case.rules.alive[case.target]
    yield from case.each("not-alive", down & case.placed, "broker {} gets a replica but is not alive")
    first = case.target[:, 0]
    leads = down[:, 0] & ~case.placed[:, 0]
    for row in np.flatnonzero(leads & (first != case.before[:, 0])).tolist():
        yield case.at("not-alive", row, int(first[row]), "broker {} comes to lead but is not alive")
    for row in np.flatnonzero(leads & (first == case.before[:, 0]) & case.rules.movable).tolist():
        yield case.at("not-alive", row, int(first[row]), STAYS.format(case.cluster.brokers.ids[first[row]]))
    changed = measures.changed_rows(case.before, case.target)
    for row in changed[case.rules.stuck[changed]].tolist():
        detail = "the partition changes, but nobody who is alive has all of its data"
        yield case.at("not-alive", row, None, detail)


STAYS = (
    "broker {{}} stays preferred leader but is not alive "
    "(--assume-alive {0}, or leave the topic out with --topics)"
)


def only_chosen_topics(case: Case) -> Iterator[Violation]:
    changed = measures.changed_rows(case.before, case.target)
    for row in changed[~(case.rules.movable | case.rules.stuck)[changed]].tolist():
        yield case.at("topic-not-chosen", row, None, "the partition changes but its topic may not")


def replication_factor(case: Case) -> Iterator[Violation]:
    after = (case.target >= 0).sum(axis=1)
    for row in np.flatnonzero(after != case.rules.rf).tolist():
        detail = f"{plural(int(after[row]), 'replica')} where {case.rules.rf[row]} are wanted"
        yield case.at("replication-factor", row, None, detail)


def racks(case: Case) -> Iterator[Violation]:
    """The rack rule: no partition has more replicas over the limit than before, or where strict any.

    All its racks count together, before and after each by the limit of as many replicas as there are.
    """
    brokers, rules = case.cluster.brokers, case.rules
    if not brokers.has_racks:
        return
    limit, excess = rack_excess(case, case.target)
    _, allowed = rack_excess(case, rules.base)
    if rules.strict_racks and not rules.leaders_only:
        allowed[rules.movable] = 0
    counts = measures.replicas_per_rack(case.target, brokers.rack_idx, len(brokers.rack_names))
    for row in np.flatnonzero(excess.sum(axis=1) > allowed.sum(axis=1)).tolist():
        rack = int(np.argmax(excess[row]))
        inside = [int(p) for p in case.target[row] if p >= 0 and brokers.rack_idx[p] == rack]
        ids = ", ".join(str(brokers.ids[p]) for p in inside)
        held = plural(int(counts[row, rack]), "replica")
        detail = f"rack {brokers.rack_names[rack]} has {held} (brokers {ids}), at most {limit[row]} allowed"
        yield case.at("racks", row, inside[-1], detail)


def rack_excess(case: Case, lists: IntArray) -> tuple[IntArray, IntArray]:
    """Limit of each partition, and its replicas above that in each rack, ``(n_partitions, n_racks)``."""
    brokers, rules = case.cluster.brokers, case.rules
    rf = (lists >= 0).sum(axis=1).astype(np.int32)
    limit = rack_limits(brokers, rules.eligible, rf, strict=rules.strict_racks)
    counts = measures.replicas_per_rack(lists, brokers.rack_idx, len(brokers.rack_names))
    return limit, np.maximum(counts - limit[:, None], 0)


def stay_in_rack(case: Case) -> Iterator[Violation]:
    """With ``--stay-in-rack`` no rack gives a replica of a partition to another."""
    if not case.rules.stay_in_rack or not case.cluster.brokers.has_racks:
        return
    brokers = case.cluster.brokers
    before, after = (
        measures.replicas_per_rack(lists, brokers.rack_idx, len(brokers.rack_names))
        for lists in (case.rules.base, case.target)
    )
    crossed = (after > before).any(axis=1) & (after < before).any(axis=1)
    for row in np.flatnonzero(crossed).tolist():
        into = brokers.rack_names[int(np.argmax(after[row] - before[row]))]
        yield case.at("stay-in-rack", row, None, f"a replica moves into rack {into} from another rack")


def leaders(case: Case) -> Iterator[Violation]:
    """No preferred leader on brokers that may not lead."""
    first = case.target[:, 0]
    bad = (first >= 0) & case.known[first] & ~case.rules.leads[first] & case.rules.movable
    bad &= case.rules.alive[first]  # of others `alive_only` tells
    for row in np.flatnonzero(bad).tolist():
        yield case.at("leaders", row, int(first[row]), "broker {} is preferred leader but may lead nothing")


def leaders_only(case: Case) -> Iterator[Violation]:
    if case.rules.leaders_only:
        detail = "broker {} gets a replica though only leaders may change"
        yield from case.each("leaders-only", case.new, detail)


NOT_TAKEN = "broker {} does not take over the replica it replaces"
NOT_KEPT = "broker {} replaces another and gives a replica away"


def replacements(case: Case) -> Iterator[Violation]:
    """With ``--replace`` the successor stands where its predecessor stood, and gives nothing away."""
    taken_over = case.rules.base != case.before
    for row, place in np.argwhere(case.rules.pinned).tolist():
        successor = int(case.rules.base[row, place])
        if successor not in case.target[row]:
            yield case.at("replace", row, successor, NOT_TAKEN if taken_over[row, place] else NOT_KEPT)


def changes_per_partition(case: Case) -> Iterator[Violation]:
    limit = case.rules.max_changes_per_partition
    if limit is None:
        return
    changes = case.new.sum(axis=1)
    for row in np.flatnonzero(changes > limit).tolist():
        detail = f"{plural(int(changes[row]), 'replica moves', 'replicas move')}, at most {limit} may"
        yield case.at("max-changes-per-partition", row, None, detail)


def moves_in_all(case: Case) -> Iterator[Violation]:
    return spent("max-moves", int(case.new.sum()), case.rules.max_moves, "replicas")


def bytes_in_all(case: Case) -> Iterator[Violation]:
    used = (np.rint(np.nan_to_num(case.cluster.size_bytes)) * case.new.sum(axis=1)).sum()
    return spent("max-bytes", int(used), case.rules.max_bytes, "bytes")


def spent(rule: str, used: int, limit: int | None, unit: str) -> Iterator[Violation]:
    """A budget of the whole plan."""
    if limit is not None and used > limit:
        yield Violation(rule, None, None, None, f"{used} {unit} move, at most {limit} may")


def fills(case: Case) -> Iterator[Violation]:
    """With ``--max-fill`` no broker that is given something ends above its part of its capacity.

    Of what leaders bear something is given to who comes to lead it.
    """
    cluster = case.cluster
    comes_to_lead = (case.target[:, :1] >= 0) & (case.target[:, :1] != case.before[:, :1])
    for load, percent in case.rules.fills.items():
        leads = load in LEADERS
        lists, given = (case.target[:, :1], comes_to_lead) if leads else (case.target, case.placed)
        gets = np.bincount(lists[given & case.known[lists]], minlength=cluster.n_brokers) > 0
        weight = borne(cluster, load, case.rules.rf, case.rules.consumption)
        held = measures.bytes_per_broker(lists, weight, cluster.n_brokers)
        for broker in np.flatnonzero(gets & (held > allowed(cluster.brokers, load, percent))).tolist():
            at = int(cluster.brokers.ids[broker])
            what = "comes to lead" if leads else "is given replicas"
            told = f"broker {at} {what} and ends above {percent:g} % of its {load}"
            yield Violation("max-fill", None, None, at, told)


def rack_capacities(case: Case) -> Iterator[Violation]:
    """With ``--rack-capacity`` no rack that is to hold more than today ends above what it may."""
    brokers, size = case.cluster.brokers, np.ceil(np.nan_to_num(case.cluster.size_bytes))
    before, after = (
        np.bincount(
            brokers.rack_idx,
            weights=measures.bytes_per_broker(lists, size, len(brokers)),
            minlength=len(brokers.rack_names),
        )
        for lists in (case.before, case.target)
    )
    for at, rack in enumerate(brokers.rack_names):
        most = case.rules.rack_capacity.get(rack)
        if most is not None and after[at] > max(most, before[at]):
            told = f"rack {rack} is to hold {int(after[at])} bytes, at most {most} may"
            yield Violation("rack-capacity", None, None, None, told)


Check = Callable[[Case], Iterator[Violation]]

OF_LISTS: tuple[Check, ...] = (unknown_brokers, brokers_twice)
"""What makes no replica list, whatever is asked."""

RULES: Mapping[str, Check] = {
    "drain": eligible_only,
    "cordon": cordoned,
    "assume-alive": alive_only,
    "topics": only_chosen_topics,
    "replication-factor": replication_factor,
    "rack-rule": racks,
    "stay-in-rack": stay_in_rack,
    "no-leaders-on": leaders,
    "leaders-only": leaders_only,
    "replace": replacements,
    "max-changes-per-partition": changes_per_partition,
    "max-moves": moves_in_all,
    "max-bytes": bytes_in_all,
    "max-fill": fills,
    "rack-capacity": rack_capacities,
}
"""Every rule of a request by its name, in the order in which they are told."""
