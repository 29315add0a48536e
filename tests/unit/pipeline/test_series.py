"""Whole series of samples, worked on as columns, beside the same told sample by sample from the docs."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.pipeline.readers.samples.blocks import Names, divided, packed, unpacked, unpacked_rated
from equipoise.pipeline.readers.samples.columns import Piece
from equipoise.pipeline.readers.samples.judged import judge
from equipoise.pipeline.readers.samples.typed import NO_TIME, numbers, times
from equipoise.pipeline.transforms import samples as samples_of
from equipoise.pipeline.transforms.series import figures_of, rows_of

T0, DAY = 1_767_225_600, 86_400
COUNTER, GAUGE = "bytes_in_total", "size_bytes"
Sample = tuple[str, int, int | None, int, float]
"""Name, partition, broker, seconds since T0, value."""
Key = tuple[str, int, int | None]


def piece(told: Sequence[Sample]) -> Piece:
    """As a reader gives it: numbers of brokers as text."""
    names, partitions, brokers, at, values = (list(column) for column in zip(*told, strict=True))
    columns = {
        "time": pa.array([T0 + second for second in at]),
        "metric": pa.array(names), "value": pa.array(values),
        "topic": pa.array(["pay"] * len(told)), "partition": pa.array(partitions),
        "broker": pa.array([None if broker is None else str(broker) for broker in brokers], pa.string()),
    }  # fmt: skip
    return Piece(columns, row=range(1, len(told) + 1))


def blocks_of(told: Sequence[Sample], parts: int, slots: int) -> dict[int, list[bytes]]:
    """The samples of some files in slots."""
    found: dict[int, list[bytes]] = defaultdict(list)
    for part in range(parts):
        if told[part::parts]:
            judged = judge(piece(told[part::parts]), Names(), Names(), Names())
            assert judged.faults == [] and judged.infos == []
            for slot, block in divided(judged.usable, slots):
                found[slot].append(block)
    return found


def worked_on(told: Sequence[Sample], parts: int, slots: int) -> tuple[list[Any], list[Any], list[Any]]:
    """Rows of ``samples``, figures of series, and what was set aside."""
    rows, figures, aside = [], [], []
    for blocks in blocks_of(told, parts, slots).values():
        for batch in samples_of.rate_slot(("c", blocks, {})):
            for row in batch.to_pylist():
                if row["kind"] == "samples":
                    rated = unpacked_rated(row["block"])
                    rows += rows_of("c", rated).to_pylist()
                    figures += figures_of("c", rated).to_pylist()
                elif row["kind"] == "fault":
                    aside.append(row)
    return rows, figures, aside


def by_series(told: Sequence[Sample]) -> Iterator[tuple[Key, list[tuple[int, float]], int]]:
    """Each series: the greatest value of each time, in their order; and how often a time has several.

    Those of the last time are not counted.
    """
    found: dict[Key, dict[int, set[float]]] = defaultdict(lambda: defaultdict(set))
    for name, partition, broker, at, value in told:
        found[name, partition, broker][at].add(value)
    for key, values in found.items():
        ordered = sorted(values)
        several = sum(len(values[at]) - 1 for at in ordered[:-1])
        yield key, [(at, max(values[at])) for at in ordered], several


def rated(key: Key, values: list[tuple[int, float]], several: int) -> tuple[str | None, list[Any]]:
    """Why nothing can be said of a series, and (time, value, seconds, reason) as docs/tables.md says."""
    if key[0] == GAUGE:
        ends = [at for at, _ in values[1:]]
        seconds = [values[1][0] - values[0][0] if ends else None] + [
            at - before for (before, _), at in zip(values, ends, strict=False)
        ]
        return None, [(at, value, s, None) for (at, value), s in zip(values, seconds, strict=True)]
    falls, rates = 0, []
    for (before, old), (at, new) in pairwise(values):
        falls += new < old
        if new >= old or 2 * new <= old:
            rate = (new - old if new >= old else new) / (at - before)
            rates.append((at, rate, at - before, "fast" if rate > 1.25e11 else None))
    reason = None
    if several >= 3 and 2 * several >= len(values):
        reason = samples_of.AT_ONCE
    if falls >= 3 and 4 * falls >= len(values):
        reason = samples_of.SEVERAL
    return reason, rates


def mean_and_p95(name: str, rows: list[Any]) -> tuple[float, float]:
    """Weighed with time; after a gap of a gauge, with the longest time that is usual."""
    seconds = [s for _, _, s, _ in rows]
    if name == GAUGE:
        known = sorted((s for s in seconds if s is not None), reverse=True)
        usual = known[2] if len(known) > 2 else min(known, default=1)
        seconds = [usual if s is None else min(s, usual) for s in seconds]
    total = math.fsum(seconds)
    mean = math.fsum(value * s for (_, value, _, _), s in zip(rows, seconds, strict=True)) / total
    so_far = 0.0
    for value, s in sorted(zip((value for _, value, _, _ in rows), seconds, strict=True)):
        so_far += s
        if 20 * so_far >= 19 * total:
            return mean, value
    raise AssertionError


def growth(rows: list[Any]) -> tuple[float | None, float | None]:
    """Slope by the day and its error, of a day and more."""
    at, values = [time / DAY for time, *_ in rows], [value for _, value, _, _ in rows]
    if at[-1] - at[0] < 1:
        return None, None
    n = len(at)
    x, y = math.fsum(at) / n, math.fsum(values) / n
    xx = math.fsum((a - x) ** 2 for a in at)
    slope = math.fsum((a - x) * (v - y) for a, v in zip(at, values, strict=True)) / xx
    left = math.fsum((v - y - slope * (a - x)) ** 2 for a, v in zip(at, values, strict=True))
    return slope, None if n < 3 else math.sqrt(left / (n - 2) / xx)


SAMPLES = st.lists(
    st.tuples(
        st.sampled_from([COUNTER, GAUGE]),
        st.sampled_from([0, 1, 2_000_000_000]),
        st.sampled_from([None, 1, 2, 2_147_483_647]),
        st.integers(0, 30).map(lambda hour: hour * 3_600),
        st.sampled_from([0.0, 1.0, 3_600.0, 10_000.0, 4e4, 1e5, 9e17]),
    ),
    min_size=1,
    max_size=60,
)


@given(told=SAMPLES, parts=st.integers(1, 3), slots=st.sampled_from([1, 3]))
@settings(max_examples=100, deadline=None)
@pytest.mark.slow
def test_whole_columns_give_what_each_sample_gives(told: list[Sample], parts: int, slots: int) -> None:
    """Rates, times, reasons and figures of drawn series: in any files and slots what the docs say of each."""
    rows, figures, aside = worked_on(told, parts, slots)
    found: dict[Key, list[Any]] = defaultdict(list)
    for row in rows:
        at = (row["time"] - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1) - T0
        found[row["told_as"], row["partition"], row["broker"]].append((at, row["value"], row["seconds"]))
    said = {(row["told_as"], row["partition"], row["broker"]): row["figures"] for row in figures}
    counts: dict[tuple[str, str], list[int]] = defaultdict(list)
    for key, values, several in by_series(told):
        reason, wanted = rated(key, values, several)
        good = [] if reason else [row for row in wanted if row[3] is None]
        too_fast = len(wanted) - len(good)
        if wanted and reason:
            counts[key[0], reason].append(len(wanted))
        elif too_fast:
            counts[key[0], samples_of.TOO_FAST].append(too_fast)
        got = found.pop(key, [])
        assert [(at, s) for at, _, s in got] == [(at, s) for at, _, s, _ in good]
        assert [value for _, value, _ in got] == pytest.approx([value for _, value, _, _ in good])
        if not good:
            assert key not in said
            continue
        told_of = said.pop(key)
        mean, p95 = mean_and_p95(key[0], good)
        assert told_of["mean"] == pytest.approx(mean, rel=6e-9)
        assert told_of["p95"] == pytest.approx(p95, rel=6e-9)
        peak = max(value for _, value, _, _ in good)
        assert (told_of["peak"], told_of["samples"]) == (pytest.approx(peak, rel=6e-9), len(good))
        slope, error = growth(good)
        assert told_of["growth_per_day"] == (None if slope is None else pytest.approx(slope, abs=1e-8 * peak))
        assert told_of["growth_error"] == (
            None if error is None else pytest.approx(error, rel=1e-3, abs=2e-5 * peak)
        )
    assert not found and not said
    assert {(row["told_as"], row["reason"]) for row in aside} == set(counts)
    for why, n in counts.items():  # a slot tells its own
        own = [row for row in aside if (row["told_as"], row["reason"]) == why]
        assert (sum(row["series"] for row in own), sum(row["samples"] for row in own)) == (len(n), sum(n))


def test_a_block_holds_what_was_put_in() -> None:
    """Names that are not needed stay behind, and what is not told stays so."""
    told: list[Sample] = [(COUNTER, 0, None, 0, 1.0), (GAUGE, 7, 3, 60, 2.5), (COUNTER, 0, None, 60, 4.0)]
    samples = judge(piece(told), Names(), Names(), Names()).usable
    back = unpacked([packed(samples), packed(samples)])
    assert len(back) == 6 and len(back.of) == 2
    assert back.of.broker.tolist() == [-1, 3] and back.of.topics == ["pay"]
    assert [back.of.names[k] for k in back.of.told_as[back.series].tolist()] == [COUNTER, GAUGE, COUNTER] * 2
    assert back.value.tolist() == [1.0, 2.5, 4.0] * 2


@pytest.mark.parametrize(("text", "number"), [
    ("5", 5.0), (" 5.5 ", 5.5), ("+1e3", 1000.0), ("1_000", None), ("", None), ("0x10", None),
    ("\u0665", None), ("inf", math.inf), ("five", None),
])  # fmt: skip
def test_numbers(text: str, number: float | None) -> None:
    """What exporters write for numbers, and what Python alone takes for one."""
    (found,) = numbers(pa.array([text])).tolist()
    assert math.isnan(found) if number is None else found == number


@pytest.mark.parametrize(("text", "seconds"), [
    ("1767225600", T0), ("1767225600000", T0), ("2026-01-01", T0), ("2026-01-01T00:00:00z", T0),
    ("2026-01-01 01:00:00+0100", T0), ("2026-01-01T00:00:00.5", T0 + 0.5), ("1969-12-31T23:59:59Z", -1),
    ("20260101", 20_260_101), ("12:30", None), ("2026-13-01", None), ("-5", None), ("now", None),
])  # fmt: skip
def test_times(text: str, seconds: float | None) -> None:
    """Epoch seconds or milliseconds and ISO times, UTC where no zone is named; a time of day is none."""
    (found,) = times(pa.array([text])).tolist()
    assert found == (NO_TIME if seconds is None else round(seconds * 1e6))
