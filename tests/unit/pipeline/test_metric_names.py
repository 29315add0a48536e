"""The page of fleets names every metric that is known."""

from __future__ import annotations

from pathlib import Path

from equipoise.pipeline.schemas.metrics import INFOS, NAMES

PAGE = Path(__file__).parents[3] / "docs" / "fleet.md"


def test_the_page_has_every_name() -> None:
    """What is told of bytes out has the names of bytes in, and the page says so."""
    text = PAGE.read_text(encoding="utf-8").lower()
    assert "| bytes out a second | the same with `out` |" in text
    named = {name.replace("bytes_out", "bytes_in").replace("bytesout", "bytesin") for name in NAMES}
    assert [name for name in sorted({*named, *INFOS}) if f"`{name}`" not in text] == []
    assert named <= set(NAMES)
