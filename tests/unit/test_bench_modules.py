"""The bench is run by hand, so that it still fits the product is seen here."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

import bench
import pytest


@pytest.mark.parametrize("name", [module.name for module in iter_modules(bench.__path__)])
def test_it_finds_what_it_measures(name: str) -> None:
    """Each module can be imported: no name of the product that it uses has gone."""
    import_module(f"bench.{name}")
