"""What the pages say, as data, compared with copies that a person has read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from equipoise.cluster import Plan
from equipoise.report.compare_data import compare_data
from equipoise.report.compare_verdict import verdict
from equipoise.report.fleet_data import fleet_data
from equipoise.report.plan_data import plan_data
from equipoise.scheduling import Schedule

FLEET_ROW = {
    "summary": {"data_moves": 3, "bytes_moved": 4096, "leadership_changes": 1, "partitions_changed": 3},
    "source": {"missing": []},
    "before": {"replicas_per_broker": {"1": 6, "2": 0, "3": 3}},
    "after": {"replicas_per_broker": {"1": 5, "2": 4, "3": 0}},
    "certificate": [{"goal": "moves", "value": 3, "lower_bound": 3, "gap": 0.0, "proof": "flow-dual"}],
}


def scheduled(plan: Plan, **known: Any) -> Schedule:
    """Two waves, of rows 0 and 3 and of row 1; times are not known unless they are given."""
    facts: dict[str, Any] = {
        "order": np.array([0, 3, 1]), "waves": (np.array([0, 3]), np.array([1])), "max_inflight": 2,
        "throttle_bytes_per_s": 5e7, "unit": "bytes", "wave_seconds": np.array([np.nan, np.nan]),
        "seconds": np.nan, "copy_seconds": np.nan, "bound_seconds": np.nan, "gap": 0.0, "bottleneck": "",
    }  # fmt: skip
    return Schedule(plan, **(facts | known))


@pytest.mark.parametrize("name", ["removal", "growth", "nothing_to_do"])
def test_page_data_of_a_plan(name, request, golden):
    """Every figure, sentence and chart of three plans is what it was."""
    golden(name, plan_data(request.getfixturevalue(name)))


def test_row_order_of_the_input_does_not_matter(removal, removal_shuffled):
    """The same cluster read in another order gives the same data."""
    assert plan_data(removal) == plan_data(removal_shuffled)


def test_page_data_of_a_schedule(growth, golden):
    """Waves become a chart, and what is held back is named with its rule."""
    waves = scheduled(
        growth, wave_seconds=np.array([0.0, 40.0]), seconds=45.0, copy_seconds=41.0, bound_seconds=40.0,
        gap=0.025, bottleneck="broker 5, inbound", blocked={2: "no room on broker 5"},
        notes=("sizes of 1 partition are not known",),
    )  # fmt: skip
    data = plan_data(growth, waves)
    golden("schedule", {"schedule": data["schedule"], "chart": data["charts"]["waves"]})


def test_waves_without_times_are_counted(growth):
    """Without sizes or rates a wave shows its partitions, not a made-up time."""
    waves = scheduled(growth, throttle_bytes_per_s=None, unit="partitions")
    data = plan_data(growth, waves)
    assert (data["charts"]["waves"]["unit"], data["charts"]["waves"]["values"]) == ("partitions", [2.0, 1.0])
    assert data["schedule"]["seconds"] is None


def test_page_data_of_a_fleet(golden):
    """Planned clusters by name, clusters without a plan and lines set aside with their reasons."""
    clusters = [
        {**FLEET_ROW, "cluster": "b"},
        {"cluster": "c", "reason": "impossible"},
        {**FLEET_ROW, "cluster": "a b"},
    ]
    quarantine = [{"cluster": "b", "file": "x.csv", "line": None, "place": "3 samples", "reason": "odd"}]
    run = {"seconds": 12.3, "tables": {"moves": 3}, "parts": ["x", "y"], "master": "local[2]", "clean": False}
    golden("fleet", fleet_data(clusters, quarantine, run))


def test_a_row_of_plan_summary_is_as_good_as_a_plan_file():
    """The fleet page reads both: in the table the figures stand beside the others, not below them."""
    flat = {key: value for key, value in FLEET_ROW.items() if key not in ("summary", "source")}
    row = {**flat, **FLEET_ROW["summary"], "missing": [], "cluster": "a", "outcome": "planned"}
    assert fleet_data([row], [], {}) == fleet_data([{**FLEET_ROW, "cluster": "a"}], [], {})


def test_page_data_of_a_comparison(golden):
    """Best values are marked, a strategy without a plan keeps its reason and has no bars."""
    rows = [
        {
            "strategy": "flow",
            "spread": 1,
            "same_twice": True,
            "data_moves": 10,
            "seconds": 0.5,
            "distance_to_bound": 0.0,
        },
        {
            "strategy": "greedy",
            "spread": 7,
            "same_twice": False,
            "data_moves": 8,
            "seconds": 0.1,
            "distance_to_bound": 0.25,
        },
        {"strategy": "permutations", "reason": "too many brokers"},
    ]
    criteria = [
        {"key": "spread", "title": "Replica spread"},
        {"key": "same_twice", "title": "Same output twice", "better": "high"},
    ]
    golden("comparison", compare_data(rows, criteria, "orders"))


def test_the_verdict_of_a_comparison():
    """Ours first, then where the others fall behind, who does as well, and who finds none."""
    at = {"greedy": "moves", "wix": "racks", "appier": "racks", "generate": ""}
    rows = [{"strategy": "flow", "data_moves": 1, "falls_behind_at": ""}]
    rows += [{"strategy": name, "data_moves": 3, "falls_behind_at": goal} for name, goal in at.items()]
    rows.append({"strategy": "permutations", "reason": "too many brokers"})
    assert verdict(rows, "flow") == [
        "Equipoise (flow) takes 1 data move, and at every goal no plan does better.",
        "3 of 4 others with a plan fall behind; the first goal at which they do is the rack rule for 2,"
        " data moves for 1.",
        "As good at every goal: generate.",
        "1 strategy finds no plan.",
    ]
    short = [{"strategy": "flow", "data_moves": 2, "falls_behind_at": "topics"}]
    (sentence,) = verdict(short, "flow")
    assert sentence == (
        "Equipoise (flow) takes 2 data moves; at topics level it is above what is proved possible."
    )
    lost = [{"strategy": "flow", "reason": "no broker is left"}, {"strategy": "wix", "falls_behind_at": ""}]
    assert verdict(lost, "flow")[0] == "Equipoise (flow) found no plan: no broker is left."
    assert verdict([{"strategy": "flow", "data_moves": 1}], "flow") == []


def test_a_large_plan_carries_its_first_rows(many_changes: Plan):
    """Beyond the limit the rows that move data come first, and all are counted."""
    from equipoise.report.moves import moves_table

    table = moves_table(many_changes, limit=250)
    assert (table["shown"], table["total"], table["counts"]) == (250, 600, [200, 0, 400, 0])
    assert table["kind"] == [0] * 200 + [2] * 50
    assert table["partition"][:3] == [0, 3, 6]


def test_heat_map_adds_up_to_the_data_moves(many_changes: Plan, growth: Plan):
    """Cells sum to the data moves; a copy that takes no other's place is told apart."""
    from equipoise.report.heat import transfers

    table, copies = transfers(many_changes)
    assert (table.sum(), copies.sum()) == (200, 0)
    table, copies = transfers(growth)
    assert (table.sum(), copies.sum()) == (1, 1)
    assert table[2, 4] == 1  # broker 3 to broker 5


def test_heat_map_of_a_huge_cluster_is_grouped(monkeypatch, many_changes: Plan):
    """Where brokers are too many for cells of their own, neighbours share one and nothing is lost."""
    from equipoise.report import heat

    monkeypatch.setattr(heat, "MAX_SIDE", 8)
    chart = heat.heat_chart(many_changes)
    assert chart is not None
    assert len(chart["from"]) <= 8
    assert chart["to"][0] == "0 … 4"
    assert sum(chart["cells"][2::3]) == 200


def test_strategies_at_one_point_share_its_name():
    """A stack of names cannot be read: the point names the first, and all of them when pointed at."""
    rows = [{"strategy": name, "data_moves": moves, "x": 3} for name, moves in
            (("flow", 5), ("a", 0), ("b", 0), ("c", 5), ("d", 7))]  # fmt: skip
    cost = compare_data(rows, [{"key": "x", "title": "X"}])["charts"]["cost"]
    assert cost["points"] == [
        [5, 3, "flow + 1 other", "flow, c"], [0, 3, "a + 1 other", "a, b"], [7, 3, "d", "d"],
    ]  # fmt: skip
    assert cost["ours"] == "flow + 1 other"
