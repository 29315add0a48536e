"""What is wished for a cluster of a fleet, from its ``equipoise.toml``."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.errors import UnusableInput
from equipoise.files.wish import Wish, read_wish
from equipoise.planning.problem.request import Request


def wish(folder: Path, text: str) -> Wish:
    (folder / "equipoise.toml").write_text(text)
    return read_wish(folder)


def test_no_file_asks_for_a_level_cluster(tmp_path: Path) -> None:
    """Without a file the defaults stand."""
    assert read_wish(tmp_path) == Wish(Request())


def test_options_by_name(tmp_path: Path) -> None:
    """Lists, numbers and flags mean what the same option means on the command line."""
    read = wish(
        tmp_path, 'drain = [19]\nadd = "20:a,21:b"\nmax-moves = 7\nleaders-only = false\nthrottle = "20MB"\n'
    )
    assert read.request == Request(drain=(19,), add=((20, "a"), (21, "b")), max_moves=7)
    assert read.throttle == 20_000_000


def test_what_a_fleet_alone_has(tmp_path: Path) -> None:
    """Which figure of loads is planned with, and what planning may take."""
    read = wish(tmp_path, 'load = "p95"\ntime-limit = "10m"\nmemory-limit = "4GB"\nbalance = "disk"')
    assert (read.load, read.time_limit_s, read.memory_limit) == ("p95", 600.0, 4 * 10**9)
    assert wish(tmp_path, "time-limit = 90").time_limit_s == 90.0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("drain = [19", "equipoise.toml: cannot be read"),
        ("drian = [19]", "equipoise.toml, drian: there is no such option. Did you mean drain?"),
        ('drain = "nineteen"', "equipoise.toml, drain: 'nineteen' is not a broker"),
        ('load = "p99"', "equipoise.toml, load: 'p99' is no figure of a load. Choose mean, p95, peak"),
        ('time-limit = "soon"', "equipoise.toml, time-limit: 'soon' is no time. Write 600, 90s, 10m or 2h"),
        ("time-limit = 0", "equipoise.toml, time-limit: '0' is no time"),
        ("memory-limit = true", "equipoise.toml, memory-limit: 'True' is not a size"),
        ("max-inflight = 0", "equipoise.toml, max-inflight: '0' is too small"),
    ],
)
def test_what_cannot_be_understood_is_named(tmp_path: Path, text: str, said: str) -> None:
    """A broken wish names the file, the option and the value."""
    with pytest.raises(UnusableInput) as error:
        wish(tmp_path, text)
    assert str(error.value).startswith(said)
