"""The command line; see the package."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from pathlib import Path

import tools.corpus


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.corpus", description=tools.corpus.__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    plan = verbs.add_parser("plan", help="plan the cases; those that FILE has are left out")
    plan.add_argument("--out", type=Path, required=True, metavar="FILE", help="JSON lines, one a case")
    plan.add_argument("--source", type=Path, metavar="DIR", help="the product's sources, instead of these")
    plan.add_argument("--only", default="", metavar="REGEX", help="cases whose name it is found in")
    plan.add_argument("--jobs", type=int, default=1, metavar="N", help="cases at a time")
    summary = verbs.add_parser("summary", help="what came of the cases of a file, as Markdown")
    summary.add_argument("file", type=Path)
    compare = verbs.add_parser("compare", help="two files, as Markdown; exit 1 where anything is worse")
    compare.add_argument("before", type=Path)
    compare.add_argument("after", type=Path)
    asked = parser.parse_args()
    if asked.verb == "plan":
        plan_all(asked.out, asked.source or Path(__file__).parents[2] / "src", asked.only, asked.jobs)
    elif asked.verb == "summary":
        from tools.corpus.tables import summary_of

        print(summary_of(lines_of(asked.file)))
    else:
        from tools.corpus.compare import compared
        from tools.corpus.tables import comparison

        before, after = lines_of(asked.before), lines_of(asked.after)
        verdicts = compared(before, after)
        print(comparison(verdicts, before, after))
        sys.exit(any(verdict.worse for verdict in verdicts))


def plan_all(out: Path, source: Path, only: str, jobs: int) -> None:
    """Plan with the product in ``source``, in ``jobs`` processes that take one case after the other."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # threads do not live through a fork
    sys.path.insert(0, str(source.resolve()))
    from tools.corpus.cases import cases

    import equipoise

    if not Path(equipoise.__file__).is_relative_to(source.resolve()):
        sys.exit(f"{source} has no equipoise")
    done = set(lines_of(out)) if out.exists() else set()
    left = [case for case in cases() if case.name not in done and re.search(only, case.name)]
    print(f"{len(left)} cases to plan, {len(done)} are there", file=sys.stderr)
    from tools.corpus.lanes import run_lanes

    run_lanes(left, out, jobs)


def lines_of(file: Path) -> dict[str, dict[str, object]]:
    """The lines of a file by the name of their case; a last one that was cut off does not count."""
    found = {}
    for text in file.read_text(encoding="utf-8").splitlines(keepends=True):
        if text.endswith("\n"):
            line = json.loads(text)
            found[line["name"]] = line
    return found


if __name__ == "__main__":
    main()
