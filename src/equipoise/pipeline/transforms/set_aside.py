"""What is set aside, as rows; apart from those of plans, so that who reads files loads no planner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equipoise.wording import printable

if TYPE_CHECKING:
    from equipoise.formats.fragment import SetAside


def set_aside(piece: SetAside) -> dict[str, Any]:
    """A piece of input that was set aside, as a row of ``quarantine``."""
    return {
        "file": piece.source,
        "line": piece.line,
        "place": piece.place or None,
        "text": piece.text,
        "reason": piece.reason,
    }


def unexpected(error: Exception) -> str:
    """Why something was set aside that nobody thought of, on one line."""
    words = printable(" ".join(str(error).split()))
    return f"unexpected: {type(error).__name__}" + (f": {words}" if words else "")
