"""Changes code in small ways, one at a time, and tells which changes no test notices.

A seeded sample of changes (``tools/mutations.py``) to each of the chosen rooms, each tried in a copy of the
tree against the tests of its room. A change that no test notices is a survivor: it needs a test, or a
sentence in ``tools/mutants.toml`` that says why nobody could notice it. Fails for a survivor without one, and
for a sentence about a change that is noticed after all or can no longer be made.

    python -m tools.mutants ROOM... [--number 60] [--seed 1]        --number 0: every change
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tools.mutations import Mutant, Name, mutants

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "tools" / "mutants.toml"
COPIED = ("src", "tests", "tools", "examples", "docs", "pyproject.toml", "README.md", "CHANGELOG.md")
LIMIT = 20
"""A changed room that takes so many times the CPU of the sound one never ends: it was noticed."""


def main() -> int:
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    options = arguments(list(table["rooms"]))
    explained = {name_of(entry): str(entry["why"]) for entry in table.get("explained", ())}
    every = {room: list(all_mutants(table["rooms"][room])) for room in options.rooms}
    chosen = [
        entry
        for room in every  # of each as many, or a large room would leave a small one none
        for entry in sample([(room, mutant) for mutant in every[room]], options.number, options.seed)
    ]
    with tempfile.TemporaryDirectory() as scratch:
        tree = copied(Path(scratch) / "tree")
        found = {}
        for room in options.rooms:
            run = runner(tree, table["rooms"][room]["tests"])
            for mutant in (mutant for of, mutant in chosen if of == room):
                found[mutant] = run(mutant)
                print("." if found[mutant] else "S", end="", flush=True)
    print()
    possible = {mutant.name for room in every for mutant in every[room]}
    sources = [table["rooms"][room]["source"] for room in options.rooms]
    gone = [name for name in explained if name[0].startswith(tuple(sources)) and name not in possible]
    return told(chosen, every, found, explained, gone)


def arguments(rooms: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("rooms", nargs="+", choices=rooms)
    parser.add_argument("--number", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def name_of(entry: Mapping[str, Any]) -> Name:
    """``nth`` is the first where the table does not say."""
    return entry["file"], entry["where"], entry["was"], entry["now"], entry.get("nth", 1)


def all_mutants(room: Mapping[str, Any]) -> Iterable[Mutant]:
    """Every change to the files of a room."""
    for path in sorted((ROOT / room["source"]).rglob("*.py")):
        yield from mutants(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))


def sample(every: list[tuple[str, Mutant]], number: int, seed: int) -> list[tuple[str, Mutant]]:
    """The first ``number`` in the order of the seed (0: all), in the order of files and lines."""
    ranked = sorted(every, key=lambda entry: (entry[1].rank(seed), entry[1].start))
    return sorted(ranked[: number or None], key=lambda entry: (entry[1].file, entry[1].start, entry[1].now))


def copied(tree: Path) -> Path:
    tree.mkdir()
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tree)
    return tree


def runner(tree: Path, tests: list[str]) -> Callable[[Mutant], bool]:
    """A function that tells whether the tests notice a change; they must pass without one."""
    before = cpu_s()
    if run_tests(tree, tests, None) != 0:
        raise SystemExit(f"the tests {' '.join(tests)} fail without any change")
    limit_s = 10 + int(LIMIT * (cpu_s() - before))

    def noticed(mutant: Mutant) -> bool:
        path = tree / mutant.file
        sound = path.read_text(encoding="utf-8")
        path.write_text(mutant.applied(sound), encoding="utf-8")
        try:
            return run_tests(tree, tests, limit_s) != 0
        finally:
            path.write_text(sound, encoding="utf-8")

    return noticed


def run_tests(tree: Path, tests: list[str], limit_s: int | None) -> int:
    """The exit code of the tests in a tree, up to the first that fails."""
    env = {
        **os.environ,
        "PYTHONPATH": str(tree / "src"),
        # A change of the same length in the same second would not be seen in a compiled file.
        "PYTHONDONTWRITEBYTECODE": "1",
        # Plugins that are not asked for take as long to load as the tests of a room take.
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(
        command, cwd=tree, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
        preexec_fn=limit_s and partial(resource.setrlimit, resource.RLIMIT_CPU, (limit_s, limit_s)),
    )  # fmt: skip
    if done.returncode in (4, 5):
        raise SystemExit(f"there are no such tests: {' '.join(tests)}")
    return done.returncode


def cpu_s() -> float:
    """CPU seconds of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def told(
    chosen: list[tuple[str, Mutant]],
    every: Mapping[str, list[Mutant]],
    found: Mapping[Mutant, bool],
    explained: Mapping[Name, str],
    gone: list[Name],
) -> int:
    """Print what was found; 1 where something is to be done."""
    survivors = [mutant for _, mutant in chosen if not found[mutant]]
    tried = Counter(room for room, _ in chosen)
    lived = Counter(room for room, mutant in chosen if not found[mutant])
    print(f"{'room':<12}{'changes':>9}{'tried':>7}{'noticed':>9}{'survived':>10}")
    for room, changes in every.items():
        noticed = tried[room] - lived[room]
        print(f"{room:<12}{len(changes):>9}{tried[room]:>7}{noticed:>9}{lived[room]:>10}")
    for mutant in survivors:
        of_several = f" ({mutant.nth}.)" if mutant.nth > 1 else ""
        print(f"\n{mutant.file}:{mutant.line} {mutant.where}{of_several}\n  - {mutant.was}\n  + {mutant.now}")
        print(f"  {explained.get(mutant.name, 'NOT EXPLAINED')}")
    wrong = [mutant.name for _, mutant in chosen if found[mutant] and mutant.name in explained]
    for name in [*wrong, *gone]:
        print(f"\n{'noticed' if name in wrong else 'no such change'}, yet explained: {name}")
    return int(bool(wrong or gone or any(mutant.name not in explained for mutant in survivors)))


if __name__ == "__main__":
    sys.exit(main())
