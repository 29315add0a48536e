"""Which installed packages a fleet needs, and their files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import equipoise

EXTRA = "spark"
NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
OF_EXTRA = re.compile(r"""extra\s*==\s*["']([\w.-]+)["']""")
LEFT_OUT = ("pyspark/jars/", "pyspark/examples/", "pyspark/data/")
"""What every worker has: it is Spark that starts Python there."""


def needed(name: str = "equipoise", extras: tuple[str, ...] = (EXTRA,)) -> list[Distribution]:
    """The package with all that it needs, by name.

    Markers of requirements are not read but for extras: what is installed was asked for.
    """
    found: dict[str, Distribution] = {}
    seen: set[tuple[str, tuple[str, ...]]] = set()
    ahead = [(name, extras)]
    while ahead:
        name, extras = ahead.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            one = found[name] = distribution(name)
        except PackageNotFoundError:
            continue
        ahead += (pair for text in one.requires or () for pair in wanted(text, extras))
    return [found[name] for name in sorted(found)]


def wanted(requirement: str, extras: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The package that a requirement names, normalized, with its extras; nothing for one of another extra."""
    what, _, marker = requirement.partition(";")
    of_extras = OF_EXTRA.findall(marker)
    if of_extras and not set(of_extras) & set(extras):
        return
    if found := NAME.match(what.strip()):
        own = re.search(r"\[([^]]*)\]", what)
        asked = tuple(part.strip() for part in own[1].split(",")) if own else ()
        yield re.sub(r"[-_.]+", "-", found[0]).lower(), asked


def files_of(package: Distribution) -> Iterator[tuple[str, Path]]:
    """Files below ``site-packages``, with their path there; of ourselves those that are imported now.

    A checkout is installed as a link to its sources, which nobody finds elsewhere.
    """
    for file in package.files or ():
        name = file.as_posix()
        if not name.startswith(("../", *LEFT_OUT)) and not name.endswith(".pth"):
            yield name, Path(str(file.locate()))
    if package.metadata["Name"] == "equipoise":
        root = Path(equipoise.__file__).parent
        yield from ((f"equipoise/{path.relative_to(root).as_posix()}", path) for path in root.rglob("*"))
