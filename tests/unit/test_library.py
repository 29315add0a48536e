"""``import equipoise``: what it gives, what it costs, and that its page is true."""

from __future__ import annotations

import ast
import doctest
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import equipoise
from equipoise.cluster import Brokers, build_cluster
from equipoise.errors import UnusableInput
from equipoise.library.options import Options
from equipoise.planning.request.options import READERS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "library.md"


@pytest.fixture
def cluster() -> equipoise.Cluster:
    """The six partitions of the examples."""
    return equipoise.read(ROOT / "examples" / "orders.txt")


def sections() -> list[str]:
    """The sessions of the page, all of them one after the other."""
    return re.findall(r"^```pycon\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.slow
def test_the_page_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line that it shows gives what it shows, in one session from top to bottom."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    session = doctest.DocTestParser().get_doctest("\n".join(sections()), {}, PAGE.name, str(PAGE), 0)
    assert len(session.examples) > 20
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    failed, _ = runner.run(session, out=told.append)
    assert failed == 0, "".join(told)


def test_the_page_has_every_name() -> None:
    """Those that its table names are those that there are."""
    (table,) = re.findall(r"^\| name \|.*?\n\n", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    cells = [line.split("|")[1] for line in table.splitlines()[2:] if line]
    named = {name for cell in cells for name in re.findall(r"`(\w+)", cell)}
    assert named == set(equipoise.__all__)


def test_every_name_is_there() -> None:
    """Each is found, typed as it is told to type checkers, and nothing else is."""
    assert [name for name in equipoise.__all__ if getattr(equipoise, name).__name__ != name] == []
    tree = ast.parse((ROOT / "src" / "equipoise" / "__init__.py").read_text(encoding="utf-8"))
    told = next(node for node in tree.body if isinstance(node, ast.If))
    imported = {alias.name for node in told.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert imported == set(equipoise.__all__)
    with pytest.raises(AttributeError, match="no attribute 'plans'"):
        _ = equipoise.plans


@pytest.mark.slow
def test_import_brings_nothing_else() -> None:
    """No library and no room of ours is loaded before a name is used; Spark never is."""
    code = (
        "import sys; before = set(sys.modules); import equipoise;"
        "print(sorted(set(sys.modules) - before));"
        "equipoise.plan(equipoise.read('examples/orders.txt'), drain=5);"
        "print({'pyspark', 'typer', 'rich', 'kafka'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["['equipoise']", "set()"]


def test_options_are_those_of_the_command_line() -> None:
    """The same names, so that a new one is missing nowhere."""
    assert {name.replace("_", "-") for name in Options.__annotations__} == set(READERS)


def test_a_range_names_brokers(cluster: equipoise.Cluster) -> None:
    """Any sequence of numbers is as good as a list of them."""
    assert equipoise.plan(cluster, drain=range(5, 6)).request == {"drain": (5,)}


def test_request_and_options_are_not_mixed(cluster: equipoise.Cluster) -> None:
    """Which of the two counted would be a guess."""
    with pytest.raises(UnusableInput, match="drain: is given beside a request"):
        equipoise.plan(cluster, equipoise.Request(), drain=5)


def test_a_plan_is_judged_by_its_own_state(cluster: equipoise.Cluster) -> None:
    """Another cluster beside it would prove nothing."""
    best = equipoise.plan(cluster, drain=5)
    with pytest.raises(UnusableInput, match="the state it was made from"):
        equipoise.check(best, cluster)
    with pytest.raises(UnusableInput, match="the options it was made with"):
        equipoise.check(best, drain=4)


def test_a_plan_that_was_changed_is_found(cluster: equipoise.Cluster) -> None:
    """Judged in memory as in a folder: its lists must be those that its certificate is of."""
    from dataclasses import replace

    best = equipoise.plan(cluster, drain=5)
    same = replace(best, target=cluster.replicas)
    assert not equipoise.check(same, optimum=False).passed


@pytest.mark.parametrize(
    "asked",
    [
        {"balance": "count:10,disk:10"},
        {"balance": "disk:5", "max_fill": "99%"},
        {"required_only": True, "drain": "4"},
    ],
    ids=",".join,
)
def test_a_plan_is_set_beside_the_goals_it_was_made_with(asked: Mapping[str, Any]) -> None:
    """Those are the loads of a mix and what is left where nothing is levelled: none that nobody asked for."""
    disk = dict.fromkeys((1, 2, 3, 4), 100e9)
    lists, sizes = [[1, 2], [1, 2], [2, 1], [1, 3], [1, 2], [4, 3]], [k * 1e9 for k in range(1, 7)]
    state = build_cluster(
        "orders", Brokers.of([1, 2, 3, 4], disk_bytes=disk), ["pay"] * 6, range(6), lists, size_bytes=sizes
    )
    plan = equipoise.plan(state, **asked)
    beside = {entry["goal"]: entry["value"] for entry in equipoise.check(plan).from_optimum or ()}
    known = {level.goal: level.value for level in plan.certificate if level.value is not None}
    assert beside == known and ("disk" in beside) is ("balance" in asked)
