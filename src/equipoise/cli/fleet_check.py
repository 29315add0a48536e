"""``equipoise run --check``: what each cluster of a fleet would be planned with."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from equipoise.cli import output
from equipoise.errors import UnusableInput
from equipoise.files.places import Place
from equipoise.files.policy import TOTAL, Policy, read_policy
from equipoise.files.wish import wish_with
from equipoise.wording import plural, printable

if TYPE_CHECKING:
    from equipoise.pipeline.readers.fleet import ClusterFolder


def check_fleet(fleet: str, master: str, conf: Sequence[str] = ()) -> bool:
    """Print it, a block for each cluster; True where everything can be understood.

    Spark is started for a fleet in another file system alone.
    """
    from equipoise.pipeline.places.addresses import local, place_at
    from equipoise.pipeline.session import session, settings_of

    here = local(fleet)
    if here is not None:
        return show(here)
    with session(master, conf=settings_of(conf)) as spark:
        return show(place_at(spark, fleet))


def show(fleet: Place) -> bool:
    """The blocks on standard output."""
    from equipoise.pipeline.readers.fleet import find_clusters

    clusters = sorted(find_clusters(fleet), key=lambda cluster: cluster.name)
    policy = read_policy(fleet, [cluster.name for cluster in clusters])
    told = [list(lines(cluster, policy)) for cluster in clusters]
    head = []
    if policy.max_bytes_total is not None:
        head = [Text(f"{TOTAL} = {policy.max_bytes_total}, given where it buys most when all are planned")]
    output.show(*head, *(line for block in told for line, _ in block))
    return all(is_well for block in told for _, is_well in block)


def lines(cluster: ClusterFolder, policy: Policy) -> Iterator[tuple[Text, bool]]:
    """What there is of a cluster, then a line an option with its place; and whether each is well."""
    files = f"{plural(len(cluster.files), 'file')}, {plural(len(cluster.metrics), 'file')} of samples"
    yield Text.assemble((cluster.name, "bold"), f": {files}"), True
    faults = [(cluster.name, cluster.fault)] if cluster.fault else []
    faults += [(file.name, file.fault) for file in (*cluster.files, *cluster.metrics) if file.fault]
    for name, fault in faults:
        yield Text(f"  {name}: {fault}", "yellow"), False
    try:
        wishes = policy.of(cluster.name)
        wish_with(cluster.wish, wishes)
        wishes |= {option: (value, "its own file") for option, value in cluster.wish.options().items()}
    except UnusableInput as error:
        yield Text(f"  {error}", "yellow"), False
        return
    for option, (value, place) in sorted(wishes.items()):
        yield Text(f"  {option} = {shown(value)} ({place})"), True


def shown(value: Any) -> str:
    """A value as TOML would have it, but on one line."""
    return printable(json.dumps(value, ensure_ascii=False, default=str))
