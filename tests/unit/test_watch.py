"""Rounds of ``equipoise watch``: what is worth while, what is left alone, and what ends them."""

from __future__ import annotations

import signal
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Timer

import numpy as np
import pytest

from equipoise.cli.faces import Face
from equipoise.cli.limits import Limits
from equipoise.cli.main import main
from equipoise.cli.pause import Pause
from equipoise.cli.rounds import Rounds
from equipoise.cli.worth import furthest_off, why_idle
from equipoise.cluster import Cluster, build_cluster
from equipoise.cluster.brokers import Brokers
from equipoise.cluster.log_dirs import LogDirs
from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.execution.instructions import Confirm
from equipoise.execution.port import Unreachable
from equipoise.planning import make_plan
from equipoise.planning.problem.request import Request


def cluster(lists: list[list[int]]) -> Cluster:
    """Brokers 1 to 3 and a topic with these lists."""
    return build_cluster(
        "watched", Brokers.of([1, 2, 3]), ["t"] * len(lists), list(range(len(lists))), lists,
    )  # fmt: skip


SKEWED = [[1], [1], [1], [1], [2], [2], [3], [3], [3]]
"""Broker 1 has one more than its share of three, which is as level as can be; broker 2 one less."""


@dataclass(frozen=True)
class Seen(Rounds):
    """Rounds that see a given cluster."""

    state: Cluster | None = None

    def seen(self, folder: Path) -> Cluster:
        assert self.state is not None
        return self.state


def rounds(state: Cluster, **given: object) -> Seen:
    made = Seen("nowhere:9092", None, Request(), 0.0, None, None, Event(), state)
    return replace(made, **given)  # type: ignore[arg-type]


def test_a_level_cluster_is_left_alone() -> None:
    assert rounds(cluster([[1], [2], [3]])).round().words == "nothing to do"


def test_a_little_off_is_left_alone_until_it_is_more() -> None:
    """From 20 % on: what drifts by less is not moved to and fro."""
    near = cluster([[1]] * 12 + [[2]] * 10 + [[3]] * 8)
    told = rounds(near, above=25.0).round()
    assert told.words == "left as it is: broker 1 is 20 % off its share of replicas, 25 % is allowed"
    assert rounds(near, above=15.0).round().words == "2 data moves, 2 leadership changes, 2 of 30 partitions"


def test_counts_within_one_of_their_share_are_level() -> None:
    state = cluster(SKEWED)
    assert {off.percent for off in furthest_off(make_plan(state), state, Request())} == {0.0}


def test_what_a_rule_asks_is_always_done() -> None:
    """A broker to be emptied is, however level the cluster is."""
    state, request = cluster([[1], [2], [3]]), Request(drain=(3,))
    assert why_idle(make_plan(state, request), state, request, 1000.0) == ""


ONE_EACH = [[broker] for broker in (1, 2, 3) for _ in range(4)]


@pytest.mark.parametrize(("first", "idle"), [(1.1, True), (2.0, False)])
@pytest.mark.slow
def test_a_load_is_measured_where_it_is_what_the_plan_levels(first: float, idle: bool) -> None:
    """Counts are even and most comes in on one broker: with `--balance network-in` that is what matters."""
    rates = [first if row < 4 else 1.0 for row in range(12)]
    state = replace(cluster(ONE_EACH), bytes_in_per_s=1000 * np.array(rates))
    request = Request(balance=("network-in:1:1",))
    told = why_idle(make_plan(state, request), state, request, 20.0)
    said = "left as it is: broker 1 is 6 % off its share of network-in, 20 % is allowed"
    assert told == (said if idle else "")
    assert why_idle(make_plan(state), state, Request(), 20.0) == "nothing to do"


@pytest.mark.parametrize(("off", "above", "idle"), [(1, None, True), (2, None, False), (1, 0.0, False)])
def test_by_default_loads_may_drift_by_ten_beyond_their_tolerance(
    off: int, above: float | None, idle: bool
) -> None:
    """With a tolerance of 5 % a broker that is 13 % off is left, one that is 25 % off is not; with 0 both are
    levelled."""
    state = cluster([[1]] * (40 + 5 * off) + [[2]] * 40 + [[3]] * (40 - 5 * off))
    request = Request(tolerance=(5.0, 5.0), balance=("count",), goals=("replicas", "moves"))
    told = why_idle(make_plan(state, request), state, request, above)
    assert bool(told) is idle, told
    assert not idle or told.endswith(" % off its share of replicas, 15 % is allowed")


def with_dirs(first: list[int]) -> Cluster:
    """Level but for broker 1, whose log dirs /a and /b hold partitions of these sizes; 0: in /b."""
    sizes = [size or 100 for size in first] + [sum(size or 100 for size in first) / 2] * 4
    lists = [[1]] * len(first) + [[2]] * 2 + [[3]] * 2
    state = build_cluster(
        "watched", Brokers.of([1, 2, 3]), ["t"] * len(lists), list(range(len(lists))), lists,
        size_bytes=np.array(sizes, dtype=float),
    )  # fmt: skip
    at = [0 if size else 1 for size in first] + [2, 3, 4, 5]
    paths = ("/a", "/b") * 3
    known, yes = np.full(6, np.nan), np.ones(6, dtype=bool)
    dirs = LogDirs([1, 1, 2, 2, 3, 3], paths, known, yes, list(range(len(lists))), at)  # type: ignore[arg-type]
    return replace(state, dirs=dirs)


@pytest.mark.parametrize(("first", "idle"), [([100, 5, 5, 0], True), ([50, 50, 50, 50, 0], False)])
def test_log_dirs_may_drift_by_ten_beyond_their_tolerance(first: list[int], idle: bool) -> None:
    """Brokers are level, and one log dir is 5 % or 33 % off its share: only the second is worth while."""
    state, request = with_dirs(first), Request(log_dirs="level:1", topics="t", goals=("moves",))
    plan = make_plan(state, request)
    told = why_idle(plan, state, request, None)
    said = "left as it is: broker 1 is 5 % off its share of log dir /a, 11 % is allowed"
    assert told == (said if idle else "")


def test_a_log_dir_that_is_to_be_empty_is_emptied_however_level_all_is() -> None:
    state, request = with_dirs([100, 0]), Request(drain_dir=((1, "/b"),))
    plan = make_plan(state, request)
    assert not plan.is_empty and why_idle(plan, state, request, 1000.0) == ""


def test_cpu_is_not_what_a_snapshot_tells() -> None:
    """The first round says so, and no other is begun."""
    with pytest.raises(UnusableInput, match="--balance cpu: the CPU figures of 9 partitions are not known"):
        rounds(cluster([[1]] * 9), request=Request(balance=("cpu",))).round()


def test_each_round_that_plans_leaves_its_folder(tmp_path: Path) -> None:
    far = cluster([[1]] * 9)
    told = rounds(far, out=tmp_path / "rounds").round()
    (folder,) = (tmp_path / "rounds").iterdir()
    assert told.words == f"6 data moves, 6 leadership changes, 6 of 9 partitions: {folder}"
    assert (folder / "reassignment.json").is_file() and (folder / "rollback.json").is_file()
    rounds(cluster([[1], [2], [3]]), out=tmp_path / "none").round()
    assert not (tmp_path / "none").exists()


def test_a_run_that_was_left_is_taken_up_before_anything_is_planned(tmp_path: Path) -> None:
    """Two runs of one watch never fly at once."""
    far, begun = cluster([[1]] * 9), []

    @dataclass(frozen=True)
    class Resumed(Seen):
        def run(self, folder: Path, *, resume: bool = False) -> str:
            begun.append((folder, resume))
            return "carried out"

    rounds(far, out=tmp_path).round()
    (folder,) = tmp_path.iterdir()
    (folder / "journal.jsonl").write_text('{"type":"begin","operation":"apply","plan":"sha256:0"}\n')
    made = Resumed("nowhere:9092", None, Request(), 0.0, tmp_path, Limits(), Event(), far)
    assert made.round().words == f"{folder.name}: taken up; carried out"
    assert begun == [(folder, True)]


def test_a_request_that_cannot_be_satisfied_ends_nothing_by_itself() -> None:
    with pytest.raises(ImpossibleRequest):
        rounds(cluster([[1, 2, 3]]), request=Request(drain=(1,))).round()


NOBODY = ["watch", "--bootstrap-server", "127.0.0.1:1", "--rounds", "1"]


@pytest.mark.parametrize(
    "option", ["--for", "--per-broker", "--max-inflight", "--if-stuck", "--on-event", "--health"]
)
def test_what_no_run_can_have_is_refused_before_the_first_round(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not in the first round that has something to carry out, days later."""
    with pytest.raises(SystemExit) as end:
        main([*NOBODY, option, ""])
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith(f"equipoise: {option}: ")


def test_a_round_that_cannot_reach_the_cluster_has_failed_and_the_next_one_looks_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And the exit code tells at the end that one had failed."""
    looks = iter([None, cluster([[1], [2], [3]])])

    def seen(self: Rounds, folder: Path) -> Cluster:
        if (found := next(looks)) is None:
            raise Unreachable("cannot reach nowhere:9092: connection refused")
        return found

    monkeypatch.setattr(Rounds, "seen", seen)
    with pytest.raises(SystemExit) as end:
        main([*NOBODY[:-1], "2", "--every", "0.01s"])
    told = capsys.readouterr()
    assert told.err == "equipoise: cannot reach nowhere:9092: connection refused\n"
    assert "nothing to do" in told.out and "2 rounds" in told.out and end.value.code == 1


def test_figures_that_nothing_follows_are_refused_before_the_first_round(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as end:
        main([*NOBODY, "--health", "kafka.prom"])
    assert end.value.code == 2 and "--health: nothing follows it" in capsys.readouterr().err


def test_options_of_runs_that_never_begin_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([*NOBODY, "--for", "2h"])
    assert end.value.code == 1
    said = "equipoise: no run begins without --apply: no use is made of the options of runs\n"
    assert capsys.readouterr().err.startswith(said)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.slow
def test_the_wait_between_rounds_ends_at_once(number: signal.Signals) -> None:
    before = signal.getsignal(signal.SIGHUP)
    with Pause() as pause:
        assert not pause.over(0.01)
        Timer(0.1, signal.raise_signal, [number]).start()
        assert pause.over(60)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getsignal(signal.SIGHUP) is before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_it_looks_or_plans_begins_nothing(number: signal.Signals, tmp_path: Path) -> None:
    """Neither a folder is written nor a run begun after it."""

    @dataclass(frozen=True)
    class Interrupted(Seen):
        def seen(self, folder: Path) -> Cluster:
            signal.raise_signal(number)
            return super().seen(folder)

    with Pause() as pause:
        args = ("nowhere:9092", None, Request(), 0.0, tmp_path / "rounds", Limits(), pause.ended)
        told = Interrupted(*args, cluster([[1]] * 9)).round()
        assert told.words.endswith("stopped before anything was done") and pause.over(60)
    assert not (tmp_path / "rounds").exists()


class Flies:
    """What a face needs to know of a run that is under way, by Ctrl-C not yet stopped."""

    class run:
        phase, stop = "moving", None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_a_run_ends_the_watch(number: signal.Signals) -> None:
    """Else the next round would take the run up again that somebody has just ended."""
    with Pause() as pause, Face("", yes=True, ended=pause.ended) as face:
        signal.raise_signal(number)
        assert face.wish(Flies) == ("finish" if number == signal.SIGINT else "leave")  # type: ignore[arg-type]
        assert pause.over(60)


def test_a_signal_as_a_run_ends_is_heard_too() -> None:
    """When there was nothing left to stop."""
    with Pause() as pause:
        with Face("", yes=True, ended=pause.ended):
            signal.raise_signal(signal.SIGTERM)
        assert pause.over(60)


@pytest.mark.slow
def test_no_run_begins_after_a_signal(capsys: pytest.CaptureFixture[str]) -> None:
    """In the moment before the run itself hears signals, and while it checks."""
    face = Face("9 partitions will change.", yes=True, ended=Event())
    face.ended.set()
    assert not face.confirm(Confirm(9, 0, 0))
    assert capsys.readouterr().out == "Nothing was done: it was stopped before it began.\n"
