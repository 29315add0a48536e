"""``apply`` over listeners that want a login or TLS; secrets stay where they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.certificates import PASSWORD
from harness.cluster import KafkaCluster
from harness.runs import Done, Plan, plan_for, well
from harness.settings import USERS
from harness.traffic import fill

pytestmark = pytest.mark.kafka

SECRETS = (*USERS.values(), PASSWORD, "wrong-secret")


@pytest.fixture
def plan(cluster: KafkaCluster, tmp_path: Path) -> Plan:
    """One copy, throttled, and one change of leader."""
    cluster.create("safe", {0: [0, 1], 1: [1, 2]})
    fill(cluster, "safe", [0], 500_000)
    return plan_for(cluster, tmp_path, "--replace", "1=4", "--topics", "safe", "--throttle", "2MB")


def elsewhere(plan: Plan) -> Path:
    """Where metrics and events go."""
    folder = plan.folder.parent / "elsewhere"
    folder.mkdir(exist_ok=True)
    return folder


def told_elsewhere(plan: Plan) -> tuple[str, ...]:
    """Everything that a run can tell, with a secret in the command that it runs."""
    folder = elsewhere(plan)
    write = f"cat >> {folder / 'events'}; : wrong-secret"
    return "--log", "json", "--metrics-file", str(folder / "x.prom"), "--on-event", f'sh -c "{write}"'


def over(plan: Plan, verb: str, listener: str, *options: str, **choices: object) -> Done:
    """A verb over a listener of the brokers, with its client properties; no secret may come out of it."""
    config = plan.cluster.client_file(listener, f"{verb}.properties", **choices)
    servers = plan.cluster.bootstrap(listener)
    if verb != "status":
        options = (*options, *told_elsewhere(plan))
    done = plan.run(verb, "--command-config", str(config), *options, bootstrap=servers)
    folders = (plan.folder, elsewhere(plan))
    written = b"".join(path.read_bytes() for of in folders for path in of.rglob("*") if path.is_file())
    for secret in SECRETS:
        assert secret not in done.out + done.err and secret.encode() not in written
    return done


@pytest.mark.parametrize(
    ("listener", "choices"),
    [("SASL", {"mechanism": "SCRAM-SHA-512"}), ("SASL_TLS", {"mechanism": "PLAIN"}), ("TLS", {})],
)
def test_a_plan_is_carried_out_and_rolled_back(plan: Plan, listener: str, choices: dict[str, str]) -> None:
    """Every request of a run goes to every broker over the listener that it was given."""
    assert '"outcome": "finished"' in well(over(plan, "apply", listener, "--yes", **choices)).out
    plan.assert_applied_quickly()
    assert '"event": "ended"' in (elsewhere(plan) / "events").read_text()
    assert (elsewhere(plan) / "x.prom").exists()
    assert "apply finished" in well(over(plan, "status", listener, **choices)).out
    well(over(plan, "rollback", listener, "--yes", **choices))
    plan.assert_undone()


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"password": "wrong-secret"}, "authentication failed for user admin (SCRAM-SHA-512)"),
        ({"user": "visitor"}, "not authorised"),
    ],
    ids=["wrong password", "no rights"],
)
def test_who_may_not_changes_nothing(plan: Plan, choices: dict[str, str], said: str) -> None:
    """One clear line, exit 2, no journal, the cluster as it was."""
    done = over(plan, "apply", "SASL", "--yes", **choices)
    assert done.code == 2 and said in done.err and done.err.count("\n") == 1, done
    assert not (plan.folder / "journal.jsonl").exists()
    plan.assert_undone()
