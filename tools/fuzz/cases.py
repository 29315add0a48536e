"""Cases by family: what stands in the folder, the command line, and what has to be said of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tools.fuzz import nasty
from tools.fuzz.texts import BESIDE, PROPOSED, STATES

from equipoise.planning.goals import ALL_GOALS

VALUES: dict[str, tuple[str, ...]] = {
    "--brokers": ("1-3", "1,2,9", "1-99999999", "3-1", "1:a", "1-4:[red]x"),
    "--add": ("7", "7:a,8:b", "2147483647", "1", "4-4999"),
    "--drain": ("3", "1,2", "1-3", "9"),
    "--replace": ("3=7", "1=2", "1=1", "3=7,3=8"),
    "--racks": (
        "1:a,2:b,3:c",
        "1:[/x],2:b,3:c",
        "racks.csv",
        ",".join(f"{b}:zone-{b % 3}-eu-west" for b in range(60)),
    ),
    "--topics": nasty.PATTERNS,
    "--exclude-topics": nasty.PATTERNS,
    "--replication-factor": ("1", "2", "3", "4", "99999"),
    "--create": ("new:3:2", "orders:9:2", "new:3:99999", "new:0:0", "a b:1:1", "x:2:2,x:3:2"),
    "--goals": (*ALL_GOALS, "racks,moves", "moves,moves", "best"),
    "--balance": (
        "count",
        "disk",
        "network-in",
        "disk,network-out",
        "count,disk",
        "all",
        "disk:5,count:10",
        "leaders,disk:5:10",
        "disk,disk",
        "all,disk",
        "disk:x",
        "cpu:200",
    ),
    "--max-fill": ("85%", "0", "101%", "1"),
    "--log-dirs": ("level", "keep"),
    "--drain-dir": ("1:/d", "9:/d", "1:/nothing", "1", "1:[red]"),
    "--follow": ("theirs.json", "c", "nothing.json"),
    "--assume-alive": ("1", "1-3", "9"),
    "--tolerance": ("0", "5", "10:5", "101", "5%"),
    "--effort": ("quick", "thorough", "hard"),
    "--strategy": ("flow", "greedy", "wix", "generate", "pinterest", "best"),
    "--strategy-settings": ("seed=1", "start-index=2,shift=1", "seed", "placement=x"),
    "--rack-rule": ("spread", "strict", "loose"),
    "--no-leaders-on": ("1", "1-3", "9"),
    "--cordon": ("3", "1-3"),
    "--max-moves": ("0", "1", "100"),
    "--max-bytes": ("0", "1MB", "1.5GiB", "1e30"),
    "--max-changes-per-partition": ("0", "1"),
    "--throttle": ("1MB", "0"),
    "--max-inflight": ("1", "0"),
    "--out": ("out", "state.txt", "a" * 300, "/dev/null/x"),
}
FLAGS = (
    "--leaders-only",
    "--required-only",
    "--stay-in-rack",
    "--json",
    "-q",
    "-v",
    "--force",
    "--explain-solver",
)
OF_PLAN = ("--throttle", "--max-inflight", "--out", "--follow", "--force", "--explain-solver")
CONTRADICTIONS = (
    "--add 7 --drain 7", "--add 1", "--drain 3 --replace 3=7", "--replace 3=7 --drain 7",
    "--replace 3=7 --cordon 7", "--add 7 --cordon 7", "--brokers 1-3 --drain 3", "--leaders-only --drain 3",
    "--leaders-only --replace 3=7", "--leaders-only --replication-factor 3",
    "--leaders-only --create new:2:2", "--leaders-only --add 7", "--leaders-only --required-only",
    "--required-only --tolerance 7", "--required-only --balance disk", "--goals moves --tolerance 9",
    "--drain 3 --drain 2",
    "--max-moves 3 --max-moves 0", "-q -v", "--throttle 1MB", "--topics orders --exclude-topics orders",
    "--strategy greedy --leaders-only --drain 3", "--strategy-settings seed=1", "--replace 3=7 --replace 1=8",
    "--no-leaders-on 1,2,3", "--rack-rule strict --replication-factor 3 --racks 1:a,2:a,3:b",
)  # fmt: skip
"""Options that cannot all be had."""


@dataclass(frozen=True)
class Case:
    """One command line and the folder that it runs in."""

    family: str
    arguments: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Contents by path; a ``plan/`` among them is a plan folder that was tampered with."""
    contradicts: bool = False
    """It asks for what cannot all be had: refused, or said."""


def case_of(seed: int, number: int, plan: Mapping[str, bytes]) -> Case:
    """The case of a number; ``plan`` is a sound plan folder, to be tampered with."""
    draw = Random(f"{seed}/{number}")
    family = draw.choices(list(FAMILIES), [weight for _, weight in FAMILIES.values()])[0]
    return FAMILIES[family][0](draw, plan)


def sound(draw: Random) -> dict[str, bytes]:
    """The files of a small cluster."""
    state = draw.choice(list(STATES))
    beside = draw.sample(sorted(BESIDE), draw.choice((0, 0, 1, 2)))
    files = {state: STATES[state], **{name: BESIDE[name] for name in beside}}
    return {f"c/{name}": text.encode() for name, text in files.items()}


def options(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """Any options on a sound cluster."""
    verb = draw.choices(("plan", "check", "frontier", "compare"), (12, 4, 2, 0.15))[0]
    files = sound(draw) | {"racks.csv": b"1,a\n2,b\n3,c\n", "state.txt": b"x"}
    words = [verb]
    other = draw.choice(("[2, 3]", "[1, 1]", "[9]", "[]"))
    files["theirs.json"] = STATES["state.json"].replace("[1, 2]", other).encode()
    if verb == "check":
        words += ["theirs.json", "--current", "c", *["--no-optimum"] * (draw.random() < 0.7)]
    else:
        words += ["c", *["--time-limit", draw.choice(("3", "3", "nan", "1e30"))] * (verb == "compare")]
    for option in draw.sample(sorted(VALUES), draw.choice((1, 1, 1, 2, 2, 4))):
        if verb == "plan" or option not in OF_PLAN:
            odd = draw.random() < 0.2
            words += [option, draw.choice((*nasty.NUMBERS, *nasty.TEXTS) if odd else VALUES[option])]
    words += [flag for flag in FLAGS if draw.random() < 0.08 and (verb == "plan" or flag not in OF_PLAN)]
    return Case("options", tuple(words), files)


def formats(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """A cluster of which one file was damaged."""
    files = sound(draw)
    name = draw.choice(sorted(files))
    files[name] = nasty.changed_text(files[name], draw)
    return Case("formats", ("plan", "c", *["--drain", "3"] * (draw.random() < 0.3)), files)


def proposals(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """A reassignment that was damaged, to be judged."""
    text = draw.choice(PROPOSED).encode()
    files = {"c/state.json": STATES["state.json"].encode(), "theirs.json": nasty.changed_text(text, draw)}
    return Case("proposals", ("check", "theirs.json", "--current", "c", "--no-optimum"), files)


def folders(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """A plan folder that was tampered with, its digests mended or not."""
    files = {f"plan/{name}": content for name, content in plan.items()}
    names = ["plan/plan.json"] * 6 + [name for name in files if not name.endswith("report.html")]
    name = draw.choice(names)
    change = nasty.other_value if name.endswith(".json") and draw.random() < 0.8 else nasty.changed_text
    files[name] = change(files[name], draw)
    if draw.random() < 0.9 and not name.endswith("SHA256SUMS"):
        digest = hashlib.sha256(files[name]).hexdigest()
        lines = files["plan/SHA256SUMS"].decode().splitlines()
        own = name.removeprefix("plan/")
        mended = [f"{digest}  {own}" if line.endswith(f"  {own}") else line for line in lines]
        files["plan/SHA256SUMS"] = ("\n".join(mended) + "\n").encode()
    return Case("plan folders", ("check", "plan", *["--no-optimum"] * (draw.random() < 0.6)), files)


def contradictions(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """Options that cannot all be meant."""
    words = draw.choice(CONTRADICTIONS).split()
    state = draw.choice(("state.txt", "state.json"))
    return Case(
        "contradictions", ("plan", "c", *words), {f"c/{state}": STATES[state].encode()}, contradicts=True
    )


def names(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """Files, racks and topics with names that are hard to print or to open."""
    odd = draw.choice([text for text in nasty.TEXTS if text and "/" not in text and text not in ("..",)])[
        :200
    ]
    files = {f"c{odd}/state.txt": STATES["state.txt"].encode()}
    rack = odd.replace('"', "").encode(errors="surrogateescape")
    if draw.random() < 0.6:
        files[f"c{odd}/brokers.csv"] = b'id,rack\n1,"' + rack + b'"\n2,b\n3,c\n'
    if draw.random() < 0.3:
        files[f"c{odd}/more.json"] = STATES["state.json"].replace('"b"', json.dumps("b" + odd)).encode()
    out = ("--out", f"o{odd}") if draw.random() < 0.5 else ()
    return Case(
        "names", ("plan", f"c{odd}", *draw.choice(((), ("--drain", "3"), ("-v",), ("--json",))), *out), files
    )


def looks(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """A cluster as it is, or what a plan folder says of one thing in it."""
    as_json = ["--json"] * (draw.random() < 0.2)
    if draw.random() < 0.5:
        files = sound(draw)
        name = draw.choice(sorted(files))
        if draw.random() < 0.7:
            files[name] = nasty.changed_text(files[name], draw)
        return Case("looks", ("show", "c", *as_json), files)
    asked = draw.choice(
        ("orders-0", "3", "4", "orders", "orders-99", "b-0", "-1", *nasty.NUMBERS, *nasty.TEXTS)
    )
    files = {f"plan/{name}": content for name, content in plan.items()}
    return Case("looks", ("explain", "plan", *as_json, "--", asked), files)


def wishes(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """A fleet of one cluster, with what is wished for it in a file."""
    option = draw.choice(sorted(VALUES)).removeprefix("--")
    value = draw.choice((*VALUES["--" + option], *nasty.NUMBERS[:9]))
    text = draw.choice(
        (
            f"{option} = {json.dumps(value)}",
            f"{option} = {value}",
            f'["c*"]\n{option} = {json.dumps(value)}',
            f"{option} = [{json.dumps(value)}]",
        )
    ).encode(errors="replace")
    if draw.random() < 0.3:
        text = nasty.changed_text(text, draw)
    where = draw.choice(("f/equipoise.toml", "f/c/equipoise.toml"))
    files = {"f/c/state.json": STATES["state.json"].encode(), where: text}
    return Case("wishes", ("run", "f", "--check"), files)


FAMILIES: dict[str, tuple[Callable[[Random, Mapping[str, bytes]], Case], float]] = {
    "options": (options, 30),
    "formats": (formats, 25),
    "proposals": (proposals, 10),
    "plan folders": (folders, 20),
    "names": (names, 8),
    "contradictions": (contradictions, 7),
    "looks": (looks, 6),
    "wishes": (wishes, 6),
}
"""Each with its share of the cases."""


def read_folder(folder: Path) -> dict[str, bytes]:
    """The files of a folder by their path in it."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }
