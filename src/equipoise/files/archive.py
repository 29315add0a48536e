"""NumPy archives whose bytes depend on nothing but the arrays."""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile
from collections.abc import Mapping
from itertools import accumulate

import numpy as np

from equipoise.errors import UnusableInput

EPOCH = (1980, 1, 1, 0, 0, 0)
UNIX = 3
MAGIC = b"\x93NUMPY\x01\x00"
HEADER = re.compile(
    rb"\{'descr': '([<|][biufU]\d{1,9})', 'fortran_order': False, "
    rb"'shape': \(((?:\d{1,19}, ?){0,63}(?:\d{1,19})?)\), \} *\n"
)
"""The one form in which :func:`archive_bytes` has NumPy describe an array, of numbers or of text."""
BROKEN = (ValueError, TypeError, OSError, EOFError, NotImplementedError, RuntimeError, struct.error)
"""What `zipfile` and NumPy raise for bytes that are no archive, beside their own."""


def archive_bytes(arrays: Mapping[str, np.ndarray]) -> bytes:
    """An ``.npz`` of arrays in name order, without times.

    Stored, not deflated: what deflate writes depends on the library behind it.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(arrays):
            entry = zipfile.ZipInfo(name + ".npy", EPOCH)
            entry.create_system = UNIX
            entry.external_attr = 0o644 << 16
            with archive.open(entry, "w", force_zip64=True) as file:
                array = np.asarray(arrays[name])
                np.lib.format.write_array(
                    file, array if array.ndim == 0 else np.ascontiguousarray(array), allow_pickle=False
                )
    return buffer.getvalue()


def read_archive(data: bytes, source: str) -> dict[str, np.ndarray]:
    """The arrays of an ``.npz`` as :func:`archive_bytes` makes it; they take no more memory than ``data``.

    Raises :class:`UnusableInput` where it is none, with the entry: whatever an entry claims to hold is held
    against the bytes that are there before any room is made for it.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            for entry, total in zip(entries, accumulate(e.file_size for e in entries), strict=True):
                if entry.compress_type != zipfile.ZIP_STORED or total > len(data):
                    raise UnusableInput("holds more than its own bytes", source=source, place=entry.filename)
            return {
                entry.filename.removesuffix(".npy"): array_of(archive.read(entry), source, entry.filename)
                for entry in entries
            }
    except (zipfile.BadZipFile, *BROKEN) as error:
        raise UnusableInput(f"not a NumPy archive ({error})", source=source) from None


def array_of(entry: bytes, source: str, name: str) -> np.ndarray:
    """The array that the bytes of an entry hold, read-only and without a copy."""
    end = 10 + int.from_bytes(entry[8:10], "little")
    header = HEADER.fullmatch(entry, 10, end)
    if not entry.startswith(MAGIC) or header is None:
        raise UnusableInput("is not an array of numbers or of text", source=source, place=name)
    dtype = np.dtype(header[1].decode())
    shape = tuple(int(length) for length in header[2].replace(b",", b" ").split())
    wanted, there = math.prod(shape) * dtype.itemsize, len(entry) - end
    if wanted != there:
        claim = f"claims {wanted:,} bytes of array where {there:,} are"
        raise UnusableInput(claim, source=source, place=name)
    array = np.ndarray(shape, dtype, buffer=entry, offset=end)
    if dtype.kind == "U" and not is_text(array):
        raise UnusableInput("holds what is no text", source=source, place=name)
    return array


def is_text(array: np.ndarray) -> bool:
    """Whether an array of text has nothing but characters: NumPy itself does not look."""
    codes = np.ndarray(array.nbytes // 4, "<u4", buffer=array.tobytes())
    return bool(np.all((codes < 0xD800) | ((codes >= 0xE000) & (codes <= 0x10FFFF))))
