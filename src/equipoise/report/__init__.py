"""What a person sees: page data, charts, templates, and the same figures in the terminal."""

from equipoise.report.pages import (
    cluster_page,
    compare_page,
    fleet_page,
    frontier_page,
    plan_page,
    serve_page,
    serve_scripts,
)

__all__ = [
    "cluster_page",
    "compare_page",
    "fleet_page",
    "frontier_page",
    "plan_page",
    "serve_page",
    "serve_scripts",
]
