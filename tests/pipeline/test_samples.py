"""Samples: read from any kind of file, cleaned, and counters made into rates; a story a cluster."""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from tests.pipeline.metrics import HOUR, T0, Row, read_back, sample, series, write_samples

pytestmark = pytest.mark.spark

A_MIX = [
    *series("bytes_in_total", [0, 3_600, 7_200], broker=1),
    *series("size_bytes", [10.5, 20, 30], topic="a.b", partition=7, broker=2),
    *series("kafka_topic_partition_current_offset", [5, 5, 41]),
    *series("bytes_out_per_s", [1, 2], topic=None, partition=None, broker=3),
]
KINDS = ("a.csv", "a.parquet", "a.json", "a.jsonl.gz", "a.csv.gz", "a b+c%41.csv")
TIMES = (
    T0, T0 * 1000, str(T0), f"{T0}000", "2026-01-01T00:00:00Z", "2026-01-01 00:00:00", "2026-01-01",
    "2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00.000",
)  # fmt: skip
HEADER = b"time,metric,value,topic,partition,broker\n"
NAMES = (
    "kafka_log_log_size", 'kafka_log_Log_Value{name="Size"}', "PARTITION_SIZE",
    "kafka_server_brokertopicmetrics_bytesin_total", "kafka_server_brokertopicmetrics_bytesinpersec_total",
    'kafka_server_BrokerTopicMetrics_OneMinuteRate{name="BytesInPerSec"}', "TOPIC_BYTES_IN",
    "kafka_topic_partition_current_offset", "kminion_kafka_topic_partition_high_water_mark",
)  # fmt: skip
ODD = ("prod[eu]", "a{b,c}", "c*", "q?", "x\\y", "sp ace", "%20", "ü;+")
BROKEN = {
    "no metric is named": sample(T0, "", 1),
    "the time cannot be read": sample("12:30", "size_bytes", 1),
    "the value is no number": sample(T0, "size_bytes", "NaN"),
    "the value is negative": sample(T0, "size_bytes", -1),
    "the value is too large": sample(T0, "size_bytes", "Infinity"),
    "more than a terabit a second": sample(T0, "bytes_in_per_s", 1.3e11),
    "the topic is no topic name": sample(T0, "size_bytes", 1, topic="a b"),
    "the partition is no partition number": sample(T0, "size_bytes", 1, partition="x"),
    "the broker is no broker id": sample(T0, "size_bytes", 1, broker="1.5"),
    "no broker is known by this address; give it a line in metrics/addresses.csv":
        sample(T0, "size_bytes", 1, broker="b1:9092"),
    "a partition without a topic": sample(T0, "size_bytes", 1, topic=None),
    "only a partition can have this metric": sample(T0, "size_bytes", 1, partition=None),
    "neither a topic nor a broker is named": sample(T0, "bytes_in_per_s", 1, topic=None, partition=None),
}  # fmt: skip
CANNOT: list[Row] = [*BROKEN.values(), sample(T0, "size_bytes", -2), sample(T0, "size_bytes", 5)]


@dataclass
class Told:
    """What came of all stories."""

    rows: list[Row]
    pieces: list[Row]

    def values(self, cluster: str, *more: str) -> list[tuple[Any, ...]]:
        """(seconds since T0, metric, value) and other columns, in order."""
        own = [row for row in self.rows if row["cluster"] == cluster]
        return sorted((row["at"] - T0, row["metric"], row["value"], *(row[c] for c in more)) for row in own)

    def aside(self, cluster: str) -> list[Row]:
        """What was set aside, without what was left out."""
        return [piece for piece in self.pieces if piece["cluster"] == cluster and piece["unknown"] is None]

    def reasons(self, cluster: str) -> dict[str, str]:
        return {piece["file"].removeprefix("metrics/"): piece["reason"] for piece in self.aside(cluster)}


@pytest.fixture(scope="module")
def told(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Told:
    fleet = tmp_path_factory.mktemp("stories") / "fleet"
    write_samples(fleet, "a.csv", series("bytes_in_total", [36_000, 72_000, 3_600, 7_200]), "reset")
    write_samples(fleet, "a.csv", series("log_end_offset", [36_000, 72_000, 71_000, 74_600]), "truncated")
    late = series("bytes_in_total", [0, 3_600, 10_800])
    write_samples(fleet, "a.csv", late[::-1], "order")
    write_samples(fleet, "b.jsonl", [*late[1:], sample(T0 + HOUR, "bytes_in_total", 3_000)], "order")
    for name in ("log_end_offset", "kminion_kafka_topic_partition_high_water_mark"):
        write_samples(fleet, f"{name}.csv", series(name, [0, 3_600]), "exporters")
    times = [sample(time, "size_bytes", 5, partition=k) for k, time in enumerate(TIMES)]
    write_samples(fleet, "a.csv", times, "times-csv")
    write_samples(fleet, "a.json", times, "times-json")
    for k, name in enumerate(KINDS):
        write_samples(fleet, name, A_MIX, f"kind-{k}")
    write_samples(fleet, "a.csv", CANNOT, "cannot-csv")
    write_samples(fleet, "a.jsonl", CANNOT, "cannot-jsonl")
    write_samples(fleet, "a.csv", two_counters(7), "between")
    write_samples(fleet, "a.csv", two_counters(0), "at-once")
    write_samples(fleet, "a.csv", series("bytes_in_total", [0, 3_600, 6e14]), "too-fast")
    for odd in ODD:
        write_samples(fleet, "2026-01-01T00:00:00.csv", [sample(T0, "size_bytes", 5)], odd)
    not_text(fleet)
    parquet_types(fleet)
    broken_files(fleet)
    nested(fleet)
    exporters(fleet)
    zone = str(spark.conf.get("spark.sql.session.timeZone"))
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")  # as a session that was given may have it
    try:
        frame, pieces = read_back(spark, fleet, fleet.parent)
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
    rows = frame.withColumn("at", frame["time"].cast("long")).collect()
    return Told([row.asDict() for row in rows], pieces)


def two_counters(apart: int) -> list[Row]:
    """A topic's bytes as two brokers count them, a sample a minute each, and nobody says which is whose."""
    counts = ((60 * h, 600e6 * h, 60 * h + apart, 5e12 + 60e6 * h) for h in range(25))
    told = [((at, one), (later, other)) for at, one, later, other in counts]
    return [sample(T0 + at, "bytes_in_total", n, partition=None) for pair in told for at, n in pair]


def not_text(fleet: Path) -> None:
    """Bytes that are no UTF-8, in three kinds of files."""
    folder = write_samples(fleet, "good.csv", [sample(T0, "size_bytes", 5)], "bytes").parent
    line = b"%d,size_bytes,5,t%s,0,\n"
    (folder / "a.csv").write_bytes(HEADER + line % (T0, b"\xff") + line % (T0, b""))
    (folder / "a.jsonl").write_bytes(b'\n{"time":1,"metric":"size_bytes","value":1,"topic":"\xff"}\n')
    texts = pa.Array.from_buffers(pa.string(), 1, pa.array([b"t\xff"]).buffers())
    row = {"time": [T0], "metric": ["size_bytes"], "value": [1], "topic": texts, "partition": [0]}
    pq.write_table(pa.table(row), folder / "a.parquet")


def parquet_types(fleet: Path) -> None:
    folder = fleet / "types" / "metrics"
    folder.mkdir(parents=True)
    texts, nothing = pa.array(["size_bytes"]).dictionary_encode(), pa.nulls(1)
    columns = {
        "time": pa.array([T0 * 1000], pa.timestamp("ms", "Europe/Berlin")), "metric": texts,
        "value": pa.array([5], pa.uint64()),
        "topic": pa.array(["pay"], pa.large_string()), "partition": pa.array(["0"]), "broker": nothing,
    }  # fmt: skip
    pq.write_table(pa.table(columns), folder / "good.parquet")
    pq.write_table(pa.table(columns | {"topic": nothing}), folder / "nameless.parquet")
    pq.write_table(pa.table(columns | {"value": pa.array([[1]])}), folder / "list.parquet")
    nanos = pa.array([(T0 + 1) * 10**9 + 1], pa.timestamp("ns"))
    pq.write_table(pa.table(columns | {"time": nanos}), folder / "nanos.parquet")


def broken_files(fleet: Path) -> None:
    folder = write_samples(fleet, "good.csv", [sample(T0, "size_bytes", 5)], "broken").parent
    good = "".join(f"{T0 + k},size_bytes,5,pay,1,\n" for k in range(300_000)).encode()
    (folder / "late.csv.gz").write_bytes(gzip.compress(HEADER + good)[:-20])
    (folder / "cut.parquet").write_bytes(b"PAR1 and no more")
    (folder / "empty.csv").write_bytes(b"")
    (folder / "header.csv").write_bytes(b"time,metric,value\n")
    (folder / "other.csv").write_text("when,what\n1,2\n")
    (folder / "sheet.xls").write_bytes(b"x")
    (folder / "lines.json").write_text('{"oops\n')
    (folder / "columns.csv").write_text("time,metric,value\n\n1,size_bytes\n")
    (folder / "error.json").write_text('{"status":"error","error":"query timed out"}')
    (folder / "_SUCCESS").write_bytes(b"")


def nested(fleet: Path) -> None:
    """Folders as Spark writes them, links to nothing, and a folder that holds itself."""
    folder = write_samples(fleet, "date=2026-01-01/topic=pay/a.csv", [sample(T0, "size_bytes", 5)], "nested")
    folder.write_text(f"time,metric,value,partition\n{T0},size_bytes,5,0\n")
    write_samples(fleet, "2026-01/a.csv", [sample(T0 + 1, "size_bytes", 5)], "nested")
    metrics = fleet / "nested" / "metrics"
    (metrics / "gone.csv").symlink_to("nowhere")
    (metrics / "round").symlink_to(".")
    os.mkfifo(metrics / "pipe.csv")
    (fleet / "nested" / "dangling.json").symlink_to("nowhere")


def exporters(fleet: Path) -> None:
    """Exporters' names and formats, and brokers by address, by pod and by a mapping file."""
    names = [sample(T0 + k, name, 5, partition=None if "bytes" in name.lower() else 0, broker=1)
             for name in NAMES for k in (0, HOUR)]  # fmt: skip
    write_samples(fleet, "a.csv", [*names, *series("jvm_threads", [1, 2, 3])], "names")
    metrics = fleet / "prometheus" / "metrics"
    metrics.mkdir(parents=True)
    name = "kafka_server_brokertopicmetrics_bytesin_total"
    results: list[Row] = [
        {"metric": {"__name__": name, "topic": "pay", "instance": f"b{k}:9404", "job": "kafka"},
         "values": [[T0, "0"], [T0 + HOUR, str(3_600 * k)]]} for k in (1, 2)
    ]  # fmt: skip
    pretty = {"status": "success", "data": {"resultType": "matrix", "result": results}}
    (metrics / "matrix.json").write_text(json.dumps(pretty, indent=2))
    size = {"__name__": "kafka_log_log_size", "topic": "pay", "partition": "0", "pod": "eu-kafka-7"}
    vector = {"resultType": "vector", "result": [{"metric": size, "value": [T0 + 0.5, "7"]}]}
    (metrics / "vector.json").write_text(json.dumps({"status": "success", "data": vector}))
    (metrics / f"{T0}.prom").write_text(
        "# HELP kafka_broker_info Information about the Kafka Broker\n"
        'kafka_broker_info{address="b1:9092",id="11"} 1\n'
        'kafka_topic_partition_current_offset{topic="pay",partition="0",instance="exporter:9308"} 36000\n'
        f'kafka_topic_partition_current_offset{{topic="pay",partition="0"}} 72000 {(T0 + HOUR) * 1000}\n'
        'kafka_log_Log_Value{name="Size",topic="q\\"",partition="0",broker="3"} 1\n'
        "no sample at all\n"
        "go_goroutines 7\n"
    )
    (metrics / "now.prom").write_text('kafka_log_log_size{topic="pay",partition="0",instance="b1:9404"} 1\n')
    (metrics / "addresses.csv").write_text("address,broker\nb2,22\n")


def test_a_counter_that_was_reset(told: Told) -> None:
    """A broker restarts: the counter falls to 3,600, which came since; the first sample gives no rate."""
    rates = [(HOUR, 10.0), (2 * HOUR, 1.0), (3 * HOUR, 1.0)]
    assert told.values("reset", "seconds") == [(at, "bytes_in_per_s", rate, 3600.0) for at, rate in rates]
    assert told.aside("reset") == []


def test_a_fall_by_less_than_half_is_no_reset(told: Told) -> None:
    """A log loses its last records with its leader: that is no news of 71,000 records in an hour."""
    assert [(at, rate) for at, _, rate in told.values("truncated")] == [(HOUR, 10.0), (3 * HOUR, 1.0)]


def test_order_and_duplicates(told: Told) -> None:
    """Samples in any order over overlapping files count once; of two at one time the greater stays."""
    assert told.values("order") == [(HOUR, "bytes_in_per_s", 1.0), (2 * HOUR, "bytes_in_per_s", 2.0)]
    assert told.aside("order") == []


@pytest.mark.parametrize(("cluster", "said"), [("between", "falls again and"), ("at-once", "several values")])
def test_counters_of_several_brokers_are_not_mixed(told: Told, cluster: str, said: str) -> None:
    """Each turn to the smaller counter would be a reset, and the topic would have 36 GB a second."""
    assert told.values(cluster) == []
    (piece,) = told.aside(cluster)
    assert said in piece["reason"] and piece["file"] == "metrics"
    assert piece["place"].endswith("samples of 1 series of bytes_in_total")


def test_a_counter_that_no_link_could_fill(told: Told) -> None:
    """600 TB in an hour: its rate is set aside, however small each sample is; the one before stays."""
    assert told.values("too-fast") == [(HOUR, "bytes_in_per_s", 1.0)]
    (piece,) = told.aside("too-fast")
    assert (piece["reason"], piece["file"]) == ("more than a terabit a second", "metrics")


def test_two_exporters_are_two_series(told: Told) -> None:
    """Counters under two names are never subtracted from each other, though they are the same metric."""
    rows = told.values("exporters", "told_as")
    assert [row[:3] for row in rows] == [(HOUR, "offsets_per_s", 1.0)] * 2
    assert len({row[3] for row in rows}) == 2


@pytest.mark.parametrize("cluster", ["times-csv", "times-json"])
def test_times(told: Told, cluster: str) -> None:
    """Epoch seconds, epoch milliseconds and ISO times, which are UTC where they name no zone."""
    assert told.values(cluster, "partition") == [(0, "size_bytes", 5.0, k) for k in range(len(TIMES))]


@pytest.mark.parametrize("kind", range(1, len(KINDS)))
def test_every_kind_of_file(told: Told, kind: int) -> None:
    """The same samples as Parquet, CSV or JSON lines, gzipped or not, give the same table."""
    plain, other = (told.values(f"kind-{k}", "topic", "partition", "broker", "told_as") for k in (0, kind))
    assert told.aside(f"kind-{kind}") == []
    assert other == plain
    assert len(other) == 2 + 3 + 2 + 2


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_what_cannot_be_used(told: Told, name: str) -> None:
    """One row for each file and reason, with the count, the first line and what it says; the rest stays."""
    cluster = f"cannot-{name.removeprefix('a.')}"
    assert told.values(cluster) == [(0, "size_bytes", 5.0)]
    pieces = {piece["reason"]: piece for piece in told.aside(cluster)}
    assert set(pieces) == set(BROKEN)
    negative = pieces["the value is negative"]
    assert (negative["file"], negative["place"]) == (f"metrics/{name}", "2 samples")
    assert negative["line"] == (5 if name == "a.csv" else 4)
    assert '"value":"-1"' in negative["text"]


def test_bytes_that_are_no_text(told: Told) -> None:
    """A name with such a byte is no other topic: the sample is set aside, with its line or row."""
    assert told.values("bytes", "topic") == [(0, "size_bytes", 5.0, "pay"), (0, "size_bytes", 5.0, "t")]
    pieces = [(p["file"], p["line"], p["place"], p["reason"]) for p in told.aside("bytes")]
    assert pieces == [
        ("metrics/a.csv", 2, "1 sample", "the text is not UTF-8"),
        ("metrics/a.jsonl", 2, "1 sample", "the text is not UTF-8"),
        ("metrics/a.parquet", None, "1 sample, row 1", "the text is not UTF-8"),
    ]


@pytest.mark.parametrize("cluster", ODD)
def test_any_name_of_a_folder_or_file(told: Told, cluster: str) -> None:
    """What is a pattern or a scheme elsewhere is a name here."""
    assert told.values(cluster) == [(0, "size_bytes", 5.0)]
    assert told.aside(cluster) == []


def test_types_of_parquet(told: Told) -> None:
    """Times of any unit and zone, text, whole numbers, columns of nothing are read; other types are told."""
    assert told.values("types") == [(0, "size_bytes", 5.0), (1, "size_bytes", 5.0)]
    assert told.reasons("types") == {
        "nameless.parquet": "a partition without a topic",
        "list.parquet": "the column value is of type list<element: int64>",
    }


def test_broken_files(told: Told) -> None:
    """A file that cannot be read, to its end, is set aside as a whole; the others are read."""
    assert told.values("broken") == [(0, "size_bytes", 5.0)]
    reasons = told.reasons("broken")
    assert reasons.pop("late.csv.gz").startswith("the gzip data is broken")
    assert reasons.pop("cut.parquet").startswith("the Parquet data is broken")
    assert reasons == {
        "empty.csv": "is empty",
        "other.csv": "has no column time, metric, value",
        "sheet.xls": "is no file of samples by its name (.csv, .json, .jsonl, .parquet, .prom, .txt)",
        "lines.json": "the line is no JSON object",
        "columns.csv": "the line has 2 columns and the header 3",
        "error.json": "Prometheus answered with an error: query timed out",
    }
    assert [p["line"] for p in told.aside("broken") if p["file"] == "metrics/columns.csv"] == [3]


def test_nothing_is_passed_over(told: Told) -> None:
    """Folders are searched, and what they are called after counts; links to nothing and pipes are told."""
    assert told.values("nested", "topic") == [(k, "size_bytes", 5.0, "pay") for k in range(2)]
    assert told.reasons("nested") == {
        "gone.csv": "is a link to nothing",
        "round": "the folder is a link to one that it stands in",
        "pipe.csv": "is no file",
    }


def test_names_of_exporters(told: Told) -> None:
    """kafka_exporter, kminion, the JMX exporter with rules or without, Strimzi, Cruise Control's reporter."""
    assert {row["told_as"] for row in told.rows if row["cluster"] == "names"} == set(NAMES)
    assert told.aside("names") == []
    (left,) = [piece for piece in told.pieces if piece["cluster"] == "names"]
    assert (left["unknown"], left["samples"]) == ("jvm_threads", 3)


def test_prometheus(told: Told) -> None:
    """Answers of its HTTP API and a scrape; b1 is broker 11 as kafka_exporter says, b2 is mapped to 22."""
    assert told.values("prometheus", "broker") == [
        (0, "size_bytes", 7.0, 7),
        (HOUR, "bytes_in_per_s", 1.0, 11),
        (HOUR, "bytes_in_per_s", 2.0, 22),
        (HOUR, "offsets_per_s", 10.0, None),
    ]
    reasons = [(p["file"], p["line"], p["reason"]) for p in told.aside("prometheus")]
    assert sorted(reasons) == [
        (f"metrics/{T0}.prom", 5, "the topic is no topic name"),
        (f"metrics/{T0}.prom", 6, "the line is no sample"),
        ("metrics/now.prom", 1, "neither the line nor the name of the file tells a time"),
    ]
