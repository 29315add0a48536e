"""Makes the example fleet: ``python examples/make_fleet.py [FOLDER]``, by default ``examples/fleet``.

Five clusters of a fleet, and one beside it in ``examples/few-partitions``, each with a story and a known
answer (examples/README.md). Every number comes from one seeded generator of the standard library, whose
streams do not change between Python versions: the clusters are the same, byte for byte, wherever they are
made.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from pathlib import Path

import metrics
import printers

HERE = Path(__file__).parent
Files = dict[str, str]
"""Texts by file name; a name that ends in .gz is written compressed."""


def removal() -> Files:
    """Twenty brokers in two zones, one topic, and broker 19 leaves: one replica has to move.

    killerwhile, "Kafka Partitions Assignment Optimizer", section "Demonstration"; Kafka's own tool moves 19.
    """
    lists = [[7, 18], [8, 19], [9, 10], *([p - 3, p + 8] for p in range(3, 10))]
    return {
        "current.json": printers.reassignment({"x.y.z.t": lists}),
        "brokers.csv": printers.brokers_csv({broker: "ba"[broker % 2 == 0] for broker in range(20)}),
        "equipoise.toml": "# Broker 19 leaves.\ndrain = [19]\n",
    }


def growth(seed: int = 4) -> Files:
    """Forty brokers that grew by eight, three replicas of 87,859 partitions: 11,005 have to move.

    The replicas on each broker are those of Wix Engineering, "4 steps for kafka rebalance", which prints the
    counts alone; which partition is where is drawn at random.
    """
    rng = random.Random(seed)
    published = json.loads((HERE / "data" / "wix_replicas_per_broker.json").read_text())["before"]
    slots = [int(broker) for broker, count in published.items() for _ in range(count)]
    lists = distinct_lists(slots, 3, rng)
    sizes = uneven(len(lists), 420, rng)
    topology, start = {}, 0
    for t, size in enumerate(sizes):
        topology[f"{rng.choice(DOMAINS)}.{rng.choice(EVENTS)}.{t:03d}"] = lists[start : start + size]
        start += size
    return {"topics.txt.gz": printers.describe(dict(sorted(topology.items())))}


def skewed_leaders(seed: int = 180) -> Files:
    """A topic of 180 partitions on 122 brokers, replicas level, leaders skewed: eleven elections mend it.

    The sizes and the bound of eleven are those of Pinterest Engineering, "Using graph algorithms to optimize
    Kafka operations, part 2"; its figures show no lists, so these are dealt at random.
    """
    return {"metadata.json": skewed("logs.mobile", 180, 122, most=2, moved=11, rng=random.Random(seed))}


def few_partitions(seed: int = 120) -> Files:
    """A topic of 120 partitions on 135 brokers, which lead one or none: twenty elections mend it.

    The sizes are those of the last picture of the same text; its figures are not printed.
    """
    return {"metadata.json": skewed("logs.web", 120, 135, most=1, moved=20, rng=random.Random(seed))}


def skewed(topic: str, n: int, n_brokers: int, *, most: int, moved: int, rng: random.Random) -> str:
    """n lists, level but for leaders: so many are on brokers that lead ``most`` already."""
    brokers = list(range(n_brokers))
    lists = dealt(n, 3, brokers, rng)
    led = [0] * len(brokers)
    for ids in lists:
        led[ids[0]] += 1
    for _ in range(moved):
        ids = rng.choice([ids for ids in lists if led[ids[0]] <= most <= max(led[i] for i in ids[1:])])
        heir = max(range(1, 3), key=lambda k: led[ids[k]])
        led[ids[0]] -= 1
        led[ids[heir]] += 1
        ids[0], ids[heir] = ids[heir], ids[0]
    return printers.kcat({topic: lists}, brokers)


def racks(seed: int = 3) -> Files:
    """Nine brokers in three zones, and an empty one added to each: a quarter moves, each within its zone."""
    rng = random.Random(seed)
    zones = {broker: f"zone-{'abc'[broker % 3]}" for broker in range(12)}
    topology = {}
    for t, size in enumerate(uneven(600, 24, rng)):
        name = f"{rng.choice(DOMAINS)}.{rng.choice(EVENTS)}.{t:02d}"
        topology[name] = [
            rng.sample([zone + 3 * rng.randrange(3) for zone in range(3)], 3) for _ in range(size)
        ]
    topology = dict(sorted(topology.items()))
    sizes = {topic: rng.randrange(1 << 20, 1 << 32) for topic in topology}
    return {
        "topics.txt": printers.describe(topology),
        "racks.txt": printers.api_versions(zones),
        "log-dirs.txt.gz": printers.log_dirs(topology, list(range(9)), sizes),
    }


def messy(seed: int = 13) -> Files:
    """Six brokers, four formats, one broken file, four broken lines, a bad sample: the rest is planned."""
    rng = random.Random(seed)

    def topic(partitions: int) -> list[list[int]]:
        return [rng.sample(range(1, 7), 2) for _ in range(partitions)]

    described = {"audit": topic(12), "orders": topic(24)}
    lines = printers.describe_2_0(described).splitlines()
    lines[4] = lines[4][:40]  # cut off in the middle
    lines[9] = lines[9].replace("Replicas: ", "Replicas: ?")
    lines.insert(14, "\tTopic: orders\tPartition: seven\tLeader: 1\tReplicas: 1,2\tIsr: 1,2")
    zones = printers.brokers_csv({broker: "ab"[broker % 2] for broker in range(1, 7)})
    invoices = {"invoices": topic(18)}
    return {
        "topics.txt": "\n".join(lines) + "\n",
        "invoices.json": printers.reassignment(invoices),
        "cruise-control-state.json": printers.cruise_control_state({"clicks": topic(30)}),
        "brokers.csv": zones + "seven,a\n",
        "log-dirs.json": printers.log_dirs(invoices, list(range(1, 7)), {"invoices": 1 << 24})[:2000],
        "metrics/hourly.csv.gz": metrics.history(described, seed),
    }


DOMAINS = ("ads", "billing", "catalog", "chat", "checkout", "crm", "fraud", "inventory", "mail", "media",
           "orders", "payments", "search", "sessions", "shipping", "sites", "users", "wallet")
EVENTS = ("changed", "clicked", "closed", "created", "deleted", "failed", "opened", "requested", "sent",
          "stored", "updated", "viewed")


def uneven(total: int, n: int, rng: random.Random) -> list[int]:
    """n whole sizes, a few large and many small, each at least 1, that add up to the total."""
    weights = [rng.lognormvariate(0.0, 1.2) for _ in range(n)]
    sizes = [1 + int((total - n) * weight / sum(weights)) for weight in weights]
    sizes[0] += total - sum(sizes)
    return sizes


def distinct_lists(slots: list[int], rf: int, rng: random.Random) -> list[list[int]]:
    """The slots dealt into lists of rf different brokers; a repeat is exchanged with another list."""
    slots = slots.copy()
    rng.shuffle(slots)
    lists = [slots[at : at + rf] for at in range(0, len(slots), rf)]
    for ids in lists:
        while len(set(ids)) < rf:
            at = next(k for k in range(rf) if ids[k] in ids[:k])
            other = lists[rng.randrange(len(lists))]
            k = rng.randrange(rf)
            if other[k] not in ids and ids[at] not in other:
                ids[at], other[k] = other[k], ids[at]
    return lists


def dealt(n: int, rf: int, brokers: list[int], rng: random.Random) -> list[list[int]]:
    """n lists of rf different brokers, level in replicas and in leaders.

    All the leaders are dealt first, then all the second places, and so on, in rounds of every broker once; a
    broker that its list already holds is exchanged with another of that round and place.
    """
    deal = [broker for _ in range(-(-n * rf // len(brokers))) for broker in rng.sample(brokers, len(brokers))]

    def others(at: int) -> set[int]:
        return {deal[place] for place in range(at % n, n * rf, n) if place != at}

    for at in range(n * rf):
        place = range(n * (at // n), n * (at // n + 1))
        turn = range(len(brokers) * (at // len(brokers)), len(brokers) * (at // len(brokers) + 1))
        same = range(max(place.start, turn.start), min(place.stop, turn.stop))
        while deal[at] in others(at):
            other = rng.choice(same)
            if deal[other] not in others(at) and deal[at] not in others(other):
                deal[at], deal[other] = deal[other], deal[at]
    return [deal[p : n * rf : n] for p in range(n)]


def write(folder: Path, files: Files) -> None:
    """Write one cluster's files; what is compressed carries no time and no name of a system."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        with (folder / name).open("wb") as file:
            if name.endswith(".gz"):
                with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                    packed.write(text.encode())
            else:
                file.write(text.encode())


def main(fleet: Path) -> None:
    for make in (removal, growth, skewed_leaders, racks, messy):
        write(fleet / make.__name__.replace("_", "-"), make())


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        main(HERE / "fleet")
        write(HERE / "few-partitions", few_partitions())
