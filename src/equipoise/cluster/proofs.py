"""The words of a certificate: kinds of proof, and the networks that prices belong to.

Planner, judge and reports share these words and nothing else of a proof. A member is its own name in the
files, and has one sentence that says what it is.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class Told(StrEnum):
    """Names of which each has a sentence."""

    sentence: str

    def __new__(cls, name: str, sentence: str = "") -> Self:
        if not sentence:
            raise TypeError(f"{name} has no sentence")
        member = str.__new__(cls, name)
        member._value_ = name
        member.sentence = sentence
        return member


class ProofKind(Told):
    """How the lower bound of a goal is known."""

    FLOW_DUAL = (
        "flow-dual",
        "The solver hands over a price for every broker and rule; summed up over all partitions the prices"
        " show that no plan can score lower.",
    )
    LINEAR_PROGRAM = (
        "linear-program",
        "The solver hands over prices for standing on a broker and for leading there; summed up over all"
        " partitions they show that no plan needs fewer.",
    )
    BRANCH_AND_BOUND = (
        "branch-and-bound",
        "All plans are divided into cases, and in each of them the solver's prices show that none scores"
        " lower.",
    )
    GIVEN_PLACEMENT = (
        "given-placement",
        "The solver's prices show that no order of the lists scores lower where the replicas stand; whether"
        " another, equally good placement would is open.",
    )
    CLOSED_FORM = (
        "closed-form",
        "Counted directly: what overfull or emptied brokers must give away, and what the others must take,"
        " already comes to this much in any plan.",
    )
    INTEGER_PROGRAM = (
        "integer-program",
        "An exact search over every possible plan found none that scores lower.",
    )
    NONE = (
        "none",
        "No proof: this is the best that was found, and the bound is only what is certain.",
    )
    UNKNOWN = (
        "unknown",
        "The sources do not say what this goal is measured by, so it has neither a value nor a bound.",
    )

    @property
    def of_all_plans(self) -> bool:
        """True where the bound is one of every plan that is as good at the goals before."""
        return self not in (ProofKind.NONE, ProofKind.UNKNOWN, ProofKind.GIVEN_PLACEMENT)


class NetworkName(Told):
    """Which network, or other set of conditions, the stored prices of a level belong to."""

    MERGED = (
        "merged",
        "Where replicas stand, with all topics as one and partitions that are alike as one unit.",
    )
    TOPICS = (
        "topics",
        "Where replicas stand, with partitions of a topic that are alike as one unit.",
    )
    MIXED = (
        "mixed",
        "Where replicas stand, with some partitions as units of their own and the others together.",
    )
    PARTITIONS = (
        "partitions",
        "Where replicas stand, with every partition as a unit of its own.",
    )
    MERGED_BUDGET = (
        "merged-budget",
        "The merged network with one price on every data move, for plans within --max-moves.",
    )
    LEADERS = (
        "leaders",
        "Who leads, over brokers alone: wherever replicas stand, a broker keeps a leader or gives it up.",
    )
    BROKERS = (
        "brokers",
        "Who leads where replicas stay, with a node for each broker and none for partitions.",
    )
    ITEMS = (
        "items",
        "Who leads where replicas stay, with a node for each partition that may change its leader.",
    )
    BROKERS_AND_ITEMS = (
        "brokers+items",
        "Who leads where replicas stay, with nodes for what the levels on brokers have left open.",
    )
    FIRST_FOLLOWERS = (
        "heirs",
        "First followers, for the leaders and the places of the plan: a price for each pair of brokers.",
    )
    LEAVING = (
        "leaving",
        "Leaders that leave their broker with the replica, or that it has too many: the larger of the two for"
        " each broker.",
    )
    LEAVING_PARTITIONS = (
        "leaving-partitions",
        "The same with every partition as a unit of its own.",
    )
    JOINT = (
        "joint",
        "Placement and leaders together: each partition is led by one of the brokers that then hold it.",
    )
    JOINT_BUDGET = (
        "joint-budget",
        "Placement and leaders together, with prices on the moves and bytes that the budgets allow.",
    )
    FAILOVER = (
        "failover",
        "Leaders and first followers broker by broker, with a price on each sum that ties brokers together.",
    )
    TOPIC_LEADERS = (
        "topic-leaders",
        "Leaders of each topic on each broker, with a price on what they add up to by topic and by broker.",
    )
    LOADS = (
        "loads",
        "Where replicas stand, with a price on what each broker bears of each load.",
    )
    PROGRAM = (
        "program",
        "The 0-1 program of a small cluster, with a price on each of its rows.",
    )


class StrategyName(StrEnum):
    """What made a plan: the planner's own flows, a published algorithm, or a file of another tool."""

    FLOW = "flow"
    PINTEREST = "pinterest"
    PINTEREST_CHAINS = "pinterest-chains"
    LINEAR_PROGRAM = "linear-program"
    MIXED_INTEGER = "mixed-integer"
    APPIER = "appier"
    PERMUTATIONS = "permutations"
    BIN_PACKING = "bin-packing"
    CAPACITY = "capacity"
    WIX = "wix"
    GREEDY = "greedy"
    GREEDY_RACKS = "greedy-racks"
    GENERATE = "generate"
    FOLLOW = "follow"
