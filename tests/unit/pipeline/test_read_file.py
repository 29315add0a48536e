"""One file of samples, or of a state, whatever is in it: rows, or one row that says why there are none."""

from __future__ import annotations

import gzip
import os
from io import FileIO
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from equipoise.pipeline.places.digests import digest_of
from equipoise.pipeline.readers import parsed, source
from equipoise.pipeline.readers.samples import step
from equipoise.pipeline.readers.samples.columns import COLUMNS, as_text
from equipoise.pipeline.readers.samples.typed import NO_TIME
from equipoise.pipeline.readers.samples.typed import times as times_of
from equipoise.pipeline.readers.source import HELD, Source

ANSWER = b'{"status":"success","data":{"resultType":%s,"result":[%s]}}'
VECTOR = b'{"metric":{"__name__":%s},"value":[1767225600,"5"]}'
NO_SERIES = "the series cannot be read"
BROKEN = {
    "q.json": (ANSWER % (b'"matrix"', b'{"metric":{"__name__":"x"},"values":5}'), NO_SERIES),
    "none.json": (ANSWER % (b'"vector"', b'{"metric":{"__name__":"x"},"value":null}'), NO_SERIES),
    "deep.json": (b'{"status":"success","data":' + b"[" * 200_000, "is nested too deeply"),
    "list.json": (
        ANSWER.replace(b"%s", b'["vector"]', 1) % b"",
        "an answer of Prometheus without a vector or a matrix (['vector'])",
    ),
    "half.json": (ANSWER % (b'"vector"', VECTOR % rb'"\ud800"'), "the text is not UTF-8"),
    "error.json": (rb'{"status":"error","error":"\ud800"}', "answered with an error: \ufffd"),
    "a.csv": (b"time,metric,value," + b"x" * 131_073 + b"\n", "the header cannot be read: field larger"),
    "deep.jsonl": (b'{"time":1767225600,"metric":"x","value":' + b"[" * 900 + b"]" * 900 + b"}", ""),
}


def row_of(path: Path, before: str | None = None) -> dict[str, Any]:
    return {
        "cluster": "c", "file": f"metrics/{path.name}", "path": str(path), "fault": None, "slots": 1,
        "before": before,
    }  # fmt: skip


def told(path: Path, before: str | None = None) -> list[dict[str, Any]]:
    """The rows of TOLD that a file gives, but that it was read."""
    rows = [row for batch in step.read_file(row_of(path, before)) for row in batch.to_pylist()]
    return [row for row in rows if row["kind"] != "read"]


def digest(path: Path) -> str | None:
    """What the step says of a file that it has read to its end."""
    rows = [row for batch in step.read_file(row_of(path)) for row in batch.to_pylist()]
    return next((row["digest"] for row in rows if row["kind"] == "read"), None)


def read(path: Path) -> list[dict[str, Any]]:
    """The samples of a file as it tells them, in text, with what is wrong with each."""
    rows = []
    for piece in step.pieces_of(Source(row_of(path)), row_of(path)["file"]):
        columns = {name: as_text(array).to_pylist() for name, array in piece.columns.items()}
        beside = {"row": piece.row, "line": piece.line, "fault": piece.fault, "text": piece.text}
        columns |= {name: list(values or [None] * piece.n) for name, values in beside.items()}
        rows += [{name: columns.get(name, [None] * piece.n)[k] for name in (*COLUMNS, *beside)}
                 for k in range(piece.n)]  # fmt: skip
    return rows


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_said(name: str, tmp_path: Path) -> None:
    """What nobody expects of a file costs this file, or a sample of it, and is told in words of its own."""
    content, reason = BROKEN[name]
    (tmp_path / name).write_bytes(content)
    (row,) = told(tmp_path / name)
    assert reason in row["reason"] and "unexpected" not in row["reason"]


def test_other_series_of_an_answer_are_read(tmp_path: Path) -> None:
    """A series with half a character is a row with its text; the next one is a sample."""
    two = b",".join([VECTOR % rb'"\ud800"', VECTOR % b'"size_bytes"'])
    (tmp_path / "q.json").write_bytes(ANSWER % (b'"vector"', two))
    half, well = read(tmp_path / "q.json")
    assert half["fault"] == "the text is not UTF-8" and "\\ud800" in half["text"]
    assert (well["fault"], well["metric"], well["value"]) == (None, "size_bytes", "5")


def test_series_of_an_answer_are_read_together(tmp_path: Path) -> None:
    """A piece for each took 2 ms a sample; one that cannot be read keeps none of the others out."""
    well, half, none = VECTOR % b'"size_bytes"', VECTOR % rb'"\ud800"', b'{"metric":5}'
    path = tmp_path / "q.json"
    path.write_bytes(ANSWER % (b'"vector"', b",".join([well] * 500)))
    assert [piece.n for piece in step.pieces_of(Source(row_of(path)), path.name)] == [500]
    path.write_bytes(ANSWER % (b'"vector"', b",".join([*[well] * 7, half, well, none, well])))
    rows = read(path)
    assert [row["row"] for row in rows] == [*range(1, 12)]
    faults = {row["row"]: row["fault"] for row in rows if row["fault"]}
    assert faults == {8: "the text is not UTF-8", 10: NO_SERIES}
    assert sum(row["value"] == "5" for row in rows) == 9


@pytest.mark.parametrize("error", [KeyError("x"), MemoryError(), ValueError("half \ud800\nand more")])
def test_a_bug_costs_a_file(error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a reader raises is the file's row, of samples as of a state."""

    def fails(*_: object, **__: object) -> None:
        raise error

    (tmp_path / "a.csv").write_bytes(b"time,metric,value\n")
    monkeypatch.setattr(step.csv_file, "read", fails)
    (broken,) = told(tmp_path / "a.csv")
    assert broken["reason"].startswith(f"unexpected: {type(error).__name__}") and broken["line"] is None
    monkeypatch.setattr("equipoise.files.sources.parse_file", fails)
    row = {"cluster": "c", "rank": 0, "file": "a.csv", "path": str(tmp_path / "a.csv"), "fault": None}
    (batch,) = parsed.parse_file_row(row)
    (state,) = batch.to_pylist()
    assert state["fragment"] is None and state["faults"][0]["reason"] == broken["reason"]


@pytest.mark.parametrize("unit", ["ms", "us"])
def test_times_that_no_calendar_has(unit: str, tmp_path: Path) -> None:
    """A time too large for microseconds stays what it is, and never becomes another one."""
    times = pa.array([1, 2**62, None], pa.int64()).cast(pa.timestamp(unit, "UTC"))
    table = pa.table({"time": times, "metric": ["size_bytes"] * 3, "value": [5, 5, 5]})
    pq.write_table(table, tmp_path / "a.parquet")
    assert times_of(times).tolist() == [{"ms": 1_000, "us": 1}[unit], NO_TIME, NO_TIME]
    reasons = {row["row"]: row["reason"] for row in told(tmp_path / "a.parquet") if row["kind"] == "fault"}
    assert reasons[2] == "the time cannot be read"


CSV = b"time,metric,value,topic,partition\n" + b"1767225600,size_bytes,5,pay,0\n" * 20_000
ONCE = {
    "a.csv": CSV,
    "a.csv.gz": gzip.compress(CSV),
    "a.json": ANSWER % (b'"vector"', b",".join([VECTOR % b'"size_bytes"'] * 20_000)),
    "a.jsonl": b'{"time":1767225600,"metric":"size_bytes","value":5}\n' * 20_000,
    "1767225600.prom": b'kafka_log_log_size{topic="pay",partition="0"} 5\n' * 20_000,
}


@pytest.mark.parametrize("name", ONCE)
@pytest.mark.slow
def test_a_file_is_read_once(name: str, tmp_path: Path) -> None:
    """From its beginning to its end: all that it holds comes through a pipe, which gives each byte once."""
    pipe = tmp_path / name
    os.mkfifo(pipe)
    found = []
    for what in (read, digest):
        writer = Thread(target=pipe.write_bytes, args=[ONCE[name]], daemon=True)
        writer.start()
        found.append(what(pipe))
        writer.join()
    rows, told_digest = found
    assert told_digest == digest_of(ONCE[name])
    assert len(rows) == 20_000
    assert {(row["value"], row["fault"]) for row in rows} == {("5", None)}


@pytest.mark.parametrize("held", [0, source.HELD_WHOLE])
def test_a_file_that_may_be_as_it_was(held: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is told of one that is; one that is not tells all, be it held in memory or too large."""
    monkeypatch.setattr(source, "HELD_WHOLE", held)
    path = tmp_path / "a.csv"
    path.write_bytes(ONCE["a.csv"])
    assert told(path, digest_of(ONCE["a.csv"])) == []
    assert told(path, f"{len(ONCE['a.csv'])}-0") == told(path) != []
    path.unlink()
    (gone,) = told(path, "1-0")
    assert gone["kind"] == "broken" and "No such file" in gone["reason"]


@pytest.mark.parametrize("of_before", ["same", "other", "gone"])
def test_files_of_a_state_that_may_be_as_it_was(of_before: str, tmp_path: Path) -> None:
    """Each comes through a pipe, once: none is parsed where all are as before, else all are."""
    texts = {
        "a.txt": b"Topic: pay Partition: 0 Leader: 1 Replicas: 1,2 Isr: 1,2\n",
        "b.txt": b"Topic: pay Partition: 1 Leader: 1 Replicas: 1,2 Isr: 1,2\n",
    }
    gone = {"b.txt"} if of_before == "gone" else set()
    rows = []
    for name, text in texts.items():
        if name not in gone:
            os.mkfifo(tmp_path / name)
            Thread(target=(tmp_path / name).write_bytes, args=[text], daemon=True).start()
        before = f"{len(text)}-0" if of_before == "other" and name == "a.txt" else digest_of(text)
        row = {"cluster": "c", "rank": 0, "file": name, "path": str(tmp_path / name), "fault": None}
        rows.append(row | {"before": before})
    read = [next(parsed.parse_file_row(row)).to_pylist()[0] for row in parsed.compared(rows)]
    assert [row["digest"] for row in read] == [
        None if name in gone else digest_of(text) for name, text in texts.items()
    ]
    parsed_now = [row["fragment"] is not None for row in read]
    assert parsed_now == {"same": [False, False], "other": [True, True], "gone": [True, False]}[of_before]
    assert [row["faults"] != [] for row in read] == [False, of_before == "gone"]


def test_a_state_is_read_once(tmp_path: Path) -> None:
    """Its digest is that of the bytes that were parsed."""
    pipe, text = tmp_path / "topics.txt", b"Topic: pay Partition: 0 Leader: 1 Replicas: 1,2 Isr: 1,2\n"
    os.mkfifo(pipe)
    Thread(target=pipe.write_bytes, args=[text], daemon=True).start()
    row = {"cluster": "c", "rank": 0, "file": pipe.name, "path": str(pipe), "fault": None}
    (state,) = next(parsed.parse_file_row(row)).to_pylist()
    assert state["fragment"] and state["digest"] == digest_of(text)


HALF = {
    "a.csv": b"time,metric\n" + CSV,
    "a.csv.gz": gzip.compress(CSV, mtime=0)[:-20],
    "late.json": ANSWER % (b'"matrix"', b"5") + b" " * 3_000_000 + b"x",
    "a.parquet": b"PAR1 and no more",
    "a.doc": b"something else",
    "empty.csv": b"",
}


@pytest.mark.parametrize("name", HALF)
def test_a_broken_file_is_known_too(name: str, tmp_path: Path) -> None:
    """Wherever a reader gives up, the digest is that of the whole file, which need not be read again."""
    (tmp_path / name).write_bytes(HALF[name])
    (broken,) = told(tmp_path / name)
    assert broken["kind"] == "broken" and digest(tmp_path / name) == digest_of(HALF[name])


@pytest.mark.slow
def test_a_large_parquet_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its columns are read here and there, some are not asked for, and few bytes are in memory."""
    n, seconds = 30_000, 1767225600
    rng = np.random.default_rng(1)
    table = pa.table(
        {
            "value": rng.random(n),
            "unasked": rng.random(n),
            "time": seconds + rng.integers(0, 9**7, n),
            "metric": ["size_bytes", "bytes_in_total"] * (n // 2),
            "partition": rng.integers(0, 10**6, n),
            "topic": ["pay", "shop", "mail"] * (n // 3),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=n // 5)
    content = (tmp_path / "a.parquet").read_bytes()
    asked: list[int] = []

    class Counted(FileIO):
        def read(self, size: int | None = -1, /) -> bytes:
            piece = super().read(size)
            asked.append(len(piece))
            return piece

    monkeypatch.setattr("equipoise.pipeline.readers.source.FileIO", Counted)
    for module in ("readers.source", "places.digests"):
        monkeypatch.setattr(f"equipoise.pipeline.{module}.PIECE", 16_384)
    rows = read(tmp_path / "a.parquet")
    assert [float(row["value"]) for row in rows] == table["value"].to_pylist()
    assert sum(asked) == len(content) > 3 * HELD * 16_384
    assert digest(tmp_path / "a.parquet") == digest_of(content)


def test_what_could_not_be_read_now_has_no_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is gone, or one on which a reader has a bug: the next run tries again."""
    assert digest(tmp_path / "gone.csv") is None
    monkeypatch.setattr(step.csv_file, "read", lambda _: 1 / 0)
    (tmp_path / "a.csv").write_bytes(CSV)
    assert digest(tmp_path / "a.csv") is None
    row = {"cluster": "c", "rank": 0, "file": "gone", "path": str(tmp_path / "gone"), "fault": None}
    (state,) = next(parsed.parse_file_row(row)).to_pylist()
    assert state["digest"] is None and state["faults"]


LABELS = [
    ("__name__", "size_bytes"), ("topic", "pay"), ("partition", "3"), ("instance", "b1:9404"), ("ts", "9"),
]  # fmt: skip


@pytest.mark.parametrize("name", ["labels", "metric", "tags"])
@pytest.mark.parametrize("kind", ["map", "struct"])
def test_labels_in_one_column(name: str, kind: str, tmp_path: Path) -> None:
    """As exports of time series have them: each label that counts is a column; no label is a time."""
    maps = pa.array([LABELS, [*LABELS[:2]], None], pa.map_(pa.string(), pa.string()))
    structs = pa.array([dict(LABELS), dict(LABELS[:2]), None])
    columns = {"Timestamp": [1, 2, 3], "value": [5.0, 6.0, 7.0], name: maps if kind == "map" else structs}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    wanted = ("time", "metric", "topic", "partition", "address")
    assert [tuple(row[column] for column in wanted) for row in read(tmp_path / "a.parquet")] == [
        ("1", "size_bytes", "pay", "3", "b1:9404"), ("2", "size_bytes", "pay", None, None),
        ("3", None, None, None, None),
    ]  # fmt: skip


def test_a_column_goes_before_a_label(tmp_path: Path) -> None:
    """A label stands in where the column of its name is empty; labels that are no text are a fault."""
    labels = pa.array([LABELS, LABELS], pa.map_(pa.string(), pa.string()))
    own = {"Topic": ["own", None], "partition": [7, None]}
    columns = {"time": [1, 2], "value": [5, 5], **own, "labels": labels}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    found = [(row["topic"], row["partition"]) for row in read(tmp_path / "a.parquet")]
    assert found == [("own", "7"), ("pay", "3")]
    lists = pa.array([[("topic", [1])]], pa.map_(pa.string(), pa.list_(pa.int64())))
    pq.write_table(pa.table({"time": [1], "value": [5], "labels": lists}), tmp_path / "b.parquet")
    (fault,) = told(tmp_path / "b.parquet")
    assert fault["reason"].startswith("the column ") and "is of type list" in fault["reason"]


def test_a_broken_row_group_costs_itself(tmp_path: Path) -> None:
    """Each of its rows has a fault that names the group; those of the groups around it are samples."""
    path = tmp_path / "three.parquet"
    columns = {
        "time": [1767225600.0 + k for k in range(300)], "value": [float(k * k) for k in range(300)],
        "metric": ["size_bytes"] * 300,
    }  # fmt: skip
    pq.write_table(pa.table(columns), path, row_group_size=100, compression="snappy", use_dictionary=False)
    column = pq.ParquetFile(path).metadata.row_group(1).column(1)
    data = bytearray(path.read_bytes())
    start = column.data_page_offset
    data[start : start + column.total_compressed_size] = bytes(column.total_compressed_size)
    path.write_bytes(data)
    rows = read(path)
    broken = [row for row in rows if row["fault"]]
    assert [row["row"] for row in broken] == list(range(101, 201))
    assert all(row["fault"].startswith("row group 2 of 3 is broken: ") for row in broken)
    assert sorted(float(row["value"]) for row in rows if not row["fault"]) == [
        float(k * k) for k in range(300) if not 100 <= k < 200
    ]
