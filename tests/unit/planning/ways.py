"""A relaxation that a refusal names, made of the request as a reader would."""

from __future__ import annotations

import re
from dataclasses import replace

from equipoise.cluster import Cluster
from equipoise.planning import Request

NOTHING = Request()


def relaxed(cluster: Cluster, request: Request, way: str) -> list[Request]:
    """The requests that a relaxation offers: one for each of several brokers or racks that it names."""
    if way.endswith(" per rack (--rack-rule spread)"):
        return [replace(request, rack_rule="spread")]
    if way.startswith("leave out "):
        return [without_rules(request, re.findall(r"--([\w-]+)", way))]
    if found := re.fullmatch(r"allow ([\d,]+)(?: bytes)? \(--([\w-]+)\)", way):
        return [replace(request, **{found[2].replace("-", "_"): int(found[1].replace(",", ""))})]
    if found := re.fullmatch(r"(?:keep|take) (one of )?brokers? ([\d, ]+)(?: out of --([\w-]+))?", way):
        brokers = [int(b) for b in found[2].split(",")]
        return [
            freed(request, some, found[3]) for some in ([[b] for b in brokers] if found[1] else [brokers])
        ]
    if found := re.fullmatch(r"count (one of )?brokers? ([\d, ]+) as alive \(--assume-alive\)", way):
        up = tuple(int(b) for b in found[2].split(","))
        return [replace(request, assume_alive=some) for some in ([(b,) for b in up] if found[1] else [up])]
    if found := re.fullmatch(r"lower the replication factor to (\d+)", way):
        return [lowered(request, int(found[1]))]
    if found := re.fullmatch(r"add (?:a|(\d+)) brokers?(?: in (.+))? \(--add\)", way):
        return [with_new(cluster, request, int(found[1] or 1), rack) for rack in racks_of(found[2])]
    raise AssertionError(f"no reader can follow '{way}'")


def without_rules(request: Request, options: list[str]) -> Request:
    fields = [name.replace("-", "_") for name in options]
    return replace(request, **{field: getattr(NOTHING, field) for field in fields})


def lowered(request: Request, factor: int) -> Request:
    """For all partitions, and for what is created too."""
    create = tuple((topic, n, min(wanted, factor)) for topic, n, wanted in request.create)
    return replace(request, create=create, replication_factor=factor)


def freed(request: Request, brokers: list[int], option: str | None) -> Request:
    """Brokers kept, or taken out of the option that is named."""
    if option is not None:
        field = option.replace("-", "_")
        return replace(request, **{field: tuple(b for b in getattr(request, field) if b not in brokers)})
    named = request.brokers
    return replace(
        request,
        drain=tuple(b for b in request.drain if b not in brokers),
        replace=tuple(pair for pair in request.replace if pair[0] not in brokers),
        brokers=None if named is None else (*named, *((b, None) for b in brokers)),
    )


def racks_of(where: str | None) -> list[str | None]:
    """Racks to add in; None for new ones."""
    parts = (where or "racks of their own").removeprefix("rack ").split(" or ")
    return [None if part.endswith(("of its own", "of their own")) else part for part in parts]


def with_new(cluster: Cluster, request: Request, number: int, rack: str | None) -> Request:
    own = [f"new-{k}" if cluster.brokers.has_racks or has_racks(request) else None for k in range(number)]
    return replace(request, add=(*request.add, *((900 + k, rack or own[k]) for k in range(number))))


def has_racks(request: Request) -> bool:
    return any(rack is not None for _, rack in request.add)
