"""``equipoise.toml`` of a fleet or a cluster: whatever stands there, what cannot be read is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.errors import UnusableInput
from equipoise.files.policy import read_policy
from equipoise.files.wish import WishFile

UNREADABLE = (
    "tolerance = " + "9" * 5000,
    "topics = " + "[" * 50_000,
    "add = new",
    'add = "7\\"',
    "add = 7\nadd = 8",
)


@pytest.mark.parametrize("text", UNREADABLE, ids=["digits", "nested", "no value", "open", "twice"])
def test_what_cannot_be_read_is_said(text: str, tmp_path: Path) -> None:
    """A number of thousands of digits, lists in lists, and what is no TOML, for all clusters or for one."""
    (tmp_path / "equipoise.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UnusableInput, match=r"cannot be read \("):
        WishFile.of(tmp_path).options()
    with pytest.raises(UnusableInput, match=r"cannot be read \("):
        read_policy(tmp_path, ["orders"])
