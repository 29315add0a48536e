"""One case, tried in a process of its own, and what of its end should never be."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, cast

from tools.corpus.processes import Limits, Send, called_apart
from tools.fuzz.case import SERVED, Case
from tools.fuzz.texts import STATES

from equipoise.wording import printable

LIMITS = Limits(cpu_s=30, wall_s=120)
MOST_MB = 1_500.0
FAULTS = ("traceback", "hang", "memory", "wrong exit", "no place", "raw characters", "unsaid")
OF_OPTIONS = re.compile(
    r"equipoise: (--?[a-z]|Missing argument|Got unexpected|Option '-|Invalid value for '-|No such"
    r"|RATE: |cannot reach )"
)
WHOLE = re.compile(
    r"is empty|binary data|no known (format|kind)|broken gzip|is not a JSON object|archive|does not say"
    r"|was found|holds no|is missing|unpacks|differs|was (changed|added) after"
    r"|was not made from|belongs to another plan|does not list|is not a plan|no broker and no partition"
    r"|no source says|cannot be|is the folder that this runs in"
    r"|there is no such file|has version|this is a part of a cluster|brokers? [\d, ]+ (has|have) no rack"
)
"""Sentences on a file as a whole, or on a cluster that name the topic or broker themselves."""
ASIDE = re.compile(
    r"equipoise: (--throttle, |no run begins |client.properties: not used here"
    r"|(reading|planning|writing|comparing): )"
)
"""What is said before an end."""
FAILED = {"unusable": 2, "impossible": 3}
"""Exit code that means the same as a failure of the service."""
CLUSTER = "state"
"""The cluster of the plan folder that is altered."""
PLACE = re.compile(r"(/[^:]*)?, [^:]+: ")
"""What stands between the name of a file or folder and the problem."""


@dataclass(frozen=True)
class Ending:
    """How a command ended."""

    code: int
    out: str
    err: str


def tried(case: Case) -> tuple[Ending | None, list[str]]:
    """The end of a case, None where it had to be ended, and its faults."""
    with tempfile.TemporaryDirectory() as folder:
        laid_out(case.files, Path(folder))
        ended = called_apart(lambda send: run(case.arguments, folder, send), LIMITS)
    if not ended.sent:
        return None, ["hang" if ended.how == "limit" else "traceback"]
    ending = Ending(*ended.sent[0])
    faults = faults_of(case, ending)
    return ending, faults + ["memory"] * (ended.peak_mb > MOST_MB)


def laid_out(files: Mapping[str, bytes], folder: Path) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def run(arguments: Sequence[str], folder: str, send: Send) -> None:
    """In the process: run the command line there, and send its end."""
    from equipoise.cli.main import main

    os.chdir(folder)
    if arguments[0] == SERVED:
        send(served(arguments[1], Path("body").read_bytes()))
        return
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    sys.stdout, sys.stderr = cast("TextIO", out), cast("TextIO", err)
    try:
        main([os.fsdecode(os.fsencode(word)) for word in arguments])
        code: Any = 0
    except SystemExit as end:
        code = end.code or 0
    texts = [stream.buffer.getvalue().decode(errors="replace") for stream in (out, err)]  # type: ignore[attr-defined]
    send((code, *texts))


def served(verb: str, body: bytes) -> tuple[int, str, str]:
    """What the service's process answers to a call, as the end of a command: its kind of failure tells."""
    from equipoise.server.failures import Failure
    from equipoise.server.worker import answered

    answer = answered(verb, body, {}, lambda _: None)
    if not isinstance(answer, Failure):
        return 0, answer["result"].data.decode(), ""
    more = (answer.more.get(name) for name in ("source", "place"))
    told = ": ".join([*filter(None, [", ".join(filter(None, more))]), answer.problem])
    return FAILED.get(answer.kind, 70), "", f"equipoise: {told}"


def faults_of(case: Case, end: Ending) -> list[str]:
    """What should not be in an end."""
    found = []
    if "Traceback" in end.err or re.search(r"\.py:[0-9]+: ", end.err) or end.code == 70:
        return ["traceback"]
    judges = case.arguments[0] == "check" or "--follow" in case.arguments
    judged = judges and ("violation" in end.out or '"passed"' in end.out)
    judged |= case.arguments[0] == "watch" and end.err.startswith("equipoise: ")  # a round failed
    # of a fleet the clusters that cannot be planned stand in a table
    verdict = end.code == 1 and (judged or (case.arguments[0] == "run" and bool(end.out)))
    if end.code not in (0, 2, 3) and not verdict:
        found.append("wrong exit")
    lines = [line for line in end.err.splitlines() if not ASIDE.match(line)]
    if end.code == 2 and not is_placed(lines, case):
        found.append("no place")
    if end.code == 3 and (len(lines) != 1 or not lines[0].startswith("equipoise: ")):
        found.append("no place")
    if any(
        not c.isprintable() and c != "\n" for c in end.err + ("" if "--json" in case.arguments else end.out)
    ):
        found.append("raw characters")
    if case.contradicts and end.code == 0:
        said = [line for line in (end.out + end.err).splitlines() if "give racks with --racks" not in line]
        if not any(word in line for line in said for word in case.arguments if word.startswith("--")):
            found.append("unsaid")
    return found


def is_placed(lines: list[str], case: Case) -> bool:
    """Whether a refusal is one line that names an option, or a file and a place in it."""
    if len(lines) != 1 or not lines[0].startswith("equipoise: "):
        return False
    if OF_OPTIONS.match(lines[0]) or any(f"{word}: " in lines[0] for word in case.arguments if len(word) > 8):
        return True
    told = lines[0].removeprefix("equipoise: ")
    if case.arguments[0] == SERVED:  # its source stands first
        return ": " in told
    if any(
        told.startswith(f"{printable(word)}: ") for word in case.arguments if word
    ):  # a verb or a path, as it was given
        return True
    names = {part for name in case.files for part in (name.partition("/")[0], Path(name).name)}
    names |= {"." for word in case.arguments if not word}  # an empty path is the folder one is in
    names |= {"standard input" for word in case.arguments if word == "-"}
    names |= {CLUSTER} if "plan" in names else set()  # of a plan folder its cluster may be named
    after = [told.partition(printable(name)[:20])[2] for name in names if printable(name)[:20] in told]
    return any(PLACE.search(rest) or WHOLE.search(rest) for rest in after)


PROCESSES: tuple[tuple[str, str, int], ...] = (
    # what a shell does with it, and what has to come of it
    ("plan c", "", 0),
    ("plan c --json", ">&-", 2),
    ("plan c", ">&-", 2),
    ("plan -", "<&-", 2),
    ("plan c", ">/dev/full", 2),
    ("plan c --json", ">/dev/full", 2),
    ("plan --help", ">/dev/full", 2),
    ("plan c", "2>&-", 0),
    ("plan nothing", "2>&-", 2),
    ("plan nothing", "2>/dev/full", 2),
    ("plan c --drain 3", "| cat", 0),
    ("plan /dev/zero", "", 2),
    ("plan /dev/null", "", 2),
    ("plan -", "</dev/null", 2),
    ("check c/state.txt --current c", "", 2),
)
"""Command lines as whole processes."""
AS_USUAL = {"PYTHONUNBUFFERED": ""}
"""Streams are buffered, whatever they are for us: what they hold at the end has to go somewhere."""


def whole_processes() -> list[str]:
    """The faults of command lines that a shell runs; each is tried with an ASCII terminal too."""
    found = []
    command = f"{sys.executable} -c 'from equipoise.cli.main import main; main()'"
    with tempfile.TemporaryDirectory() as folder:
        laid_out({"c/state.txt": STATES["state.txt"].encode()}, Path(folder))
        for words, shell, code in PROCESSES:
            for env in ({}, {"PYTHONIOENCODING": "ascii"}):
                done = subprocess.run(
                    ["bash", "-o", "pipefail", "-c", f"{command} {words} {shell}"], cwd=folder, check=False,
                    env={**os.environ, **AS_USUAL, "PYTHONPATH": os.pathsep.join(sys.path), **env},
                    capture_output=True, text=True, errors="replace", timeout=300, stdin=None,
                )  # fmt: skip
                if (
                    done.returncode != code
                    or "Traceback" in done.stderr
                    or "Exception ignored" in done.stderr
                ):
                    found.append(f"{words} {shell} {env}: exit {done.returncode}: {done.stderr[-300:]}")
    return found
