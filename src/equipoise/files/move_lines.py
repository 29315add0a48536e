"""The moves of ``plan.json`` as text: what :func:`plan_summary.moves` says, a million rows in seconds."""

from __future__ import annotations

import numpy as np
import orjson

from equipoise.cells import BLOCK, Cells, chosen, constant, digits, lists, text, words
from equipoise.cluster import Plan
from equipoise.cluster.brokers import FloatArray
from equipoise.files.plan_summary import RowArray, reasons_of
from equipoise.formats.kafka_json import line_heads
from equipoise.judge.levels import bytes_copied


def move_lines(plan: Plan) -> bytes:
    """Every move on a line of its own, as :func:`block_lines` has them."""
    blocks = (plan.changed[k : k + BLOCK] for k in range(0, len(plan.changed), BLOCK))
    return b",".join(block_lines(plan, rows) for rows in blocks)


def block_lines(plan: Plan, rows: RowArray) -> bytes:
    """The moves of these rows, a newline before each, a comma between two."""
    cluster, n = plan.cluster, len(rows)
    batch = [] if plan.batch is None else [constant(b',"batch":', n), digits(plan.batch[rows])]
    return text(
        chosen(line_heads(cluster.topics), cluster.topic_idx[rows]),
        digits(cluster.partition[rows]),
        constant(b',"before":[', n),
        lists(cluster.ids_of(cluster.replicas[rows])),
        constant(b'],"after":[', n),
        lists(cluster.ids_of(plan.target[rows])),
        constant(b'],"bytes":', n),
        known(bytes_copied(cluster, plan.target, rows)),
        constant(b',"why":', n),
        quoted(reasons_of(plan, rows)),
        *batch,
        constant(b"},", n),
    ).removesuffix(b",")


def known(figures: FloatArray) -> Cells:
    """Whole numbers in digits, null for NaN."""
    nothing = np.isnan(figures)
    if not nothing.any():
        return digits(figures.astype(np.int64))
    found, at = np.unique(figures[~nothing], return_inverse=True)
    place = np.zeros(len(figures), dtype=np.int64)
    place[~nothing] = at + 1
    return chosen(words([b"null", *(b"%d" % figure for figure in found.tolist())]), place)


def quoted(sentences: list[str]) -> Cells:
    """Sentences as JSON; many rows share one."""
    place = {sentence: k for k, sentence in enumerate(dict.fromkeys(sentences))}
    return chosen(words([*map(orjson.dumps, place)]), np.array([place[sentence] for sentence in sentences]))
