"""Options that undo each other: what cannot be meant is refused, what one option makes of another is said."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from equipoise.cluster import Cluster
from equipoise.cluster.rates import outbound
from equipoise.errors import UnusableInput
from equipoise.patterns import matches
from equipoise.planning.goals import PLACEMENT, is_known
from equipoise.planning.goals.consumers import Consumers
from equipoise.planning.goals.replicas import Replicas
from equipoise.planning.problem.problem import OF_LEADERS
from equipoise.planning.problem.request import Request
from equipoise.planning.rules.draft import Draft
from equipoise.planning.rules.ways import is_given, listed
from equipoise.wording import plural, quoted

OF_MOVES = ("cordon", "max-moves", "max-bytes", "max-changes-per-partition")
"""Options of data moves."""
OF_FLOW = ("goals", "effort")
"""Options that no published algorithm reads."""
FOLLOW = "follow"


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
    refuse_two_racks(request)


def refuse_two_racks(request: Request) -> None:
    """Raise `UnusableInput` for a broker that two options put into different racks."""
    told: dict[int, tuple[str, str]] = {}
    options = {"--brokers": request.brokers or (), "--add": request.add, "--racks": request.racks}
    named = [(option, *place) for option, places in options.items() for place in places]
    for option, broker, rack in named:
        if rack is None:
            continue
        first, other = told.setdefault(broker, (option, rack))
        if other != rack:
            problem = f"broker {broker} is in rack {quoted(rack)}, but {first} says {quoted(other)}"
            raise UnusableInput(problem, source=option, advice="Name its rack once")


def remarks(draft: Draft) -> Iterator[str]:
    """What becomes of options that others make useless, a sentence each."""
    request, cluster = draft.request, draft.cluster
    yield from of_brokers(cluster, request)
    yield from not_moved(request)
    yield from not_levelled(request)
    if request.consumption is not None and np.isnan(outbound(cluster, request.consumption)).all():
        yield "--consumption tells nothing: no inbound rate is known"
    if request.cross_zone_price is not None and not cluster.brokers.has_racks:
        yield "--cross-zone-price: no racks are known, so what crosses them is not known"
    yield from of_consumers(cluster, request)
    excluded, created = request.exclude_topics, [topic for topic, _, _ in request.create]
    if excluded is not None and any(matches(excluded, created, "--exclude-topics")):
        yield "--exclude-topics has topics of --create: what is new of them is placed"
    if not draft.movable.any() and (request.topics or request.exclude_topics):
        yield "no topic may change: --exclude-topics has every one that --topics chooses"


def of_consumers(cluster: Cluster, request: Request) -> Iterator[str]:
    """Where they are, for a price or a goal that asks it, and how much of what they read is known."""
    sought = Consumers.name in (request.goals or ())
    if request.consumers_in and request.cross_zone_price is None and not sought:
        yield "--consumers-in tells nothing without --cross-zone-price, or consumers in --goals"
    if strange := sorted({rack for _, rack, _ in request.consumers_in} - set(cluster.brokers.racks)):
        yield f"--consumers-in: no broker is in {', '.join(strange)}, so what is read there crosses racks"
    if not sought:
        return
    if not request.consumers_in:
        yield "consumers in --goals counts nothing: --consumers-in says where they are"
    unknown = np.flatnonzero(np.isnan(outbound(cluster, request.consumption)) & (cluster.rf > 0))
    if len(unknown) and is_known(cluster, Consumers.name):
        yield (
            f"what is read of {plural(len(unknown), 'partition')} is not known "
            f"({cluster.label(int(unknown[0]))} is the first): in consumers of --goals that counts as 0 bytes"
        )


def of_brokers(cluster: Cluster, request: Request) -> Iterator[str]:
    """Brokers that two options name, or that are there, or not."""
    holding = set(cluster.ids_of(np.unique(cluster.replicas[cluster.replicas >= 0])).tolist())
    there = sorted(holding & {broker for broker, _ in request.add})
    kept = {broker for broker, _ in request.brokers or ()}
    others = [broker for broker in there if request.brokers is not None and broker not in kept]
    if there and not others:
        yield f"--add: {some(there)} in the cluster already, with replicas: nothing is added"
    if others:
        yield f"--add: {some(others)} in the cluster already, and not emptied, though not in --brokers"
    if both := sorted(kept & set(request.drain)):
        yield f"--brokers and --drain both name {listed(both)}: drained"
    if both := sorted(kept & {old for old, _ in request.replace}):
        yield f"--brokers and --replace both name {listed(both)}: replaced"
    yield from twice_closed(request, kept)
    if elsewhere := sorted({broker for broker, _ in request.racks} - set(cluster.brokers.ids.tolist())):
        yield f"--racks names {listed(elsewhere)}, of which no source tells: --add adds brokers"


def twice_closed(request: Request, kept: set[int]) -> Iterator[str]:
    """Brokers that one option closes already for what another asks of them."""
    gone = {*request.drain, *(old for old, _ in request.replace)}
    added = {broker for broker, _ in request.add}
    for option, named in (("cordon", request.cordon), ("no-leaders-on", request.no_leaders_on)):
        if both := sorted(gone & set(named)):
            yield f"--{option}: {some(both)} to be emptied anyway: no use is made of that"
        if request.brokers is not None and (others := sorted({*named} - kept - added - gone)):
            yield f"--{option}: {some(others)} not in --brokers, and to be emptied anyway"


def not_moved(request: Request) -> Iterator[str]:
    """What nothing comes of because less is asked, or somebody else says what changes."""
    if request.leaders_only and request.add:
        yield "--leaders-only moves no data: what --add names gets nothing"
    if request.leaders_only and (moved := [goal for goal in request.goals or () if goal in PLACEMENT]):
        yield f"--leaders-only moves no data: no use is made of {' and '.join(moved)} in --goals"
    if request.leaders_only:
        useless = [f"--{option}" for option in OF_MOVES if is_given(request, option)]
        if useless:
            yield f"--leaders-only moves no data: no use is made of {' and '.join(useless)}"
    if request.strategy not in ("flow", FOLLOW):
        useless = [f"--{option}" for option in OF_FLOW if is_given(request, option)]
        if useless:
            lost = " and ".join(useless)
            yield f"--strategy {request.strategy} plans by itself: no use is made of {lost} for that"
    if not request.required_only:
        return
    if request.strategy != "flow":
        yield f"--strategy {request.strategy} says what changes: no use is made of --required-only"
    elif request.goals is not None:
        yield "--goals says what is levelled: no use is made of --required-only"
    elif request.add:
        yield "--required-only levels nothing: what --add names gets only what rules force"


def not_levelled(request: Request) -> Iterator[str]:
    """What of ``--balance`` and ``--tolerance`` levels nothing, a sentence each."""
    given = [f"--{option}" for option in ("balance", "tolerance") if is_given(request, option)]
    levelled = list(request.mix)
    if request.leaders_only:
        levelled = [load for load in request.mix if load in OF_LEADERS]
        others = [load for load in request.mix if load not in OF_LEADERS]
        if "--balance" in given and others:
            lost = " and ".join(others)
            yield f"--leaders-only levels what leaders bear: no use is made of {lost} in --balance"
    elif given and request.goals is None and request.required_only:
        yield f"--required-only levels nothing: no use is made of {' and '.join(given)}"
        return
    elif given and request.goals is not None and Replicas.name not in request.goals:
        yield f"--goals has no replicas: no use is made of {' and '.join(given)}"
        return
    if "--balance" in given and Replicas.name in (request.goals or ()) and "count" not in request.mix:
        yield f"--balance says what replicas in --goals levels: {' and '.join(request.mix)}, and no counts"
    looked_at = request.strategy == "capacity" or any(load in levelled for load in request.balance)
    if "--tolerance" in given and not looked_at:
        yield "nothing is levelled without a tolerance of its own: no use is made of --tolerance"


def some(brokers: list[int]) -> str:
    return f"broker {brokers[0]} is" if len(brokers) == 1 else f"brokers {listed(brokers)} are"
