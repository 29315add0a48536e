"""Runs inside the test's own process, where something can be done at a chosen moment; and killed ones."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from equipoise.cli.carrying import opened
from equipoise.cli.limits import Limits
from equipoise.execution.carrier import Carrier
from equipoise.execution.driver import drive
from equipoise.execution.instructions import Confirm, End
from equipoise.execution.journal import Journal
from equipoise.execution.kafka import KafkaPort
from equipoise.execution.machine import Machine
from equipoise.execution.memory import Memory
from harness.runs import Plan


@dataclass
class Eye:
    """Agrees, writes down what is said, and calls ``look`` after every answer of the cluster."""

    look: Callable[[Machine], str | None] = lambda machine: None
    heard: list[str] = field(default_factory=list)
    wishes: list[str] = field(default_factory=list)

    def confirm(self, question: Confirm) -> bool:
        return not question.left_over

    def say(self, text: str) -> None:
        self.heard.append(text)

    def show(self, machine: Machine, now: float) -> None:
        wish = self.look(machine)
        if wish is not None:
            self.wishes.append(wish)

    def wish(self, machine: Machine) -> str | None:
        return self.wishes.pop() if self.wishes else None


def once(act: Callable[[], object], when: Callable[[Machine], bool]) -> Callable[[Machine], str | None]:
    """A look that lets something happen once, at its moment; a string that it returns is a wish to stop."""
    happened: list[bool] = []

    def look(machine: Machine) -> str | None:
        if happened or not when(machine):
            return None
        happened.append(True)
        wish = act()
        return wish if isinstance(wish, str) else None

    return look


def copying(machine: Machine) -> bool:
    """Some bytes of something in flight have arrived."""
    return any(flight.bytes_copied > 0 for flight in machine.run.flying.values())


def carry(
    folder: Path,
    bootstrap: str,
    operation: str = "apply",
    *,
    eye: Eye | None = None,
    stop: str | None = None,
    kill_at: int = -1,
    **changes: Any,
) -> End:
    """One run on real brokers; ``kill_at``: SIGKILL itself once that many entries are in the journal."""
    of = opened(folder)
    options = replace(Limits().of_run(of.schedule), **{"poll_s": 0.3, "grace_s": 3.0, **changes})
    job = of.job if operation == "apply" else of.job.way_back
    with Journal(folder) as journal, KafkaPort(bootstrap) as port:
        machine = Machine(job, options, Memory.of(journal.entries), stop=stop)
        log: Any = Fatal(journal, kill_at) if kill_at >= 0 else journal
        return drive(machine, Carrier(port), log, eye or Eye(), Limits().helm(folder, options))


class Fatal:
    """A journal whose n-th entry is the last thing that its process does."""

    def __init__(self, journal: Journal, kill_at: int) -> None:
        self.journal, self.left = journal, kill_at

    def append(self, entry: Mapping[str, Any]) -> None:
        self.journal.append(entry)
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)
        self.left -= 1


def carried(
    plan: Plan, operation: str = "apply", eye: Eye | None = None, **how: Any
) -> tuple[End, list[str]]:
    """A run of a plan in this process: how it ended, and what it said."""
    eye = eye or Eye()
    return carry(plan.folder, plan.cluster.bootstrap(), operation, eye=eye, **how), eye.heard


def killed(plan: Plan, kill_at: int, operation: str = "apply", **how: Any) -> bool:
    """Whether a run in a process of its own was killed at that journal entry (False: it had ended before)."""
    process = apart(plan, operation, kill_at=kill_at, **how)
    process.join(timeout=120)
    assert process.exitcode in (0, -signal.SIGKILL), process.exitcode
    return process.exitcode == -signal.SIGKILL


def killed_after(plan: Plan, seconds: float, operation: str = "apply") -> bool:
    """Whether a run in a process of its own was killed after so long (False: it had ended before)."""
    process = apart(plan, operation)
    process.join(timeout=seconds)
    process.kill()
    process.join(timeout=120)
    assert process.exitcode in (0, -signal.SIGKILL), process.exitcode
    return process.exitcode == -signal.SIGKILL


def apart(plan: Plan, operation: str, **how: Any) -> Any:
    """A run in a process of its own, which need not import everything anew."""
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload(["harness.inside"])
    process = forks.Process(target=carry, args=(plan.folder, plan.cluster.bootstrap(), operation), kwargs=how)
    process.start()
    return process
