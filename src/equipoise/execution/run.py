"""The state of a run while it lives; what must outlive it is in its memory."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

from equipoise.execution import instructions as ask
from equipoise.execution.admission import Queue
from equipoise.execution.flights import Flight, progress
from equipoise.execution.instructions import Instruction
from equipoise.execution.memory import Memory
from equipoise.execution.moves import Job, Move, Options
from equipoise.execution.port import TopicPartition

Steps = Generator[Instruction, Any, None]
"""A state that returns nothing."""


class Run:
    """One job on its way."""

    def __init__(self, job: Job, options: Options, memory: Memory) -> None:
        self.job, self.options, self.memory = job, options, memory
        self.moves: dict[TopicPartition, Move] = {move.partition: move for move in job.moves}
        self.phase = "checking"
        self.stop: str | None = None
        """How the operator wants it to stop: "finish", "cancel" or "leave"."""
        self.queue = Queue((), options)
        self.flying: dict[TopicPartition, Flight] = {}
        self.leaders: dict[TopicPartition, int] = {}
        self.rated: set[int] = set()
        """Brokers whose rates this run has set or found right."""
        self.n_done = 0
        self.bytes_done = 0.0
        self.bytes_total = 0.0
        """Bytes that this run has to copy, as far as sizes are known."""
        self.said: set[str] = set()

    def record(self, kind: str, **values: Any) -> Steps:
        """Note an entry and have it written before anything else is done."""
        entry = {"type": kind, **values}
        self.memory.note(entry)
        yield ask.Record(entry)

    def say_once(self, text: str) -> Steps:
        if text not in self.said:
            self.said.add(text)
            yield ask.Say(text)

    def skip(self, move: Move, why: str) -> Steps:
        """Give a move up for good."""
        self.flying.pop(move.partition, None)
        yield ask.Say(f"{move.partition} is skipped: {why}")
        yield from self.record("skip", partition=str(move.partition), why=why)

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
            "skipped": len(self.memory.skipped),
            "in flight": len(self.flying),
            "pending": len(self.queue),
        }

    def bytes_now(self) -> tuple[float, float]:
        """Bytes copied by this run so far, and bytes still to be copied in flight."""
        copied, rest = progress(self.flying.values())
        return self.bytes_done + copied, rest


def names(partitions: Iterable[TopicPartition]) -> list[str]:
    """Partitions as a journal has them."""
    return [str(partition) for partition in partitions]
