"""What an operator sees of a run: bars on a terminal, one line a while elsewhere; and Ctrl-C."""

from __future__ import annotations

import math
import select
import signal
import sys
import time
from contextlib import suppress
from threading import Event
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

from equipoise.cli.output import say
from equipoise.cli.signals import given_back, taken
from equipoise.cli.streams import Gone, Unwritable
from equipoise.cli.voice import is_json, is_quiet
from equipoise.report.words import duration, number, plural, size
from equipoise.scheduling.rounds import elections_s, rounds_s
from equipoise.wording import printable

if TYPE_CHECKING:
    from equipoise.execution.instructions import Confirm
    from equipoise.execution.machine import Machine

LINE_EVERY_S, HEAR_EVERY_S = 10.0, 0.2
CTRL_C, END_OF_INPUT = "\x03", "\x04"
CHOICES = {"f": "finish", "c": "cancel", "l": "leave", "g": None, CTRL_C: "leave", END_OF_INPUT: "finish"}
YES = ("y", "yes")
QUESTION = "[f]inish what is in flight and stop, [c]ancel it, [l]eave it running throttled, [g]o on? "


class Face:
    """Lines on standard output; the base of the terminal's face too."""

    def __init__(self, what: str, *, yes: bool, ended: Event | None = None) -> None:
        """``what`` says in one sentence what will be done once the operator agrees; ``ended`` is set by a
        signal that ends the run, and keeps one from beginning."""
        self.what, self.yes, self.quiet = what, yes, is_quiet()
        self.ended = ended or Event()
        self.interrupts: list[int] = []
        self.pace = Pace()
        self.last_line = 0.0

    def __enter__(self) -> Face:
        self.before = taken(self.hear, signal.SIGINT)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        given_back(self.before)
        if self.interrupts:  # heard when there was nothing left to stop
            self.ended.set()

    @property
    def asks(self) -> bool:
        """Whether somebody is there to answer."""
        return sys.stdin.isatty()

    def hear(self, heard: int, frame: FrameType | None) -> None:
        """Only note the signal: the request that is under way is finished first."""
        self.interrupts.append(heard)

    def confirm(self, question: Confirm) -> bool:
        """Say what will be done; ask on a terminal unless ``--yes`` was given."""
        if self.ended.is_set():
            say("Nothing was done: it was stopped before it began.")
            return False
        if question.left_over:
            return self.clears(question.left_over)
        say(self.what)
        if question.flying or question.done:
            say(f"Of these {question.done} are done and {question.flying} in flight already.")
        if self.yes or not question.pending + question.flying + question.dirs:
            return True
        if not self.asks:
            say("Nothing was done: give --yes to go ahead.")
            return False
        return self.answer("Go ahead? [y/N] ") in YES

    def clears(self, left_over: tuple[str, ...]) -> bool:
        """Whether throttles that nothing needs end with the run: without a terminal an option says so."""
        if self.yes or not self.asks:
            return False
        for line in left_over:
            say(line)
        return self.answer("Nothing that moves needs them. Clear them with this run? [y/N] ") in YES

    def wish(self, machine: Machine) -> str | None:
        """How to stop after a signal: asked on a terminal, else what flies is let finish.

        A second signal, also while the question stands, leaves it running, as SIGTERM and SIGHUP do.
        """
        if not self.interrupts:
            return None
        heard, self.interrupts = self.interrupts, []
        stop = self.meant_by(heard, machine)
        if stop is not None:
            self.ended.set()
        return stop

    def meant_by(self, heard: list[int], machine: Machine) -> str | None:
        if len(heard) > 1 or heard[0] != signal.SIGINT:
            return "leave"
        if machine.run.phase == "checking":  # nothing is begun, and nothing will be
            return "finish"
        return self.ask() if self.asks else "finish" if machine.run.stop is None else "leave"

    def ask(self) -> str | None:
        while (answer := self.answer("\n" + QUESTION)[:1]) not in CHOICES:
            pass
        return CHOICES[answer]

    def answer(self, question: str) -> str:
        """What is typed; a terminal that is gone, while it is asked too, is the end of input."""
        try:
            return self.typed(question)
        except OSError:
            return END_OF_INPUT

    def typed(self, question: str) -> str:
        """A signal is an answer too, while ``input`` would wait on after one that is noted."""
        print(question, end="", flush=True)
        while not select.select([sys.stdin], [], [], HEAR_EVERY_S)[0]:
            if self.interrupts:
                self.interrupts = []
                return CTRL_C
        line = sys.stdin.readline()
        return line.strip().lower() if line else END_OF_INPUT

    def say(self, text: str) -> None:
        """A line, if anyone reads it: a run goes on when its output is closed or full."""
        with suppress(Gone, Unwritable):
            say(text)

    def show(self, machine: Machine, now: float) -> None:
        self.pace.see(machine, now)
        if self.quiet or machine.run.phase not in ("moving", "settling", machine.run.held):
            return
        if time.monotonic() - self.last_line >= LINE_EVERY_S:
            self.last_line = time.monotonic()
            self.say(self.pace.line(machine))


class Pace:
    """How fast bytes arrive, smoothed over half a minute, and how long the rest will take."""

    def __init__(self) -> None:
        self.seen: list[tuple[float, float]] = []

    def see(self, machine: Machine, now: float) -> None:
        self.seen.append((now, machine.run.bytes_now()[0]))
        while len(self.seen) > 2 and now - self.seen[1][0] > 30:
            del self.seen[0]

    @property
    def rate(self) -> float:
        """Bytes a second; 0 while nothing is known."""
        if len(self.seen) < 2:
            return 0.0
        (first, had), (last, has) = self.seen[0], self.seen[-1]
        return max(0.0, (has - had) / (last - first)) if last > first else 0.0

    def left(self, machine: Machine) -> float:
        """Seconds that the rest will take at this rate, NaN where nothing tells."""
        run = machine.run
        if self.rate <= 0:
            return math.nan
        copies_s = (run.bytes_whole - run.bytes_now()[0]) / self.rate
        rest_s = max(copies_s, rounds_s(len(run.queue), run.options.max_inflight))
        return rest_s + elections_s(run.job.n_elections)

    def line(self, machine: Machine) -> str:
        """One line of progress."""
        figures = machine.run.figures()
        parts = [f"{number(figures['done'])} of {plural(figures['moves'], 'change')} done"]
        parts.append(f"{figures['in flight']} in flight")
        if figures["between log dirs"]:
            parts.append(f"{figures['between log dirs']} between log dirs")
        if machine.run.bytes_whole > 0:
            parts.append(f"{size(machine.run.bytes_now()[0])} of {size(machine.run.bytes_whole)} copied")
            if self.rate > 0:
                parts.append(f"{size(self.rate)}/s")
                parts.append(f"about {duration(self.left(machine))} left")
        if machine.run.held:
            parts.append(machine.run.held)
        return ", ".join(parts)


class TerminalFace(Face):
    """Two bars that stay in place: partitions and bytes."""

    def __enter__(self) -> TerminalFace:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        super().__enter__()
        self.bars = Progress(
            TextColumn("{task.description:>10}"),
            BarColumn(),
            TextColumn("{task.fields[told]}"),
            console=Console(highlight=False),
            transient=True,
            auto_refresh=False,
        )
        self.tasks: dict[str, Any] = {}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError, Gone, Unwritable):  # the terminal may be gone
            self.bars.stop()
        super().__exit__(kind, error, trace)

    def ask(self) -> str | None:
        self.bars.stop()
        return super().ask()

    def say(self, text: str) -> None:
        self.bars.console.print(printable(text), markup=False, soft_wrap=True)

    def show(self, machine: Machine, now: float) -> None:
        self.pace.see(machine, now)
        if self.quiet or machine.run.phase == "checking":
            return
        if not self.tasks:
            self.tasks = {name: self.bars.add_task(name, told="") for name in ("changes", "bytes")}
        self.bars.start()
        figures, total = machine.run.figures(), machine.run.bytes_whole
        told = f"{figures['done']}/{figures['moves']}, {figures['in flight']} in flight, {machine.run.phase}"
        self.bars.update(self.tasks["changes"], total=figures["moves"], completed=figures["done"], told=told)
        copied = machine.run.bytes_now()[0]
        left = duration(self.pace.left(machine))
        told = f"{size(copied)}/{size(total)}, {size(self.pace.rate)}/s, {left} left"
        self.bars.update(self.tasks["bytes"], total=total or 1, completed=copied, told=told)
        self.bars.refresh()


class LogFace(Face):
    """For ``--log json``: asks nobody, and what is said is written by the run's outlets."""

    asks = False

    def say(self, text: str) -> None: ...

    def show(self, machine: Machine, now: float) -> None:
        self.pace.see(machine, now)


def face_for(what: str, *, yes: bool, ended: Event | None = None) -> Face:
    """Bars where standard output is a terminal, lines elsewhere."""
    kind = LogFace if is_json() else TerminalFace if sys.stdout.isatty() else Face
    return kind(what, yes=yes, ended=ended)
