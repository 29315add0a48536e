"""Where a run is told of beside the terminal: a command for each event, a file of metrics, lines of JSON."""

from __future__ import annotations

import json
import re
import shlex
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from stories import MB, SMALL, Story, Watcher, flying, once, story, tp, with_options

from equipoise.cli.faces import Face
from equipoise.cli.limits import Limits
from equipoise.cli.metrics import HELP, MetricsFile
from equipoise.cli.on_event import Hook, split
from equipoise.cli.outlets import Outlets
from equipoise.cli.voice import LOG
from equipoise.errors import UnusableInput
from equipoise.execution.driver import drive
from equipoise.execution.events import ACTED_UPON
from equipoise.execution.instructions import End
from equipoise.execution.machine import Machine
from equipoise.execution.memory import Memory
from equipoise.execution.orders import Orders
from equipoise.execution.simulated import SimulatedCarrier

WRITES = """import sys
with open(sys.argv[1], "ab") as file:
    file.write(sys.stdin.buffer.read())
"""
PATIENT_S = 300.0
"""On a busy machine a program may take its time to begin."""
WAVES = [[tp("pay-0"), tp("log-0")], [tp("pay-1"), tp("log-1"), tp("tmp-0")]]


class Terminal(Face):
    """Lines that are kept."""

    def __init__(self) -> None:
        super().__init__("what will be done", yes=True)
        self.heard: list[str] = []

    def say(self, text: str) -> None:
        self.heard.append(text)


def carried(
    told: Story, hook: Hook | None = None, metrics: MetricsFile | None = None, *orders: tuple[float, Orders],
    look: Watcher | None = None, **options: Any,
) -> tuple[End, list[str]]:  # fmt: skip
    """A run with outlets, and what was said on the terminal."""

    def helm() -> Orders:
        return next((order for since, order in reversed(orders) if told.model.now >= since), Orders())

    class Eye(Terminal):
        def show(self, machine: Machine, now: float) -> None:
            self.pace.see(machine, now)
            (look or Watcher()).show(machine, now)

    face = Eye()
    machine = Machine(told.job, with_options(**options), Memory.of(told.log.entries))
    with Outlets("drain-4", WAVES, face, hook, metrics) as outlets:
        end = drive(machine, SimulatedCarrier(told.model), told.log, face, helm, outlets)
    return end, face.heard


def command(program: str, *arguments: str) -> str:
    return shlex.join([sys.executable, "-c", program, *arguments])


def events_in(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.slow
def test_a_command_gets_each_event_in_order(tmp_path: Path) -> None:
    """Begun, paused, let go, given another rate, stuck while a broker is down, both waves done, ended."""
    told, path = story(SMALL), tmp_path / "events"
    dies = once(lambda: told.model.kill(3), lambda machine: flying(machine) and told.model.now >= 4)
    back = once(lambda: told.model.revive(3), lambda machine: told.model.now >= 60)
    end, heard = carried(
        told, Hook(command(WRITES, str(path)), PATIENT_S), None,
        (0, Orders()), (1, Orders("paused")), (2, Orders()), (3, Orders(throttle=5 * MB)),
        look=Watcher(lambda machine: dies(machine) or back(machine)), max_inflight=4,
    )  # fmt: skip
    assert end.outcome == "finished" and not any("on-event" in line for line in heard)
    events = events_in(path)
    kinds = [event["event"] for event in events]
    assert kinds[0] == "begun" and kinds[-1] == "ended" and set(kinds) == set(ACTED_UPON)
    assert kinds.index("held") < kinds.index("released") < kinds.index("throttle") < kinds.index("stuck")
    assert {event["wave"] for event in events if event["event"] == "wave"} == {1, 2}
    last = events[-1]
    assert (last["outcome"], last["reasons"], last["done"], last["pending"]) == ("finished", [], 5, 0)
    for event in events:
        assert event["version"] == 1 and event["plan"] == "drain-4" and event["operation"] == "apply"
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}\+00:00", event["time"])
    assert next(event for event in events if event["event"] == "stuck")["throttle"] == 5 * MB


@pytest.mark.parametrize(
    ("program", "limit_s", "said"),
    [
        ("import sys; sys.exit(3)", PATIENT_S, "ended with 3"),
        ("import time; time.sleep(600)", 0.3, "was killed: it took more than 0.3 seconds|falls behind"),
        (None, PATIENT_S, r"cannot be run \(No such file or directory\)"),
    ],
    ids=["fails", "hangs", "is not there"],
)
@pytest.mark.slow
def test_a_command_that_is_no_good_hurts_nothing(program: str | None, limit_s: float, said: str) -> None:
    """The run ends as it would; what is wrong is said once, without the command's arguments."""
    told = story(SMALL)
    hook = Hook(command(program, "s3cret") if program else "/nowhere/page --token s3cret", limit_s)
    end, heard = carried(told, hook)
    assert (end.outcome, end.reasons, told.throttles()) == ("finished", (), {})
    (line,) = [line for line in heard if "--on-event" in line]
    assert re.search(said, line) and "the run goes on" in line and "s3cret" not in line
    hook.thread.join(PATIENT_S)
    assert not hook.thread.is_alive()


def test_a_command_that_hangs_is_killed_with_what_it_has_started() -> None:
    """Its own child too, which would go on for ten minutes."""
    hook = Hook("sh -c 'sleep 600 & sleep 600; :'", 0.3)
    hook.tell({"event": "begun"})
    hook.events.put(None)
    hook.thread.join(PATIENT_S)
    assert hook.fault == "--on-event: sh was killed: it took more than 0.3 seconds; the run goes on"


def test_a_command_need_not_read_what_it_gets(tmp_path: Path) -> None:
    """Its output goes nowhere."""
    told, path = story(SMALL), tmp_path / "ran"
    end, heard = carried(told, Hook(command(f"open({str(path)!r}, 'w'); print('x' * 99999)"), PATIENT_S))
    assert end.outcome == "finished" and heard == [] and path.exists()


def samples(text: str) -> dict[str, float]:
    """Samples by name and labels, after a look at the form of the text."""
    typed: set[str] = set()
    found: dict[str, float] = {}
    for line in text.splitlines():
        if line.startswith("#"):
            typed.add(line.split()[2])
            continue
        name, value = line.rsplit(" ", 1)
        matched = re.fullmatch(r'([a-z_]+)\{([a-z]+="[^"\n]*"(,[a-z]+="[^"\n]*")*)\}', name)
        assert matched and matched[1] in typed, line
        found[name] = float(value)
    assert text.endswith("\n")
    return found


def value(found: dict[str, float], name: str, more: str = "") -> float:
    return found[f'equipoise_run_{name}{{plan="drain-4",operation="apply"{more}}}']


def test_metrics_tell_how_far_it_is(tmp_path: Path) -> None:
    """While it copies, is stuck, and at its end; the collector may read it, and no other file is left."""
    told, path = story(SMALL), tmp_path / "drain-4.prom"
    seen: list[dict[str, float]] = []
    dies = once(lambda: told.model.kill(3), lambda machine: told.model.now >= 4)
    back = once(lambda: told.model.revive(3), lambda machine: told.model.now >= 60)

    def look(machine: Machine) -> None:
        if path.exists():
            seen.append(samples(path.read_text()))
        dies(machine), back(machine)

    end, _ = carried(told, None, MetricsFile(path, "drain-4"), look=Watcher(look))
    assert end.outcome == "finished" and list(tmp_path.iterdir()) == [path]
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert any(0 < value(one, "copied_bytes") < value(one, "planned_bytes") for one in seen)
    assert any(value(one, "stuck_moves") > 0 and value(one, "healthy") == 0 for one in seen)
    assert all(value(one, "throttle_bytes_per_second") == 2 * MB for one in seen)
    assert max(value(one, "copy_bytes_per_second") for one in seen) > 0
    last = samples(path.read_text())
    assert value(last, "up") == 0 and value(last, "outcome", ',outcome="finished"') == 1
    assert value(last, "moves", ',state="done"') == 5 and value(last, "remaining_seconds") == 0
    names = {line.split("{")[0].removeprefix("equipoise_run_") for line in last}
    assert names == set(HELP)


def test_a_metrics_file_that_cannot_be_written_is_said_once(tmp_path: Path) -> None:
    told, folder = story(SMALL), tmp_path / "there"
    end, heard = carried(told, None, MetricsFile(folder / "x.prom", "drain-4"))
    assert end.outcome == "finished"
    assert heard == [f"--metrics-file {folder / 'x.prom'}: cannot be written (No such file or directory)"]


@pytest.fixture
def in_json() -> Iterator[None]:
    before = LOG.set("json")
    yield
    LOG.reset(before)


def test_each_thing_said_is_a_line_of_json(in_json: None, capsys: pytest.CaptureFixture[str]) -> None:
    """Events, notes and faults of other outlets."""
    told = story(SMALL)
    carried(told, Hook("/nowhere/page", PATIENT_S), None, (0, Orders("paused")), (2, Orders()))
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    kinds = [line["event"] for line in lines]
    assert kinds[:2] == ["note", "begun"] and {"held", "released", "wave", "ended"} <= set(kinds)
    assert all(line["version"] == 1 and line["text"] for line in lines)
    assert sum("--on-event" in line["text"] for line in lines) == 1


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (Limits(on_event=""), "--on-event"),
        (Limits(on_event="page '"), "no closing quotation"),
        (Limits(metrics_file=Path("/nowhere/x.prom")), "there is no folder /nowhere"),
        (Limits(metrics_file=Path("/tmp")), "is a folder"),
    ],
)
def test_outlets_that_cannot_be_are_refused_first(limits: Limits, said: str) -> None:
    with pytest.raises(UnusableInput, match=said):
        limits.refuse_outlets()


def waves(events: Sequence[dict[str, Any]]) -> list[int]:
    return [event["wave"] for event in events if event["event"] == "wave"]


def test_a_run_that_is_taken_up_tells_of_the_waves_that_it_ends(tmp_path: Path) -> None:
    """What was done before is no news."""
    told, path = story(SMALL), tmp_path / "events"
    carried(told, Hook(command(WRITES, str(path)), PATIENT_S), None, (5, Orders(over=True)), max_inflight=2)
    first = waves(events_in(path))
    path.unlink()
    end, _ = carried(told, Hook(command(WRITES, str(path)), PATIENT_S))
    assert end.outcome == "finished" and sorted(first + waves(events_in(path))) == [1, 2]


def test_a_command_that_does_not_split_is_not_repeated() -> None:
    """Its arguments may be secrets: only why it is none is told."""
    with pytest.raises(UnusableInput) as told:
        split("curl -H 'Authorization: planted-secret")
    assert str(told.value) == "--on-event: it is no command (no closing quotation)"
