"""The JMX exporter in a broker: its figures as Prometheus would scrape them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tests import maven

from harness.cluster import KafkaCluster
from harness.ports import free_ports

VERSION = "1.0.1"
ARTIFACT = f"io.prometheus.jmx:jmx_prometheus_javaagent:{VERSION}"

BEANS = """includeObjectNames:
- "kafka.network:type=RequestChannel,*"
- "kafka.network:type=RequestMetrics,name=TotalTimeMs,*"
- "kafka.server:type=KafkaRequestHandlerPool,*"
"""
DEFAULT = BEANS
"""Every bean as it is."""
RULES = f"""lowercaseOutputName: true
{BEANS}rules:
- pattern: kafka.(\\w+)<type=(.+), name=(.+)Percent\\w*><>MeanRate
  name: kafka_$1_$2_$3_percent
  type: GAUGE
- pattern: kafka.(\\w+)<type=(.+), name=(.+)><>Value
  name: kafka_$1_$2_$3
  type: GAUGE
- pattern: kafka.(\\w+)<type=(.+), name=(.+), (.+)=(.*)><>(\\d+)thPercentile
  name: kafka_$1_$2_$3
  type: GAUGE
  labels:
    "$4": "$5"
    quantile: "0.$6"
"""
"""Those of the exporter's own example for Kafka that are about these beans."""


@cache
def agent() -> Path:
    """The exporter's jar."""
    (jar,) = maven.brought(maven.cache_folder("jmx-exporter") / VERSION, [ARTIFACT]).glob("*.jar")
    return jar


@contextmanager
def exporting(cluster: KafkaCluster, configs: Mapping[int, str]) -> Iterator[list[str]]:
    """Brokers with an exporter in each of them: the addresses, in the order of ``configs``, its file for each
    broker. Afterwards they are down, to be started without."""
    nodes, ports = [cluster.nodes[broker] for broker in configs], free_ports(len(configs))
    cluster.stop(*configs)
    for node, port, config in zip(nodes, ports, configs.values(), strict=True):
        file = node.folder / "exporter.yaml"
        file.write_text(config)
        node.java_options = (f"-javaagent:{agent()}=127.0.0.1:{port}:{file}",)
    try:
        cluster.start(*configs)
        yield [f"http://127.0.0.1:{port}/metrics" for port in ports]
    finally:
        cluster.stop(*configs)
        for node in nodes:
            node.java_options = ()
