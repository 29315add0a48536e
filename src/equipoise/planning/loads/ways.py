"""The ways to plans that are level in weight, in the order in which they are gone."""

from __future__ import annotations

from equipoise.planning.basis.way import Way

SEARCH = Way(
    "search by prices",
    "a plan level in loads, or as near as the search comes, with bounds in closed form and by prices",
    "one load: 150 x 30: 2.8, 600 x 12: 0.5; three loads: 150 x 30: 5.2",
)
DECIDED = Way(
    "0-1 program",
    "on small clusters whatever the search left open, as far as the program comes",
    "30 x 6 and 120 x 12: 5 to 8",
)
CASES = Way(
    "proof by cases",
    "a proof of what that program claims, case by case",
    "30 x 6 and 120 x 12: 1 to 5",
)
WAYS = (SEARCH, DECIDED, CASES)
