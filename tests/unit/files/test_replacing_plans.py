"""What ``plan --out`` replaces, what it refuses, and what ``--force`` changes; nothing foreign ever goes."""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from equipoise.cli.main import main
from equipoise.files.plan_directory import read_plan

ORDERS = str(Path(__file__).parents[3] / "examples/orders.txt")

RACE = """
import sys
from pathlib import Path
from equipoise.cli.main import main
name, *words = sys.argv[1:]
came = []
def hook(event, arguments):
    if not came and event == "open" and str(arguments[0]).endswith(".new/SHA256SUMS"):
        came.append(name)
        Path("out", name).parent.mkdir(parents=True, exist_ok=True)
        Path("out", name).write_text("precious")
sys.addaudithook(hook)
main(["plan", *words, "--out", "out"])
"""
"""A file that appears in ``out`` while the last file of a plan is written."""


Plan = Callable[..., tuple[int, str]]


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Plan:
    """Runs ``equipoise plan`` in an empty folder: exit code and standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str, out: str = "out") -> tuple[int, str]:
        with pytest.raises(SystemExit) as end:
            main(["plan", ORDERS, *words, "--out", out])
        return int(end.value.code or 0), capsys.readouterr().err

    return run


def drained(folder: str = "out") -> list[int]:
    """What the plan in a folder was asked to drain."""
    return [*read_plan(Path(folder)).request.get("drain", ())]


@pytest.mark.parametrize(
    ("before", "name", "said"),
    [
        (False, "thesis.txt", "out: is there and is not a plan directory. Choose another --out or empty it"),
        (True, "thesis.txt", "out: holds thesis.txt, which is not part of a plan. Choose another --out"),
        (True, "waves/thesis.txt", "out: holds waves/thesis.txt, which is not part of a plan. Choose"),
        (True, "journal.jsonl", "out: holds journal.jsonl: without it the run of that plan can be neither"),
    ],
)
@pytest.mark.slow
def test_what_appears_meanwhile_survives(plan: Plan, before: bool, name: str, said: str) -> None:
    """A file that comes while the plan is written is found, and everything is as if nobody had planned."""
    if before:
        assert plan("--drain", "5") == (0, "")
    done = subprocess.run(
        [sys.executable, "-c", RACE, name, ORDERS, "--drain", "5"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"equipoise: {said}") and done.stderr.count("\n") == 1
    assert Path("out", name).read_text() == "precious"
    assert [entry.name for entry in Path().iterdir()] == ["out"]
    if before:
        Path("out", name).unlink()
        assert drained() == [5]


def test_the_same_request_replaces_silently(plan: Plan) -> None:
    """Planning again with the same options is no occasion for a word."""
    assert plan("--drain", "5") == (0, "")
    assert plan("--drain", "5") == (0, "")
    assert drained() == [5]


def test_another_request_is_replaced_by_force_alone(plan: Plan) -> None:
    """The message names the options of the plan that is there; --force says what it has replaced."""
    assert plan("--drain", "4", "--max-moves", "9") == (0, "")
    refused = plan("--drain", "5")
    held = "holds a plan of another request (--drain 4 --max-moves 9)"
    assert refused == (2, f"equipoise: out: {held}. Give --force to replace it, or another --out\n")
    assert drained() == [4]
    assert plan("--drain", "5", "--force") == (0, f"equipoise: out: replaced all the same: it {held}\n")
    assert drained() == [5]


def test_options_are_named_as_they_are_given(plan: Plan) -> None:
    """Whatever an option takes, the message has it in the words of the command line, and not without end."""
    words = ["--replace", "3=9", "--brokers", "1-2,4,9", "--tolerance", "5:10"]
    words += ["--topics", "ord.*"]
    assert plan(*words) == (0, "")
    assert "(--brokers 1,2,4,9 --replace 3=9 --topics ord.* --tolerance …)" in plan()[1]
    assert plan("--leaders-only", out="other") == (0, "")
    assert "(--leaders-only)" in plan(out="other")[1]
    assert plan(out="plain") == (0, "")
    assert "(no options)" in plan("--drain", "5", out="plain")[1]


@pytest.mark.slow
def test_the_plan_of_another_cluster(plan: Plan, tmp_path: Path) -> None:
    """The same options for a cluster of another id are no reason to replace its plan."""
    for name in ("one", "two"):
        Path(name).mkdir()
        Path(name, "topics.txt").write_bytes(Path(ORDERS).read_bytes())
        Path(name, "id.txt").write_text(f"Cluster ID: {name}{'A' * 19}\n")
    words = ["--drain", "5", "--out", "plans"]
    codes = []
    for name in ("one", "one", "two"):
        with pytest.raises(SystemExit) as end:
            main(["plan", name, *words])
        codes.append(end.value.code)
    assert codes == [0, 0, 2]
    assert read_plan(tmp_path / "plans").cluster.cluster_id == "one" + "A" * 19


def test_a_journal_is_replaced_by_force_alone(plan: Plan) -> None:
    """A plan that was begun to be carried out stays; by force it goes, and that is said."""
    plan("--drain", "5")
    Path("out/journal.jsonl").write_text("{}\n")
    code, said = plan("--drain", "5")
    assert code == 2 and "holds journal.jsonl" in said and "Give --force" in said
    assert Path("out/journal.jsonl").read_text() == "{}\n"
    code, said = plan("--drain", "5", "--force")
    assert code == 0 and "replaced all the same: it holds journal.jsonl" in said
    assert not Path("out/journal.jsonl").exists()


def test_a_run_under_way_is_not_replaced_by_force(plan: Plan) -> None:
    """While another process carries a plan out, nothing takes its folder away."""
    plan("--drain", "5")
    with Path("out/journal.jsonl").open("w") as journal:
        fcntl.flock(journal, fcntl.LOCK_EX)
        code, said = plan("--drain", "5", "--force")
    assert (code, "holds a plan that is being carried out" in said) == (2, True)


def test_a_plan_changed_by_hand_is_replaced_by_force_alone(plan: Plan) -> None:
    """Who cut a wave to their own taste is asked before it goes."""
    plan("--drain", "5")
    Path("out/waves/0001.json").write_text("{}")
    code, said = plan("--drain", "5")
    assert code == 2 and "holds waves/0001.json, which was changed after the plan was made" in said
    assert plan("--drain", "5", "--force")[0] == 0
    assert read_plan(Path("out")).changed.size


@pytest.mark.parametrize("name", ["thesis.txt", "migrated/more/thesis.txt", "original/thesis.txt"])
def test_force_removes_nothing_foreign(plan: Plan, name: str) -> None:
    """--force is about plans: what is no part of one stays, and the whole folder with it."""
    plan("--drain", "5")
    Path("out", name).parent.mkdir(exist_ok=True)
    Path("out", name).write_text("precious")
    code, said = plan("--drain", "5", "--force")
    assert (code, "which is not part of a plan" in said) == (2, True)
    assert Path("out", name).read_text() == "precious"


def test_what_leads_elsewhere_is_foreign(plan: Plan) -> None:
    """A link in place of a folder of the plan is not followed and not removed."""
    plan("--drain", "5")
    Path("out/waves").rename("mine")
    Path("out/waves").symlink_to("../mine")
    assert "holds waves, which is not part of a plan" in plan("--drain", "5", "--force")[1]
    assert Path("mine/0001.json").exists()


def test_a_link_stays_one(plan: Plan) -> None:
    """The folder that a link leads to is replaced where it is; nothing is left beside either."""
    Path("disk/plans").mkdir(parents=True)
    Path("here").mkdir()
    Path("here/link").symlink_to("../disk/plans")
    for _ in range(2):
        assert plan("--drain", "5", out="here/link") == (0, "")
        assert str(Path("here/link").readlink()) == "../disk/plans"
        assert drained("disk/plans") == [5]
        assert [entry.name for entry in (*Path("here").iterdir(), *Path("disk").iterdir())] == [
            "link",
            "plans",
        ]


def test_a_link_to_nothing_is_refused(plan: Plan) -> None:
    """The disk may not be there: no folder is made in its place."""
    Path("link").symlink_to("nowhere")
    code, said = plan("--drain", "5", out="link")
    assert code == 2 and "is a link to" in said and "which is not there" in said
    assert not Path("nowhere").exists()


def test_a_refusal_comes_before_the_planning(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a plan that then cannot be written."""
    plan("--drain", "5")
    code, said = plan("--drain", "4", "no-such-file")
    assert code == 2 and "another request" in said
    assert json.loads(Path("out/plan.json").read_text())["request"] == {"drain": [5]}
