"""What a run remembers: the fold of its journal, the same while it runs and when it is read again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from equipoise.execution.governing import Bounds
from equipoise.execution.hours import Hours, Window
from equipoise.execution.port import Replica, Resource, TopicPartition

Entry = Mapping[str, Any]


@dataclass
class Memory:
    """State that must survive the process; changed by :meth:`note` alone.

    Entries say what is about to be done, so a process killed between the entry and the deed leaves
    an intention that the next one checks against the cluster.
    """

    begun: dict[str, Any] = field(default_factory=dict)
    """The last "begin" entry."""
    held: str = ""
    """Why the last run let no move begin, "" where it did."""
    outcome: str = ""
    """How the last run ended, "" while it has not."""
    submitted: dict[TopicPartition, tuple[int, ...]] = field(default_factory=dict)
    """The last list that was submitted for each partition."""
    topic_ids: dict[str, str] = field(default_factory=dict)
    """The topics of moves that were submitted or gone: one that has another id now was created anew."""
    cancelled: dict[TopicPartition, tuple[int, ...]] = field(default_factory=dict)
    """Cancelled, with the exact order that must be restored, until it is."""
    leaders: dict[TopicPartition, int] = field(default_factory=dict)
    """Who led each partition before it was submitted for the first time."""
    done: set[TopicPartition] = field(default_factory=set)
    skipped: dict[TopicPartition, str] = field(default_factory=dict)
    """Given up by the last run."""
    given_up: dict[TopicPartition, str] = field(default_factory=dict)
    """Given up by any run, until it is done after all."""
    pairs: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    """Throttled replicas that are ours: topic, config key, ``partition:broker``."""
    rates: dict[int, dict[str, str | None]] = field(default_factory=dict)
    """What each broker's rates were before ours, None where they were not set there."""
    our_rates: set[str] = field(default_factory=set)
    """Every rate that we set, as configs show it."""
    dir_moves: dict[Replica, str] = field(default_factory=dict)
    """Copies between the log dirs of a broker that were begun and not seen to have ended: where they go."""

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Memory:
        memory = cls()
        for entry in entries:
            memory.note(entry)
        return memory

    def note(self, entry: Entry) -> None:
        """Take in one entry; kinds that are not known are left to newer versions.

        Raises one of :data:`MISFITS` where it has not the shape of its kind.
        """
        fold = getattr(self, "note_" + text(entry["type"]).replace("-", "_"), None)
        if fold is not None:
            fold(entry)

    def note_begin(self, entry: Entry) -> None:
        text(entry["plan"])
        told_limits(entry)
        if self.begun.get("operation") != text(entry["operation"]):
            self.done = set()
        self.begun, self.outcome, self.skipped, self.held = dict(entry), "", {}, ""

    def note_steer(self, entry: Entry) -> None:
        text(self.begun["plan"])  # nothing is steered that was not begun
        told_limits(entry)
        self.held = text(entry["hold"])
        self.begun["throttle"] = entry["throttle"]
        self.begun["bounds"] = entry.get("bounds")
        for key in ("max_inflight", "inflight_bounds"):  # which journals of before do not have here
            if key in entry:
                self.begun[key] = entry[key]

    def note_submit(self, entry: Entry) -> None:
        for name, target in entry["partitions"].items():
            self.submitted[parsed(name)] = brokers(target)
        for name, leader in entry.get("leaders", {}).items():
            self.leaders.setdefault(parsed(name), int(leader))
        self.note_topic_ids(entry)

    def note_gone(self, entry: Entry) -> None:
        self.note_topic_ids(entry)

    def note_topic_ids(self, entry: Entry) -> None:
        for topic, number in entry.get("topic_ids", {}).items():
            self.topic_ids.setdefault(topic, text(number))

    def note_cancel(self, entry: Entry) -> None:
        self.cancelled.update({parsed(name): brokers(order) for name, order in entry["partitions"].items()})

    def note_restored(self, entry: Entry) -> None:
        for name in map(parsed, listed(entry["partitions"])):
            self.cancelled.pop(name, None)
            self.submitted.pop(name, None)

    def note_done(self, entry: Entry) -> None:
        for name in map(parsed, listed(entry["partitions"])):
            self.done.add(name)
            self.given_up.pop(name, None)

    def note_skip(self, entry: Entry) -> None:
        skipped = dict.fromkeys(map(parsed, listed(entry["partitions"])), text(entry["why"]))
        self.skipped |= skipped
        self.given_up |= skipped

    def note_rates(self, entry: Entry) -> None:
        self.our_rates.add(str(entry["rate"]))
        for broker, values in entry["brokers"].items():
            saved = self.rates.setdefault(int(broker), {})
            for key, value in values.items():
                saved.setdefault(key, value)  # a second look would see our own rate

    def note_pairs(self, entry: Entry) -> None:
        for topic, lists in entry["topics"].items():
            mine = self.pairs.setdefault(topic, {})
            for key, pairs in lists.items():
                mine.setdefault(key, set()).update(map(text, listed(pairs)))

    def note_unpaired(self, entry: Entry) -> None:
        for topic, lists in entry["topics"].items():
            mine = self.pairs.get(topic, {})
            for key, pairs in lists.items():
                mine.get(key, set()).difference_update(listed(pairs))
            if not any(mine.values()):
                self.pairs.pop(topic, None)

    def note_cleared(self, entry: Entry) -> None:
        for topic in listed(entry.get("topics", [])):
            self.pairs.pop(text(topic), None)
        for broker in listed(entry.get("brokers", [])):
            self.rates.pop(int(broker), None)

    def note_unrated(self, entry: Entry) -> None:
        for broker, keys in entry["brokers"].items():
            saved = self.rates.get(int(broker), {})
            for key in listed(keys):
                saved.pop(text(key), None)
            if not saved:
                self.rates.pop(int(broker), None)

    def note_dirs(self, entry: Entry) -> None:
        for topic, number, broker, path in map(listed, listed(entry["replicas"])):
            self.dir_moves[Replica(text(topic), int(number), int(broker))] = text(path)

    def note_settled(self, entry: Entry) -> None:
        for topic, number, broker in map(listed, listed(entry["replicas"])):
            self.dir_moves.pop(Replica(text(topic), int(number), int(broker)), None)

    def note_end(self, entry: Entry) -> None:
        self.outcome = text(entry["outcome"])

    @property
    def throttled(self) -> tuple[Resource, ...]:
        """Every resource that may still carry a throttle of ours."""
        return (
            *(Resource.broker(broker) for broker in sorted(self.rates)),
            *(Resource.topic(topic) for topic in sorted(self.pairs)),
        )

    @property
    def unfinished(self) -> bool:
        """True where a run was begun and has not come to its end."""
        return bool(self.begun) and self.outcome not in ("finished", "cancelled")


MISFITS = (AttributeError, KeyError, OverflowError, TypeError, ValueError)
"""What an entry of the wrong shape raises."""


def parsed(name: str) -> TopicPartition:
    """``topic-3`` back to its parts; topic names may hold dashes of their own."""
    topic, _, number = text(name).rpartition("-")
    return TopicPartition(topic, int(number))


def bounds_in(entry: Entry, key: str = "bounds") -> Bounds | None:
    """Between which rates a run lets its throttle go up and down (or what else ``key`` is of); None where it
    stays."""
    told = entry.get(key)
    return None if told is None else Bounds(*map(int, listed(told)))


def hours_in(entry: Entry) -> Hours:
    """When the moves of a run may begin."""
    window, until = entry.get("between"), entry.get("until")
    ends = None if until is None else datetime.fromisoformat(text(until))
    if ends is not None and ends.tzinfo is None:
        raise ValueError
    return Hours(None if window is None else Window.of(text(window)), ends)


def told_limits(entry: Entry) -> None:
    """Raise for a throttle, bounds of one, hours, a count in flight or a file that no run can have."""
    bounds_in(entry)
    bounds_in(entry, "inflight_bounds")
    hours_in(entry)
    for key in ("health", "metrics_file"):
        if entry.get(key) is not None and not text(entry[key]).isprintable():
            raise ValueError
    for key in ("throttle", "max_inflight"):
        limit = entry.get(key)
        if limit is not None and not int(limit) == limit >= 1:
            raise ValueError


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value


def brokers(value: Any) -> tuple[int, ...]:
    """A replica list."""
    return tuple(map(int, listed(value)))
