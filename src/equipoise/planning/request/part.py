"""`--partial`: a part of a cluster is planned as one, and never as the whole."""

from __future__ import annotations

from equipoise.cluster import Cluster
from equipoise.errors import UnusableInput
from equipoise.planning.problem.request import Request

SHOWN = 3
"""Of what is missing, so many sentences in one message."""


def refuse_part(cluster: Cluster, request: Request) -> None:
    """Raise `UnusableInput` for a part of a cluster, unless it is asked to plan one."""
    if cluster.lacks and not request.partial:
        raise UnusableInput(
            f"this is a part of a cluster: {missing(cluster)}",
            source=cluster.name,
            advice="Give all that belongs to it, or plan the part alone with --partial",
        )


def of_a_part(cluster: Cluster) -> str:
    """What has to be known before anything else of a plan for a part."""
    told = (
        "a part of a cluster is planned (--partial): what brokers hold in all is not known, and how level "
        "they are is said of this part alone"
    )
    return f"{told}; {missing(cluster)}" if cluster.lacks else told


def missing(cluster: Cluster) -> str:
    """What is missing, in one sentence."""
    sentences = [lack.sentence for lack in cluster.lacks]
    more = [f"{len(sentences) - SHOWN} more such findings"] if len(sentences) > SHOWN else []
    return "; ".join((*sentences[:SHOWN], *more))
