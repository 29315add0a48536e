"""``cluster.json`` of a snapshot: which cluster it is, and what its brokers did not tell."""

from __future__ import annotations

import re

from equipoise.formats.faults import Faults
from equipoise.formats.fragment import Fragment
from equipoise.formats.json_rows import load_json
from equipoise.wording import quoted

NAME = "equipoise snapshot"
AGAIN = "Take the snapshot again"


def recognises(head: bytes) -> bool:
    return re.match(rb'\s*\{\s*"format"\s*:\s*"equipoise snapshot"', head) is not None


def parse(text: bytes, faults: Faults) -> Fragment:
    """The cluster id, and the snapshot's warnings as notes."""
    facts = load_json(text, faults)
    cluster_id, warnings = facts.get("cluster_id"), facts.get("warnings", [])
    if not isinstance(cluster_id, str):
        raise faults.fatal(f"{quoted(cluster_id)} is no text", place="cluster_id", advice=AGAIN)
    if not isinstance(warnings, list):
        raise faults.fatal(f"{quoted(warnings)} is no list", place="warnings", advice=AGAIN)
    return Fragment(faults.source, NAME, cluster_id=cluster_id, notes=tuple(map(str, warnings)))
