"""Cases by family: what stands in the folder, the command line, and what has to be said of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
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
        "cpu",
        "cpu:200",
        "count,cpu:5:10",
        "cpu,network-out,leaders",
    ),
    "--max-fill": ("85%", "0", "101%", "1", "disk:85%,network-in:70%", "cpu:50%", "network-in:0.001"),
    "--log-dirs": ("level", "level:10", "level:101", "keep"),
    "--consumption": ("3", "0", "0.5", "-1", "9999", "10000", "two"),
    "--cross-zone-price": ("0.02", "0", "1e9", "-1"),
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
    "--write-lp": ("program.lp", "nowhere/program.lp"),
    "--html": ("page.html", "c", "nowhere/page.html"),
    "--budgets": ("0", "0,50,100", "100,0", "101", "12.5%,x", ","),
    "--unit": ("moves", "bytes", "euros"),
}
FLAGS = (
    "--partial",
    "--leaders-only",
    "--required-only",
    "--stay-in-rack",
    "--json",
    "-q",
    "-v",
    "--force",
    "--explain-solver",
)
OF_PLAN = ("--throttle", "--max-inflight", "--out", "--follow", "--force", "--explain-solver", "--write-lp")
OF_OTHERS = ("--html", "--budgets", "--unit")
OF_VERB: dict[str, tuple[str, ...]] = {
    "plan": OF_PLAN,
    "frontier": OF_OTHERS,
    "compare": ("--html", "--write-lp"),
    "check": (),
}
"""Options that not every verb has which plans."""
LOADS = {
    "--balance": ("disk", "all", "count,disk:10", "network-out", "cpu", "disk,leaders,cpu:5:10,network-in:3"),
    "--tolerance": ("0", "5", "10:5"),
    "--consumption": ("3", "0.5", "0"),
    "--max-fill": ("85%", "disk:85%,network-in:70%", "network-in:0.001", "disk:20"),
    "--log-dirs": ("level", "level:10"),
    "--drain-dir": ("1:/d", "1:/d,2:/e", "1:/nothing"),
    "--max-bytes": ("2MB", "0"),
    "--cross-zone-price": ("0.02",),
}
"""Options of what sources tell, with values that can be meant."""
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
    "--consumption 3", "--balance leaders:5 --tolerance 7", "--leaders-only --balance disk", "--force",
    "--max-fill 85%", "--log-dirs level", "--log-dirs level --leaders-only", "--drain-dir 1:/d",
    "--cross-zone-price 0.02", "--strategy wix --required-only", "--exclude-topics nothing",
    "--brokers 1-3:a --racks 1:b,2:a,3:a", "--add 7:a --racks 1:a,2:b,3:c,7:b", "--assume-alive 1",
    "--follow theirs.json --strategy wix", "--follow theirs.json --required-only", "--stay-in-rack",
    "--brokers 1-3:a --add 7:a,3:b", "--rack-rule strict", "--max-bytes 1MB", "--balance cpu",
    "--racks 1:a,2:b,3:c,44:d", "--leaders-only --goals racks,moves", "--required-only --goals replicas",
    "--create new:2:2 --exclude-topics new", "--replace 3=9 --brokers 1-3", "--add 9 --required-only",
    "--follow theirs.json --create new:2:2", "--follow theirs.json --log-dirs level",
    "--follow theirs.json --drain-dir 1:/d", "--follow theirs.json --effort quick",
    "--brokers 1-2 --add 1", "--brokers 1-2 --cordon 3", "--drain 3 --cordon 3",
    "--drain 3 --no-leaders-on 3", "--leaders-only --max-moves 3",
    "--leaders-only --cordon 3", "--goals replicas --balance leaders",
    "--strategy greedy --goals moves", "--strategy greedy --effort quick",
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
        words += [option, value_of(VALUES, option, draw)] * has(verb, option)
    words += [flag for flag in FLAGS if draw.random() < 0.08 and has(verb, flag)]
    return Case("options", tuple(words), files)


def has(verb: str, option: str) -> bool:
    """Whether a verb has an option."""
    return option not in (*OF_PLAN, *OF_OTHERS) or option in OF_VERB[verb]


def value_of(values: Mapping[str, Sequence[str]], option: str, draw: Random) -> str:
    """One of the values of an option, one in five of another kind."""
    odd = draw.random() < 0.2
    return draw.choice((*nasty.NUMBERS, *nasty.TEXTS) if odd else values[option])


def loads(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """Options of loads and log dirs, on a cluster of which most is told."""
    verb = draw.choices(("plan", "frontier", "check"), (8, 1, 1))[0]
    state = draw.choice(("state.txt", "kcat.json", "cluster_state.json"))
    files = {f"c/{name}": text.encode() for name, text in BESIDE.items() if draw.random() < 0.7}
    files[f"c/{state}"] = STATES[state].encode()
    if draw.random() < 0.25:
        name = draw.choice(sorted(files))
        files[name] = nasty.changed_text(files[name], draw)
    files["theirs.json"] = STATES["state.json"].encode()
    words = ["check", "theirs.json", "--current", "c"] if verb == "check" else [verb, "c"]
    for option in draw.sample(sorted(LOADS), draw.choice((1, 2, 3))):
        words += [option, draw.choice(LOADS[option])]
    words += draw.choice(([], ["--drain", "3"], ["--leaders-only"], ["--replace", "3=4"], ["--out", "o"]))
    return Case("loads", tuple(words[:-2] if words[-1] == "o" and verb != "plan" else words), files)


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
    files = {f"c/{state}": STATES[state].encode(), "theirs.json": STATES[state].encode()}
    return Case("contradictions", ("plan", "c", *words), files, contradicts=True)


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
    words = [
        word
        for option in OF_FLEETS
        if draw.random() < 0.1
        for word in (option, value_of(OF_FLEETS, option, draw))
    ]
    return Case("wishes", ("run", "f", "--check", *words), files)


def carrying(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """A plan folder to be carried out, where nobody listens; its journal or orders may be damaged."""
    files = {f"plan/{name}": content for name, content in plan.items()}
    name = draw.choice(("", "journal.jsonl", "journal.jsonl", "steering.json"))
    if name == "journal.jsonl":
        lines = journal(plan)
        at = draw.randrange(len(lines))
        lines[at] = (nasty.other_value if draw.random() < 0.7 else nasty.changed_text)(lines[at], draw)
        files[f"plan/{name}"] = b"\n".join([*lines[: draw.randint(1, len(lines))], b""])
    elif name:
        files[f"plan/{name}"] = nasty.changed_text(b'{"paused": true, "throttle": 1000000}\n', draw)
    verb = draw.choice(
        (
            "apply",
            "apply",
            "status",
            "pause",
            "continue",
            "throttle",
            "cancel",
            "rollback",
            "snapshot",
            "watch",
        )
    )
    words = [verb, *["plan"] * (verb not in ("snapshot", "watch"))]
    if verb == "throttle":
        return Case("carrying", (*words, draw.choice(("1MB", "0", "-5", *nasty.NUMBERS))), files)
    if verb in ("pause", "continue"):
        return Case("carrying", tuple(words), files)
    words += [
        "--bootstrap-server",
        draw.choice((NOBODY, NOBODY, NOBODY, "", "x", "h:99999", "[::1", ",", "é:1")),
    ]
    if draw.random() < 0.2:
        words += ["--command-config", "client.properties"]
        files["client.properties"] = nasty.changed_text(
            b"security.protocol=PLAINTEXT\nsasl.mechanism=PLAIN\n", draw
        )
    if verb in ("apply", "rollback", "watch"):
        for option in draw.sample(sorted(OF_RUNS), draw.choice((0, 1, 2))):
            words += [option, value_of(OF_RUNS, option, draw)]
        words += ["--dry-run"] * (verb == "apply" and draw.random() < 0.3)
    if verb == "watch":
        words += ["--rounds", "1"]
        for option in draw.sample(sorted(OF_WATCHES), draw.choice((0, 1))):
            words += [option, value_of(OF_WATCHES, option, draw)]
    if verb == "snapshot":
        words += ["--out", value_of(VALUES, "--out", draw)]
    return Case("carrying", tuple(words), files)


def calls(draw: Random, plan: Mapping[str, bytes]) -> Case:
    """The body of a call to the service, with options that may be of any kind; or one that was damaged."""
    verb = draw.choices(("plan", "check", "show", "frontier", "submit"), (6, 3, 1, 1, 2))[0]
    sources = [{"name": name, "text": content.decode()} for name, content in sound(draw).items()]
    names = draw.sample(sorted(VALUES), draw.choice((0, 1, 1, 2)))
    options = {
        name.removeprefix("--"): draw.choice(nasty.SCALARS if draw.random() < 0.2 else VALUES[name])
        for name in names
        if has("check", name)
    }
    call: dict[str, object] = {"sources": sources, "options": options}
    if verb == "check":
        call |= {"reassignment": json.loads(STATES["state.json"]), "optimum": draw.random() < 0.5}
    if verb == "submit":
        call = {"brokers": draw.choice(VALUES["--brokers"]), "partitions": json.loads(STATES["state.json"])}
    body = json.dumps(call).encode(errors="replace")
    if draw.random() < 0.4:
        body = nasty.other_value(body, draw) if draw.random() < 0.7 else nasty.changed_text(body, draw)
    return Case("calls", (SERVED, verb), {"body": body})


NOBODY = "127.0.0.1:1"
"""Where no broker listens."""
SERVED = "serve"
"""What stands first in a case that is a call to the service: the verb and its body follow."""
OF_FLEETS = {
    "--since": ("2026-01-31T12:00:00Z", "2026", "yesterday"),
    "--window": ("30d", "0d", "x"),
    "--conf": ("spark.executor.cores=4", "x", "=", "spark.x="),
    "--master": ("local[1]", "spark://h:1", "mesos"),
}
OF_WATCHES = {
    "--every": ("10m", "0s", "1", "999d"),
    "--above": ("0", "5", "101", "-1"),
    "--drain": ("3", "9-1"),
    "--balance": ("all", "disk", "cpu:x"),
}
OF_RUNS = {
    "--throttle": ("1MB", "auto:5MB-50MB", "auto:50MB-5MB", "auto", "auto:-"),
    "--max-inflight": ("1", "0"),
    "--per-broker": ("1", "0"),
    "--if-stuck": ("wait", "skip", "retarget", "hope"),
    "--stuck-after": ("120", "0", "1e300"),
    "--between": ("22:00-06:00", "22:00-22:00", "25:00-06:00", "22-6"),
    "--for": ("2h", "0s", "99999d"),
    "--on-event": ("true", "'", "no-such-command", ""),
    "--metrics-file": ("m.prom", "nowhere/m.prom", "plan"),
    "--log": ("text", "json", "xml"),
}
"""Options of a run; values that are none among them."""


def journal(plan: Mapping[str, bytes]) -> list[bytes]:
    """What a run of the plan may have written, up to its end."""
    digest = "sha256:" + hashlib.sha256(plan["SHA256SUMS"]).hexdigest()
    place, rates = ["orders-1"], {"1": {"leader.replication.throttled.rate": None}}
    entries: list[dict[str, object]] = [
        {"type": "begin", "plan": digest, "operation": "apply", "throttle": 1000, "bounds": [1000, 2000],
         "max_inflight": 3},
        {"type": "steer", "hold": "paused", "throttle": 2000, "bounds": None},
        {"type": "rates", "rate": "1000", "brokers": rates},
        {"type": "pairs", "topics": {"orders": {"leader.replication.throttled.replicas": ["1:2"]}}},
        {"type": "submit", "partitions": {"orders-1": [2, 4]}, "leaders": {"orders-1": 2},
         "topic_ids": {"orders": "x"}},
        {"type": "done", "partitions": place},
        {"type": "skip", "partitions": place, "why": "x"},
        {"type": "cancel", "partitions": {"orders-2": [3, 1]}},
        {"type": "restored", "partitions": ["orders-2"]},
        {"type": "unpaired", "topics": {"orders": {"leader.replication.throttled.replicas": ["1:2"]}}},
        {"type": "cleared", "topics": ["orders"], "brokers": [1]},
        {"type": "end", "outcome": "incomplete"},
    ]  # fmt: skip
    return [json.dumps(entry).encode() for entry in entries]


FAMILIES: dict[str, tuple[Callable[[Random, Mapping[str, bytes]], Case], float]] = {
    "options": (options, 30),
    "formats": (formats, 25),
    "proposals": (proposals, 10),
    "plan folders": (folders, 20),
    "names": (names, 8),
    "contradictions": (contradictions, 7),
    "looks": (looks, 6),
    "wishes": (wishes, 6),
    "loads": (loads, 14),
    "carrying": (carrying, 6),
    "calls": (calls, 10),
}
"""Each with its share of the cases."""


def read_folder(folder: Path) -> dict[str, bytes]:
    """The files of a folder by their path in it."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }
