"""Small random clusters and requests, each drawn from one seed.

A case is plain data, so that one that fails can be printed, cut down and kept as a named cluster.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.planning import ALL_GOALS, Request

DRAWN = tuple(goal for goal in ALL_GOALS if goal != "consumers")
"""Goals of random orders; of consumers these clusters tell nothing, `test_consumers` has such as do."""
Rows = tuple[tuple[str, int, tuple[int, ...]], ...]


@dataclass(frozen=True)
class Case:
    """One cluster and what is asked of it."""

    racks: dict[int, str | None]
    """Rack of each broker id."""
    rows: Rows
    """Topic, partition and replica list (broker ids)."""
    request: Request
    weight: dict[int, float] | None = None
    megabytes: tuple[int, ...] | None = None
    """Size of a replica of each row."""
    down: tuple[int, ...] = ()
    """Brokers that are not alive."""
    isr: tuple[tuple[int, ...] | None, ...] | None = None
    """In-sync replicas of each row, None where not told; without any that is up there is no leader."""

    def cluster(self, shuffled: int | None = None) -> Cluster:
        """The cluster, its rows in another order for each ``shuffled``."""
        order = list(range(len(self.rows)))
        if shuffled is not None:
            random.Random(shuffled).shuffle(order)
        names, numbers, lists = zip(*(self.rows[k] for k in order), strict=True)
        down = {"down": dict.fromkeys(self.down, "fenced")} if self.down else {}  # earlier versions have none
        brokers = Brokers.of(list(self.racks), self.racks, weight=self.weight, **down)
        sizes = None if self.megabytes is None else [1e6 * self.megabytes[k] for k in order]
        if self.isr is None:
            return build_cluster("case", brokers, names, numbers, lists, size_bytes=sizes)
        isr = [self.isr[k] for k in order]
        leader = [next((b for b in ids or () if b not in self.down), -1) for ids in isr]
        return build_cluster(
            "case", brokers, names, numbers, lists, size_bytes=sizes, isr_ids=isr, leader_id=leader
        )


def case(theme: str, seed: int) -> Case:
    """The case of a theme and a seed."""
    rng = random.Random(f"{theme} {seed}")
    # Pairs of brokers (failover) and places in the list make large programs for the reference.
    size = (5, 6) if theme == "failover" else (6, 8) if theme == "orders" else (7, 12)
    drawn = draw_cluster(rng, *size)
    if theme == "alive":
        drawn = unwell(rng, drawn)
    return replace(drawn, request=THEMES[theme](rng, drawn))


def draw_cluster(rng: random.Random, most_brokers: int, most_partitions: int) -> Case:
    """2 to 7 brokers, some with racks or weights; 1 to 3 topics with replication factors of their own."""
    ids = sorted(rng.sample(range(20), rng.randint(2, most_brokers)))
    names = "abcd"[: rng.randint(1, 4)]
    unknown = rng.choice((1.0, 0.0, 0.0, 0.3))
    racks = {b: None if rng.random() < unknown else rng.choice(names) for b in ids}
    if any(racks.values()):  # all or none: what is known of some is refused
        racks = {b: rack or names[0] for b, rack in racks.items()}
    weight = {b: rng.choice((1.0, 1.0, 2.0, 3.0)) for b in ids} if rng.random() < 0.25 else None
    rows: list[tuple[str, int, tuple[int, ...]]] = []
    n_topics = rng.randint(1, 3)
    for topic in ("apples", "beans", "corn")[:n_topics]:
        factor = rng.randint(1, min(4, len(ids)))
        favourites = rng.sample(ids, rng.randint(factor, len(ids)))
        for partition in range(rng.randint(1, max(1, most_partitions // n_topics))):
            mixed = rng.randint(1, len(ids)) if rng.random() < 0.05 else factor
            pool = favourites if rng.random() < 0.7 and mixed <= len(favourites) else ids
            rows.append((topic, partition, tuple(rng.sample(pool, mixed))))
    megabytes = tuple(rng.choice((0, 1, 2, 5, 20)) for _ in rows) if rng.random() < 0.5 else None
    return Case(racks, tuple(rows), Request(), weight, megabytes)


def unwell(rng: random.Random, drawn: Case) -> Case:
    """One broker or two are down, a list in four has a follower behind; of a row in ten nothing is told."""
    brokers = list(drawn.racks)
    down = tuple(sorted(rng.sample(brokers, rng.choice((1, 1, min(2, len(brokers) - 1))))))
    isr: list[tuple[int, ...] | None] = []
    for _, _, held in drawn.rows:
        up = [b for b in held if b not in down]
        if len(up) > 1 and rng.random() < 0.25:
            up.remove(rng.choice(up))
        isr.append(None if rng.random() < 0.1 else tuple(up or rng.sample(held, 1)))
    return replace(drawn, down=down, isr=tuple(isr))


def no_change(rng: random.Random, drawn: Case) -> Request:
    return Request()


def add(rng: random.Random, drawn: Case) -> Request:
    racks = sorted({rack for rack in drawn.racks.values() if rack})
    new = [20 + k for k in range(rng.randint(1, 2))]
    return Request(add=tuple((b, rng.choice([*racks, "e"]) if racks else None) for b in new))


def drain(rng: random.Random, drawn: Case) -> Request:
    return Request(drain=tuple(rng.sample(list(drawn.racks), rng.randint(1, max(1, len(drawn.racks) // 3)))))


def keep(rng: random.Random, drawn: Case) -> Request:
    """The brokers named may hold replicas, the others are drained."""
    kept = rng.sample(list(drawn.racks), max(1, len(drawn.racks) - rng.randint(0, 2)))
    return Request(brokers=tuple((b, None) for b in sorted(kept)))


def exchange(rng: random.Random, drawn: Case) -> Request:
    old = rng.choice(list(drawn.racks))
    new = 20 if rng.random() < 0.7 else rng.choice([b for b in drawn.racks if b != old])
    return Request(replace=((old, new),))


def factor(rng: random.Random, drawn: Case) -> Request:
    return Request(replication_factor=rng.randint(1, min(4, len(drawn.racks))))


def evacuate_leaders(rng: random.Random, drawn: Case) -> Request:
    brokers = list(drawn.racks)
    return Request(no_leaders_on=tuple(rng.sample(brokers, rng.choice((1, 1, max(1, len(brokers) // 2))))))


def cordon(rng: random.Random, drawn: Case) -> Request:
    return Request(cordon=(rng.choice(list(drawn.racks)),))


def choose_topics(rng: random.Random, drawn: Case) -> Request:
    if rng.random() < 0.5:
        return Request(exclude_topics="apples")
    return Request(topics="apples|corn")


def create(rng: random.Random, drawn: Case) -> Request:
    wanted = rng.randint(1, min(3, len(drawn.racks)))
    if rng.random() < 0.5:
        return Request(create=(("dates", rng.randint(1, 4), wanted),))
    have = sum(topic == "apples" for topic, _, _ in drawn.rows)
    return Request(create=(("apples", have + rng.randint(1, 3), wanted),))


def stay_in_rack(rng: random.Random, drawn: Case) -> Request:
    return Request(stay_in_rack=True)


def strict(rng: random.Random, drawn: Case) -> Request:
    return Request(rack_rule="strict")


def uneven_tolerance(rng: random.Random, drawn: Case) -> Request:
    return Request(tolerance=(rng.choice((0.0, 10.0, 40.0)), rng.choice((0.0, 12.5, 50.0))))


def required_only(rng: random.Random, drawn: Case) -> Request:
    return Request(required_only=True)


def most_moves(rng: random.Random, drawn: Case) -> Request:
    return Request(max_moves=rng.randint(0, 6))


def most_bytes(rng: random.Random, drawn: Case) -> Request:
    return Request(max_bytes=rng.choice((0, 2, 7, 30)) * 1_000_000)


def most_changes(rng: random.Random, drawn: Case) -> Request:
    return Request(max_changes_per_partition=rng.randint(1, 2))


def with_the_dead(rng: random.Random, drawn: Case) -> Request:
    """Something else is asked, the brokers that are down are drained, or assumed to be up."""
    asked = rng.choice((one_operation, one_operation, with_rules, with_budget, leaders_only))(rng, drawn)
    if rng.random() < 0.2:
        asked = Request(drain=drawn.down[:1])
    return replace(asked, assume_alive=drawn.down[-1:]) if rng.random() < 0.2 else asked


Draw = Callable[[random.Random, Case], Request]
OPERATIONS: tuple[Draw, ...] = (
    no_change,
    add,
    drain,
    keep,
    exchange,
    factor,
    evacuate_leaders,
    cordon,
    choose_topics,
    create,
    uneven_tolerance,
    required_only,
)
RULES: tuple[Draw, ...] = (stay_in_rack, strict, cordon, evacuate_leaders)
BUDGETS: tuple[Draw, ...] = (most_moves, most_bytes, most_changes)


def mixed(rng: random.Random, drawn: Case, draws: list[Draw]) -> Request:
    """Several requests in one; where two say the same thing the last holds."""
    asked: dict[str, object] = {}
    for draw in draws:
        asked.update(draw(rng, drawn).to_json())
    gone = {old for old, _ in asked.get("replace", ())}  # type: ignore[attr-defined]
    if "drain" in asked:
        asked["drain"] = tuple(b for b in asked["drain"] if b not in gone)  # type: ignore[attr-defined]
    if "add" in asked:
        taken = {new for _, new in asked.get("replace", ())}  # type: ignore[attr-defined]
        asked["add"] = tuple((b, rack) for b, rack in asked["add"] if b not in taken)  # type: ignore[attr-defined]
    for field in ("drain", "add"):
        if field in asked and not asked[field]:
            del asked[field]
    return Request(**asked)  # type: ignore[arg-type]


def one_operation(rng: random.Random, drawn: Case) -> Request:
    return rng.choice(OPERATIONS)(rng, drawn)


def several_operations(rng: random.Random, drawn: Case) -> Request:
    return mixed(rng, drawn, rng.sample(OPERATIONS, rng.randint(2, 3)))


def replaced(rng: random.Random, drawn: Case) -> Request:
    """A replacement beside other operations, often with goals that would move what it took over."""
    others = rng.sample([draw for draw in OPERATIONS if draw is not exchange], rng.randint(1, 2))
    request = mixed(rng, drawn, [*others, exchange])
    return request if rng.random() < 0.5 else replace(request, goals=random_goals(rng), required_only=False)


def with_rules(rng: random.Random, drawn: Case) -> Request:
    return mixed(rng, drawn, [rng.choice(OPERATIONS), *rng.sample(RULES, rng.randint(1, 2))])


def with_budget(rng: random.Random, drawn: Case) -> Request:
    return mixed(rng, drawn, [rng.choice(OPERATIONS), rng.choice(BUDGETS)])


def leaders_only(rng: random.Random, drawn: Case) -> Request:
    asked = rng.choice((no_change, evacuate_leaders, drain, choose_topics))(rng, drawn)
    goals = random_goals(rng) if rng.random() < 0.3 else None
    if (
        goals and asked.drain
    ):  # what stays on a drained broker would have bands that depend on the order chosen
        goals = tuple(goal for goal in goals if goal != "positions")
    return replace(asked, leaders_only=True, goals=goals)


def random_goals(rng: random.Random) -> tuple[str, ...]:
    return tuple(rng.sample(DRAWN, rng.randint(1, len(DRAWN) - 3)))


def random_orders(rng: random.Random, drawn: Case) -> Request:
    return replace(one_operation(rng, drawn), goals=random_goals(rng), required_only=False)


def first_followers(rng: random.Random, drawn: Case) -> Request:
    """The default order with failover at its end, or before the moves."""
    before = ("racks", "replicas"), ("topics", "leaders", "elections", "topic-leaders")
    goals = rng.choice(
        (
            (*before[0], "moves", *before[1], "failover", "reorders"),
            (*before[0], "failover", "moves", *before[1], "reorders"),
            (*before[0], "moves", "leaders", "elections", "failover", "reorders", "positions"),
        )
    )
    return replace(rng.choice((no_change, add, drain, factor))(rng, drawn), goals=goals)


THEMES: dict[str, Draw] = {
    "one": one_operation,
    "several": several_operations,
    "replaced": replaced,
    "rules": with_rules,
    "budget": with_budget,
    "leaders": leaders_only,
    "orders": random_orders,
    "failover": first_followers,
    "alive": with_the_dead,
}
