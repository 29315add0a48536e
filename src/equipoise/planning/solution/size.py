"""How large a question is, beside how large it may be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """How large the question is that a method would take on, and how large it may be."""

    number: int
    most: int
    unit: str

    @property
    def fits(self) -> bool:
        return self.number <= self.most

    def __str__(self) -> str:
        return f"{self.number:,} {self.unit} of at most {self.most:,}"


ANY_SIZE = Size(0, 0, "")
"""Of methods that take on any."""
