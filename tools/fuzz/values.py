"""Options with values that somebody may write, and which verbs have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from tools.fuzz import nasty

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
        "leaders-in:10,replication-out",
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


def has(verb: str, option: str) -> bool:
    """Whether a verb has an option."""
    return option not in (*OF_PLAN, *OF_OTHERS) or option in OF_VERB[verb]


def value_of(values: Mapping[str, Sequence[str]], option: str, draw: Random) -> str:
    """One of the values of an option, one in five of another kind."""
    odd = draw.random() < 0.2
    return draw.choice((*nasty.NUMBERS, *nasty.TEXTS) if odd else values[option])
