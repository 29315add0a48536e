"""Planning in a process of its own: its death, its time and its memory cost one cluster."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from equipoise.cluster import Brokers, build_cluster
from equipoise.files.plan_directory import read_plan
from equipoise.files.wish import Wish
from equipoise.pipeline.transforms import planner
from equipoise.pipeline.transforms.merge_task import State, Trouble
from equipoise.pipeline.transforms.planner import Order, planned
from equipoise.planning.problem.request import Request


def order(folder: Path, n: int = 4, **limits: Any) -> Order:
    """A drain in a cluster of so many partitions."""
    brokers = Brokers.of([1, 2, 3, 4])
    lists = [[1 + p % 4, 1 + (p + 1) % 4] for p in range(n)]
    cluster = build_cluster("c", brokers, ["t"] * n, list(range(n)), lists)
    return Order(State(cluster, False, ()), Wish(Request(drain=(4,)), **limits), None, str(folder))


def outcome(given: Order) -> str:
    """The reason why there is no plan; "" where there is one, which can be read."""
    answer = planned(given)
    if isinstance(answer, Trouble):
        assert not Path(given.folder).exists()
        return answer.reason
    assert len(read_plan(given.folder).changed)
    return ""


@pytest.mark.slow
def test_one_process_plans_many_clusters(tmp_path: Path) -> None:
    """It is started once; what one cluster may take is no bound for the next."""
    assert outcome(order(tmp_path / "small", memory_limit=1)) == "its planning takes more than 0 MB of memory"
    assert planner.planner is not None
    pid = planner.planner.process.pid
    assert outcome(order(tmp_path / "one")) == outcome(order(tmp_path / "two")) == ""
    assert planner.planner.process.pid == pid


def test_a_library_that_was_refused_memory_may_say_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its error names no memory: that is the reason where all that was allowed is held, and else none."""

    def refused(_: Order) -> None:
        raise SystemError("error return without exception set")

    monkeypatch.setattr(planner, "carried_out", refused)
    little, much = (planner.answer_to(order(tmp_path, memory_limit=limit)) for limit in (10**6, 10**12))
    assert isinstance(little, Trouble) and little.reason == "its planning takes more than 1 MB of memory"
    assert isinstance(much, Trouble) and much.reason.startswith("unexpected: SystemError")


def test_memory_is_for_all_who_plan(tmp_path: Path) -> None:
    """Clusters that are planned at one time share what the machine has; what is wished for goes first."""
    one, *_ = four = [replace(order(tmp_path), at_once=4)] * 4
    assert sum(each.memory for each in four) <= planner.memory_there() < 5 * one.memory
    assert replace(one, wish=replace(one.wish, memory_limit=5)).memory == 5


ONE = """
import sys
from pathlib import Path
from equipoise.pipeline.transforms import planner
from tests.unit.pipeline.test_planner import order

for module in planner.NEEDED:
    planner.importlib.import_module(module)
before = set(sys.modules)
planner.carried_out(order(Path(sys.argv[1])))
print(*[name for name in set(sys.modules) - before if name.startswith("equipoise")])
"""


@pytest.mark.slow
def test_nothing_is_loaded_where_memory_is_bounded(tmp_path: Path) -> None:
    """Loading a module there fails in as many ways as there are libraries."""
    command = [sys.executable, "-c", ONE, tmp_path / "plan"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.slow
def test_a_process_that_is_killed(tmp_path: Path) -> None:
    """As the kernel does where memory is short: a reason, nothing left behind, and the next is planned."""
    assert outcome(order(tmp_path / "before")) == ""
    running = planner.planner
    assert running is not None
    killer = threading.Thread(target=killed_at_work, args=(running.process.pid,))
    killer.start()
    said = outcome(order(tmp_path / "killed", 60_000))
    killer.join()
    assert said.startswith("its planning was killed by signal 9: out of memory, perhaps")
    assert outcome(order(tmp_path / "after")) == ""
    assert {entry.name for entry in tmp_path.iterdir()} == {"before", "after"}


@pytest.mark.slow
def test_a_process_that_is_killed_between_two_clusters(tmp_path: Path) -> None:
    """It costs none of them."""
    assert outcome(order(tmp_path / "before")) == ""
    assert planner.planner is not None
    planner.planner.process.kill()
    planner.planner.process.wait()
    assert outcome(order(tmp_path / "after")) == ""


def killed_at_work(pid: int) -> None:
    """SIGKILL once the process has used a little more time."""

    def ticks() -> int:
        return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))

    before, end_at = ticks(), time.monotonic() + 60
    while ticks() < before + 20 and time.monotonic() < end_at:
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)


@pytest.mark.slow
def test_a_process_that_takes_too_long(tmp_path: Path) -> None:
    """It is ended, and the next cluster is planned."""
    said = outcome(order(tmp_path / "late", 60_000, time_limit_s=0.01))
    assert said == "its planning takes longer than its time-limit of 0.01 seconds"
    assert outcome(order(tmp_path / "after")) == ""


@pytest.fixture(autouse=True, scope="module")
def ended() -> object:
    """The process ends with these tests."""
    yield
    if planner.planner is not None:
        planner.planner.end()
        planner.planner = None
