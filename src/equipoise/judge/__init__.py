"""Judges assignments, plans and certificates; shares no code with the planner."""

from equipoise.judge.checks import Check, seven_checks
from equipoise.judge.levels import levels
from equipoise.judge.proposal import Overlay, Proposal, lay_over
from equipoise.judge.rules import Rules, rules_of
from equipoise.judge.verdict import Verdict, distance, judge
from equipoise.judge.violations import Case, Violation, check_assignment

__all__ = [
    "Case", "Check", "Overlay", "Proposal", "Rules", "Verdict", "Violation",
    "check_assignment", "distance", "judge", "lay_over", "levels", "rules_of", "seven_checks",
]  # fmt: skip
