"""The command line; see the package."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path

import tools.fuzz
from tools.fuzz.case import NOBODY
from tools.fuzz.cases import FAMILIES, case_of, read_folder
from tools.fuzz.texts import STATES
from tools.fuzz.trial import FAULTS, served, tried, whole_processes

from equipoise.cli.main import main as equipoise

TOLD = 1_000
"""After so many cases a line says how it stands."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=tools.fuzz.__doc__)
    parser.add_argument("--number", type=int, default=500, help="cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, metavar="N", help="the case of this number alone, shown in full")
    asked = parser.parse_args()
    if asked.only is not None:
        show(asked.seed, asked.only)
        return 0
    found, examples = fuzz(asked.number, asked.seed)
    shells = whole_processes()
    print(table(found))
    for line in (*examples, *shells):
        print(line)
    print(f"whole processes: {len(shells)} of them wrong")
    return int(bool(examples or shells))


def fuzz(number: int, seed: int) -> tuple[Mapping[str, Counter[str]], list[str]]:
    """How often each fault came in each family, and the first of them with their command lines."""
    plan = sound_plan()
    found: dict[str, Counter[str]] = {family: Counter() for family in FAMILIES}
    examples = []
    for n in range(number):
        case = case_of(seed, n, plan)
        ending, faults = tried(case)
        counted = found[case.family]
        counted["cases"] += 1
        counted[f"exit {ending.code}" if ending is not None else "no exit"] += 1
        counted.update(faults)
        if (n + 1) % TOLD == 0:
            print(f"{n + 1} cases, {len(examples) + bool(faults)} with a fault", file=sys.stderr, flush=True)
        if faults:
            said = ending.err.strip()[-200:] if ending is not None else ""
            examples.append(
                f"case {n} of {seed}: {', '.join(faults)}: {' '.join(case.arguments)[:120]!a}: {said!a}"
            )
    return found, examples


def sound_plan() -> dict[str, bytes]:
    """A plan folder as it should be; what verbs need is loaded then, for all processes that are forked."""
    with tempfile.TemporaryDirectory() as folder:
        state, plan = f"{folder}/f/c/state.txt", f"{folder}/plan"
        Path(state).parent.mkdir(parents=True)
        Path(state).write_text(STATES["state.txt"], encoding="utf-8")
        served("show", b"")
        for words in (
            ["plan", state, "--add", "4", "--drain", "3", "--out", plan],
            ["plan", state, "--balance", "leaders", "--explain-solver"],
            ["check", plan],
            ["show", state],
            ["explain", plan, "3"],
            ["apply", plan, "--bootstrap-server", NOBODY],
            ["frontier", state, "--budgets", "0"],
            ["run", f"{folder}/f", "--check"],
        ):
            with suppress(SystemExit), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
                equipoise(words)
        return read_folder(Path(plan))


def table(found: Mapping[str, Counter[str]]) -> str:
    """A line for each family, and one for all."""
    ends = ["exit 0", "exit 1", "exit 2", "exit 3"]
    heads = ["cases", *ends, *FAULTS]
    everything = sum(found.values(), Counter[str]())
    rows = [
        [family, *(counted[head] for head in heads)]
        for family, counted in (*found.items(), ("all", everything))
    ]
    widths = [max(len(f"{row[i]}") for row in (["family", *heads], *rows)) for i in range(len(heads) + 1)]
    return "\n".join(
        "  ".join(f"{cell!s:>{w}}" for cell, w in zip(row, widths, strict=True))
        for row in (["family", *heads], *rows)
    )


def show(seed: int, number: int) -> None:
    """A case in full."""
    case = case_of(seed, number, sound_plan())
    ending, faults = tried(case)
    print(case.arguments)
    for name, content in case.files.items():
        print(f"{name}: {content[:2000]!r}")
    print(f"{ending}\n{faults}")


if __name__ == "__main__":
    sys.exit(main())
