"""The options that `plan`, `compare` and `frontier` share, declared once."""

from __future__ import annotations

import inspect
import stat
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from equipoise.cli.progress import told
from equipoise.errors import UnusableInput
from equipoise.planning.goals import ALL_GOALS, DEFAULT_GOALS, IF_KNOWN
from equipoise.planning.problem.request import EVERYTHING
from equipoise.planning.published.settings import KNOWN
from equipoise.planning.request.loads_named import BALANCES
from equipoise.planning.request.options import request_of
from equipoise.planning.rules import OPTIONS
from equipoise.wording import printable, quoted

BROKERS, RULES, AIMS, LIMITS = "Brokers and topics", "Rules", "Goals", "Budgets"

HELP: dict[str, tuple[str, str, str]] = {
    # option: (metavar, panel, help)
    "brokers": ("0-18,21:b", BROKERS, OPTIONS["brokers"]),
    "add": ("20:a,21:b", BROKERS, OPTIONS["add"]),
    "drain": ("19", BROKERS, OPTIONS["drain"]),
    "replace": ("3=21", BROKERS, OPTIONS["replace"]),
    "racks": ("0:a,1:b|FILE", BROKERS, "Racks, where the sources have none (or over what they say)."),
    "topics": ("REGEX", BROKERS, OPTIONS["topics"]),
    "exclude-topics": ("REGEX", BROKERS, OPTIONS["exclude-topics"]),
    "partial": ("", BROKERS, "The sources tell of a part of a cluster: plan it as one, claim nothing of brokers' totals."),
    "replication-factor": ("N", BROKERS, OPTIONS["replication-factor"]),
    "create": ("TOPIC:PARTITIONS:RF", BROKERS, OPTIONS["create"]),
    "goals": ("LIST", AIMS, f"The ordered goals. Default {', '.join(DEFAULT_GOALS)} ({' and '.join(IF_KNOWN)} where known); also {', '.join(ALL_GOALS[len(DEFAULT_GOALS):])}."),
    "balance": ("MIX", AIMS, f"What is levelled, the most important first: {', '.join(BALANCES)}, each with a tolerance of its own if it is to have one (disk:10, disk:5:10); or {EVERYTHING}, which is every load that is known, at 10, but for leaders-in and replication-out, which are parts of others."),
    "tolerance": ("PCT|LOW:HIGH", AIMS, "Half-width of the bands, or their two sides, of what has none of its own; by default 0 for counts alone, 5 for loads."),
    "consumption": ("TIMES", AIMS, "How often a record is read, for partitions of which no source tells the outbound rate."),
    "log-dirs": ("level[:PCT]", AIMS, "Level the log dirs of each broker, to PCT around their share: bytes (5 by default), or counts where a size is not known."),
    "drain-dir": ("7:/data2", BROKERS, "Log dirs to empty, each into the others of its broker."),
    "cross-zone-price": ("PRICE", AIMS, "What a GB between racks costs: prices the plan's copies and standing replication; changes no plan."),
    "consumers-in": ("a=0.5,b=0.5|FILE", AIMS, "Which part of the consumers reads in which rack, for that price and the goal consumers; a file has lines TOPIC,RACK,PART."),
    "leaders-only": ("", AIMS, OPTIONS["leaders-only"]),
    "required-only": ("", AIMS, "Only what the rules force, nothing for balance."),
    "effort": ("quick|normal|thorough", AIMS, "How much is proved: flows alone with their gaps, what seconds can, or minutes."),
    "strategy": ("NAME", AIMS, "`flow`, or a published algorithm (see `equipoise compare`)."),
    "strategy-settings": ("KEY=VALUE,...", AIMS, f"What the text of a published algorithm leaves open: {', '.join(KNOWN)}."),
    "rack-rule": ("spread|strict", RULES, OPTIONS["rack-rule"]),
    "max-fill": ("PCT|LOAD:PCT,...", RULES, OPTIONS["max-fill"]),
    "rack-capacity": ("a=10TB,b=12TB", RULES, OPTIONS["rack-capacity"]),
    "stay-in-rack": ("", RULES, OPTIONS["stay-in-rack"]),
    "no-leaders-on": ("7", RULES, OPTIONS["no-leaders-on"]),
    "cordon": ("5", RULES, OPTIONS["cordon"]),
    "assume-alive": ("7", RULES, OPTIONS["assume-alive"]),
    "max-moves": ("N", LIMITS, OPTIONS["max-moves"]),
    "max-bytes": ("SIZE", LIMITS, OPTIONS["max-bytes"]),
    "max-changes-per-partition": ("N", LIMITS, OPTIONS["max-changes-per-partition"]),
}  # fmt: skip

FLAGS = ("partial", "leaders-only", "required-only", "stay-in-rack")
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
    """Options as `request_of` takes them: flags only where set, racks and consumers read from their files."""
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    if "racks" in given:
        given["racks"] = racks_of(given["racks"])
    if "consumers-in" in given and is_file(given["consumers-in"]):
        given["consumers-in"] = consumers_of(given["consumers-in"])
    return given


def consumers_of(path: str) -> list[str]:
    """``TOPIC:RACK=PART`` of each line ``TOPIC,RACK,PART`` of a file; no topic is every other one."""
    found = []
    for number, line in enumerate(text_of(path, "Give lines TOPIC,RACK,PART").splitlines(), 1):
        cells = [cell.strip() for cell in line.split(",")]
        if line.strip() and not line.lstrip().startswith("#"):
            if len(cells) != 3:
                raise UnusableInput(
                    f"{quoted(line)} is not TOPIC,RACK,PART", source=printable(path), place=f"line {number}"
                )
            found.append(f"{cells[0]}:{cells[1]}={cells[2]}".removeprefix(":"))
    return found


def racks_of(value: str) -> dict[int, str]:
    """Racks given in place or as a file with lines ``broker,rack`` or a JSON object."""
    from equipoise.formats.brokers_file import parse_racks

    if not is_file(value):
        return parse_racks(value)
    return parse_racks(text_of(value, "Give lines broker,rack or a JSON object"), printable(value))


def text_of(path: str, advice: str) -> str:
    """What a file says; raises `UnusableInput` with advice where it is no text."""
    from equipoise.files.sources import read_bytes

    try:
        with told("reading"):
            return read_bytes(path, printable(path)).decode()
    except UnicodeDecodeError:
        raise UnusableInput("is not text", source=printable(path), advice=advice) from None


def is_file(value: str) -> bool:
    """Whether there is a file or a pipe of this name; a list of racks may be longer than any name."""
    try:
        kind = Path(value).stat().st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(kind) or stat.S_ISFIFO(kind)
