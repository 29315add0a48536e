"""The networks behind a certificate, rebuilt from the plan's state: only potentials are taken on trust.

A bound holds for whatever network it was computed on; that this network is a relaxation of the
problem at hand must not be believed of the planner. Each kind of network has a builder here that
makes it from the cluster and the rules alone, registered under the name that the certificate stores.
"""

from __future__ import annotations

from collections.abc import Callable

from equipoise.judge.duality import FlowProblem
from equipoise.judge.violations import Case

Builder = Callable[[Case, str], FlowProblem]
"""From the case and the name of the goal to the goal's problem, before any level narrowed it."""

BUILDERS: dict[str, Builder] = {}


def network(name: str) -> Callable[[Builder], Builder]:
    """Register the builder of the network called ``name``."""

    def register(builder: Builder) -> Builder:
        BUILDERS[name] = builder
        return builder

    return register
