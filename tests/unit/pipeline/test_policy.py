"""What is wished for a fleet: defaults, groups by name, single clusters, and each cluster's own file."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from equipoise.cli.main import app
from equipoise.errors import UnusableInput
from equipoise.files.policy import read_policy
from equipoise.files.wish import read_wish

POLICY = """
[defaults]
load = "p95"
max-moves = 10

[groups.production]
clusters = ["prod-*", "orders"]
max-moves = 20
throttle = "20MB"

[groups.west]
clusters = "*-us"
max-moves = 30

[clusters.prod-us]
throttle = "5MB"
"""


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    for name in ("orders", "prod-eu", "prod-us", "test"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "current.json").write_text("{}")
    (tmp_path / "equipoise.toml").write_text(POLICY)
    (tmp_path / "orders" / "equipoise.toml").write_text("max-moves = 7\n")
    return tmp_path


def names(fleet: Path) -> list[str]:
    return [folder.name for folder in fleet.iterdir() if folder.is_dir()]


def test_the_last_word(fleet: Path) -> None:
    """The nearer to the cluster the stronger; of two groups the later one."""
    policy = read_policy(fleet, names(fleet))
    found = {name: read_wish(fleet / name, policy.of(name)) for name in names(fleet)}
    moves = {name: wish.request.max_moves for name, wish in found.items()}
    assert moves == {"orders": 7, "prod-eu": 20, "prod-us": 30, "test": 10}
    assert {name: wish.throttle for name, wish in found.items()} == {
        "orders": 20e6, "prod-eu": 20e6, "prod-us": 5e6, "test": None
    }  # fmt: skip
    assert {wish.load for wish in found.values()} == {"p95"}


def test_no_policy(fleet: Path) -> None:
    """A fleet needs none."""
    (fleet / "equipoise.toml").unlink()
    assert read_policy(fleet, names(fleet)).of("test") == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[default]\nload = 1", "default: there is no such table. Did you mean defaults?"),
        ("max-moves = 1", "max-moves: there is no such table. There are clusters, defaults, groups"),
        ("defaults = 1", "defaults: is no table but '1'"),
        ("[defaults]\nmax-move = 1", "defaults.max-move: there is no such option. Did you mean max-moves?"),
        ("[defaults]\nmax-moves = -1", "defaults.max-moves: '-1' is not a whole number"),
        ("[groups.a]\nload = 'p95'", "groups.a: does not say which clusters it is of"),
        ("[clusters.prod-uk]", "clusters.prod-uk: there is no cluster 'prod-uk'. Did you mean prod-us?"),
        ("[defaults", "equipoise.toml: cannot be read"),
        ("max-bytes = 1", "max-bytes: there is no such table. Did you mean max-bytes-total?"),
        ("max-bytes-total = 'much'", "equipoise.toml, max-bytes-total: 'much' is not a size"),
    ],
)
def test_what_cannot_be_understood(fleet: Path, text: str, said: str) -> None:
    """It is named with its place and the nearest that there is."""
    (fleet / "equipoise.toml").write_text(text)
    with pytest.raises(UnusableInput) as error:
        read_policy(fleet, names(fleet))
    assert said in str(error.value)


def test_the_budget_of_the_fleet(fleet: Path) -> None:
    """It stands above all tables, as any size, and is no wish of a cluster."""
    assert read_policy(fleet, names(fleet)).max_bytes_total is None
    (fleet / "equipoise.toml").write_text("max-bytes-total = '20TB'\n" + POLICY)
    policy = read_policy(fleet, names(fleet))
    assert policy.max_bytes_total == 20 * 10**12
    assert "max-bytes-total" not in policy.of("orders")


def test_a_contradiction_of_two_files(fleet: Path) -> None:
    """What each may say alone is told with the option's place in the file of the fleet."""
    (fleet / "equipoise.toml").write_text("[defaults]\nleaders-only = true\n")
    (fleet / "orders" / "equipoise.toml").write_text("required-only = true\n")
    with pytest.raises(UnusableInput, match=r"\.\./equipoise.toml, defaults.leaders-only: cannot be"):
        read_wish(fleet / "orders", read_policy(fleet, names(fleet)).of("orders"))


def test_the_command(fleet: Path) -> None:
    """A block for each cluster, each option with the place that has the word; Spark is not started."""
    told = CliRunner().invoke(app(), ["run", str(fleet), "--check"])
    assert (told.exit_code, told.output.splitlines()[:4]) == (0, [
        "orders: 1 file, 0 files of samples",
        '  load = "p95" (defaults)',
        "  max-moves = 7 (its own file)",
        '  throttle = "20MB" (groups.production)',
    ])  # fmt: skip
    (fleet / "test" / "equipoise.toml").write_text("drian = 1")
    (fleet / "test" / "gone.json").symlink_to("nowhere")
    told = CliRunner().invoke(app(), ["run", str(fleet), "--check"])
    assert told.exit_code == 1
    assert told.output.splitlines()[-3:] == [
        "test: 2 files, 0 files of samples",
        "  gone.json: is a link to nothing",
        "  equipoise.toml, drian: there is no such option. Did you mean drain?",
    ]
