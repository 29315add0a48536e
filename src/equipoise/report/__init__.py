"""What a person sees: page data, charts, templates, and the same figures in the terminal."""

from equipoise.report.pages import plan_page

__all__ = ["plan_page"]
