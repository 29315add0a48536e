"""The plan directory: exact content, the same bytes each time, read back whole, refused when changed."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equipoise.cluster import Brokers, Level, Plan, build_cluster
from equipoise.cluster.cluster import pad_lists
from equipoise.errors import UnusableInput
from equipoise.files.plan_audit import audit
from equipoise.files.plan_directory import read_plan, summary, write_plan


def entries(path: Path) -> list[dict[str, Any]]:
    """The partitions of a reassignment file."""
    found: list[dict[str, Any]] = json.loads(path.read_text())["partitions"]
    return found


def small_plan() -> Plan:
    """Three partitions on four brokers: one replica moves, one list is reordered, one stays."""
    brokers = Brokers.of([0, 1, 8, 19], {0: "a", 1: "b", 8: "a", 19: "b"})
    cluster = build_cluster(
        "orders",
        brokers,
        ["t", "t", "u"],
        [0, 1, 0],
        [[8, 19], [8, 19], [0, 1]],
        size_bytes=[1000, 2000, 5],
        leader_id=[8, 8, 0],
        retention_s=[60, np.inf, np.nan],
        files=("describe.txt",),
        missing=("rates",),
        cluster_id="Zx9",
    )
    target = brokers.index_of(pad_lists([[19, 8], [8, 1], [0, 1]]))
    return Plan(
        cluster,
        target,
        np.ones(4, dtype=bool),
        certificate=(Level("racks", 0, 0, "closed-form"), Level("moves", 1, 0, "none")),
        why={1: "broker 19 holds 1 above its share"},
        proofs={"level1/potential": np.arange(3)},
        request={"rack_rule": "strict", "cordon": (0,)},
        warnings=("said once",),
    )


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """The directory of the small plan."""
    write_plan(small_plan(), tmp_path / "plan")
    return tmp_path / "plan"


def test_plan_json_has_exactly_the_agreed_keys(written: Path) -> None:
    """plan.json, key for key, as other tools build on it."""
    content = json.loads((written / "plan.json").read_text())
    fingerprint = content["source"].pop("fingerprint")
    assert fingerprint == small_plan().cluster.fingerprint
    assert content["version"] == 1
    assert content["cluster"] == "orders"
    assert content["cluster_id"] == "Zx9"
    assert content["strategy"] == "flow"
    assert content["source"] == {"files": ["describe.txt"], "missing": ["rates"]}
    assert content["summary"] == {
        "data_moves": 1,
        "bytes_moved": 2000,
        "leadership_changes": 1,
        "partitions_changed": 2,
    }
    assert content["before"] == {
        "replicas_per_broker": {"0": 1, "1": 1, "8": 2, "19": 2},
        "leaders_per_broker": {"0": 1, "1": 0, "8": 2, "19": 0},
        "bytes_per_broker": {"0": 5, "1": 5, "8": 3000, "19": 3000},
        "worst_leaders_after_one_failure": 2,
        "rack_violations": 0,
    }
    assert content["after"] == {
        "replicas_per_broker": {"0": 1, "1": 2, "8": 2, "19": 1},
        "leaders_per_broker": {"0": 1, "1": 0, "8": 1, "19": 1},
        "bytes_per_broker": {"0": 5, "1": 2005, "8": 3000, "19": 1000},
        "worst_leaders_after_one_failure": 2,
        "rack_violations": 0,
    }
    assert content["certificate"] == [
        {"goal": "racks", "value": 0, "lower_bound": 0, "gap": 0.0, "proof": "closed-form"},
        {"goal": "moves", "value": 1, "lower_bound": 0, "gap": 1.0, "proof": "none"},
    ]
    assert content["moves"] == [
        {"topic": "t", "partition": 0, "before": [8, 19], "after": [19, 8], "bytes": 0,
         "why": "preferred leader 8 gives way to 19"},
        {"topic": "t", "partition": 1, "before": [8, 19], "after": [8, 1], "bytes": 2000,
         "why": "broker 19 holds 1 above its share"},
    ]  # fmt: skip
    assert content["request"] == {"rack_rule": "strict", "cordon": [0]}
    assert content["brokers"][0] == {"id": 0, "rack": "a", "eligible": True, "weight": 1}


def test_plan_json_is_the_summary(written: Path) -> None:
    """The function and the file say the same."""
    assert json.loads((written / "plan.json").read_text()) == summary(small_plan())


def test_reassignment_and_rollback_are_each_others_inverse(written: Path) -> None:
    """Both name the changed partitions alone, with the lists of after and of before."""
    after, before = (
        [(e["topic"], e["partition"], e["replicas"]) for e in entries(written / name)]
        for name in ("reassignment.json", "rollback.json")
    )
    assert after == [("t", 0, [19, 8]), ("t", 1, [8, 1])]
    assert before == [("t", 0, [8, 19]), ("t", 1, [8, 19])]


def test_original_and_migrated_hold_every_topic(written: Path) -> None:
    """Two directories with the same file names, every partition of every topic in both."""
    names = [
        sorted(path.name for path in (written / folder).iterdir()) for folder in ("original", "migrated")
    ]
    assert names == [["t.json", "u.json"]] * 2
    assert (written / "original/u.json").read_bytes() == (written / "migrated/u.json").read_bytes()
    lists = [
        [entry["replicas"] for entry in entries(written / folder / "t.json")]
        for folder in ("original", "migrated")
    ]
    assert lists == [[[8, 19], [8, 19]], [[19, 8], [8, 1]]]


def test_waves_have_their_throttles(written: Path) -> None:
    """Every change is in one wave, and the configs hold back the one copy and nothing else."""
    waves = [entries(path) for path in sorted((written / "waves").glob("0*.json"))]
    moved = sorted((e["topic"], e["partition"]) for wave in waves for e in wave)
    assert moved == [("t", 0), ("t", 1)]
    throttles = json.loads((written / "waves/throttles.json").read_text())["waves"]
    assert len(throttles) == len(waves)
    held_back = {name: configs for wave in throttles for name, configs in wave["topics"].items()}
    assert held_back == {
        "t": {
            "leader.replication.throttled.replicas": "1:8,1:19",
            "follower.replication.throttled.replicas": "1:1",
        }
    }


def test_the_same_plan_gives_the_same_bytes(written: Path, tmp_path: Path) -> None:
    """No times, no paths, no order of sets: two writings are equal byte for byte."""
    write_plan(small_plan(), tmp_path / "again")
    assert files_of(tmp_path / "again") == files_of(written)


def test_a_plan_is_read_back_whole(written: Path, tmp_path: Path) -> None:
    """What is read is the plan that was written: writing it again gives the same bytes."""
    plan = read_plan(written)
    assert np.array_equal(plan.target, small_plan().target)
    assert plan.cluster.brokers.racks == ("a", "b", "a", "b")
    assert plan.cluster.size_bytes.tolist() == [1000, 2000, 5]
    assert plan.cluster.leader.tolist() == [2, 2, 0]
    np.testing.assert_array_equal(plan.cluster.retention_s, [60, np.inf, np.nan])
    assert plan.certificate == small_plan().certificate
    assert plan.proofs["level1/potential"].tolist() == [0, 1, 2]
    assert plan.why[1] == "broker 19 holds 1 above its share"
    assert plan.warnings == ("said once",)
    write_plan(plan, tmp_path / "again")
    assert files_of(tmp_path / "again") == files_of(written)


def test_an_empty_plan_is_a_plan(tmp_path: Path) -> None:
    """Nothing to do gives empty files, not missing ones."""
    cluster = small_plan().cluster
    write_plan(Plan(cluster, cluster.replicas, np.ones(4, dtype=bool)), tmp_path / "plan")
    assert json.loads((tmp_path / "plan/reassignment.json").read_text()) == {"version": 1, "partitions": []}
    assert json.loads((tmp_path / "plan/plan.json").read_text())["moves"] == []
    assert read_plan(tmp_path / "plan").is_empty


def test_created_partitions(tmp_path: Path) -> None:
    """A partition that is to be created is in the reassignment, not in the rollback, and costs no bytes."""
    cluster = build_cluster("c", Brokers.of([1, 2]), ["new", "t"], [0, 0], [[], [1]], size_bytes=[7, 7],
                            allow_empty_lists=True)  # fmt: skip
    target = cluster.brokers.index_of(np.array([[2], [1]]))
    plan = Plan(cluster, target, np.ones(2, dtype=bool), request={"create": (("new", 1, 1),)})
    write_plan(plan, tmp_path / "plan")
    content = json.loads((tmp_path / "plan/plan.json").read_text())
    assert content["created"] == ["new-0"]
    assert content["summary"] == {
        "data_moves": 0, "bytes_moved": 0, "leadership_changes": 0, "partitions_changed": 1,
    }  # fmt: skip
    assert content["moves"][0]["before"] == []
    today = build_cluster("c", cluster.brokers, ["t"], [0], [[1]])
    assert content["source"]["fingerprint"] == today.fingerprint
    assert entries(tmp_path / "plan/rollback.json") == []
    assert read_plan(tmp_path / "plan").cluster.rf.tolist() == [0, 1]


def test_topic_names_are_no_paths(tmp_path: Path) -> None:
    """A topic that is named like a path stays within the directory."""
    cluster = build_cluster("c", Brokers.of([1]), ["../../x", "."], [0, 0], [[1], [1]])
    write_plan(Plan(cluster, cluster.replicas, np.ones(1, dtype=bool)), tmp_path / "plan")
    assert sorted(path.name for path in (tmp_path / "plan/original").iterdir()) == [
        "..%2F..%2Fx.json",
        "..json",
    ]


def test_sha256sum_agrees(written: Path) -> None:
    """The digests can be checked with the common tool, and name every file."""
    subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=written, check=True, capture_output=True
    )
    named = {line.split("  ")[1] for line in (written / "SHA256SUMS").read_text().splitlines()}
    assert named == files_of(written).keys() - {"SHA256SUMS"}


@pytest.mark.parametrize("place", [0.0, 0.3, 0.6, 0.99])
def test_any_changed_byte_is_refused(written: Path, place: float) -> None:
    """Whichever file it is in, one changed byte makes the plan unusable, and one line names the file."""
    for name, data in files_of(written).items():
        at = int(place * len(data))
        (written / name).write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(UnusableInput) as refused:
            read_plan(written)
        assert "\n" not in str(refused.value)
        assert str(written) in str(refused.value)
        (written / name).write_bytes(data)
    read_plan(written)


def test_missing_and_added_files_are_refused(written: Path) -> None:
    """A file taken away, a wave slipped in, the digests gone: each is noticed."""
    extra = written / "waves/0009.json"
    extra.write_text("{}")
    with pytest.raises(UnusableInput, match="was added after"):
        read_plan(written)
    extra.unlink()
    for name in ("original/t.json", "SHA256SUMS", "plan.json"):
        data = (written / name).read_bytes()
        (written / name).unlink()
        with pytest.raises(UnusableInput):
            read_plan(written)
        (written / name).write_bytes(data)


UNFOUNDED = "does not follow from the rest"


def forge(folder: Path, name: str, old: bytes, new: bytes) -> None:
    """Change a file and mend its digest, as one who knows the format would."""
    data = (folder / name).read_bytes()
    assert old in data
    forged = data.replace(old, new, 1)
    (folder / name).write_bytes(forged)
    old_line, new_line = (f"{hashlib.sha256(part).hexdigest()}  {name}\n" for part in (data, forged))
    sums = (folder / "SHA256SUMS").read_text()
    (folder / "SHA256SUMS").write_text(sums.replace(old_line, new_line))


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("plan.json", b'"data_moves":1', b'"data_moves":0', f"plan.json: 'summary' {UNFOUNDED}"),
        (
            "plan.json",
            b'"eligible":true',
            b'"eligible":false',
            "eligible brokers are not those of the request",
        ),
        ("plan.json", b'"gap":0.0', b'"gap":0.5', f"plan.json: 'certificate' {UNFOUNDED}"),
        ("plan.json", b'"value":1', b'"value":2', "goal moves: the value is 1, not 2"),
        ("plan.json", b'"cordon":[0]', b'"cordon":[1]', "t-1: broker 1 gets a replica but is cordoned"),
        ("rollback.json", b"[8,19]", b"[19,8]", "rollback.json is not what the plan says"),
        ("original/t.json", b"[8,19]", b"[19,8]", "original/t.json is not what the plan says"),
        ("waves/0001.json", b"[8,1]", b"[8,0]", "waves/0001.json moves what the plan does not"),
        ("migrated/u.json", b"[0,1]", b"[0,8]", "migrated/u.json is not what the plan says"),
    ],
)
def test_a_forgery_with_right_digests_is_found_out(
    written: Path, name: str, old: bytes, new: bytes, said: str
) -> None:
    """Files that contradict the plan, or a plan that contradicts its rules, are violations by name."""
    forge(written, name, old, new)
    found = [str(violation) for violation in audit(read_plan(written), written).violations]
    assert any(sentence.startswith(said) for sentence in found)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("reassignment.json", b"[8,1]", b"[8,0]"),
        ("plan.json", b'"after":[8,1]', b'"after":[8,0]'),
        ("plan.json", b'"after":[8,1]', b'"after":[8,5]'),
        ("plan.json", b'"after":[8,1]', b'"after":[8,8]'),
        ("plan.json", b'"partition":1', b'"partition":7'),
        ("plan.json", b"sha256:", b"sha512:"),
        ("plan.json", b'"version": 1', b'"version": 2'),
        ("plan.json", b'"moves": [', b'"movez": ['),
        ("state.npz", b"NUMPY", b"NUMPI"),
    ],
)
def test_a_forgery_that_cannot_be_read_is_refused(written: Path, name: str, old: bytes, new: bytes) -> None:
    """Where the files no longer make one plan, there is nothing to judge: one line, exit code 2."""
    forge(written, name, old, new)
    with pytest.raises(UnusableInput):
        read_plan(written)


def test_the_untouched_directory_passes(written: Path) -> None:
    """And the same audit finds nothing where nothing was done."""
    verdict = audit(read_plan(written), written)
    assert verdict.violations == ()
    assert [level.goal for level in verdict.certificate] == ["racks", "moves"]
