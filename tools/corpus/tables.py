"""Files of planned cases as tables in Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from tools.corpus.compare import STRENGTH, Finding, Line, Lines, Verdict

SIZES = (100, 1_000, 10_000, 100_000)
"""Upper ends of the classes of partitions."""
SHOWN = 10
TITLES = {
    "worse": "## Worse",
    "allowed": "## Worse, as allowed",
    "other": "## Neither, to be looked at",
    "better": "## Better",
}
COUNTED_FROM_S = 0.5
"""Below these CPU seconds a ratio says nothing."""


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The first column is text, the others are figures."""
    told = [f"| {' | '.join(head)} |", f"|---{'|---:' * (len(head) - 1)}|"]
    return "\n".join([*told, *(f"| {' | '.join(map(shown, row))} |" for row in rows)])


def shown(cell: object) -> str:
    if isinstance(cell, bool) or cell is None:
        return {True: "yes", False: "no", None: "-"}[cell]
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, float):
        return f"{cell:,.0f}" if cell.is_integer() and abs(cell) >= 1000 else f"{cell:,.2f}"
    return str(cell).replace("|", "\\|").replace("\n", " ")


def summary_of(lines: Lines) -> str:
    """What came of the cases of one file."""
    parts = [exits(lines), costs(lines), dearest(lines), proofs(lines)]
    again = Counter(line.get("again") for line in lines.values())
    parts.append(f"Planning again: empty {again[True]}, not empty {again[False]}, not asked {again[None]}.")
    parts += [f"- {name}: planning again is not empty" for name, line in lines.items() if again_fails(line)]
    return "\n\n".join(parts)


def again_fails(line: Line) -> bool:
    return bool(line.get("again") is False)


def exits(lines: Lines) -> str:
    """How the cases of each family ended."""
    kinds = ("planned", "impossible", "unusable", "limit", "crashed")
    rows: list[list[object]] = []
    for family, members in [*families(lines), ("all", list(lines.values()))]:
        counted = Counter(line["exit"] for line in members)
        rows.append([family, len(members), *(counted[kind] for kind in kinds)])
    return table(["family", "cases", *kinds], rows)


def families(lines: Lines) -> list[tuple[str, list[Line]]]:
    ordered = sorted(lines.values(), key=lambda line: str(line["family"]))
    return [(family, list(members)) for family, members in groupby(ordered, key=lambda line: line["family"])]


def costs(lines: Lines) -> str:
    rows = [
        [family, sum(line["cpu_s"] for line in members), max(line["cpu_s"] for line in members),
         max(line["peak_mb"] for line in members)]
        for family, members in families(lines)
    ]  # fmt: skip
    return table(["family", "CPU s", "worst CPU s", "peak MB"], rows)


def dearest(lines: Lines) -> str:
    worst = sorted(lines.values(), key=lambda line: -line["cpu_s"])[: 2 * SHOWN]
    head = ["most CPU seconds", "CPU s", "peak MB", "exit"]
    return table(head, [[line["name"], line["cpu_s"], line["peak_mb"], line["exit"]] for line in worst])


def proofs(lines: Lines) -> str:
    """How often each goal is proved, and by which kind of proof it is open."""
    kinds: dict[str, Counter[str]] = {}
    for line in lines.values():
        for level in line.get("goals", ()):
            kinds.setdefault(level["goal"], Counter())["proved" if closes(level) else level["proof"]] += 1
    heads = ["proved", *sorted({kind for counted in kinds.values() for kind in counted} - {"proved"})]
    rows = [[goal, *(counted[kind] for kind in heads)] for goal, counted in sorted(kinds.items())]
    return table(["goal", "proved", *(f"open: {kind}" for kind in heads[1:])], rows)


def closes(level: Line) -> bool:
    """True where value and bound meet, and anyone can check it."""
    return level["value"] == level["lower_bound"] and STRENGTH[level["proof"]] == max(STRENGTH.values())


def comparison(verdicts: list[Verdict], before: Lines, after: Lines) -> str:
    """Two files side by side."""
    parts = [overview(verdicts, before, after), by_goal(verdicts)]
    for side in ("worse", "allowed", "other", "better"):
        rows = [
            [verdict.name, finding.what, finding.goal, finding.before, finding.after]
            for verdict in verdicts for finding in verdict.findings if finding.side == side
        ]  # fmt: skip
        parts.append(TITLES[side])
        parts.append(table(["case", "what", "goal", "before", "after"], rows) if rows else "None.")
    both = [(line, after[name]) for name, line in before.items() if name in after]
    parts += ["## CPU seconds", cpu("family", both, lambda line: str(line["family"]))]
    parts += [cpu("partitions", both, size_class), slower(both)]
    return "\n\n".join(parts)


def overview(verdicts: list[Verdict], before: Lines, after: Lines) -> str:
    worse = sum(verdict.worse for verdict in verdicts)
    better = sum(verdict.has("better") and not verdict.worse for verdict in verdicts)
    same = sum(not verdict.findings for verdict in verdicts)
    lists = sum(bool(line.get("lists") == after.get(name, {}).get("lists")) for name, line in before.items())
    head = ["cases", "no difference", "better", "worse", "allowed or other", "same lists"]
    rest = len(verdicts) - same - better - worse
    return table(head, [[len(verdicts), same, better, worse, rest, lists]])


def by_goal(verdicts: list[Verdict]) -> str:
    """How many cases differ at each goal."""
    counted: dict[str, Counter[str]] = {}
    for finding in (finding for verdict in verdicts for finding in verdict.findings if finding.goal):
        counted.setdefault(finding.goal, Counter())[column(finding)] += 1
    heads = [f"{what} {side}" for what in ("value", "bound", "proof") for side in ("better", "worse")]
    heads += ["value allowed", "value other"]
    return table(["goal", *heads], [[goal, *(row[head] for head in heads)] for goal, row in counted.items()])


def column(finding: Finding) -> str:
    return f"{finding.what} {finding.side}"


def size_class(line: Line) -> str:
    n = line.get("partitions", 0)
    return next((f"up to {most:,}" for most in SIZES if n <= most), "more")


def cpu(head: str, both: list[tuple[Line, Line]], of: Callable[[Line], str]) -> str:
    """Sums before and after, and the worst ratio of one case, in groups."""
    groups: dict[str, list[tuple[Line, Line]]] = {}
    for pair in both:
        groups.setdefault(of(pair[0]), []).append(pair)
    rows = []
    for group, pairs in groups.items():
        sums = [sum(pair[k]["cpu_s"] for pair in pairs) for k in (0, 1)]
        worst = max(map(ratio, pairs))
        rows.append([group, len(pairs), *sums, sums[1] / max(sums[0], 1e-3), worst])
    return table([head, "cases", "before s", "after s", "ratio", "worst ratio"], rows)


def ratio(pair: tuple[Line, Line]) -> float:
    """After over before, short times counted as `COUNTED_FROM_S`."""
    before, after = (max(COUNTED_FROM_S, float(line["cpu_s"])) for line in pair)
    return after / before


def slower(both: list[tuple[Line, Line]]) -> str:
    worst = sorted(both, key=ratio, reverse=True)[:SHOWN]
    head = ["worst ratios", "before s", "after s", "ratio"]
    return table(head, [[old["name"], old["cpu_s"], new["cpu_s"], ratio((old, new))] for old, new in worst])
