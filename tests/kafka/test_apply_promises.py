"""A move of ours that copies is throttled as agreed, and a throttle of ours ends with the last move that
it is for: read back from real brokers, whoever leaves, dies, clears or begins beside."""

from __future__ import annotations

import resource
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.cluster import BROKER_THROTTLES, KafkaCluster
from harness.flights import assert_adopted, assert_steered, ended, in_flight, rates
from harness.inside import Eye, carried, copying, once
from harness.runs import Done, Plan, equipoise, plan_for, well
from harness.throttles import configure, throttles
from harness.traffic import fill
from harness.waiting import wait_until

pytestmark = pytest.mark.kafka

MB = 1_000_000
RATES = BROKER_THROTTLES[:2]
LISTS = {0: [3, 4, 2], 1: [4, 2, 0], 2: [4, 3, 1], 3: [0, 1, 2]}
STAYS = "on in Kafka and the throttle stays on"


def draining(
    cluster: KafkaCluster, folder: Path, *topics: str, n_bytes: int, rate: str, name: str, also: str = "none"
) -> Plan:
    """Three partitions of each topic leave broker 4; topics that are called ``also`` are asked for, too."""
    for topic in topics:
        cluster.create(topic, LISTS)
        fill(cluster, topic, [0, 1, 2], n_bytes)
    chosen = "|".join([*topics, also])
    return plan_for(cluster, folder, "--drain", "4", "--topics", chosen, "--throttle", rate, name=name)


def assert_left(plan: Plan, done: Done) -> None:
    """It went, and what flies goes on throttled, which is said."""
    assert done.code == 1 and STAYS in done.err and "Traceback" not in done.err, done
    assert plan.cluster.in_flight()
    assert len(rates(plan.cluster)) == 1 and "" not in rates(plan.cluster)


def test_whoever_leaves_keeps_the_throttle_on(cluster: KafkaCluster, tmp_path: Path) -> None:
    """SIGTERM, SIGHUP, a second SIGINT; an output that nobody reads is no end; another hand changes the
    rates; the disk is full; the journal is lost: one plan goes through it all and ends as if nothing had
    been."""
    plan = draining(cluster, tmp_path, "term", n_bytes=8 * MB, rate="50kB", name="term")
    process = in_flight(plan)
    process.send_signal(signal.SIGTERM)
    assert_left(plan, ended(process))
    told = plan.run("status")
    assert told.code == 1 and "still throttled: broker" in told.out and "apply --resume" in told.out, told
    process = in_flight(plan, "--resume")
    process.send_signal(signal.SIGHUP)
    assert_left(plan, ended(process))
    process = in_flight(plan, "--resume")
    assert process.stdout is not None
    process.stdout.close()
    for node in cluster.nodes:
        configure(cluster, "broker", str(node.id), dict.fromkeys(RATES, "150000"))
    wait_until(lambda: rates(cluster) == {"50000"}, "the rates set again")
    assert process.poll() is None and cluster.in_flight()
    assert_steered(plan)
    wait_until(lambda: interrupted(plan, process), "the second one heard", every=1)
    process.stdout = None
    assert_left(plan, ended(process))
    assert (plan.folder / "journal.jsonl").stat().st_mode & 0o777 == 0o600
    assert_full_disk(plan)
    assert_adopted(plan)


def interrupted(plan: Plan, process: subprocess.Popen[str]) -> bool:
    """Send a SIGINT, as long as the run has not ended: while Python ends, nobody hears it in good order."""
    over = bool(plan.journal[-1]["type"] == "end")
    if not over:
        process.send_signal(signal.SIGINT)
    return over


def assert_full_disk(plan: Plan) -> None:
    """The journal takes the beginning and no more: one line, and the throttle stays on what flies."""
    written = (plan.folder / "journal.jsonl").read_text()
    (*_, beginning) = (line for line in written.splitlines() if '"begin"' in line)
    limit = only_so_large(len(written) + len(beginning) + 40)
    done = ended(plan.start("apply", "--yes", "--resume", "--throttle", "30kB", preexec_fn=limit))
    assert done.code == 1 and "the journal cannot be written (File too large)" in done.out + done.err, done
    assert "Traceback" not in done.err and len(done.err.splitlines()) <= 3, done
    assert STAYS in done.err and plan.cluster.in_flight(), done
    assert rates(plan.cluster) == {"40000"}


def only_so_large(size: int) -> Callable[[], None]:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    return limit


def test_what_becomes_of_topics_meanwhile(cluster: KafkaCluster, tmp_path: Path) -> None:
    """One is deleted, one grows, one is new, two of them onto the broker that is drained: nothing of it is
    called done, and the broker is not called empty."""
    plan = draining(
        cluster, tmp_path, "grow", "gone", n_bytes=5 * MB, rate="50kB", name="grow", also="new"
    )
    process = in_flight(plan)
    cluster.admin.delete_topics(["gone"])
    width = len(cluster.replicas("grow")[0])  # Kafka counts the copy that is under way
    cluster.admin.create_partitions({"grow": {"count": 5, "assignments": [[4, 0, 1, 2][:width]]}})
    cluster.create("new", {0: [4, 0], 1: [1, 4]})
    well(equipoise("throttle", str(plan.folder), "20MB"))  # until now all was in flight
    done = ended(process)
    assert done.code == 1 and "Finished: 6 moves, 3 done, 3 gone (topic deleted)." in done.out, done
    assert "broker 4 is not empty: it holds 3 replicas (grow-4, new-0, new-1); plan --drain 4" in done.err
    told = plan.run("status")
    assert told.code == 1 and "3 of 6 done, 3 gone (topic deleted)" in told.out, told
    assert "broker 4 is not empty: it holds grow-4" in told.out
    assert throttles(cluster, ["grow"]) == {}
    cluster.create("gone", {p: plan_list(plan, p) for p in range(3)})
    back = plan.run("rollback", "--yes", "--throttle", "5MB")
    assert back.code == 0 and "3 done, 3 gone (topic deleted)." in back.out, back
    assert cluster.replicas("gone") == {p: plan_list(plan, p) for p in range(3)}


def plan_list(plan: Plan, number: int) -> list[int]:
    """Where the plan was to bring a partition of the topic that was deleted."""
    (found,) = [m["after"] for m in plan.moves if (m["topic"], m["partition"]) == ("gone", number)]
    return list(found)


def test_a_topic_created_anew_is_another_one(cluster: KafkaCluster, tmp_path: Path) -> None:
    """Deleted and created again, one partition longer, with the same lists, while one of its moves is in
    flight and two wait: none is done, no run and no roll back moves its namesake, no throttle is left."""
    plan = draining(cluster, tmp_path, "anew", n_bytes=3 * MB, rate="50kB", name="anew")

    def created_anew() -> None:
        cluster.admin.delete_topics(["anew"])
        cluster.create("anew", {**LISTS, 4: [4, 0, 1]})

    eye = Eye(once(created_anew, copying))
    end, _ = carried(plan, eye=eye, max_inflight=1)
    assert (end.outcome, end.figures["done"], end.figures["gone"]) == ("finished", 0, 3), end
    assert end.reasons[0].startswith("broker 4 is not empty: it holds 4 replicas (anew-0, "), end
    back, _ = carried(plan, "rollback")
    assert (back.outcome, back.reasons, back.figures["gone"]) == ("finished", (), 3), back
    assert cluster.replicas("anew") == {**LISTS, 4: [4, 0, 1]}
    assert [entry for entry in plan.journal if entry["type"] in ("done", "skip")] == []
    assert sum(len(entry["partitions"]) for entry in plan.journal if entry["type"] == "submit") == 1
    plan.assert_clean()


def test_two_plans_begun_in_the_same_second(cluster: KafkaCluster, tmp_path: Path) -> None:
    """With the same rate, so that nothing but the moves tells them apart: one of them is refused, or waits
    with nothing in flight while the other copies, throttled; both end, and no throttle is left."""
    plans = [draining(cluster, tmp_path, t, n_bytes=6 * MB, rate="50kB", name=t) for t in ("alpha", "beta")]
    told = [tmp_path / f"events of {plan.folder.name}" for plan in plans]
    hooks = [f"sh -c 'cat >> \"{path}\"'" for path in told]
    processes = [
        plan.start("apply", "--yes", "--on-event", hook) for plan, hook in zip(plans, hooks, strict=True)
    ]

    def second() -> int | None:
        """Which of them was refused, or says that it waits for the other's moves."""
        for k, process in enumerate(processes):
            waits = told[k].exists() and "is being moved by somebody else" in told[k].read_text()
            if waits or process.poll() == 2:
                return k
        return None

    wait_until(lambda: second() is not None, "one of them keeps back", seconds=90)
    first = plans[second() == 0]
    assert {name.topic for name in cluster.in_flight()} == {first.folder.name}
    assert rates(cluster) == {"50000"}
    for plan in plans:
        well(equipoise("throttle", str(plan.folder), "20MB"))
    both = [ended(process) for process in processes]  # who was refused begins when the other is over
    for plan, done in zip(plans, both, strict=True):
        if done.code == 2:
            assert "not started" in done.err and not (plan.folder / "journal.jsonl").exists()
            well(plan.run("apply", "--yes", "--throttle", "20MB"))
        else:
            assert done.code == 0 and "Finished: 3 moves, 3 done." in done.out, done
    for plan in plans:
        plan.assert_applied_quickly()
