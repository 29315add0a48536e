"""Log dirs of a cluster from its sources, and of a plan in the files of its folder and back."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import orjson
import pytest

from equipoise.cluster import Cluster
from equipoise.errors import UnusableInput
from equipoise.execution.moves import job_of
from equipoise.execution.port import Replica
from equipoise.files.digests import SUMS
from equipoise.files.plan_audit import audit
from equipoise.files.plan_directory import read_plan, write_plan
from equipoise.files.plan_summary import planned_from
from equipoise.files.sources import merge, parse_file
from equipoise.planning import make_plan
from equipoise.planning.request.options import request_of
from equipoise.scheduling import schedule

GB = 10**9
LISTS = {"pay-0": [1, 2], "pay-1": [1, 2], "pay-2": [1, 2], "pay-3": [2, 1]}
DIRS = {
    "1:/a": ["pay-0", "pay-1", "pay-2", "pay-3"], "1:/b": [],
    "2:/a": ["pay-0", "pay-1"], "2:/b": ["pay-2", "pay-3"],
    "3:/a": [], "3:/b": [],
}  # fmt: skip


def dirs_json(dirs: dict[str, list[str]], total: int = 10 * GB) -> bytes:
    """What a snapshot has of these dirs; every replica is of 1 GB."""
    brokers: dict[int, list[dict[str, object]]] = {}
    for name, held in dirs.items():
        broker, path = name.split(":")
        rows = [{"partition": label, "size": GB, "isFuture": False} for label in held]
        brokers.setdefault(int(broker), []).append({"logDir": path, "totalBytes": total, "partitions": rows})
    told = [{"broker": broker, "logDirs": found} for broker, found in brokers.items()]
    return orjson.dumps({"version": 1, "brokers": told})


def cluster(**sources: bytes) -> Cluster:
    """Topic "pay" as listed, and what else these sources tell, by name."""
    lists = "".join(
        f"\tTopic: pay\tPartition: {label[-1]}\tLeader: {ids[0]}\tReplicas: {','.join(map(str, ids))}\t"
        f"Isr: {','.join(map(str, ids))}\n"
        for label, ids in LISTS.items()
    )
    topics = f"Topic: pay\tPartitionCount: 4\tReplicationFactor: 2\tConfigs: \n{lists}".encode()
    return merge([parse_file(text, name) for name, text in {"topics": topics, **sources}.items()], "orders")


def lying(state: Cluster) -> dict[str, str]:
    """``pay-0@1`` and its dir, of each replica of which one is known."""
    assert state.dirs is not None
    return {
        f"{state.label(row)}@{state.dirs.broker[at]}": state.dirs.paths[at]
        for row, at in zip(state.dirs.row.tolist(), state.dirs.at.tolist(), strict=True)
    }


def test_sources_tell_where_replicas_lie() -> None:
    """Empty dirs too, with their volumes; replicas that the lists do not have are none of the cluster's."""
    state = cluster(dirs=dirs_json({**DIRS, "1:/b": ["old-0"]}))
    assert state.dirs is not None
    assert [state.dirs.label(at) for at in range(6)] == ["1:/a", "1:/b", "2:/a", "2:/b", "3:/a", "3:/b"]
    assert state.dirs.total_bytes.tolist() == [10 * GB] * 6 and state.dirs.usable.all()
    assert lying(state) == {f"{name}@{at[0]}": at[2:] for at, names in DIRS.items() for name in names}


def test_volumes_are_the_disk_of_a_broker_where_all_are_known() -> None:
    """A brokers file goes before them; a dir that failed has none; one of unknown size leaves all unknown."""
    table = orjson.loads(dirs_json(DIRS))
    table["brokers"][0]["logDirs"].append({"logDir": "/c", "error": "failed", "partitions": []})
    del table["brokers"][2]["logDirs"][0]["totalBytes"]
    disks = cluster(dirs=orjson.dumps(table), brokers=b"id,disk\n1,\n2,7GB\n3,\n").brokers.disk_bytes
    assert disks[:2].tolist() == [20 * GB, 7 * GB] and disks[2] != disks[2]


def test_one_dir_a_broker_is_nothing_to_choose_from() -> None:
    """Then nothing is kept of where replicas lie."""
    assert cluster(dirs=dirs_json({"1:/a": ["pay-0"], "2:/a": ["pay-0"]})).dirs is None
    assert cluster().dirs is None


def test_a_replica_seen_in_two_dirs_is_nowhere() -> None:
    """It was moved between the reading of one source and the other."""
    state = cluster(first=dirs_json(DIRS), second=dirs_json({"1:/b": ["pay-0"]}))
    assert "pay-0@1" not in lying(state) and lying(state)["pay-1@1"] == "/a"


def test_a_partition_to_create_leaves_the_others_in_their_dirs() -> None:
    """Rows are counted anew, and back again for the fingerprint."""
    state = cluster(dirs=dirs_json(DIRS))
    plan = make_plan(state, request_of({"create": "alerts:2:1", "log-dirs": "level"}))
    assert lying(plan.cluster) == lying(state) == lying(planned_from(plan.cluster))
    assert plan.dirs is not None and (plan.dirs.target[plan.target >= 0] >= 0).all()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A plan that replaces broker 2 by 3 and levels dirs, written."""
    plan = make_plan(cluster(dirs=dirs_json(DIRS)), request_of({"replace": "2=3", "log-dirs": "level:0"}))
    write_plan(plan, tmp_path / "plan")
    return tmp_path / "plan"


def named(file: Path) -> dict[str, list[str] | None]:
    """The log dirs of each partition in a reassignment file."""
    rows = json.loads(file.read_text())["partitions"]
    return {f"{row['topic']}-{row['partition']}": row.get("log_dirs") for row in rows}


def test_a_plan_folder_has_the_dirs_of_what_comes_and_what_moves(folder: Path) -> None:
    """"any" stands for what stays: Kafka's own tool then leaves it where it is. The way back names what
    was."""
    forth, back = named(folder / "reassignment.json"), named(folder / "rollback.json")
    assert forth.keys() == back.keys() == LISTS.keys()
    assert all(dirs is not None and len(dirs) == 2 for dirs in (*forth.values(), *back.values()))
    ones = {name: (dirs or [])[LISTS[name].index(1)] for name, dirs in forth.items()}
    threes = {name: (dirs or [])[LISTS[name].index(2)] for name, dirs in forth.items()}
    assert sorted(ones.values()) == ["/b", "/b", "any", "any"]
    assert sorted(threes.values()) == ["/a", "/a", "/b", "/b"]
    for name, dirs in back.items():
        was = {at[0]: at[2:] for at, names in DIRS.items() if name in names}
        wanted = [was["1"] if ones[name] == "/b" else "any", was["2"]]
        assert dirs == (wanted if LISTS[name] == [1, 2] else wanted[::-1])


def test_a_plan_folder_is_read_as_it_was_written(folder: Path) -> None:
    """The same places, levels and reasons; nothing is wrong with it; and what is carried out are its dirs."""
    plan = read_plan(folder)
    assert plan.dirs is not None
    assert [(level.goal, level.value, level.gap) for level in plan.dirs.certificate] == [
        ("log-dirs", 0, 0.0), ("log-dir-bytes", 2 * GB, 0.0),
    ]  # fmt: skip
    assert plan.dirs.why == {1: "the log dirs of broker 1 are levelled"}
    assert audit(plan, folder).passed
    job = job_of(schedule(plan), "digest")
    assert {replica.broker for replica in job.dirs} == {1, 3} and len(job.dirs) == 6
    assert {replica.broker for replica in job.way_back.dirs} == {1, 2}
    assert job.way_back.dirs[Replica("pay", 2, 2)] == "/b" and job.way_back.way_back.dirs == job.dirs


def test_a_changed_plan_is_found(folder: Path) -> None:
    """Where the figures do not follow from the places, and where there are no such places."""
    plan = read_plan(folder)
    assert plan.dirs is not None
    first, *rest = plan.dirs.certificate
    better = replace(plan.dirs, certificate=(replace(first, value=5), *rest))
    assert "goal log-dirs: its value is 0, not 5" in [
        violation.detail for violation in audit(replace(plan, dirs=better), folder).violations
    ]
    assert not audit(replace(plan, dirs=None), folder).passed


def test_log_dirs_of_a_folder_that_do_not_exist_are_refused(folder: Path) -> None:
    """With the file and what is wrong, whatever digests say."""
    text = (folder / "reassignment.json").read_text()
    (folder / "reassignment.json").write_text(text.replace('"/b"', '"/c"'))
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} - {SUMS}
    sums = (f"{sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in sorted(files))
    (folder / SUMS).write_text("".join(sums))
    with pytest.raises(UnusableInput, match=r"is not a plan \(log_dirs: broker \d has no replica of pay-\d"):
        read_plan(folder)


def test_moves_between_dirs_alone_come_in_waves_with_room(tmp_path: Path) -> None:
    """Where a dir has no room for a second copy that is said; the waves end with what has none."""
    held = {"1:/a": ["pay-0", "pay-1", "pay-2"], "1:/b": ["pay-3"]}
    roomy, small = cluster(dirs=dirs_json(held)), cluster(dirs=dirs_json(held, total=int(2.2 * GB)))
    plan = make_plan(roomy, request_of({"required-only": True, "drain-dir": "1:/b"}))
    tight = replace(plan, cluster=small)
    assert len(schedule(tight).dir_waves) == 1
    assert schedule(tight).notes[-1].startswith("log dirs have no room for both copies of 1 partition")
    plan = make_plan(roomy, request_of({"required-only": True, "log-dirs": "level:0"}))
    waves = schedule(plan, max_inflight=1)
    assert [len(wave) for wave in waves.dir_waves] == [1] and waves.to_json()["waves"] == 1
    write_plan(plan, tmp_path / "plan", schedule=waves)
    assert named(tmp_path / "plan" / "waves" / "0001.json") == named(tmp_path / "plan" / "reassignment.json")
    assert audit(read_plan(tmp_path / "plan"), tmp_path / "plan").passed
