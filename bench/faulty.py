"""A fleet with metrics whose truth is known, and a fault in each cluster: does a run find all of them?"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equipoise.pipeline.jobs.published import Published

START, HOUR, DAY = 1_767_225_600, 3_600, 86_400
"""2026-01-01 00:00 UTC, and seconds."""
HOURS = 72
BROKERS, PARTITIONS, COPIES = 4, 12, 3
CAPACITY = 2e12
NOISE = 2e7
"""Standard deviation of a size, bytes."""
NAMES = ("orders", "prod[eu]", "a{b,c}", "c*", "x;y", "ü", "100%", "q?")
SIZE, COUNTER = "size_bytes", "bytes_in_total"
NOW = 40 << 30
"""Bytes of each partition, as log dirs tell them."""
ERRORS = 5
"""So many standard errors a growth may be off: of some ten thousand growths none is, by chance."""
Row = dict[str, Any]
Rows = list[Row]
Line = tuple[int, str, float, int]
"""Time, metric, value, partition: a sample that a broker tells."""


@dataclass
class Truth:
    """What a run has to find of one cluster."""

    name: str
    fault: str
    rates: dict[int, float | None]
    """Mean of bytes in a second of each partition over the time of its samples; None for no sample."""
    growths: dict[int, float]
    """Bytes a day."""
    error: float = 1e-6
    """How far a rate may be off, as a part of it: what came between a sample and a reset nobody knows."""
    checks: set[tuple[str, str]] = field(default_factory=set)
    """Check and subject."""
    quarantine: set[str] = field(default_factory=set)
    """Files of which something is set aside."""


@dataclass
class Telling:
    """What the brokers of one cluster tell, before it is written."""

    draw: random.Random
    truth: Truth
    lines: dict[int, list[Line]]
    """By broker, in the order of time."""
    totals: dict[int, list[float]]
    """By partition, at each hour: what its counter would show if nothing happened."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Others, in the folder of samples."""
    links: dict[str, str] = field(default_factory=dict)
    """Links there, and where they lead."""
    broker: int = 1
    """The one with the fault."""
    last: int | None = HOURS
    """Hour of its newest samples; None for no sample."""

    @property
    def subject(self) -> str:
        return f"broker {self.broker}"


def reset(told: Telling) -> None:
    """The broker was restarted in the middle of an hour: its counters begin anew."""
    at, part = told.draw.randrange(HOURS // 4, HOURS // 2), told.draw.random()
    before = {p: total[at] + part * (total[at + 1] - total[at]) for p, total in told.totals.items()}
    told.lines[told.broker] = [
        (time, metric, value - before[p] if metric == COUNTER and time > hour(at) else value, p)
        for time, metric, value, p in told.lines[told.broker]
    ]
    told.truth.error = 3 / HOURS  # an hour has at most twice the least


def duplicates(told: Telling) -> None:
    """Every line twice, and once more in another file."""
    told.files["again.csv"] = text(told.lines[told.broker], told.broker)
    told.lines[told.broker] = [line for line in told.lines[told.broker] for _ in range(2)]


def late(told: Telling) -> None:
    """A third of the lines comes in another file, all in no order."""
    mine = told.lines[told.broker]
    told.draw.shuffle(mine)
    told.files["late.csv"] = text(mine[: len(mine) // 3], told.broker)
    told.lines[told.broker] = mine[len(mine) // 3 :]


def gap(told: Telling) -> None:
    """Eight hours without samples."""
    at = told.draw.randrange(10, HOURS - 20)
    keep(told, lambda time: not hour(at) <= time < hour(at + 8))
    told.truth.checks.add(("gaps", told.subject))


def dead(told: Telling) -> None:
    """The exporter is silent for the last 30 hours."""
    keep(told, lambda time: time <= hour(HOURS - 30))
    told.truth.checks.add(("gaps", told.subject))
    told.last = HOURS - 30


def ahead(told: Telling, seconds: int = DAY) -> None:
    """The clock of the broker is a day ahead, or behind."""
    mine = told.lines[told.broker]
    told.lines[told.broker] = [(time + seconds, *rest) for time, *rest in mine]  # type: ignore[misc]
    told.truth.checks.add(("clocks_apart", told.subject))


def behind(told: Telling) -> None:
    ahead(told, -DAY)


def silent(told: Telling) -> None:
    """The broker has no exporter; of what it leads nothing is known but from retention and log dirs."""
    told.lines[told.broker], told.last = [], None
    told.truth.checks.add(("brokers_without_metrics", told.subject))


def cut_gzip(told: Telling) -> None:
    """A file that was not written to its end costs itself alone."""
    told.files["cut.csv.gz"] = gzip.compress(text(told.lines[told.broker], told.broker))[:-9]
    told.truth.quarantine.add("metrics/cut.csv.gz")


def broken_lines(told: Telling) -> None:
    """Samples that are none stand between the others."""
    lines = [*text([], 1).splitlines(), b"never,size_bytes,1,t,0,1", b"1767225600,size_bytes,-5,t,0,1", b""]
    told.files["2026-01-01T00:00:00.csv"] = b"\n".join(lines)
    told.truth.quarantine.add("metrics/2026-01-01T00:00:00.csv")


def odd_names(told: Telling) -> None:
    """A file may be called anything."""
    told.files["2026-01-01T00:00:00 {a,b}[c]*?;ü%41.csv"] = text(told.lines[told.broker], told.broker)
    told.lines[told.broker] = []


def nested(told: Telling) -> None:
    """Files lie in folders as Spark writes them."""
    for k in range(2):
        part = told.lines[told.broker][k::2]
        told.files[f"date=2026-01-01/hour={k}/part-0.csv"] = text(part, told.broker)
    told.lines[told.broker] = []


def not_utf8(told: Telling) -> None:
    """Bytes that are no text make no topic of that name, nor of one like it."""
    told.files["latin.csv"] = text([], 1) + b"1767225600,size_bytes,5,t\xff,0,1\n"
    told.truth.quarantine.add("metrics/latin.csv")


def dangling(told: Telling) -> None:
    """A link that leads to nothing."""
    told.links["gone.csv"] = "nowhere"
    told.truth.quarantine.add("metrics/gone.csv")


def no_broker(told: Telling) -> None:
    """Counters of two brokers of which nobody says whose they are."""
    pairs = [(k, b) for k in range(HOURS) for b in (0, 1)]
    rows = (f"{hour(k) + 7 * b},bytes_out_total,{5e12 * b + 6e8 * k:.0f},t,,\n" for k, b in pairs)
    told.files["anonymous.csv"] = text([], 1) + "".join(rows).encode()
    told.truth.quarantine.add("metrics")


def exporters(told: Telling) -> None:
    """Sizes as an exporter shows them, counters as the HTTP API of Prometheus answers."""
    mine, told.lines[told.broker] = told.lines[told.broker], []
    shown = [
        f'kafka_log_log_size{{topic="t",partition="{p}",broker="{told.broker}"}} {value} {time}000\n'
        for time, metric, value, p in mine
        if metric == SIZE
    ]
    told.files["sizes.prom"] = "".join(shown).encode()
    name = "kafka_server_brokertopicmetrics_bytesin_total"
    result = [
        {
            "metric": {"__name__": name, "topic": "t", "partition": str(p), "broker": str(told.broker)},
            "values": [[time, str(v)] for time, metric, v, q in mine if metric == COUNTER and p == q],
        }
        for p in sorted({p for _, metric, _, p in mine if metric == COUNTER})
    ]
    answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    told.files["counters.json"] = json.dumps(answer).encode()


def nothing(told: Telling) -> None:
    """All is well."""


def out_of_sync(told: Telling) -> None:
    told.truth.checks.add(("replicas_out_of_sync", "t-0"))


def in_flight(told: Telling) -> None:
    told.truth.checks.add(("in_flight", "t-1"))


def sizes(told: Telling) -> None:
    told.truth.checks.add(("replica_sizes", "t-2"))


FAULTS: dict[str, Callable[[Telling], None]] = {
    fault.__name__: fault
    for fault in (
        *(nothing, reset, duplicates, late, gap, dead, ahead, behind, silent, cut_gzip, broken_lines),
        *(out_of_sync, in_flight, sizes, odd_names, nested, not_utf8, dangling, no_broker, exporters),
    )
}


def hour(k: int) -> int:
    return START + k * HOUR


def keep(told: Telling, wanted: Callable[[int], bool]) -> None:
    mine = told.lines[told.broker]
    told.lines[told.broker] = [line for line in mine if wanted(line[0])]


def lists() -> list[list[int]]:
    """The replicas of each partition."""
    return [[1 + (p + k) % BROKERS for k in range(COPIES)] for p in range(PARTITIONS)]


def make(fleet: Path, n: int, seed: int = 20260101) -> list[Truth]:
    """Write a fleet of n clusters; the truth of each."""
    kinds = list(FAULTS)
    return [
        cluster(fleet, f"{NAMES[k % len(NAMES)]}-{k:03d}", kinds[k % len(kinds)], random.Random(seed + k))
        for k in range(n)
    ]


def cluster(fleet: Path, name: str, fault: str, draw: random.Random) -> Truth:
    """One cluster with its fault, and its truth."""
    truth = Truth(name, fault, {}, {})
    lines: dict[int, list[Line]] = {broker: [] for broker in range(1, BROKERS + 1)}
    told = Telling(draw, truth, lines, {}, broker=draw.randrange(1, BROKERS + 1))
    for p, held in enumerate(lists()):
        truth.growths[p] = draw.choice((0.0, 1e8, 1e9, 5e9))
        base, usual = draw.uniform(1e10, 5e10), draw.uniform(1e5, 5e7)
        total = told.totals[p] = [0.0]
        for k in range(HOURS + 1):
            for broker in held:
                size = base + truth.growths[p] * k / 24 + draw.gauss(0, NOISE)
                lines[broker].append((hour(k), SIZE, round(size), p))
            lines[held[0]].append((hour(k), COUNTER, total[k], p))
            total.append(total[k] + round(usual * (1 + draw.random()) * HOUR))
    for own in lines.values():
        own.sort()
    FAULTS[fault](told)
    for p, held in enumerate(lists()):
        last = told.last if held[0] == told.broker else HOURS
        truth.rates[p] = told.totals[p][last] / (last * HOUR) if last else None
    write(fleet / name, told)
    return truth


def write(folder: Path, told: Telling) -> None:
    """The files of a cluster: its state with the faults of that, and a file of samples for each broker."""
    (folder / "metrics").mkdir(parents=True)
    fault, held = told.truth.fault, lists()
    (folder / "topics.txt").write_text("".join(described(fault, held)))
    racks = "".join(f"{b},{'abcd'[b - 1]},{CAPACITY:.0f}\n" for b in told.lines)
    (folder / "brokers.csv").write_text(f"id,rack,disk\n{racks}")
    dirs = [{"broker": b, "logDirs": [log_dir(fault, b, held)]} for b in told.lines]
    (folder / "log-dirs.json").write_text(json.dumps({"version": 1, "brokers": dirs}))
    for broker, lines in told.lines.items():
        if lines:
            (folder / "metrics" / f"broker-{broker}.csv").write_bytes(text(lines, broker))
    for name, content in told.files.items():
        path = folder / "metrics" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    for name, to in told.links.items():
        (folder / "metrics" / name).symlink_to(to)


def described(fault: str, held: list[list[int]]) -> Iterator[str]:
    """What ``kafka-topics --describe`` prints."""
    counts = f"PartitionCount: {PARTITIONS}\tReplicationFactor: {COPIES}"
    yield f"Topic: t\t{counts}\tConfigs: min.insync.replicas=2\n"
    for p, ids in enumerate(held):
        listed, in_sync, moved = ids, ids, ""
        if fault == "out_of_sync" and p == 0:
            in_sync = ids[:-1]
        if fault == "in_flight" and p == 1:
            new = 1 + (p + COPIES) % BROKERS
            listed, moved = [new, *ids], f"\tAdding Replicas: {new}\tRemoving Replicas: {ids[-1]}"
        told = (",".join(map(str, some)) for some in (listed, in_sync))
        of = f"\tTopic: t\tPartition: {p}\tLeader: {ids[0]}"
        yield f"{of}\tReplicas: {next(told)}\tIsr: {next(told)}{moved}\n"


def log_dir(fault: str, broker: int, held: list[list[int]]) -> dict[str, object]:
    """What ``kafka-log-dirs`` tells of the one log dir of a broker."""
    lost = fault == "sizes"
    return {
        "logDir": "/data",
        "error": None,
        "totalBytes": int(CAPACITY),
        "usableBytes": int(CAPACITY),
        "partitions": [
            {
                "partition": f"t-{p}",
                "size": NOW // 10 if lost and p == 2 and broker == ids[-1] else NOW,
                "offsetLag": 0,
                "isFuture": False,
            }
            for p, ids in enumerate(held)
            if broker in ids
        ],
    }


def text(lines: list[Line], broker: int) -> bytes:
    """Samples as CSV."""
    rows = (f"{time},{metric},{value},t,{p},{broker}\n" for time, metric, value, p in lines)
    return ("time,metric,value,topic,partition,broker\n" + "".join(rows)).encode()


def judged(truths: list[Truth], found: Published, loads: Rows) -> list[str]:
    """What a run says otherwise than the truth is; nothing where every fault was found and nothing else.

    ``found`` is what it published, ``loads`` the rows of ``partition_load``.
    """
    by_cluster: dict[str, dict[int, Row]] = {}
    for row in loads:
        by_cluster.setdefault(row["cluster"], {})[row["partition"]] = row
    outcomes = {row["cluster"]: row["outcome"] for row in found.clusters}
    wrong = []
    for truth in truths:
        name = f"{truth.name} ({truth.fault})"
        checks = {(row["check"], row["subject"]) for row in found.findings if row["cluster"] == truth.name}
        files = {row["file"] for row in found.quarantine if row["cluster"] == truth.name}
        told = (outcomes.get(truth.name), checks, files)
        if told != ("planned", truth.checks, truth.quarantine):
            wrong.append(f"{name}: {told}, and not {('planned', truth.checks, truth.quarantine)}")
        wrong += [f"{name}: {line}" for line in of_loads(truth, by_cluster.get(truth.name, {}))]
    return wrong


def of_loads(truth: Truth, loads: dict[int, Row]) -> Iterator[str]:
    """Rates that are off by more than the truth allows, and growths by more than their error says."""
    for p, rate in truth.rates.items():
        told = loads[p]["bytes_in_per_s"]
        if rate is None:
            if told["source"] == "measured":
                yield f"t-{p} has a rate, and nobody measured it"
        elif not abs(told["mean"] - rate) <= truth.error * rate:
            yield f"t-{p} has {told['mean']} bytes a second, and not {rate}"
        disk = loads[p]["disk_bytes"]
        if not abs(disk["growth_per_day"] - truth.growths[p]) <= ERRORS * disk["growth_error"]:
            grows = f"{disk['growth_per_day']} ± {disk['growth_error']}"
            yield f"t-{p} grows by {grows}, and not {truth.growths[p]}"
