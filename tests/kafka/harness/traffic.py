"""Producers and consumers: filling partitions, and traffic whose every record is accounted for."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from contextlib import suppress

from harness.cluster import KafkaCluster
from kafka import KafkaConsumer, KafkaProducer, TopicPartition

BATCH, RECORD = 62_000, 20_000
"""Bytes of a batch and of a record in :func:`fill`."""


def fill(cluster: KafkaCluster, topic: str, partitions: Iterable[int], n_bytes: int) -> None:
    """Write about ``n_bytes`` into each partition (incompressible is not needed: no compression).

    Four batches are what followers fetch at a time: a fetch cuts its last batch off, and what was sent of it
    for nothing counts against a throttle. Smaller ones keep brokers and test busy for longer.
    """
    producer = KafkaProducer(
        bootstrap_servers=cluster.bootstrap(), acks="all", batch_size=BATCH, linger_ms=20
    )
    record = b"x" * (RECORD if n_bytes >= RECORD else n_bytes)
    for partition in partitions:
        for _ in range(max(1, n_bytes // len(record))):
            producer.send(topic, record, partition=partition)
    producer.flush(timeout=300)
    producer.close()


class Traffic:
    """Writes numbered records with ``acks=all`` to every partition of a topic until it is stopped.

    Use it as a context. ``check`` then reads everything back: each acknowledged record must be
    there once and in order.
    """

    def __init__(
        self, cluster: KafkaCluster, topic: str, *, records_per_s: float = 60, size: int = 1000
    ) -> None:
        self.cluster, self.topic = cluster, topic
        self.pause, self.padding = 1 / records_per_s, b"." * size
        self.partitions = sorted(cluster.describe(topic))
        self.sent = dict.fromkeys(self.partitions, 0)
        self.errors: list[BaseException] = []
        self.acknowledged = 0
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.produce, name=f"traffic to {topic}", daemon=True)

    def __enter__(self) -> Traffic:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def produce(self) -> None:
        servers = [f"127.0.0.1:{node.ports['PLAIN']}" for node in self.cluster.nodes]
        producer = KafkaProducer(
            bootstrap_servers=servers, acks="all", enable_idempotence=True, linger_ms=5,
            delivery_timeout_ms=120_000, reconnect_backoff_max_ms=500, metadata_max_age_ms=2000,
        )  # fmt: skip
        while not self.stopping.is_set():
            for partition in self.partitions:
                value = b"%d %s" % (self.sent[partition], self.padding)
                future = producer.send(self.topic, value, partition=partition)
                future.add_callback(self.count)
                future.add_errback(self.errors.append)
                self.sent[partition] += 1
            time.sleep(self.pause * len(self.partitions))
        producer.flush(timeout=120)
        producer.close(timeout=10)

    def count(self, _: object) -> None:
        self.acknowledged += 1

    def stop(self) -> None:
        """No more records; returns when the last is acknowledged."""
        self.stopping.set()
        if self.thread.is_alive():
            self.thread.join(timeout=150)

    def check(self) -> int:
        """Read all back; the number of records, all acknowledged, each found once and in order."""
        self.stop()
        assert not self.errors, self.errors[:3]
        assert self.acknowledged == sum(self.sent.values())
        for partition, found in read_back(self.cluster, self.topic, self.partitions).items():
            assert found == list(range(self.sent[partition])), (
                f"{self.topic}-{partition} lost, doubled or mixed up"
            )
        return self.acknowledged


def read_back(cluster: KafkaCluster, topic: str, partitions: Iterable[int]) -> dict[int, list[int]]:
    """The record numbers of each partition, in the order in which a consumer gets them."""
    consumer = KafkaConsumer(bootstrap_servers=cluster.bootstrap(), auto_offset_reset="earliest")
    wanted = [TopicPartition(topic, p) for p in partitions]
    consumer.assign(wanted)
    consumer.seek_to_beginning(*wanted)
    ends = consumer.end_offsets(wanted)
    found: dict[int, list[int]] = {tp.partition: [] for tp in wanted}
    deadline = time.monotonic() + 60
    while any(consumer.position(tp) < ends[tp] for tp in wanted):
        assert time.monotonic() < deadline, f"reading {topic} back took over 60 s"
        for tp, records in consumer.poll(timeout_ms=500, max_records=20_000).items():
            found[tp.partition] += [int(record.value.split(b" ", 1)[0]) for record in records]
    with suppress(Exception):
        consumer.close()
    return found
