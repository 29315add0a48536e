"""Plan directories that somebody has tampered with, digests mended: one line, and nothing runs away."""

from __future__ import annotations

import hashlib
import io
import os
import resource
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from equipoise.cli.main import main
from equipoise.files.archive import archive_bytes
from equipoise.files.plan_directory import read_plan

ORDERS = str(Path(__file__).parents[3] / "examples/orders.txt")
GIB = 1 << 30


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan that empties broker 5 of five."""
    out = tmp_path_factory.mktemp("made") / "plan"
    with pytest.raises(SystemExit):
        main(["plan", ORDERS, "--drain", "5", "--out", str(out)])
    return out


@pytest.fixture
def plan(made: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    out = tmp_path / "plan"
    subprocess.run(["cp", "-r", made, out], check=True)
    return out


def mend(plan: Path, *more: str) -> None:
    """Digests for the files as they are, plain or not, and for more of them."""
    names = [line[66:] for line in (plan / "SHA256SUMS").read_text().splitlines()]
    sums = [f"{digest(plan / name)}  {name}\n" for name in (*names, *more)]
    (plan / "SHA256SUMS").write_text("".join(sums))


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes() if file.is_file() else b"").hexdigest()


def refusal(plan: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What `check` says of a plan that cannot be read, in one line, without the folder's own path."""
    with pytest.raises(SystemExit) as end:
        main(["check", str(plan)])
    out, err = capsys.readouterr()
    assert (end.value.code, out, err.count("\n")) == (2, "", 1), err
    return err.removeprefix(f"equipoise: {plan}/").rstrip("\n")


def setting(*path: str | int, to: Any) -> Callable[[dict[str, Any]], None]:
    """A change of one value of ``plan.json``."""

    def change(content: Any) -> None:
        *above, last = path
        for key in above:
            content = content[key]
        content[last] = to

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (setting("moves", 0, "partition", to=2**63), "moves[0].partition: 9223372036854775808 is not"),
        (setting("moves", 0, "partition", to=77), "there is no partition orders-77"),
        (setting("moves", 1, "topic", to=5), "moves[1].topic: 5 is not a string"),
        (setting("moves", 1, "why", to=None), 'moves[1]: "why" is missing'),
        (setting("moves", 0, "after", 2, to=2**40), "moves[0].after[2]: 1099511627776 is not a whole"),
        (setting("moves", 0, "after", 2, to=7), "moves[0]: there is no broker 7"),
        (setting("moves", 0, "after", to=list(range(10**5))), "moves[0]: there are fewer brokers than"),
        (setting("moves", 0, "after", to="x"), 'moves[0].after: "x" is not a list'),
        (setting("moves", 0, "batch", to="x"), 'moves[0].batch: "x" is not a whole number'),
        (setting("moves", to={}), "moves: {} is not a list"),
        (setting("moves", 0, to=[]), "moves[0]: [] is not a JSON object"),
        (setting("brokers", to=[{"id": 1, "eligible": True}] * 2), "brokers are not those in state.npz"),
        (setting("brokers", 0, "eligible", to=1), "brokers[0].eligible: 1 is not true or false"),
        (setting("request", to=[]), "request: [] is not a JSON object"),
        (setting("request", "topics", to="("), "request.topics: '(' is not a regular expression"),
        (setting("request", "topics", to="(" * 9000), "request.topics: '((("),
        (setting("request", "max_moves", to="x"), 'request.max_moves: "x" is not what it takes'),
        (setting("request", "max_moves", to=-1), "request.max_moves: -1 is not what it takes"),
        (setting("request", "drain", to=5), "request.drain: 5 is not what it takes"),
        (setting("request", "drain", to=[True]), "request.drain: [true] is not what it takes"),
        (setting("request", "brokers", to=[[1]]), "request.brokers: [[1]] is not what it takes"),
        (setting("request", "balance", to=["disk:x"]), "request.balance: 'x' is not a tolerance"),
        (setting("request", "replication_factor", to=2**31 - 1), "request: asks for 2,147,483,647 replicas"),
        (setting("request", "stay_in_rack", to="yes"), 'request.stay_in_rack: "yes" is not what'),
        (setting("request", "mistake", to=1), "request.mistake: there is no such option"),
        (setting("certificate", 1, "value", to="x"), 'certificate[1].value: "x" is not a number'),
        (setting("certificate", 1, "goal", to=1), "certificate[1].goal: 1 is not a string"),
        (setting("certificate", 1, "lower_bound", to=None), "goal replicas: its bound is no number"),
        (setting("certificate", to=5), "certificate: 5 is not a list"),
        (setting("warnings", to=[1]), "warnings[0]: 1 is not a string"),
        (setting("strategy", to=5), "strategy: 5 is not a string"),
        (setting("version", to="1"), 'version: "1" is not a whole number'),
        (setting("source", to="x"), 'source: "x" is not a JSON object'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("layout", ["as written", "on one line"])
def test_a_value_of_another_kind_is_named_with_its_place(
    plan: Path, change: Callable[[Any], None], said: str, layout: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """File, place and value, whoever wrote the JSON and in whatever layout."""
    content = orjson.loads((plan / "plan.json").read_bytes())
    change(content)
    text = orjson.dumps(content)
    if layout == "as written":
        lines = [orjson.dumps(key) + b": " + orjson.dumps(value) for key, value in content.items()]
        text = b"{\n" + b",\n".join(lines) + b"\n}\n"
    (plan / "plan.json").write_bytes(text)
    mend(plan)
    told = refusal(plan, capsys)
    assert told.startswith("plan.json") and said in told


def test_json_that_never_ends_its_brackets(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nesting without end is a fault of the file."""
    (plan / "plan.json").write_bytes(b'{"request": ' + b"[" * 10**6)
    mend(plan)
    assert refusal(plan, capsys).startswith("plan.json, line 1")


def header(claim: str, kind: str = "<i8", magic: bytes = b"\x93NUMPY\x01\x00") -> bytes:
    """The bytes before an array, with any claim about its lengths."""
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {claim}, }}\n".encode()
    return magic + len(text).to_bytes(2, "little") + text


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (header("(1000000000000000000,)"), "claims 8,000,000,000,000,000,000 bytes of array where 0 are"),
        (header("(999999999999999999, 999999999999999999)"), "bytes of array where 0 are"),
        (header("(4,)", "<f8") + b"\0" * 8, "claims 32 bytes of array where 8 are"),
        (header("(1,)", "|O") + b"\0" * 8, "is not an array of numbers or of text"),
        (header("(-1,)"), "is not an array of numbers or of text"),
        (header("(" + "1" * 60_000 + ",)"), "is not an array of numbers or of text"),
        (header("(" + "9, " * 20_000 + ")"), "is not an array of numbers or of text"),
        (header("(" + "9, " * 60 + ")"), "bytes of array where 0 are"),
        (header("(1,)", magic=b"\x93NUMPY\x03\x00"), "is not an array of numbers or of text"),
        (header("()", "<U1") + b"\xff" * 4, "holds what is no text"),
        (b"", "is not an array of numbers or of text"),
    ],
)
@pytest.mark.parametrize("file", ["certificate.npz", "state.npz"])
def test_an_array_that_is_none(
    plan: Path, file: str, entry: bytes, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a header claims is held against the bytes that are there; no pickle, no text that is none."""
    before = zipfile.ZipFile(io.BytesIO((plan / file).read_bytes()))
    with zipfile.ZipFile(plan / file, "w") as archive:
        for number, name in enumerate(before.namelist()):
            archive.writestr(name, before.read(name) if number else entry)
    mend(plan)
    told = refusal(plan, capsys)
    assert told.startswith(file) and said in told


@pytest.mark.slow
def test_an_archive_that_unpacks_to_more_than_it_is(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Deflated entries are none of ours: they are not unpacked at all."""
    with zipfile.ZipFile(plan / "certificate.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", b"\0" * (1 << 26))
    mend(plan)
    assert refusal(plan, capsys) == "certificate.npz, a.npy: holds more than its own bytes"


@pytest.mark.parametrize(
    ("name", "array", "said"),
    [
        ("brokers/ids", np.array([1, 2, 3, 4, 2**40]), "ids has 1099511627776"),
        ("leader", np.full(6, 9), "leader has 9"),
        ("replicas", np.zeros((6, 10**5), dtype=np.int8), "replicas has lists of 100,000 brokers"),
        ("replicas", np.zeros(6), "replicas has 1 dimensions"),
        ("partition", np.full(6, 0.5), "partition has 0.5"),
        ("partition", np.full((6, 1), 1), "partition has 2 dimensions"),
        ("topic_idx", np.full(6, "x"), "does not hold a cluster"),
        ("size_bytes", np.full(6, np.inf), "size_bytes has inf"),
        ("size_bytes", np.full(6, -1.0), "size_bytes has -1.0"),
        ("size_bytes", np.full(5, 1.0), "size_bytes must have shape"),
        ("facts", np.frombuffer(b"[]", dtype=np.uint8), "facts: [] is not a JSON object"),
        ("facts", np.frombuffer(b'{"name": 5}', dtype=np.uint8), "facts.name: 5 is not a string"),
        ("facts", np.frombuffer(b"{", dtype=np.uint8), "does not hold a cluster"),
    ],
)
def test_a_state_that_is_none(
    plan: Path, name: str, array: np.ndarray, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Columns with values that no cluster has are named; none wraps around to one that it has."""
    with np.load(plan / "state.npz") as state:
        arrays = dict(state)
    (plan / "state.npz").write_bytes(archive_bytes(arrays | {name: array}))
    mend(plan)
    told = refusal(plan, capsys)
    assert told.startswith("state.npz") and said in told


@pytest.mark.parametrize("name", ["original/f.json", "rollback.json", "plan.json", "SHA256SUMS"])
def test_what_never_ends_is_not_waited_for(plan: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A FIFO among the files has no writer, and a reader who waits for one would wait for ever."""
    listed = name in (plan / "SHA256SUMS").read_text() or name == "SHA256SUMS"
    (plan / name).unlink(missing_ok=True)
    os.mkfifo(plan / name)
    if name != "SHA256SUMS":
        mend(plan, *([] if listed else [name]))
    assert "plain file" in refusal(plan, capsys) or name == "plan.json"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("0" * 64 + "  plan.json", "SHA256SUMS, line 2: names plan.json a second time"),
        ("0" * 64 + "  ../plan.json", "SHA256SUMS, line 1: is not a digest and the name of a file"),
        ("0" * 64 + "  /etc/passwd", "SHA256SUMS, line 1: is not a digest and the name of a file"),
        ("0" * 64 + "  a\0b", "SHA256SUMS, line 1: is not a digest and the name of a file"),
        ("0" * 64 + "  ", "cannot be read"),
        ("0" * 64 + "  waves", "cannot be read (it is not a plain file)"),
        ("0" * 64 + "  " + "a" * 300, "cannot be read (File name too long)"),
        ("hello", "SHA256SUMS, line 1: is not a digest and the name of a file"),
    ],
)
def test_digests_that_cannot_be_trusted(
    plan: Path, line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file is named once, by a name inside the folder; `sha256sum --check` is no less strict."""
    sums = sorted((plan / "SHA256SUMS").read_text().splitlines(), key=lambda other: other[66:] != "plan.json")
    (plan / "SHA256SUMS").write_text("\n".join([line, *sums]) + "\n")
    assert said in refusal(plan, capsys)


LIMITED = "import sys; from equipoise.cli.main import main; main(sys.argv[1:])"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "size", "said"),
    [
        ("plan.json", 6 * GIB, "plan.json: cannot be read (it is larger than 4 GiB)"),
        ("SHA256SUMS", 6 * GIB, "SHA256SUMS: cannot be read (it is larger than 4 GiB)"),
        ("rollback.json", GIB * 3 // 4, "rollback.json: was changed after the plan was made"),
    ],
)
def test_a_huge_file_is_not_read_into_memory(plan: Path, name: str, size: int, said: str) -> None:
    """Files that are holes from end to end are refused within less memory than they would take."""
    os.truncate(plan / name, size)
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, "check", str(plan)],
        capture_output=True, text=True, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)),
    )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert said in done.stderr


def test_the_untouched_plan_is_read(plan: Path) -> None:
    """The digests mended without a change give the same plan."""
    before = read_plan(plan)
    mend(plan)
    assert np.array_equal(read_plan(plan).target, before.target)
