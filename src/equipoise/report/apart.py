"""What a goal of squared distances comes to, as people count it: how far brokers are apart at most."""

from __future__ import annotations

from equipoise.cluster import Plan
from equipoise.cluster.apart import Spread
from equipoise.cluster.apart import apart as measured
from equipoise.planning.goals import GOALS
from equipoise.report.figures import holders
from equipoise.report.words import apart_words


def apart(plan: Plan) -> dict[str, str]:
    """Goal → ``at most 50 apart``, after the plan; empty where that tells nothing."""
    spread = Spread(plan.cluster, plan.target, plan.eligible, holders(plan, "leaders"))
    found = measured(GOALS.values(), spread)
    return {goal: f"at most {apart_words(count)}" for goal, count in found.items()}
