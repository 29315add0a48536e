"""The brokers of one cluster: ids, racks and capacities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int32]
CAPACITIES = {
    "disk": "disk_bytes",
    "network-in": "bytes_in_per_s",
    "network-out": "bytes_out_per_s",
    "cpu": "cpu_percent",
}
"""Columns with what a broker can bear of each load."""
SHARED_BY = CAPACITIES | {
    "leaders-in": CAPACITIES["network-in"],
    "replication-out": CAPACITIES["network-out"],
}
"""Columns in proportion to which brokers share each load, where all of them have one."""


def frozen(array: npt.ArrayLike, dtype: npt.DTypeLike) -> np.ndarray:
    """A read-only C-contiguous array of the given dtype (a copy only where one is needed)."""
    result = np.ascontiguousarray(array, dtype=dtype)
    if result is array and result.flags.writeable:
        result = result.view()
    result.flags.writeable = False
    return result


@dataclass(frozen=True, eq=False)
class Brokers:
    """Brokers in ascending id order; every column has shape ``(n_brokers,)``."""

    ids: IntArray
    """Kafka's broker ids, int32, strictly ascending."""
    racks: tuple[str | None, ...]
    """The rack that each broker declares, None where it declares none."""
    disk_bytes: FloatArray
    """Disk capacity in bytes, NaN where unknown."""
    bytes_in_per_s: FloatArray
    """Inbound network capacity in bytes a second, NaN where unknown."""
    bytes_out_per_s: FloatArray
    """Outbound network capacity in bytes a second, NaN where unknown."""
    weight: FloatArray = None  # type: ignore[assignment]  # set when built
    """What a broker should hold of every count, relative to the others; None: all the same."""
    down: tuple[str | None, ...] = ()
    """How each broker is known or seen to be down, as a clause; None where nobody says so, of all where it is
    left out."""
    cpu_percent: FloatArray = None  # type: ignore[assignment]  # set when built
    """CPU capacity in percent of the broker's CPU, as `Cluster.cpu_percent`; NaN where unknown, of all where
    it is left out."""

    def __post_init__(self) -> None:
        ids = frozen(self.ids, np.int32)
        object.__setattr__(self, "ids", ids)
        if ids.ndim != 1 or np.any(np.diff(ids) <= 0):
            raise ValueError("broker ids must be one ascending column without repeats")
        if self.weight is None:
            object.__setattr__(self, "weight", np.ones(len(ids)))
        if self.cpu_percent is None:
            object.__setattr__(self, "cpu_percent", np.full(len(ids), np.nan))
        for name in (*CAPACITIES.values(), "weight"):
            column = frozen(getattr(self, name), np.float64)
            if column.shape != ids.shape:
                raise ValueError(f"{name} has shape {column.shape}, the broker ids {ids.shape}")
            object.__setattr__(self, name, column)
        if not np.all(np.isfinite(self.weight) & (self.weight > 0)):
            raise ValueError("broker weights must be positive numbers")
        if len(self.racks) != len(ids):
            raise ValueError(f"{len(self.racks)} racks for {len(ids)} brokers")
        object.__setattr__(self, "down", tuple(self.down) or (None,) * len(ids))
        if len(self.down) != len(ids):
            raise ValueError(f"{len(self.down)} states for {len(ids)} brokers")

    @classmethod
    def of(
        cls,
        ids: npt.ArrayLike,
        racks: Mapping[int, str | None] | None = None,
        *,
        disk_bytes: Mapping[int, float] | None = None,
        bytes_in_per_s: Mapping[int, float] | None = None,
        bytes_out_per_s: Mapping[int, float] | None = None,
        weight: Mapping[int, float] | None = None,
        down: Mapping[int, str | None] | None = None,
        cpu_percent: Mapping[int, float] | None = None,
    ) -> Brokers:
        """Brokers from ids in any order and what is known of each, by id."""
        ordered = np.unique(np.asarray(ids, dtype=np.int32))

        def column(known: Mapping[int, float] | None, default: float = np.nan) -> FloatArray:
            return np.array([(known or {}).get(int(i), default) for i in ordered], dtype=np.float64)

        return cls(
            ordered,
            tuple((racks or {}).get(int(i)) for i in ordered),
            column(disk_bytes),
            column(bytes_in_per_s),
            column(bytes_out_per_s),
            column(weight, 1.0),
            tuple((down or {}).get(int(i)) for i in ordered),
            column(cpu_percent),
        )

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def has_racks(self) -> bool:
        """True where at least one broker declares a rack."""
        return any(rack is not None for rack in self.racks)

    @cached_property
    def racked(self) -> npt.NDArray[np.bool_]:
        """``(n_brokers,)``: brokers that declare a rack."""
        return np.array([rack is not None for rack in self.racks], dtype=bool)

    @cached_property
    def rack_names(self) -> tuple[str, ...]:
        """Names of the racks that ``rack_idx`` points into.

        Without any declared rack there is one, "". Beside racked brokers each broker without a rack has an
        entry of its own, which is no rack: nothing is known of what it shares with others.
        """
        if not self.has_racks:
            return ("",)
        named = sorted({rack for rack in self.racks if rack is not None})
        alone = [
            f"broker {int(i)} (no rack)" for i, rack in zip(self.ids, self.racks, strict=True) if rack is None
        ]
        return (*named, *alone)

    @property
    def n_racks_named(self) -> int:
        """Racks that a source names; a broker without one is in none of them."""
        return len(set(self.racks) - {None})

    @cached_property
    def rack_idx(self) -> IntArray:
        """Rack of each broker as a position in ``rack_names``, shape ``(n_brokers,)``, int32."""
        if not self.has_racks:
            return frozen(np.zeros(len(self.ids)), np.int32)
        position = {name: k for k, name in enumerate(self.rack_names)}
        return frozen(
            [
                position[rack if rack is not None else f"broker {int(i)} (no rack)"]
                for i, rack in zip(self.ids, self.racks, strict=True)
            ],
            np.int32,
        )

    def index_of(self, ids: npt.ArrayLike) -> IntArray:
        """Positions of broker ids, -1 for ids that are not here (and for -1 itself)."""
        wanted = np.asarray(ids)
        if len(self.ids) == 0:
            return np.full(wanted.shape, -1, dtype=np.int32)
        place = np.minimum(np.searchsorted(self.ids, wanted), len(self.ids) - 1)
        return np.where(self.ids[place] == wanted, place, -1).astype(np.int32)
