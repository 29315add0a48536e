"""Reading back and setting replication throttles, apart from the product's own code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from kafka.admin import AlterConfigOp, ConfigResource, ConfigResourceType
from kafka.errors import KafkaError

from harness.admin import PatientAdmin
from harness.cluster import BROKER_THROTTLES, RATES, TOPIC_THROTTLES, KafkaCluster
from harness.waiting import soon, wait_until
from kafka import KafkaAdminClient

T = TypeVar("T")
Throttles = dict[tuple[str, str], dict[str, str]]


def throttles(cluster: KafkaCluster, topics: Iterable[str] = ()) -> Throttles:
    """Every throttle that is set: ``{("broker", "1"): {key: value}, ("topic", "t"): ...}``.

    Asked of each running broker and of each topic; empty where none is left.
    """
    found: Throttles = {}
    for node in cluster.nodes:
        if node.running:
            found["broker", str(node.id)] = read(cluster, "broker", str(node.id), BROKER_THROTTLES)
    for topic in topics:
        found["topic", topic] = read(cluster, "topic", topic, TOPIC_THROTTLES)
    return {of: values for of, values in found.items() if values}


@soon
def assert_throttles(cluster: KafkaCluster, wanted: Throttles, topics: Iterable[str] = ()) -> None:
    """Exactly these are set on the running brokers and on these topics."""
    assert throttles(cluster, topics) == wanted


def asked(
    cluster: KafkaCluster, kind: str, name: str, question: Callable[[KafkaAdminClient | PatientAdmin], T]
) -> T:
    """The answer of whoever knows a resource: of a broker its own client's, or else a new one's, since an
    older one may not know that it is back."""
    if kind != "broker":
        return question(cluster.admin)
    try:
        return question(cluster.kept_client(int(name)))
    except KafkaError:
        cluster.forget_client()
        return question(cluster.kept_client(int(name)))


def read(cluster: KafkaCluster, kind: str, name: str, keys: Iterable[str]) -> dict[str, str]:
    """Values of these keys that are set dynamically on a resource."""
    keys = list(keys)
    of = [ConfigResource(kind, name, keys)]
    told = asked(cluster, kind, name, lambda client: client.describe_configs(of, config_filter="all"))
    values = told[kind][name]
    return {
        key: values[key]["value"]
        for key in keys
        if key in values and values[key]["config_source"] in ("DYNAMIC_BROKER_CONFIG", "DYNAMIC_TOPIC_CONFIG")
        and values[key]["value"]
    }  # fmt: skip


def configure(cluster: KafkaCluster, kind: str, name: str, changes: Mapping[str, str | None]) -> None:
    """Set configs of a broker or topic, or delete them where the value is None."""
    operations = {
        key: (AlterConfigOp.DELETE, None) if value is None else (AlterConfigOp.SET, value)
        for key, value in changes.items()
    }
    resource = ConfigResource(ConfigResourceType[kind.upper()], name, operations)
    answer = asked(
        cluster,
        kind,
        name,
        lambda client: client.alter_configs([resource], raise_on_unknown=False, incremental=True),
    )
    assert answer[kind][name] == "OK", answer


def crawl(cluster: KafkaCluster, topic: str, rate: int = 1000) -> None:
    """Throttle every move of a topic on every broker, so that it stays in flight; ``speed_up`` ends it."""
    configure(cluster, "topic", topic, dict.fromkeys(TOPIC_THROTTLES, "*"))
    for node in cluster.nodes:
        configure(cluster, "broker", str(node.id), dict.fromkeys(RATES, str(rate)))
    # Brokers take a new config from the metadata log: a moment later.
    wait_until(lambda: len(throttles(cluster, [topic])) == len(cluster.nodes) + 1, "throttles in force")


def speed_up(cluster: KafkaCluster, rate: int | None = None) -> None:
    """Another rate for all brokers, by default none."""
    for node in cluster.nodes:
        value = None if rate is None else str(rate)
        configure(cluster, "broker", str(node.id), dict.fromkeys(RATES, value))
