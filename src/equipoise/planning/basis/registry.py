"""Units of one kind by name: goals, rules. One that lacks a part cannot be registered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeVar


class Named(Protocol):
    """A unit that says what it is called."""

    @property
    def name(self) -> str: ...


Unit = TypeVar("Unit", bound=Named)


def registered(*units: Unit) -> Mapping[str, Unit]:
    """Units by name; raises `TypeError` where one lacks a part or has the name of another.

    Methods that are missing were an error before, since an abstract class has no instances; these are what
    a class declares without a value.
    """
    found: dict[str, Unit] = {}
    for unit in units:
        for part in (name for kind in type(unit).__mro__ for name in getattr(kind, "__annotations__", {})):
            if not hasattr(unit, part):
                raise TypeError(f"{type(unit).__name__} has no {part}")
        if unit.name in found:
            raise TypeError(f"two units are called {unit.name}")
        found[unit.name] = unit
    return found
