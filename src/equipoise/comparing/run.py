"""Run strategies one after the other, each in a process of its own that can be ended."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from time import perf_counter

import numpy as np

from equipoise.cluster import Cluster, Level, measures
from equipoise.cluster.brokers import IntArray
from equipoise.comparing.measured import Row, measure
from equipoise.errors import EquipoiseError, ImpossibleRequest
from equipoise.planning import make_plan
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.request import Request
from equipoise.planning.published.interface import STRATEGIES, load, target_of
from equipoise.planning.published.settings import Settings, settings_for, settings_of
from equipoise.planning.request.laying import build_problem
from equipoise.solver_process import NoAnswer, SolverProcess

OURS = "flow"
START_S = 120.0
"""A process that says nothing for so long will not start."""


@dataclass(frozen=True)
class Entry:
    """A line of the table: a strategy under certain settings."""

    label: str
    strategy: str
    settings: Settings = field(default_factory=Settings)


@dataclass(frozen=True)
class Answer:
    """What the process of an entry sends first."""

    target: IntArray | None
    seconds: float
    reason: str = ""
    certificate: tuple[Level, ...] = ()
    finished: bool = True
    """False where it took too long, or its process ended."""


@dataclass(frozen=True)
class Again:
    """What it sends after a second run on the same input, and one on its own result."""

    same_twice: bool | None = None
    moves_on_second_run: int | None = None
    changes_on_second_run: int | None = None


def entries(cluster: Cluster, request: Request, time_limit_s: float) -> list[Entry]:
    """Ours first, then every published algorithm, some under settings that their texts name as well.

    A strategy that the request names stands alone beside ours.
    """
    settings, given = Settings(time_limit_s=time_limit_s), request.strategy_settings
    if request.strategy != OURS:
        load(request.strategy)
        alone = Entry(request.strategy, request.strategy, settings_for(request.strategy, given, settings))
        return [Entry(OURS, OURS), alone]
    settings = settings_of(given, settings)
    variants = {
        "appier": {"unchecked": replace(settings, check_first=False)},
        "wix": {"fine tuning": replace(settings, unbalanced_ratio=1.0)},
    }
    if not np.isnan(cluster.size_bytes).any() and "disk" not in request.mix:
        variants["bin-packing"] = {"storage": replace(settings, placement="storage")}
    listed = [Entry(OURS, OURS)]
    for name in STRATEGIES:
        listed.append(Entry(name, name, settings))
        listed += [Entry(f"{name} ({how})", name, other) for how, other in variants.get(name, {}).items()]
    return listed


def compare(
    cluster: Cluster,
    request: Request,
    listed: Iterable[Entry],
    *,
    time_limit_s: float,
    told: Callable[[str], None] = lambda label: None,
) -> list[Row]:
    """A row for each entry; ``told`` hears the label of each before it runs.

    Bounds come from the certificate of `flow`, so it should be the first entry.
    """
    problem = build_problem(cluster, as_ours(request))
    bounds: tuple[Level, ...] = ()
    apart_of_ours: Mapping[str, int] | None = None
    unknown = f"{OURS} did not run"
    rows = []
    with Bench(cluster, request, time_limit_s) as bench:
        for entry in listed:
            told(entry.label)
            answer, again = bench.run(entry)
            if entry.strategy == OURS:
                bounds = answer.certificate
                unknown = f"{OURS} {'found no plan' if answer.finished else 'did not finish'}"
            row = row_of(problem, entry, answer, again, bounds)
            if entry.strategy == OURS:
                apart_of_ours = row.apart
            row = replace(row, apart_of_ours=apart_of_ours)
            rows.append(row if bounds or row.reason else replace(row, nothing_proved=unknown))
    return rows


def row_of(
    problem: Problem, entry: Entry, answer: Answer, again: Again | None, bounds: Sequence[Level]
) -> Row:
    """Measure an answer, or keep its reason."""
    if answer.target is None:
        return Row(entry.label, reason=answer.reason, seconds=answer.seconds)
    later = vars(again) if again else {}
    return Row(entry.label, seconds=answer.seconds, **measure(problem, answer.target, bounds), **later)


def as_ours(request: Request) -> Request:
    """The request, to be planned and measured by our own strategy, whatever one it names."""
    return replace(request, strategy=OURS, strategy_settings=())


class Bench:
    """A process that runs entries, ended and begun anew where one takes too long.

    A process rather than a thread: solvers hold the interpreter's lock and cannot be interrupted.
    """

    def __init__(self, cluster: Cluster, request: Request, time_limit_s: float) -> None:
        self.cluster, self.request, self.time_limit_s = cluster, request, time_limit_s

    def __enter__(self) -> Bench:
        self.process = SolverProcess(serve, self.cluster, self.request)
        self.process.received(START_S)
        return self

    def __exit__(self, *error: object) -> None:
        self.process.end()

    def run(self, entry: Entry) -> tuple[Answer, Again | None]:
        """The entry's answers, the second None where it found no plan or no time."""
        try:
            self.process.send(entry)
            first = self.process.received(self.time_limit_s)
        except NoAnswer as silence:
            self.restart()
            return Answer(None, self.time_limit_s, str(silence), finished=False), None
        if first.target is None:
            return first, None
        try:
            return first, self.process.received(2 * self.time_limit_s)  # it runs twice more
        except NoAnswer:
            self.restart()
            return first, None

    def restart(self) -> None:
        self.__exit__()
        self.__enter__()


def serve(connection: Connection, cluster: Cluster, request: Request) -> None:
    """In the process: answer each entry, then answer it again and plan from the answer."""
    for module in ("ortools.graph.python.max_flow", "ortools.graph.python.min_cost_flow", "scipy.optimize"):
        importlib.import_module(module)  # so that seconds are the algorithms' own
    connection.send("up")
    while True:
        entry = connection.recv()
        start = perf_counter()
        try:
            target, certificate = solve(cluster, request, entry)
        except EquipoiseError as refusal:
            reasons = refusal.reasons if isinstance(refusal, ImpossibleRequest) else [str(refusal)]
            connection.send(Answer(None, perf_counter() - start, "; ".join(reasons)))
            continue
        connection.send(Answer(target, perf_counter() - start, "", certificate))
        try:
            connection.send(once_more(cluster, request, entry, target))
        except EquipoiseError:  # what it arrived at is no start for it
            connection.send(Again())


def solve(cluster: Cluster, request: Request, entry: Entry) -> tuple[IntArray, tuple[Level, ...]]:
    """The assignment of one run, and for ours its certificate."""
    if entry.strategy == OURS:
        plan = make_plan(cluster, as_ours(request))
        return plan.target, plan.certificate
    return target_of(entry.strategy, build_problem(cluster, request), entry.settings), ()


def once_more(cluster: Cluster, request: Request, entry: Entry, target: IntArray) -> Again:
    """Run on the same input with other lots drawn, and on the result."""
    drawn = replace(entry, settings=replace(entry.settings, seed=entry.settings.seed + 1))
    problem = build_problem(cluster, request)
    twin, _ = solve(cluster, request, drawn)
    after, follow_up = applied(problem, target)
    second, _ = solve(after, follow_up, drawn)
    return Again(
        same_twice=twin.shape == target.shape and bool((twin == target).all()),
        moves_on_second_run=measures.data_moves(target, second),
        changes_on_second_run=len(measures.changed_rows(target, second)),
    )


def applied(problem: Problem, target: IntArray) -> tuple[Cluster, Request]:
    """The cluster once the plan has run, and what is still asked of it: nothing is replaced twice."""
    cluster = replace(problem.cluster, replicas=target, leader=target[:, 0], allow_empty_lists=False)
    request = problem.request
    gone = (*request.drain, *(old for old, _ in request.replace))
    return cluster, replace(request, create=(), replace=(), drain=gone, goals=problem.goals)
