"""Typer as we want it: help without the types of arguments, and a word on Ctrl-C."""

from __future__ import annotations

from copy import copy
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from equipoise.errors import Stopped


def plain(params: list[Any]) -> list[Any]:
    """The same, where arguments are shown by name alone; options keep what they take."""
    for param in params:
        if isinstance(param, TyperArgument):
            param.type = copy(param.type)
            param.type.get_metavar = untyped  # type: ignore[method-assign]
    return params


def untyped(param: Any, ctx: Any) -> str:
    """What is shown beside an argument: nothing."""
    return ""


class Command(TyperCommand):
    """A verb; its usage line has arguments as its help has them."""

    def get_params(self, ctx: Any) -> list[Any]:
        return plain(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        named = [param.metavar or param.name for param in self.params if isinstance(param, TyperArgument)]
        return ["[OPTIONS]", *map(str, named)]


class Group(TyperGroup):
    """All verbs."""

    def get_params(self, ctx: Any) -> list[Any]:
        return plain(super().get_params(ctx))

    def invoke(self, ctx: Any) -> Any:
        """Run the verb; Typer itself would end without a word on Ctrl-C."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Stopped from None


class App(typer.Typer):
    """A Typer application with such help texts."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(cls=Group, **settings)

    def command(self, name: str | None = None, **settings: Any) -> Any:
        return super().command(name, **{"cls": Command, **settings})
