"""``--write-lp``: the program of `linear-program` as a file for lp_solve."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli.output import OUTPUT, write_text
from equipoise.planning.problem.request import Request

if TYPE_CHECKING:
    from equipoise.cluster import Cluster

ABOUT = "Write the 0-1 program of `linear-program` as a file that lp_solve reads."

WriteLp = Annotated[
    Path | None, typer.Option("--write-lp", metavar="FILE", help=ABOUT, rich_help_panel=OUTPUT)
]


def write_program(cluster: Cluster, request: Request, file: Path) -> None:
    """Write the program that the strategy `linear-program` solves for this request."""
    from equipoise.planning.published.linear_program import lp_text
    from equipoise.planning.request.laying import build_problem

    write_text(file, lp_text(build_problem(cluster, request)))
