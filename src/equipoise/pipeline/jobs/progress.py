"""What a run tells while it works; it may be ignored."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.status import Status
from rich.table import Table

from equipoise.wording import plural

SHOWN = 12
"""Clusters that the live table names; the others are counted."""
EVERY_S = 0.25


class Progress:
    """Tells nobody."""

    def stage(self, text: str) -> None:
        """The run now does this."""

    @contextmanager
    def planning(self, clusters: Sequence[str], states: Path | None) -> Iterator[None]:
        """While the block runs, ``states`` gets a file for each cluster that says what its task is doing.

        None where nobody tells.
        """
        yield


class TerminalProgress(Progress):
    """One line a stage; on a terminal also a sign of life, and a live table of the clusters being planned.

    A context manager: on leaving, the sign of life is gone.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self.sign: Status | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.sign is not None:
            self.sign.stop()
            self.sign = None

    def stage(self, text: str) -> None:
        self.__exit__()
        self.console.print(text, style="dim", highlight=False)
        if self.console.is_terminal:
            self.sign = self.console.status("")
            self.sign.start()

    @contextmanager
    def planning(self, clusters: Sequence[str], states: Path | None) -> Iterator[None]:
        if states is None:
            yield
            return
        self.__exit__()
        over = threading.Event()
        watch = self.draw if self.console.is_terminal else self.list_ended
        thread = threading.Thread(target=watch, args=(clusters, states, over), daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def draw(self, clusters: Sequence[str], states: Path, over: threading.Event) -> None:
        with Live(console=self.console, refresh_per_second=4, transient=True) as live:
            while not over.wait(EVERY_S):
                live.update(states_table(read_states(clusters, states)))

    def list_ended(self, clusters: Sequence[str], states: Path, over: threading.Event) -> None:
        told: set[str] = set()
        ended = False
        while not ended:
            ended = over.wait(EVERY_S)
            for cluster, state in read_states(clusters, states).items():
                if state not in ("waiting", "planning") and cluster not in told:
                    told.add(cluster)
                    self.console.print(f"  {cluster}: {state}", highlight=False)


def read_states(clusters: Sequence[str], states: Path) -> dict[str, str]:
    """What each cluster's task last said; "waiting" before its first word."""

    def state(cluster: str) -> str:
        try:
            return (states / cluster).read_text(encoding="utf-8") or "planning"
        except FileNotFoundError:
            return "waiting"

    return {cluster: state(cluster) for cluster in clusters}


def states_table(states: dict[str, str]) -> Table:
    """The clusters at work first, then those that wait, then those that ended; at most ``SHOWN`` of them."""
    table = Table(box=None, show_header=False, padding=(0, 1))
    order = {"planning": 0, "waiting": 1}
    for cluster, state in sorted(states.items(), key=lambda item: order.get(item[1], 2))[:SHOWN]:
        mark = Spinner("dots") if state == "planning" else {"waiting": "·", "planned": "✓"}.get(state, "✗")
        table.add_row(mark, cluster, state)
    counts = Counter(states.values())
    table.add_row(
        "", plural(len(states), "cluster"), ", ".join(f"{n} {state}" for state, n in sorted(counts.items()))
    )
    return table
