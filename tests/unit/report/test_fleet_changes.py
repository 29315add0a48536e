"""What to look at first in a fleet, and what is new in it."""

from __future__ import annotations

from typing import Any

from equipoise.report import fleet_page
from equipoise.report.fleet_changes import changes, worst_first


def row(cluster: str, **told: Any) -> dict[str, Any]:
    """A row of ``plan_history``."""
    nothing = dict.fromkeys(("brokers", "partitions", "data_moves", "leadership_changes"), 3)
    return {"cluster": cluster, "outcome": "planned", "reason": None, "set_aside": 0} | nothing | told


def test_the_worst_cluster_is_first() -> None:
    """Without a plan, then by errors, by the disk that is full soonest, by warnings, by moves."""
    rows = [
        row("calm"),
        row("busy", data_moves=9),
        row("warned", warned=2),
        row("late", days_until_full=80.0),
        row("soon", days_until_full=3.0),
        row("sick", errors=1, days_until_full=90.0),
        row("lost", outcome="set aside", data_moves=None),
    ]
    assert [one["cluster"] for one in worst_first(rows)] == [
        "lost", "sick", "soon", "late", "warned", "busy", "calm",
    ]  # fmt: skip


def test_what_is_new() -> None:
    """Clusters that come, go, lose their plan or cost something else; nothing of those that stay."""
    before = [row("gone"), row("lost"), row("more"), row("same")]
    now = [
        row("lost", outcome="set aside", reason="its planning was killed"),
        row("more", data_moves=5, set_aside=1),
        row("new"),
        row("same"),
    ]
    assert changes(now, before) == [
        "lost: set aside, before planned: its planning was killed",
        "more: data moves 5, before 3; pieces set aside 1, before 0",
        "new: is new",
        "gone: is gone",
    ]


def test_the_page_says_it() -> None:
    """Findings and what is new have sections; a first run has nothing to compare with."""
    finding = {"severity": "error", "cluster": "c", "check": "gaps", "subject": "broker 3", "detail": "none"}
    page = fleet_page([], [], {}, [finding], ["c: is new"])
    assert "<td>broker 3</td>" in page and "<li>c: is new</li>" in page
    assert "Nothing has changed" in fleet_page([], [], {}, [], [])
    assert "Since the run before" not in fleet_page([], [], {})
