"""Log dirs of one broker as the judge counts them: what a plan reaches, and what no plan is below."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from equipoise.cluster import Brokers, Level, build_cluster
from equipoise.cluster.log_dirs import DirPlan, LogDirs
from equipoise.cluster.proofs import ProofKind
from equipoise.judge import Case, rules_of
from equipoise.judge.log_dirs import judge_dirs

LEVEL = {"log_dirs": "level:0"}
MANY = 17
"""So many replicas are no longer looked at in every way there is."""


def judged(
    sizes: Sequence[float], moved: str, asked: dict[str, object], *levels: Level
) -> tuple[dict[str, tuple[int | None, int | None]], list[str]]:
    """Value and bound of each goal, and what is wrong, of broker 1 with dirs /a, /b and /c.

    ``moved``: the dir of each replica before and after, as ``aab>abb``.
    """
    before, after = (np.array(["abc".index(at) for at in part]) for part in moved.split(">"))
    n = len(sizes)
    paths = ("/a", "/b", "/c")[: max(2, *before + 1, *after + 1)]
    dirs = LogDirs(
        [1] * len(paths), paths, np.full(len(paths), np.nan), np.ones(len(paths), dtype=bool),
        np.arange(n), before,
    )  # fmt: skip
    cluster = build_cluster("c", Brokers.of([1]), ["t"] * n, range(n), [[1]] * n, size_bytes=sizes, dirs=dirs)
    case = Case(cluster, cluster.replicas, rules_of(cluster, asked), np.ones(1, dtype=bool))
    found, broken = judge_dirs(case, DirPlan(after[:, None], certificate=levels), asked)
    wrong = [f"{finding.goal}: {finding.problem}" for finding in found if finding.problem]
    return {finding.goal: (finding.value, finding.bound) for finding in found}, [*wrong, *map(str, broken)]


def claims(outside: tuple[int, int], moved: tuple[int, int]) -> tuple[Level, Level]:
    """Value and bound of what is outside the bands, and of what is moved."""
    kind = ProofKind.CLOSED_FORM
    return Level("log-dirs", *outside, kind), Level("log-dir-bytes", *moved, kind)


def test_one_of_two_has_to_move() -> None:
    """Two replicas of 10 bytes in one of two dirs: one moves, and no less would do."""
    found, wrong = judged([10, 10], "aa>ab", LEVEL, *claims((0, 0), (10, 10)))
    assert found == {"log-dirs": (0, 0), "log-dir-bytes": (10, 10)}
    assert wrong == []


def test_what_could_have_moved_is_told() -> None:
    """A plan that leaves both where they are is 20 bytes outside, and that proves nothing."""
    found, wrong = judged([10, 10], "aa>aa", LEVEL, *claims((20, 0), (0, 0)))
    assert found["log-dirs"] == (20, 0) and found["log-dir-bytes"][0] == 0
    assert wrong == []


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        ((), ["log-dirs: the plan says nothing of it", "log-dir-bytes: the plan says nothing of it"]),
        (claims((1, 0), (10, 10)), ["log-dirs: its value is 0, not 1"]),
        (claims((0, 0), (0, 0)), ["log-dir-bytes: its value is 10, not 0"]),
        (claims((0, 0), (10, 11)), ["log-dir-bytes: only 10 is proved, not 11"]),
    ],
)
def test_a_false_claim_is_named(levels: tuple[Level, ...], said: list[str]) -> None:
    assert judged([10, 10], "aa>ab", LEVEL, *levels)[1] == said


def test_a_drained_dir_is_left() -> None:
    """Whatever lies in /b has to leave it; what stays there is a violation."""
    asked: dict[str, object] = {"drain_dir": [[1, "/b"]]}
    found, wrong = judged([10, 30], "ab>aa", asked, *claims((0, 0), (30, 30)))
    assert (found["log-dir-bytes"], wrong) == ((30, 30), [])
    assert (
        judged([10, 30], "ab>ab", asked, *claims((0, 0), (0, 0)))[1][-1]
        == "t-1: /b of broker 1 is to be empty"
    )


def test_of_many_the_largest_may_be_too_large() -> None:
    """100 of 134 bytes in one replica: 33 more than its dir should hold, 33 less in the other."""
    sizes = [100, *[2] * MANY]
    found, _ = judged(sizes, f"{'a' * 18}>a{'b' * MANY}", LEVEL)
    assert found == {"log-dirs": (66, 66), "log-dir-bytes": (34, 1)}


def test_of_many_that_could_be_level_nothing_outside_is_proved() -> None:
    """One byte more than there has to be in /a, and one less in /b."""
    sizes = [2, *[1] * MANY, 1]
    found, _ = judged(sizes, f"a{'a' * 10}{'b' * 8}>a{'a' * 10}{'b' * 8}", LEVEL)
    assert found["log-dirs"] == (4, 0)


def test_of_many_what_one_dir_lacks_is_moved() -> None:
    """19 bytes in three dirs, 6 or 7 in each: /c has 5, and neither of the others has too much."""
    sizes = [2, *[1] * MANY]
    before = f"{'a' * 6}{'b' * 7}{'c' * 5}"
    found, _ = judged(sizes, f"{before}>{before[:-6]}c{'c' * 5}", LEVEL)
    assert found == {"log-dirs": (0, 0), "log-dir-bytes": (1, 1)}


def test_what_may_not_move_stays_outside() -> None:
    """All 20 bytes lie in one of three dirs, and their topic is left out: 13 above a band, twice 6 below."""
    found, wrong = judged([10, 10, 0], "aac>aac", LEVEL | {"topics": "other"}, *claims((25, 25), (0, 0)))
    assert (found, wrong) == ({"log-dirs": (25, 25), "log-dir-bytes": (0, 0)}, [])
