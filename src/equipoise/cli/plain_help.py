"""Help texts without the types that Typer puts beside names: ``--yes``, not ``--yes <bool>``."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup


def untyped(ctx: typer.Context) -> None:
    """What is shown beside an argument or a flag: nothing."""


class Plain:
    """A command whose arguments and flags are shown by name alone; options keep what they take."""

    def get_params(self, ctx: typer.Context) -> list[Any]:
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if isinstance(param, TyperArgument) or getattr(param, "is_flag", False):
                param.display_type_rich = untyped  # type: ignore[method-assign, assignment]
        return params


class Command(Plain, TyperCommand):
    """A verb; its usage line has arguments as its help has them."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        named = [param.metavar or param.name for param in self.params if isinstance(param, TyperArgument)]
        return ["[OPTIONS]", *map(str, named)]


class Group(Plain, TyperGroup):
    """All verbs."""


class App(typer.Typer):
    """A Typer application with such help texts."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(cls=Group, **settings)

    def command(self, name: str | None = None, **settings: Any) -> Any:  # type: ignore[override]
        return super().command(name, **{"cls": Command, **settings})
