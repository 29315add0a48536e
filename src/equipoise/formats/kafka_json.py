"""Kafka's reassignment JSON, version 1, written a million partitions at a time.

One partition a line, so that two files can be compared with ``diff``:

    {"version":1,"partitions":[
    {"topic":"pay","partition":0,"replicas":[4,2,1]},
    {"topic":"pay","partition":1,"replicas":[2,1,4]}
    ]}
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import orjson

from equipoise.cells import BLOCK, Words, chosen, constant, digits, lists, text, words

IntArray = npt.NDArray[np.int32]

HEAD = b'{"version":1,"partitions":['
EMPTY = HEAD + b"]}\n"


def reassignment_json(
    topics: Sequence[str],
    topic_idx: IntArray,
    partition: IntArray,
    replica_ids: IntArray,
    log_dirs: Sequence[Sequence[str] | None] | None = None,
) -> bytes:
    """The file for partitions in the given order.

    ``topic_idx`` ``(n,)`` points into ``topics``; ``replica_ids`` ``(n, max_rf)`` int32 are broker ids, -1
    beyond the end of a list. Rows with an empty list are left out. ``log_dirs`` are for each partition the
    dirs of its replicas, ``"any"`` where Kafka may choose, or None where it may for all of them.
    """
    lines = partition_lines(line_heads(tuple(topics)), topic_idx, partition, replica_ids)
    if log_dirs is not None:
        listed = np.flatnonzero((replica_ids >= 0).any(axis=1)).tolist()
        lines = with_dirs(lines, [log_dirs[row] for row in listed])
    return framed(lines)


def with_dirs(lines: bytes, log_dirs: Sequence[Sequence[str] | None]) -> bytes:
    """The lines, each from the newline before it to its comma, with these log dirs."""
    tails = (b"" if dirs is None else b',"log_dirs":' + orjson.dumps(list(dirs)) for dirs in log_dirs)
    found = zip(lines.split(b"\n")[1:], tails, strict=True)
    return b"".join(b"\n" + line.removesuffix(b"},") + tail + b"}," for line, tail in found)


def topic_files(
    topics: Sequence[str], topic_start: npt.NDArray[np.int64], partition: IntArray, replica_ids: IntArray
) -> list[bytes]:
    """One file for each topic, in the order of ``topics``.

    Rows of topic t are ``topic_start[t]:topic_start[t + 1]``; rows with an empty list are left out.
    """
    # Lines start with a newline alone here: what their topic puts there is the same for a whole file.
    tails = partition_lines(words([b"\n"]), np.zeros(len(partition), dtype=np.int32), partition, replica_ids)
    start = np.append(np.flatnonzero(np.frombuffer(tails, dtype=np.uint8) == ord("\n")), len(tails))
    lines = np.append(0, np.cumsum((replica_ids >= 0).any(axis=1)))
    edges = start[lines[topic_start]].tolist()
    heads: list[bytes] = line_heads(tuple(topics)).tolist()
    return [
        framed(tails[a:b].replace(b"\n", head)) for head, a, b in zip(heads, edges, edges[1:], strict=False)
    ]


def framed(lines: bytes) -> bytes:
    """The file around partition lines, each of which ends with a comma."""
    return b"".join((HEAD, memoryview(lines)[:-1], b"\n]}\n")) if lines else EMPTY


@lru_cache(maxsize=1)
def line_heads(topics: tuple[str, ...]) -> Words:
    """How the lines of each topic start, from the newline on."""
    return words([b'\n{"topic":' + orjson.dumps(topic) + b',"partition":' for topic in topics])


def partition_lines(heads: Words, head_of: IntArray, partition: IntArray, replica_ids: IntArray) -> bytes:
    """The lines of all rows that have replicas, each from the newline before it to its comma."""
    rows = np.flatnonzero((replica_ids >= 0).any(axis=1))
    blocks = (rows[k : k + BLOCK] for k in range(0, len(rows), BLOCK))
    return b"".join(block_lines(heads, head_of[some], partition[some], replica_ids[some]) for some in blocks)


def block_lines(heads: Words, head_of: IntArray, partition: IntArray, replica_ids: IntArray) -> bytes:
    """The lines of some rows, all of which have replicas."""
    n = len(partition)
    return text(
        chosen(heads, head_of),
        digits(partition),
        constant(b',"replicas":[', n),
        lists(replica_ids),
        constant(b"]},", n),
    )
