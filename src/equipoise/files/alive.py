"""Which brokers are known or seen to be down, by every source that tells; one that says so is believed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import PurePath

import numpy as np
import numpy.typing as npt

from equipoise.files.agreement import State, found, moves
from equipoise.formats.fragment import Fragment

MOST_NAMED = 3
"""Sources in one clause."""


def down(fragments: Sequence[Fragment], state: State, ids: Collection[int]) -> dict[int, str]:
    """How each broker of ``ids`` that is down was told or seen to be, as one clause; the others are left out.

    Sources that say that such a broker is up are named in its clause as well.
    """
    holders = set(np.unique(state.replicas[state.replicas >= 0]).tolist())
    out_of_sync, in_sync = seen_in_isr(fragments, state)
    by_isr = [f for f in fragments if f.lists is not None and f.lists.isr is not None]
    signs: dict[int, list[str]] = {broker: [] for broker in sorted(ids)}
    for broker in signs.keys() & out_of_sync:
        seen = [f for f in by_isr if holds(f, broker) and not calls_up(f, broker)]
        if seen:  # else it is up, and behind with all that it has
            signs[broker].append(f"in no Isr of {named(seen)}")
    for fragment in fragments:
        for broker in signs.keys() & told_down(fragment):
            state_word = fragment.brokers[broker].state or "down"
            signs[broker].append(f"{state_word} according to {named([fragment])}")
        if fragment.brokers_role == "up" and fragment.brokers:
            for broker in signs.keys() - fragment.brokers.keys():
                signs[broker].append(f"not among the brokers that {named([fragment])} lists as up")
    answers = [f for f in fragments if f.brokers_role == "answered" and f.brokers]
    if answers:
        # kafka-log-dirs may have been asked of some brokers alone (--broker-list): others may be in sync.
        silent = (signs.keys() & holders).difference(*(f.brokers for f in answers))
        for broker in silent - in_sync - {b for f in fragments for b in f.brokers if calls_up(f, b)}:
            signs[broker].append(f"without an answer in {named(answers)}")
    return {
        broker: "; ".join([", ".join(said), *contradictions(broker, fragments, by_isr, in_sync)])
        for broker, said in signs.items()
        if said
    }


def seen_in_isr(fragments: Sequence[Fragment], state: State) -> tuple[set[int], set[int]]:
    """Brokers that hold replicas and are in no ISR, and those that are in one.

    A replica that is being added is not in sync yet, so it says nothing; nor does one of a list that is
    longer than others of its topic, which may show a move in flight that no source tells. Kafka keeps the
    last member of an ISR there when it is down, and then there is no leader: no sign of life either.
    """
    moving = moves(fragments, state.topics)
    adding = np.full((len(state.keys), moving.adding.shape[1]), -1, dtype=np.int32)
    at = found(moving.keys, state.keys)
    adding[at >= 0] = moving.adding[at[at >= 0]]
    coming = (state.replicas[:, :, None] == adding[:, None, :]).any(axis=2)
    rf = (state.replicas >= 0).sum(axis=1)
    least = np.full(len(state.topics.names), rf.max(initial=0))
    np.minimum.at(least, state.topic_idx, rf)
    certain = state.isr_told & (rf == least[state.topic_idx])
    held = state.replicas[certain[:, None] & ~coming]
    in_sync = members(state.isr[state.leader >= 0]) | members(state.leader[~state.isr_told])
    return members(held) - in_sync, in_sync


def holds(fragment: Fragment, broker: int) -> bool:
    return fragment.lists is not None and bool((fragment.lists.replicas == broker).any())


def calls_up(fragment: Fragment, broker: int) -> bool:
    return broker in fragment.brokers and bool(fragment.brokers[broker].is_up)


def members(ids: npt.NDArray[np.int32]) -> set[int]:
    return set(np.unique(ids[ids >= 0]).tolist())


def told_down(fragment: Fragment) -> set[int]:
    return {broker for broker, facts in fragment.brokers.items() if facts.is_up is False}


def contradictions(
    broker: int, fragments: Iterable[Fragment], by_isr: Sequence[Fragment], in_sync: Collection[int]
) -> Iterator[str]:
    """What speaks for a broker that is said to be down."""
    if broker in in_sync:
        yield f"but in sync according to {named(by_isr)}"
    up = [f for f in fragments if calls_up(f, broker)]
    if up:
        yield f"but up according to {named(up)}"


def named(fragments: Sequence[Fragment]) -> str:
    """Sources by their file names alone: ``topics.txt``, ``a.txt, b.txt, c.txt and 4 more``."""
    names = [PurePath(f.source).name for f in fragments]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more
