"""Options that undo each other: what cannot be meant is refused, what one option makes of another is said."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from equipoise.errors import UnusableInput
from equipoise.planning.problem.request import Request
from equipoise.planning.rules.draft import Draft
from equipoise.planning.rules.ways import is_given, listed


def refuse_contradictions(request: Request) -> None:
    """Raise `UnusableInput` for a broker of which two options ask opposite things."""
    added, replaced = {broker for broker, _ in request.add}, {old for old, _ in request.replace}
    for broker in sorted(replaced & set(request.drain)):
        raise UnusableInput(
            f"broker {broker} is to be drained and replaced", source="--drain",
            advice=f"--replace alone empties it; take {broker} out of --drain",
        )  # fmt: skip
    for broker in sorted(added & set(request.cordon)):
        raise UnusableInput(
            f"broker {broker} is to be added and to receive nothing", source="--add",
            advice=f"Take {broker} out of --cordon",
        )  # fmt: skip


def remarks(draft: Draft) -> Iterator[str]:
    """What becomes of options that others make useless, a sentence each."""
    request, cluster = draft.request, draft.cluster
    holding = set(cluster.ids_of(np.unique(cluster.replicas[cluster.replicas >= 0])).tolist())
    there = sorted(holding & {broker for broker, _ in request.add})
    if there and request.brokers is None:
        yield f"--add: {some(there)} in the cluster already, with replicas: nothing is added"
    both = sorted({broker for broker, _ in request.brokers or ()} & set(request.drain))
    if both:
        yield f"--brokers and --drain both name {listed(both)}: drained"
    if request.leaders_only and request.add:
        yield "--leaders-only moves no data: what --add names gets nothing"
    levelling = [f"--{option}" for option in ("balance", "tolerance") if is_given(request, option)]
    if levelling and request.goals is None and request.required_only:
        yield f"--required-only levels nothing: no use is made of {' and '.join(levelling)}"
    elif levelling and request.goals is not None and "replicas" not in request.goals:
        yield f"--goals has no replicas: no use is made of {' and '.join(levelling)}"
    if request.cross_zone_price is not None and not cluster.brokers.has_racks:
        yield "--cross-zone-price: no racks are known, so what crosses them is not known"
    if not draft.movable.any() and (request.topics or request.exclude_topics):
        yield "no topic may change: --exclude-topics has every one that --topics chooses"


def some(brokers: list[int]) -> str:
    return f"broker {brokers[0]} is" if len(brokers) == 1 else f"brokers {listed(brokers)} are"
