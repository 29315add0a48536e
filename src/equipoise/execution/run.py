"""The state of a run while it lives; what must outlive it is in its memory."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace
from typing import Any

from equipoise.execution import instructions as ask
from equipoise.execution.admission import Queue
from equipoise.execution.flights import Flight, progress
from equipoise.execution.governing import Bounds, Governor
from equipoise.execution.instructions import Health, Instruction
from equipoise.execution.memory import Memory
from equipoise.execution.moves import Job, Move, Options
from equipoise.execution.orders import Orders
from equipoise.execution.port import PartitionState, PortError, Resource, TopicPartition

Steps = Generator[Instruction, Any, None]
"""A state that returns nothing."""


class Run:
    """One job on its way."""

    def __init__(self, job: Job, options: Options, memory: Memory) -> None:
        self.job, self.options, self.memory = job, options, memory
        self.moves: dict[TopicPartition, Move] = {move.partition: move for move in job.moves}
        self.phase = "checking"
        self.orders = Orders()
        self.held = ""
        """Why no move begins by order, "" while they do."""
        self.governor, self.inflight_governor = Governor(), Governor()
        self.health: Health | None = None
        """Of the cluster at this look, None where nobody has asked yet."""
        self.ill = ""
        """Why no move begins although none was held, "" while the cluster is well."""
        self.stop: str | None = None
        """How the operator wants it to stop: "finish", "cancel" or "leave"."""
        self.queue = Queue(())
        self.flying: dict[TopicPartition, Flight] = {}
        self.leaders: dict[TopicPartition, int] = {}
        self.topic_ids: dict[str, str] = {}
        """As the survey before the run found them."""
        self.shown: set[Resource] = set()
        """Where the brokers have shown our throttle since it was last set."""
        self.sent: set[Resource] = set()
        """Where a throttle was sent and not seen since: one that is not shown there may yet be."""
        self.alone = True
        """False from the first moves of an empty sky until a look has told whether others began with them."""
        self.behind = False
        """Others' moves were seen since any of ours flew: a rate over ours is for those."""
        self.mute = False
        """Nothing can be noted any more: nothing that must be noted first is begun."""
        self.adopted: list[tuple[str, dict[str, Any]]] = []
        """Entries of what is taken over although the journal did not know it."""
        self.unlike = False
        """At the end some list is not as the job wanted it."""
        self.put_back: dict[str, set[int]] = {}
        """Rates that stood before and were set again, with their brokers."""
        self.n_done, self.n_gone = 0, 0
        self.bytes_done = 0.0
        self.bytes_total = 0.0
        """Bytes to be copied, as far as sizes were known at the start."""
        self.said: set[str] = set()

    def set_rate(self, rate: int, bounds: Bounds | None) -> Steps:
        """Another throttle from the next look on; the journal knows it, so that it outlives the process."""
        self.options, self.shown = replace(self.options, throttle=rate, bounds=bounds), set()
        yield from self.note_steer()

    def set_inflight(self, n: int) -> Steps:
        """Another number of partitions in flight, noted as a rate is; it stops nothing that flies."""
        self.options = replace(self.options, max_inflight=n)
        yield from self.note_steer()

    def note_steer(self) -> Steps:
        """Note how the run is steered now."""
        yield from self.record("steer", hold=self.held, **self.limits())

    def limits(self) -> dict[str, Any]:
        """What may change while it runs, as a journal has it."""
        options = self.options
        return {
            "throttle": options.throttle,
            "bounds": pair(options.bounds),
            "max_inflight": options.max_inflight,
            "inflight_bounds": pair(options.inflight_bounds),
        }

    def record(self, kind: str, **values: Any) -> Steps:
        """Note an entry and have it written before anything else is done."""
        entry = {"type": kind, **values}
        self.memory.note(entry)
        if self.mute:
            return
        try:
            yield ask.Record(entry)
        except JournalLost:
            self.mute = True
            raise

    def say_once(self, text: str, about: str = "note") -> Steps:
        if text not in self.said:
            self.said.add(text)
            yield ask.Say(text, about)

    def skip(self, moves: Sequence[Move], why: str) -> Steps:
        """Give moves up for this run."""
        skipped = [move.partition for move in moves]
        for name in skipped:
            self.flying.pop(name, None)
        yield ask.Say(f"{some(skipped)} {'is' if len(skipped) == 1 else 'are'} skipped: {why}")
        yield from self.record("skip", partitions=names(skipped), why=why)

    def is_gone(self, name: TopicPartition, state: PartitionState | None) -> bool:
        """Whether the partition that was submitted is no more: deleted, or another of the same name."""
        known = self.memory.topic_ids.get(name.topic)
        return state is None or bool(known and state.topic_id and known != state.topic_id)

    def topic_ids_of(self, partitions: Iterable[TopicPartition]) -> dict[str, str]:
        """Ids of their topics that the journal does not know yet."""
        new = {name.topic for name in partitions} - self.memory.topic_ids.keys()
        return {topic: self.topic_ids[topic] for topic in sorted(new & self.topic_ids.keys())}

    def survey(self) -> ask.Survey:
        receivers = sorted({broker for move in self.job.moves for broker in move.adding})
        return ask.Survey(self.job.topics, tuple(receivers))

    def observe(self) -> ask.Observe:
        """A look at what flies, and at the disks of what may be admitted next."""
        ahead = (move for move, _ in zip(self.queue.waiting, range(self.options.max_inflight), strict=False))
        holders = {broker for move in ahead for broker in move.adding}
        for flight in self.flying.values():
            holders.update(flight.adding, [self.leaders.get(flight.move.partition, -1)])
        return ask.Observe(tuple(self.flying), tuple(sorted(holders - {-1})))

    def wanted(self, move: Move) -> tuple[int, ...]:
        """The list that a move ends with: the job's, or the one that it was retargeted to."""
        sent = self.memory.submitted.get(move.partition, move.after)
        return move.after if self.job.operation == "rollback" or sent == move.before else sent

    def figures(self) -> dict[str, int]:
        return {
            "moves": len(self.job.moves),
            "done": self.n_done,
            "gone": self.n_gone,
            "skipped": len(self.memory.skipped),
            "in flight": len(self.flying),
            "between log dirs": len(self.memory.dir_moves),
            "pending": len(self.queue),
        }

    @property
    def bytes_whole(self) -> float:
        """Bytes that this run has to copy, as far as sizes are known: a topic may grow meanwhile."""
        return max(self.bytes_total, self.bytes_now()[0])

    def bytes_now(self) -> tuple[float, float]:
        """Bytes copied by this run so far, and bytes still to be copied in flight."""
        copied, rest = progress(self.flying.values())
        return self.bytes_done + copied, rest


class JournalLost(PortError):
    """The journal cannot be written any more."""


def pair(bounds: Bounds | None) -> list[int] | None:
    """Bounds as a journal has them."""
    return None if bounds is None else [bounds.low, bounds.high]


def some(partitions: Sequence[TopicPartition]) -> str:
    """``t-3 and 7 more``."""
    more = len(partitions) - 1
    return f"{partitions[0]} and {more:,} more" if more else str(partitions[0])


def names(partitions: Iterable[TopicPartition]) -> list[str]:
    """Partitions as a journal has them."""
    return [str(partition) for partition in partitions]
