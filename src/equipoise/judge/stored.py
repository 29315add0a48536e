"""The arrays of ``certificate.npz``: how they are named, and what they must be."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from equipoise.cluster.proofs import NetworkName

PLACEMENTS = frozenset({NetworkName.MERGED, NetworkName.TOPICS, NetworkName.MIXED, NetworkName.PARTITIONS})
"""Networks of where replicas stand."""
ORDERS = frozenset({NetworkName.BROKERS, NetworkName.BROKERS_AND_ITEMS, NetworkName.ITEMS})
"""Networks of who leads where replicas stay."""


def network_of(proofs: Mapping[str, np.ndarray], level: str) -> NetworkName:
    """The network of a level's prices; raises ``ValueError`` for a name that no network has."""
    name = str(proofs[f"{level}/network"])
    if name not in set(NetworkName):
        raise ValueError(f"no network is called {name}")
    return NetworkName(name)


def whole_numbers(array: np.ndarray) -> npt.NDArray[np.int64]:
    """The array itself; raises ``ValueError`` unless it holds 64-bit whole numbers."""
    if array.dtype != np.int64:
        raise ValueError(f"potentials of type {array.dtype}")
    return array
