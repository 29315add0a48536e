"""The man page, from the command line's own help: ``python -m tools.man`` writes ``man/equipoise.1`` anew."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from equipoise import __version__
from equipoise.cli.main import VERBS, app

PAGE = Path(__file__).parents[1] / "man" / "equipoise.1"
START = Path(__file__).parents[1] / "docs" / "start.md"


def ends() -> Iterator[tuple[str, str]]:
    """Exit codes and what they mean, from the page that tells them."""
    table = START.read_text(encoding="utf-8").partition("| code | means |")[2].partition("\n\n")[0]
    yield from re.findall(r"^\| (\d+) \| (.*) \|$", table, re.M)


def written(text: str) -> str:
    """Text as roff takes it: no sign of it is a command."""
    plain = " ".join(text.split()).replace("\\", r"\e").replace("-", r"\-").replace("`", "")
    return rf"\&{plain}" if plain.startswith((".", "'")) else plain


def page() -> str:
    """The whole page, the same for the same command line."""
    command = typer.main.get_command(app())
    lines = [
        rf'.TH EQUIPOISE 1 "" "equipoise {__version__}"',
        ".SH NAME",
        r"equipoise \- plans, proves and carries out Kafka partition reassignments",
        ".SH SYNOPSIS",
        *(line for verb in VERBS for line in usage(command.commands[verb])),  # type: ignore[attr-defined]
        ".SH DESCRIPTION",
        written(
            "A plan is made from what describes a cluster, each goal of it with its value and a bound that "
            "no plan is below. check proves a plan again, apply carries it out. The options of each follow."
        ),
        *(line for verb in VERBS for line in section(command.commands[verb])),  # type: ignore[attr-defined]
        ".SH EXIT STATUS",
        *(line for code, what in ends() for line in (".TP", f".B {code}", written(what))),
    ]
    return "\n".join(lines) + "\n"


def usage(verb: Any) -> Iterator[str]:
    """The line of a verb in the synopsis."""
    named = [param.make_metavar(None) for param in verb.params if param.param_type_name == "argument"]
    yield rf".B equipoise {verb.name}"
    yield rf"[\fIoptions\fR] {written(' '.join(named))}".rstrip()
    yield ".br"


def section(verb: Any) -> Iterator[str]:
    """What a verb does and takes."""
    yield rf".SH EQUIPOISE {written(verb.name.upper())}"
    first, *more = verb.help.split("\n\n")
    yield written(first)
    for paragraph in more:
        yield from (".PP", written(paragraph))
    panels: dict[str, list[Any]] = {}
    for param in sorted(verb.params, key=lambda param: param.param_type_name != "argument"):
        panels.setdefault(panel_of(param), []).append(param)
    for panel, params in panels.items():
        yield f".SS {written(panel)}"
        for param in params:
            yield from (".TP", term(param), written(param.help or ""))


def panel_of(param: Any) -> str:
    """The heading below which the help has a parameter: arguments first."""
    if param.param_type_name == "argument":
        return "Arguments"
    return getattr(param, "rich_help_panel", None) or "Options"


def term(param: Any) -> str:
    """A parameter as it is written."""
    if param.param_type_name == "argument":
        return rf"\fI{written(param.make_metavar(None))}\fR"
    names = ", ".join(rf"\fB{written(name)}\fR" for name in (*param.opts, *param.secondary_opts))
    return names if param.is_flag else rf"{names} \fI{written(param.metavar or param.type.name)}\fR"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
