"""docs/certificate.md says all that a plan folder holds, and its second judge proves what ours proves."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.scenarios.strategies import case
from typer.testing import CliRunner

from equipoise import judge
from equipoise.cli.main import app
from equipoise.cluster import Plan
from equipoise.cluster.cluster import FIGURES
from equipoise.cluster.proofs import NetworkName, ProofKind
from equipoise.errors import EquipoiseError
from equipoise.files.archive import archive_bytes
from equipoise.files.plan_directory import write_plan
from equipoise.files.state import BROKER_COLUMNS, COLUMNS
from equipoise.judge.certificate import verify
from equipoise.judge.goals.interface import Goal
from equipoise.judge.goals.registry import GOALS
from equipoise.planning import make_plan

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "certificate.md").read_text(encoding="utf-8")
UNDERSTOOD = ("partitions", "leaders")
"""Networks that the second judge builds."""


def block(kind: str) -> str:
    """The page's code block of a kind."""
    found = re.search(rf"^```{kind}\n(.*?)^```", TEXT, re.M | re.S)
    assert found is not None
    return found[1]


@pytest.fixture(scope="module")
def second_judge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page's program as a file."""
    path = tmp_path_factory.mktemp("page") / "second_judge.py"
    path.write_text(block("python"), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def drained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the page's example."""
    out = tmp_path_factory.mktemp("drained") / "plan"
    done = CliRunner().invoke(
        app(), ["plan", str(ROOT / "examples/orders.txt"), "--drain", "5", "--out", str(out)]
    )
    assert done.exit_code == 0, done.output
    return out


def said(program: Path, folder: Path) -> str:
    """What the second judge prints of a plan folder."""
    run = subprocess.run(
        [sys.executable, str(program), str(folder)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_the_second_judge_prints_what_the_page_shows(second_judge: Path, drained: Path) -> None:
    shown = TEXT.split("$ python second_judge.py plan\n")[1].split("```")[0]
    assert said(second_judge, drained) == shown


def test_the_second_judge_knows_nothing_of_ours() -> None:
    """It imports NumPy and the standard library alone."""
    imported = set(re.findall(r"^(?:import|from) (\w+)", block("python"), re.M))
    assert imported == {"json", "sys", "pathlib", "numpy"}


@pytest.mark.slow
def test_prices_that_prove_less_are_seen(second_judge: Path, drained: Path, tmp_path: Path) -> None:
    """With prices of 0 the moves are not proved to be needed; prices that would wrap around are refused."""
    files = {path.name: path.read_bytes() for path in drained.iterdir() if path.is_file()}
    proofs = dict(np.load(io.BytesIO(files["certificate.npz"])))
    key = next(f"{name[:-5]}/potential" for name, text in proofs.items() if str(text) == "moves")
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "certificate.npz").write_bytes(archive_bytes({**proofs, key: proofs[key] * 0}))
    assert "moves: 4, at least 0\n" in said(second_judge, tmp_path)
    (tmp_path / "certificate.npz").write_bytes(archive_bytes({**proofs, key: proofs[key] - 2**62}))
    with pytest.raises(AssertionError, match="64 bits"):
        said(second_judge, tmp_path)


def understood(theme: str, seed: int) -> Plan | None:
    """The plan of a random case, if it drains brokers at most and the second judge knows its networks."""
    drawn = case(theme, seed)
    mixed = len({rack is None for rack in drawn.racks.values()}) == 2
    if mixed or set(drawn.request.to_json()) - {"drain", "brokers"}:
        return None
    try:
        plan = make_plan(drawn.cluster(), drawn.request)
    except EquipoiseError:
        return None
    levels = [k for k, level in enumerate(plan.certificate) if level.proof == ProofKind.FLOW_DUAL]
    return plan if all(str(plan.proofs[f"level{k}/network"]) in UNDERSTOOD for k in levels) else None


@pytest.mark.slow
def test_both_judges_prove_the_same(second_judge: Path, tmp_path: Path) -> None:
    """On random clusters, with racks and weights or without, every bound is the same to the last unit."""
    compared = above = 0
    for seed in range(60):
        if (plan := understood("one", seed)) is None:
            continue
        rules = judge.rules_of(plan.cluster, plan.request)
        everyone = np.ones(plan.cluster.n_brokers, dtype=bool)
        ours = verify(judge.Case(plan.cluster, plan.target, rules, everyone), plan.certificate, plan.proofs)
        write_plan(plan, tmp_path / str(seed))
        theirs = said(second_judge, tmp_path / str(seed)).splitlines()
        for found, level, line in zip(ours, plan.certificate, theirs, strict=True):
            if level.proof == ProofKind.FLOW_DUAL:
                assert line == f"{level.goal}: {level.value}, at least {found.bound}", (seed, line)
                compared += 1
                above += (found.bound or 0) > 0
    assert compared > 30 and above > 5


def test_every_kind_and_every_network_is_told() -> None:
    """Each proof has its line, each network its section."""
    table = TEXT.split("\n## Kinds of proof")[1].split("\n## ")[0]
    assert sorted(re.findall(r"^\| `([\w-]+)` \| ", table, re.M)) == sorted({"proof", *ProofKind})
    networks = TEXT.split("\n## Networks")[1].split("\n## ")[0]
    named = [re.findall(r"`(\w[\w+-]*)`", heading) for heading in re.findall(r"^### (.*)$", networks, re.M)]
    assert sorted(name for names in named for name in names) == sorted(NetworkName)


def test_every_goal_is_told_where_it_has_a_part() -> None:
    """Each goal has a line of the program; and one of each network that the judge finds it a part of."""
    told = {heading: named_in(section) for heading, section in sections()}
    assert told["program"] == set(GOALS)
    for network, part in (("partitions", "on_placement"), ("leaders", "on_leaders"), ("items", "on_orders")):
        base = getattr(Goal, part)
        assert told[network] == {
            name for name, goal in GOALS.items() if getattr(type(goal), part) is not base
        }


def sections() -> Iterator[tuple[str, str]]:
    """The first network that a heading names, and what stands under it."""
    for part in TEXT.split("\n### ")[1:]:
        heading, text = part.split("\n", 1)
        if found := re.search(r"`(\w[\w-]*)`", heading):
            yield found[1], text.split("\n## ")[0]


def named_in(section: str) -> set[str]:
    """Goals that begin a line of a table."""
    first = (line.split(" | ")[0] for line in section.splitlines() if line.startswith("| `"))
    return {name for cell in first for name in re.findall(r"`([\w-]+)`", cell)}


def test_every_array_is_told(drained: Path) -> None:
    """Whatever a plan folder holds for a judge has its line: columns of the state, arrays of a proof."""
    files = TEXT.split("### state.npz")[1].split("## The request")[0]
    told = {
        name for line in re.findall(r"^\| (`.*?) \| ", files, re.M) for name in re.findall(r"`([^`]+)`", line)
    }
    state = {*COLUMNS, *FIGURES, *(f"brokers/{name}" for name in BROKER_COLUMNS), "facts"}
    assert state <= told
    arrays = {re.sub(r"\d+", "{k}", name, count=1) for name in np.load(drained / "certificate.npz").files}
    assert arrays <= told
