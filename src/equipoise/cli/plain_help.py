"""Typer as we want it: help without the types of arguments, a word on Ctrl-C, and quiet verbs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy
from functools import wraps
from typing import Annotated, Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from equipoise.cli.voice import VOICE, Voice
from equipoise.errors import Stopped, UnusableInput

QUIET = typer.Option("-q", "--quiet", help="Say the verdict alone: no progress, no tables.")
VERBOSE = typer.Option("-v", "--verbose", help="Say every change too, and what is read and solved.")


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

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options; raises `UnusableInput` for one that is given twice, where one would be lost."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        twice = [one for one in dict.fromkeys(order) if order.count(one) > 1]
        for option in (one for one in twice if isinstance(one, TyperOption)):
            if not (option.multiple or option.is_flag):
                advice = "Give it once; what it takes can be a list"
                raise UnusableInput("is given twice", source=option.opts[0], advice=advice)
        return super().parse_args(ctx, args)

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
        super().__init__(cls=Group, context_settings={"help_option_names": ["-h", "--help"]}, **settings)

    def command(self, name: str | None = None, **settings: Any) -> Any:
        add = super().command(name, **{"cls": Command, **settings})
        return lambda verb: add(voiced(verb))


def voiced(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb ``--quiet`` and ``--verbose``; whatever it calls finds them in `VOICE`."""

    @wraps(verb)
    def run(*, quiet: bool, verbose: bool, **given: Any) -> None:
        if quiet and verbose:
            advice = "Give one of them"
            raise UnusableInput("cannot be combined with --verbose", source="--quiet", advice=advice)
        before = VOICE.set(Voice.QUIET if quiet else Voice.VERBOSE if verbose else Voice.USUAL)
        try:
            verb(**given)
        finally:
            VOICE.reset(before)

    kind = inspect.Parameter.KEYWORD_ONLY
    options = [
        inspect.Parameter(name, kind, default=False, annotation=Annotated[bool, option])
        for name, option in (("quiet", QUIET), ("verbose", VERBOSE))
    ]
    own = inspect.signature(verb, eval_str=True).parameters.values()
    both = [*(p.replace(kind=kind) for p in own), *options]
    run.__signature__ = inspect.Signature(both)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in both}
    return run
