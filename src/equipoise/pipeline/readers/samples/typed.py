"""Columns of a file as numbers and times: whatever the file has them as, and each text read once."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from equipoise.pipeline.readers.samples.blocks import Codes
from equipoise.pipeline.readers.samples.columns import as_text, is_number

if TYPE_CHECKING:
    import pyarrow as pa

Numbers = npt.NDArray[np.float64]

MILLISECONDS_FROM = 1e11
"""Epoch times from here on are milliseconds: as seconds they would be in the year 5138."""
LATEST = 1e14  # milliseconds in the year 5138
NO_TIME = np.iinfo(np.int64).min
FIRST_DAY, LAST_DAY = (np.datetime64(day, "us").astype(np.int64) for day in ("0001-01-01", "9999-12-31"))
DATED = re.compile(r"\d{4}-\d\d-\d\d")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
BLANK = " \t\r\n"


class Texts(NamedTuple):
    """A column of text: ``codes`` ``(n,)`` into ``values``, -1 where nothing is told."""

    codes: Codes
    values: list[str]


def texts(array: pa.Array) -> Texts:
    """Any column as text, each value once; numbers as they are written."""
    import pyarrow as pa

    if not pa.types.is_dictionary(array.type):
        array = as_text(array).dictionary_encode()
    codes = array.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    values = as_text(array.dictionary)
    if values.null_count:  # a dictionary may have a null of its own
        told = values.is_valid().to_numpy(zero_copy_only=False)
        codes = np.where((codes >= 0) & told[codes], codes, -1).astype(np.int32)
    return Texts(codes, ["" if value is None else value for value in values.to_pylist()])


def numbers(array: pa.Array) -> Numbers:
    """A column as numbers, ``(n,)`` float64; NaN where none is told, or what is told is none."""
    import pyarrow as pa

    if is_number(array.type):
        return floats(array)
    if pa.types.is_dictionary(array.type):
        column = texts(array)
        return taken(numbers_of(pa.array(column.values, pa.string())), column.codes)
    return numbers_of(as_text(array))


def numbers_of(array: pa.Array) -> Numbers:
    """The numbers of texts; one by one where not all of them are numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return floats(pc.utf8_trim(array, BLANK).cast(pa.float64()))
    except pa.ArrowInvalid:
        column = texts(array)
    return taken(np.array([number(value) for value in column.values], dtype=np.float64), column.codes)


def number(text: str) -> float:
    """NaN for what is no number; Python alone takes ``1_000`` for one, and digits of other scripts."""
    if "_" in text or not text.isascii():
        return float("nan")
    try:
        return float(text)
    except ValueError:
        return float("nan")


def floats(array: pa.Array) -> Numbers:
    import pyarrow as pa

    plain = array.cast(pa.float64(), safe=False)
    return np.asarray(plain.to_numpy(zero_copy_only=False), dtype=np.float64)


def taken(values: npt.NDArray[Any], codes: Codes) -> npt.NDArray[Any]:
    """The value of each code; NaN, or no time, where it is -1."""
    nothing = NO_TIME if values.dtype.kind == "i" else np.nan
    return np.append(values, np.asarray([nothing], dtype=values.dtype))[codes]


def times(array: pa.Array) -> npt.NDArray[np.int64]:
    """Microseconds since 1970, ``(n,)`` int64, of epoch seconds or milliseconds, or of ISO times.

    ``NO_TIME`` where none is told, or what is told is none. A time without a zone is UTC.
    """
    import pyarrow as pa

    if is_number(array.type):
        return of_epoch(floats(array))
    if pa.types.is_timestamp(array.type):
        return of_calendar(array)
    column = texts(array)
    epoch = numbers_of(pa.array(column.values, pa.string()))
    found = of_epoch(epoch)
    for k in np.flatnonzero(np.isnan(epoch)):
        found[k] = of_iso(column.values[k])
    return np.asarray(taken(found, column.codes), dtype=np.int64)


def of_epoch(told: Numbers) -> npt.NDArray[np.int64]:
    seconds = np.where(told < MILLISECONDS_FROM, told, told / 1e3)
    fits = (told >= 0) & (told < LATEST)
    micros = np.floor(np.where(fits, seconds, 0) * 1e6 + 0.5).astype(np.int64)
    return np.where(fits, micros, NO_TIME)


def of_calendar(array: pa.Array) -> npt.NDArray[np.int64]:
    """Of times as Arrow has them; nanoseconds are cut off."""
    import pyarrow as pa

    per_second = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}[array.type.unit]
    told = array.is_valid().to_numpy(zero_copy_only=False)
    found = array.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
    if per_second > 1_000_000:
        micros = found // 1_000
    else:
        factor = 1_000_000 // per_second
        told = told & (np.abs(found) <= np.iinfo(np.int64).max // factor)
        micros = np.where(told, found, 0) * factor
    return np.where(told & (micros >= FIRST_DAY) & (micros <= LAST_DAY), micros, NO_TIME)


def of_iso(text: str) -> int:
    text = text.strip(BLANK)
    if not DATED.match(text):  # Python takes other forms of a date, too
        return NO_TIME
    try:
        found = datetime.fromisoformat(text.removesuffix("z") + "Z" if text.endswith("z") else text)
        since = (found if found.tzinfo else found.replace(tzinfo=UTC)) - EPOCH
    except (ValueError, OverflowError):
        return NO_TIME
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds

