"""What the texts leave open, from the option to the algorithm, and every way to write it wrongly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from equipoise.cli.main import app
from equipoise.errors import UnusableInput
from equipoise.files.wish import read_wish
from equipoise.planning.driver.solve import make_plan
from equipoise.planning.published.interface import STRATEGIES, load
from equipoise.planning.published.settings import KNOWN, Settings, settings_for
from equipoise.planning.request.options import request_of

DEMONSTRATION = [[7, 18], [8, 19], [9, 10], [0, 11], [1, 12], [2, 13], [3, 14], [4, 15], [5, 16], [6, 17]]
PROPOSED = [[14, 17], [15, 18], [16, 0], [17, 1], [18, 2], [0, 3], [1, 4], [2, 5], [3, 6], [4, 7]]
"""killerwhile's text: what the real tool answered when broker 19 was left out."""


def settings_in(strategy: str, written: str) -> Settings:
    request = request_of({"strategy": strategy, "strategy-settings": written})
    return settings_for(request.strategy, request.strategy_settings)


@pytest.mark.parametrize(
    ("strategy", "written", "expected"),
    [
        ("generate", "seed=3,start-index=14, shift=2", Settings(seed=3, start_index=14, shift=2)),
        ("bin-packing", "placement=storage", Settings(placement="storage")),
        ("mixed-integer", "balance-factors=0.8:1.1,batch-weight=2.5",
         Settings(balance_factors=(0.8, 1.1), batch_weight=2.5)),
        ("generate", "placer=round-robin,disable-rack-aware=yes",
         Settings(placer="round-robin", disable_rack_aware=True)),
        ("appier", "check-first=no", Settings(check_first=False)),
        ("appier", "steps=followers+leaders", Settings(steps=("leaders", "followers"))),
        ("pinterest", "residue=no,costs=no,prune=no", Settings(residue=False, costs=False, prune=False)),
        ("wix", "unbalanced-ratio=1", Settings(unbalanced_ratio=1.0)),
    ],
)  # fmt: skip
def test_every_setting_can_be_written(strategy, written, expected):
    """Each as its text names it; the others keep the text's default."""
    assert settings_in(strategy, written) == expected


@pytest.mark.parametrize("name", KNOWN)
def test_a_setting_is_one_that_its_strategies_read(name):
    """No setting is listed that does nothing: the module that is named takes its value from the settings."""
    field = name.replace("-", "_")
    for strategy in KNOWN[name].strategies:
        assert strategy in STRATEGIES
        module = Path(load(strategy).__file__)  # type: ignore[attr-defined]
        assert f"settings.{field}" in module.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("strategy", "written", "words"),
    [
        ("generate", "sead=3", ["no setting 'sead'", "seed, start-index, shift"]),
        ("generate", "seed", ["'seed='", "a whole number"]),
        ("generate", "shift=-1", ["'shift=-1'", "a whole number"]),
        ("generate", "seed=1,seed=2", ["'seed' is given twice"]),
        ("generate", "placement=count", ["'generate' has no setting 'placement'", "seed, start-index"]),
        ("greedy", "seed=1", ["'greedy' has no setting 'seed'", "one of generate and mixed-integer"]),
        ("mixed-integer", "balance-factors=0.9", ["'balance-factors=0.9'", "LOW:HIGH"]),
        ("mixed-integer", "balance-factors=1:0.9", ["'balance-factors=1:0.9'", "LOW:HIGH"]),
        ("mixed-integer", "batch-weight=inf", ["'batch-weight=inf'", "above 0"]),
        ("bin-packing", "placement=disk", ["'placement=disk'", "count or storage"]),
        ("appier", "check-first=maybe", ["'check-first=maybe'", "yes or no"]),
        ("appier", "steps=leaders+elections", ["'steps=leaders+elections'", "replicas, leaders, followers"]),
        ("pinterest", "prune=maybe", ["'prune=maybe'", "yes or no"]),
        ("wix", "unbalanced-ratio=0", ["'unbalanced-ratio=0'", "above 0"]),
    ],
)
def test_what_makes_no_sense_is_named(strategy, written, words):
    """One line with the option, the setting, the value, and what may stand there."""
    with pytest.raises(UnusableInput) as error:
        settings_in(strategy, written)
    assert all(word in str(error.value) for word in ["--strategy-settings", *words]), str(error.value)
    assert "\n" not in str(error.value)


def test_the_exact_planner_has_no_settings(problem_of):
    """Settings without a strategy that reads them are refused, not ignored."""
    with pytest.raises(UnusableInput, match="'flow' has no setting 'seed'"):
        make_plan(problem_of([[1, 2]]).cluster, request_of({"strategy-settings": "seed=1"}))


@pytest.fixture
def source(tmp_path):
    partitions = [{"topic": "x.y.z.t", "partition": k, "replicas": r} for k, r in enumerate(DEMONSTRATION)]
    (tmp_path / "now.json").write_text(json.dumps({"version": 1, "partitions": partitions}))
    return str(tmp_path / "now.json")


def test_plan_prints_what_the_real_tool_proposed(source):
    """`plan --strategy generate` with the start and the shift that it drew: all ten lists of the text."""
    drawn = ["--strategy", "generate", "--strategy-settings", "start-index=14,shift=2"]
    done = CliRunner().invoke(app(), ["plan", source, "--brokers", "0-18", *drawn, "--json"])
    said = json.loads(done.stdout)
    assert [move["after"] for move in said["moves"]] == PROPOSED
    assert said["request"]["strategy_settings"] == [["start-index", "14"], ["shift", "2"]]


@pytest.mark.slow
def test_compare_gives_each_strategy_the_settings_that_it_knows(source):
    """Beside ours, which has none, and beside all others."""
    drawn = ["--brokers", "0-18", "--strategy-settings", "start-index=14,shift=2", "--json"]
    done = CliRunner().invoke(app(), ["compare", source, "--strategy", "generate", *drawn])
    flow, generate = json.loads(done.stdout)["rows"]
    assert (flow["data_moves"], generate["data_moves"]) == (1, 20)
    assert generate["same_twice"] is True


def test_a_fleets_wish_may_have_them(tmp_path):
    """`run` reads them from equipoise.toml, as text or as a table."""
    (tmp_path / "equipoise.toml").write_text('strategy = "wix"\nstrategy-settings = "unbalanced-ratio=1"\n')
    assert read_wish(tmp_path).request.strategy_settings == (("unbalanced-ratio", "1"),)
    table = 'strategy = "generate"\nstrategy-settings = {seed = 4, shift = 1}\n'
    (tmp_path / "equipoise.toml").write_text(table)
    assert read_wish(tmp_path).request.strategy_settings == (("seed", "4"), ("shift", "1"))
    (tmp_path / "equipoise.toml").write_text('strategy = "wix"\nstrategy-settings = "unbalanced-ratio=low"\n')
    with pytest.raises(UnusableInput, match="strategy-settings: 'unbalanced-ratio=low' makes no sense"):
        read_wish(tmp_path)
