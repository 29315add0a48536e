"""What is asked of a planner, as plain data: one field for each option of the command line."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

COUNTS = ("count",)
EVERYTHING = "all"
"""Every load that is known, each within 10 % of its share."""
EXACT = (0.0, 0.0)
"""Sides of a band: a count's floor and ceiling, nothing beyond."""
WIDE = (5.0, 5.0)
"""Of each load in a mix that says nothing else."""


@dataclass(frozen=True)
class Request:
    """The options of ``plan``; the defaults ask for a level cluster with the brokers it has."""

    brokers: tuple[tuple[int, str | None], ...] | None = None
    """Brokers that may hold replicas afterwards, with a rack where one was given; None: all known."""
    add: tuple[tuple[int, str | None], ...] = ()
    drain: tuple[int, ...] = ()
    replace: tuple[tuple[int, int], ...] = ()
    """Pairs (old, new)."""
    racks: tuple[tuple[int, str], ...] = ()
    """Racks by broker id, over what the sources say."""
    replication_factor: int | None = None
    topics: str | None = None
    """Regular expression of topics that may change; it matches whole names."""
    exclude_topics: str | None = None
    create: tuple[tuple[str, int, int], ...] = ()
    """Topics or partitions to place: (topic, partitions, replication factor)."""
    goals: tuple[str, ...] | None = None
    """The ordered goals; None: the default order, or that of ``required_only``."""
    balance: tuple[str, ...] = COUNTS
    """What is levelled, the most important first; with sides of its own as ``disk:5:10`` or ``disk:10``."""
    tolerance: tuple[float, float] | None = None
    """Sides of the band in percent (below, above) of what has none of its own; None: 0 for counts alone, 5
    for loads."""
    consumption: float | None = None
    """What consumers read, as a multiple of what comes in, of partitions of which no source tells it."""
    rack_rule: str = "spread"
    stay_in_rack: bool = False
    no_leaders_on: tuple[int, ...] = ()
    cordon: tuple[int, ...] = ()
    assume_alive: tuple[int, ...] = ()
    """Brokers to plan with as if they were up, whatever the sources say."""
    max_fill: tuple[str, ...] = ()
    """Of each load that weighs the percent of capacity that moves may fill, as ``disk:85``."""
    rack_capacity: tuple[tuple[str, int], ...] = ()
    """Bytes that the disks of a rack may hold together, by rack."""
    max_moves: int | None = None
    max_bytes: int | None = None
    max_changes_per_partition: int | None = None
    log_dirs: str | None = None
    """``level``, or ``level:10`` with a tolerance in percent: level the log dirs of each broker."""
    drain_dir: tuple[tuple[int, str], ...] = ()
    """Log dirs to be emptied: (broker, path)."""
    cross_zone_price: float | None = None
    """What a gigabyte between racks costs, in any currency; it changes no plan."""
    consumers_in: tuple[tuple[str, str, float], ...] = ()
    """Which part of the consumers reads from where: (topic, rack, part), topic "" for every other topic."""
    partial: bool = False
    """The sources tell of a part of a cluster, which is planned as one."""
    leaders_only: bool = False
    required_only: bool = False
    effort: str = "normal"
    """How much is proved: one of `params.Effort`."""
    strategy: str = "flow"
    strategy_settings: tuple[tuple[str, str], ...] = ()
    """Names and values as they were written; see `planning.published.settings`."""
    follow: str | None = None
    """The file of another tool whose lists the plan takes; its strategy is `follow` then."""

    @property
    def mix(self) -> tuple[str, ...]:
        """The loads of ``balance`` by name."""
        return tuple(spec.partition(":")[0] for spec in self.balance)

    def sides(self, load: str) -> tuple[float, float]:
        """Percent below and above its share that a load's band reaches; what is in no mix has 0."""
        own = next((spec for spec in self.balance if spec.startswith(f"{load}:")), None)
        if own is not None:
            _, *sides = own.split(":")
            return float(sides[0]), float(sides[-1])
        if load not in self.mix:
            return EXACT
        return self.tolerance or (EXACT if self.balance == COUNTS else WIDE)

    @property
    def dirs_tolerance(self) -> float | None:
        """Percent of ``log_dirs``; None where none is named."""
        given = (self.log_dirs or "").partition(":")[2]
        return float(given) if given else None

    @property
    def fills(self) -> dict[str, float]:
        """Percent by load of ``max_fill``."""
        parts = (spec.partition(":") for spec in self.max_fill)
        return {load: float(percent) for load, _, percent in parts}

    def to_json(self) -> dict[str, Any]:
        """The options that differ from their default, as plain JSON data."""
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}
