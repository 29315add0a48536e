"""The options that `plan`, `compare` and `frontier` share, declared once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from equipoise.errors import UnusableInput
from equipoise.planning.options import request_of
from equipoise.planning.published.settings import KNOWN
from equipoise.planning.request import ALL_GOALS, DEFAULT_GOALS

BROKERS, RULES, AIMS, LIMITS = "Brokers and topics", "Rules", "Goals", "Budgets"

HELP: dict[str, tuple[str, str, str]] = {
    # option: (metavar, panel, help)
    "brokers": ("0-18,21:b", BROKERS, "Brokers that may hold replicas afterwards (ids, ranges, :rack); others are drained."),
    "add": ("20:a,21:b", BROKERS, "Brokers to add, with their racks."),
    "drain": ("19", BROKERS, "Brokers to empty."),
    "replace": ("3=21", BROKERS, "One for one: what stood on the old broker moves to the new one."),
    "racks": ("0:a,1:b|FILE", BROKERS, "Racks, where the sources have none (or over what they say)."),
    "topics": ("REGEX", BROKERS, "Topics that may change (whole name); the others still count as load."),
    "exclude-topics": ("REGEX", BROKERS, "Topics that may not change."),
    "replication-factor": ("N", BROKERS, "For the chosen topics, up or down."),
    "create": ("TOPIC:PARTITIONS:RF", BROKERS, "New topics, or more partitions of one, to be placed."),
    "goals": ("LIST", AIMS, f"The ordered goals. Default {', '.join(DEFAULT_GOALS)}; also {', '.join(ALL_GOALS[len(DEFAULT_GOALS):])}."),
    "balance": ("count|LOADS", AIMS, "What `replicas` levels: count, or disk,network-in,network-out."),
    "tolerance": ("PCT|LOW:HIGH", AIMS, "Half-width of the band of `replicas`, or its two sides; by default 0 for counts, 5 for loads."),
    "leaders-only": ("", AIMS, "Reorders alone: no data moves."),
    "required-only": ("", AIMS, "Only what the rules force, nothing for balance."),
    "strategy": ("NAME", AIMS, "`flow`, or a published algorithm (see `equipoise compare`)."),
    "strategy-settings": ("KEY=VALUE,...", AIMS, f"What the text of a published algorithm leaves open: {', '.join(KNOWN)}."),
    "rack-rule": ("spread|strict", RULES, "At most ceil(rf / racks) replicas of a partition in a rack, or at most one."),
    "stay-in-rack": ("", RULES, "A moved replica stays in the rack it leaves."),
    "no-leaders-on": ("7", RULES, "Brokers that lead nothing."),
    "cordon": ("5", RULES, "Brokers that receive nothing new."),
    "max-moves": ("N", LIMITS, "At most so many data moves."),
    "max-bytes": ("SIZE", LIMITS, "At most so many bytes moved (20MB, 1.5GiB)."),
    "max-changes-per-partition": ("N", LIMITS, "At most so many data moves of one partition."),
}  # fmt: skip

FLAGS = ("leaders-only", "required-only", "stay-in-rack")
Sources = Annotated[
    list[str],
    typer.Argument(metavar="SOURCE...", help="A snapshot folder, or files, or - for standard input; the format is found.", show_default=False),
]  # fmt: skip


def with_request(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb all planning options; it receives them as one ``request``."""

    @wraps(verb)
    def run(**given: Any) -> None:
        options = {name: given.pop(name.replace("-", "_")) for name in HELP}
        verb(request=request_of(chosen(options)), **given)

    own = [p for p in inspect.signature(verb, eval_str=True).parameters.values() if p.name != "request"]
    shared = [
        inspect.Parameter(
            name.replace("-", "_"),
            inspect.Parameter.KEYWORD_ONLY,
            default=None if name not in FLAGS else False,
            annotation=annotation(name, *about),
        )
        for name, about in HELP.items()
    ]
    keyword = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    run.__signature__ = inspect.Signature([*keyword, *shared])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in [*keyword, *shared]}
    return run


def annotation(name: str, metavar: str, panel: str, about: str) -> Any:
    if name in FLAGS:
        return Annotated[bool, typer.Option(f"--{name}", help=about, rich_help_panel=panel)]
    option = typer.Option(f"--{name}", metavar=metavar, help=about, rich_help_panel=panel, show_default=False)
    return Annotated[str | None, option]


def chosen(options: dict[str, Any]) -> dict[str, Any]:
    """Options as `request_of` takes them: flags only where set, racks read from their file."""
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    if "racks" in given:
        given["racks"] = racks_of(given["racks"])
    return given


def racks_of(value: str) -> dict[int, str]:
    """Racks given in place or as a file with lines ``broker,rack`` or a JSON object."""
    from equipoise.formats.brokers_file import parse_racks

    path = Path(value)
    try:
        content = path.read_text() if path.is_file() else None
    except OSError as error:
        raise UnusableInput(f"cannot be read ({error.strerror})", source=value) from None
    except UnicodeDecodeError:
        raise UnusableInput(
            "is not text", source=value, advice="Give lines broker,rack or a JSON object"
        ) from None
    return parse_racks(content, value) if content is not None else parse_racks(value)
