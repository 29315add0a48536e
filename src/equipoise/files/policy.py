"""What is wished for the clusters of a fleet together: ``equipoise.toml`` in the folder of the fleet."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from equipoise.errors import UnusableInput
from equipoise.files.places import Place
from equipoise.files.wish import WISH, WishFile, nearest, wish_of
from equipoise.planning.request.values import size
from equipoise.wording import quoted

Options = Mapping[str, Any]
TABLES = ("defaults", "groups", "clusters")
TOTAL = "max-bytes-total"
"""The one key that stands in no table: it is of the whole fleet."""
GROUP = "groups."
MEMBERS = "clusters"
"""Key of a group with the pattern, or the patterns, of its clusters' names."""


@dataclass(frozen=True)
class Layer:
    """Options that are wished for some clusters."""

    place: str
    """Where they stand: ``defaults``, ``groups.prod``, ``clusters.orders``."""
    patterns: tuple[str, ...]
    options: Options


@dataclass(frozen=True)
class Policy:
    """Layers of options, of which the last one that names an option has the word."""

    layers: tuple[Layer, ...] = field(default=())
    max_bytes_total: int | None = None
    """Bytes that the plans of all clusters together may copy."""

    def of(self, cluster: str) -> dict[str, tuple[Any, str]]:
        """What is wished for a cluster before its own file is read: value and place by option."""
        return {
            option: (value, layer.place)
            for layer in self.layers
            if any(fnmatchcase(cluster, pattern) for pattern in layer.patterns)
            for option, value in layer.options.items()
        }

    def group_of(self, cluster: str) -> str:
        """The last group that a cluster is in; "" for none."""
        names = [
            layer.place.removeprefix(GROUP)
            for layer in self.layers
            if layer.place.startswith(GROUP) and any(fnmatchcase(cluster, p) for p in layer.patterns)
        ]
        return names[-1] if names else ""


def read_policy(fleet: Place, clusters: Collection[str]) -> Policy:
    """Defaults, then groups in the order of the file, then single clusters; nothing where there is no file.

    Raises :class:`UnusableInput` for what cannot be read, for a key, an option or a cluster that there is not
    (with the nearest one), and for a value that an option cannot have.
    """
    file, path = WishFile.of(fleet), fleet / WISH
    told = file.options(str(path))
    total = told.pop(TOTAL, None)
    layers = tuple(layers_of(told, str(path), clusters))
    for layer in layers:
        wish_of(layer.options, str(path), layer.place)
    return Policy(layers, None if total is None else total_of(total, str(path)))


def total_of(told: Any, source: str) -> int:
    """Bytes for all clusters."""
    try:
        return size(TOTAL, told)
    except UnusableInput as error:
        raise UnusableInput(error.problem, source=source, place=TOTAL, advice=error.advice) from None


def layers_of(told: Options, source: str, clusters: Collection[str]) -> Iterator[Layer]:
    """The tables of the file as layers, the weakest first."""
    for name in told:
        if name not in TABLES:
            advice = f"Did you mean {TOTAL}?" if name.startswith("max-bytes") else nearest(name, TABLES)
            raise UnusableInput("there is no such table", source=source, place=name, advice=advice)
        table_at(told, name, source)
    yield Layer("defaults", ("*",), table_at(told, "defaults", source))
    groups = table_at(told, "groups", source)
    for name in groups:
        options = dict(table_at(groups, name, source, GROUP))
        yield Layer(f"{GROUP}{name}", members(options.pop(MEMBERS, None), source, name), options)
    singles = table_at(told, "clusters", source)
    for name in singles:
        if name not in clusters:
            problem, advice = f"there is no cluster {quoted(name)}", nearest(name, clusters)
            raise UnusableInput(problem, source=source, place=f"clusters.{name}", advice=advice)
        options = dict(table_at(singles, name, source, "clusters."))
        yield Layer(f"clusters.{name}", (literal(name),), options)


def table_at(of: Options, name: str, source: str, above: str = "") -> Options:
    """A table within another; empty where it is not there."""
    found = of.get(name, {})
    if not isinstance(found, Mapping):
        raise UnusableInput(f"is no table but {quoted(found)}", source=source, place=above + name)
    return found


def members(told: Any, source: str, group: str) -> tuple[str, ...]:
    """The patterns of a group's clusters."""
    patterns = [told] if isinstance(told, str) else told
    if not isinstance(patterns, list) or not patterns or not all(isinstance(p, str) and p for p in patterns):
        raise UnusableInput(
            "does not say which clusters it is of", source=source, place=f"groups.{group}",
            advice='Write clusters = "prod-*", or a list of such patterns',
        )  # fmt: skip
    return tuple(patterns)


def literal(name: str) -> str:
    """The pattern that matches this name alone."""
    return "".join(f"[{c}]" if c in "[*?" else c for c in name)
