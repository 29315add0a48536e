"""The id of a cluster.

``kafka-cluster cluster-id`` prints ``Cluster ID: X``; a snapshot keeps ``{"cluster_id": "X"}``.
"""

from __future__ import annotations

import re

from equipoise.formats.faults import Faults
from equipoise.formats.fragment import Fragment

NAME = "kafka-cluster cluster-id"
ID = re.compile(rb'^\s*(?:Cluster ID: ?|\{[^{}\[\]]*"cluster_?[iI]d"\s*:\s*")([A-Za-z0-9_-]+)', re.M)


def recognises(head: bytes) -> bool:
    return ID.match(head) is not None


def parse(text: bytes, faults: Faults) -> Fragment:
    """The id alone."""
    found = ID.match(text)
    return Fragment(faults.source, NAME, cluster_id=found[1].decode() if found else None)
