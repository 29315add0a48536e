"""Kafka's reassignment JSON, version 1, written a million partitions at a time.

One partition a line, so that two files can be compared with ``diff``:

    {"version":1,"partitions":[
    {"topic":"pay","partition":0,"replicas":[4,2,1]},
    {"topic":"pay","partition":1,"replicas":[2,1,4]}
    ]}
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import orjson

IntArray = npt.NDArray[np.int32]
Cells = tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]]

HEAD = b'{"version":1,"partitions":['
EMPTY = HEAD + b"]}\n"


def reassignment_json(
    topics: Sequence[str], topic_idx: IntArray, partition: IntArray, replica_ids: IntArray
) -> bytes:
    """The file for partitions in the given order.

    ``topic_idx`` ``(n,)`` points into ``topics``; ``replica_ids`` ``(n, max_rf)`` int32 are broker
    ids, -1 beyond the end of a list.
    """
    if len(topic_idx) == 0:
        return EMPTY
    text, start = list_tails(partition, replica_ids)
    cuts = np.flatnonzero(np.diff(topic_idx)) + 1
    first, last = [0, *cuts.tolist()], [*cuts.tolist(), len(topic_idx)]
    names = topic_idx[np.asarray(first)].tolist()
    runs = zip(names, start[first].tolist(), start[last].tolist(), strict=True)
    return framed(b"".join(topic_lines(topics[t], text[a:b]) for t, a, b in runs))


def topic_files(
    topics: Sequence[str], topic_start: npt.NDArray[np.int64], partition: IntArray, replica_ids: IntArray
) -> list[bytes]:
    """One file for each topic, in the order of ``topics``.

    Rows of topic t are ``topic_start[t]:topic_start[t + 1]``; rows with an empty list are left out.
    """
    text, start = list_tails(partition, replica_ids)
    edges = start[topic_start].tolist()
    ends = zip(topics, edges, edges[1:], strict=False)
    return [framed(topic_lines(topic, text[a:b])) if b > a else EMPTY for topic, a, b in ends]


def framed(lines: bytes) -> bytes:
    """The file around partition lines, each of which ends with a comma."""
    return HEAD + lines[:-1] + b"\n]}\n"


def topic_lines(topic: str, tails: bytes) -> bytes:
    """Complete lines of one topic from the ends of its lines, each of which starts with a newline."""
    return tails.replace(b"\n", b'\n{"topic":' + orjson.dumps(topic) + b',"partition":')


def list_tails(partition: IntArray, replica_ids: IntArray) -> tuple[bytes, npt.NDArray[np.int64]]:
    """What follows the topic in each line, and where each row starts, ``(n + 1,)``.

    Every line is laid out in cells of one width, as wide as the longest; the cells in use are then
    taken out in one step. Rows with an empty list give nothing.
    """
    n, width = replica_ids.shape
    held = replica_ids >= 0
    pieces = [constant(b"\n", n), digits(partition), constant(b',"replicas":[', n)]
    for k in range(width):
        number, used = digits(replica_ids[:, k])
        comma, shown = constant(b"," if k else b"", n)
        pieces += [(comma, shown & held[:, k : k + 1]), (number, used & held[:, k : k + 1])]
    pieces.append(constant(b"]},", n))
    used = np.concatenate([mask for _, mask in pieces], axis=1)
    used &= np.asarray(held.any(axis=1))[:, None]
    text = np.concatenate([cells for cells, _ in pieces], axis=1)[used].tobytes()
    return text, np.concatenate([[0], np.cumsum(used.sum(axis=1))])


def constant(word: bytes, n: int) -> Cells:
    """``n`` rows of the same word."""
    cells = np.broadcast_to(np.frombuffer(word, dtype=np.uint8), (n, len(word)))
    return cells, np.ones(cells.shape, dtype=bool)


def digits(values: IntArray) -> Cells:
    """Decimal digits of numbers that are not negative, right-aligned, and which cells are in use."""
    width = len(str(max(0, int(values.max(initial=0)))))
    powers = 10 ** np.arange(width - 1, -1, -1, dtype=np.int64)
    cells = np.empty((len(values), width), dtype=np.uint8)
    for k, power in enumerate(powers.tolist()):
        cells[:, k] = values // np.int32(power) % 10 + 48
    used = values[:, None] >= powers
    used[:, -1] = True
    return cells, used
