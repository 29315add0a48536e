"""The certificate in words: for each goal what was reached, what could be, and how that is known."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from equipoise.cluster import Level
from equipoise.cluster.proofs import ProofKind
from equipoise.planning.goals import ALL_GOALS, GOALS, TIE_BREAKS
from equipoise.planning.goals.moves import Moves
from equipoise.planning.problem.problem import RATES
from equipoise.report import words


def rows(
    levels: Sequence[Level], apart: Mapping[str, str] | None = None, *, partial: bool = False
) -> list[dict[str, Any]]:
    """One row for each goal, in the order in which they were decided; ``partial``: of a part of a cluster.

    ``apart``: what squared distances come to, by goal.
    """
    return [
        {
            "goal": level.goal,
            "title": words.goal_title(level.goal),
            "meaning": words.goal_meaning(level.goal),
            "value": level.value,
            "lower_bound": level.lower_bound,
            "gap": level.gap,
            "standing": standing(level),
            "told": told(level, partial=partial),
            "proof": level.proof,
            "apart": (apart or {}).get(level.goal, ""),
            "note": "; ".join(filter(None, [level.note, elsewhere(level), in_sizes(level, levels[:at])])),
        }
        for at, level in enumerate(levels)
    ]


def proofs(levels: Sequence[Level]) -> list[dict[str, str]]:
    """How the bounds of a plan are known, each way told once, in the order in which goals come to it."""
    told = {
        (level.proof, level.gap in (0, None)): words.proof(level.proof, reached=level.gap in (0, None))
        for level in levels
    }
    both = {kind for kind, reached in told if (kind, not reached) in told}
    where = {True: "where it is reached", False: "where it is not"}
    return [
        {"proof": kind, "where": where[reached] if kind in both else "", "words": sentence}
        for (kind, reached), sentence in told.items()
    ]


def in_sizes(level: Level, before: Sequence[Level]) -> str:
    """What a value of bytes is, and whether any plan copies less; "" of other goals, and of 0."""
    if level.goal in OF_LOADS and level.value:
        return OF_LOADS[level.goal](level.value)
    if level.goal not in IN_BYTES or not level.value:
        return ""
    if standing(level) != "proved":
        return words.size(level.value)
    of = "no plan of as few moves" if any(b.goal == Moves.name for b in before) else "no plan as good before"
    return f"{words.size(level.value)}, and {of} copies less"


def standing(level: Level) -> str:
    """How sure the best is at one goal, after the goals before it.

    "proved": no plan does better; "placement": no order of the lists does better where the replicas
    stand; "gap": the bound is not reached; "none": there is no bound; "unknown": there is no value.
    """
    if level.gap is None:
        return "unknown"
    if level.proof == ProofKind.NONE:
        return "none"
    if level.gap > 0:
        return "gap"
    return "placement" if level.proof == ProofKind.GIVEN_PLACEMENT else "proved"


def elsewhere(level: Level) -> str:
    """What no plan is below wherever replicas stand, "" where nothing is known of that."""
    if not level.global_bound:
        return ""
    return f"no placement allows less than {words.number(level.global_bound, 2)}"


def told(level: Level, *, partial: bool = False) -> str:
    """The same in a word or two."""
    return {
        "proved": "best for this part" if partial else "proved",
        "placement": "best for this placement",
        "gap": f"gap {words.percent(level.gap or 0)}",
        "none": "not proved",
        "unknown": "not known",
    }[standing(level)]


def verdict(
    levels: Sequence[Level], asked: Collection[str] | None = None, *, partial: bool = False
) -> dict[str, str]:
    """The badge and its sentence; ``state`` is "best", "near" or "none".

    They speak of the goals that were ``asked`` for by name, without such of all but tie-breaks: those choose
    between plans that are as good to whoever reads a headline. Of a ``partial`` cluster no best is claimed.
    """
    if partial:
        found = verdict(levels, asked)
        state = "none" if found["state"] == "none" else "near"
        badge = found["badge"].replace("proved best", "best for this part")
        return words_of(state, badge, f"{PART} {found['sentence']}")
    if not any(standing(level) not in ("none", "unknown") for level in levels):
        return words_of("none", "no proof", NOTHING_PROVED)
    spoken = [level for level in levels if is_spoken_of(level.goal, asked)] or list(levels)
    at = {name: [level for level in spoken if standing(level) == name] for name in STANDINGS}
    proved = f"{sum(standing(level) == 'proved' for level in levels)} of {len(levels)} goals are proved best"
    doubts = "".join(f"; {doubt(level)}" for level in levels if standing(level) == "gap")
    unknown = ", ".join(level.goal for level in at["unknown"])
    doubts += f"; {unknown}: not known, since no source tells what is counted there" if unknown else ""
    if at["none"]:
        return words_of("near", "not all proved", f"{proved}{doubts}.")
    if at["gap"]:
        return words_of("near", doubt(at["gap"][0]), f"{proved}{doubts}.")
    badge, sentence = "proved best", f"{proved}{doubts}."
    if at["placement"]:
        goals = ", ".join(level.goal for level in at["placement"])
        badge = "best for its placement"
        sentence = f"{proved}; {goals}: best for where the replicas then stand{doubts}."
    elif all(standing(level) == "proved" for level in levels):
        goals = f"any of the {len(levels)} goals, taken in this order" if len(levels) > 1 else "this goal"
        sentence = f"No plan does better at {goals}."
    if unknown:
        return words_of("near", f"{badge}, {unknown} not known", sentence)
    return words_of("best", badge, sentence)


def words_of(state: str, badge: str, sentence: str) -> dict[str, str]:
    """A verdict."""
    return {"state": state, "badge": badge, "sentence": sentence}


NOTHING_PROVED = "This strategy proves nothing: how far its plan is from the best is not known."
PART = "Of a part of the cluster alone, as if it were all there is:"
OF_LOADS = {"disk": words.size, **dict.fromkeys(RATES, words.rate)}
IN_BYTES = frozenset(name for name, goal in GOALS.items() if goal.in_bytes)
STANDINGS = ("proved", "placement", "gap", "none", "unknown")


def is_spoken_of(goal: str, asked: Collection[str] | None) -> bool:
    """Whether a headline speaks of a goal; loads stand for what was to be levelled."""
    return goal not in ALL_GOALS or (goal not in TIE_BREAKS if not asked else goal in asked)


def doubt(level: Level) -> str:
    """Where a better plan may exist, as a manager reads it; of what is counted how much better at most."""
    if level.value is None or level.lower_bound is None:
        return ""
    return words.may_be_better(level.goal, level.value - level.lower_bound)
