"""How many random cases a test draws: what it is worth in every run, and many times that where asked for.

``EQUIPOISE_TIMES=20 python -m pytest tests/scenarios/test_optimal.py`` draws twenty times as many, from seed
``EQUIPOISE_FIRST_CASE`` on; ``make test-long`` draws five times as many everywhere.
"""

from __future__ import annotations

import os


def seeds(usual: int) -> range:
    """So many in ``make test``."""
    first = int(os.environ.get("EQUIPOISE_FIRST_CASE", "0"))
    return range(first, first + usual * int(os.environ.get("EQUIPOISE_TIMES", "1")))
