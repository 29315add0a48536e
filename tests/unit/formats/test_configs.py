"""``kafka-configs --describe`` of topics and brokers, old layout and new."""

import math

import pytest

from equipoise.formats import FormatError, parse, recognise
from equipoise.formats.configs import retention_s, split_configs

NEW = """Dynamic configs for topic pay are:
  retention.ms=86400000 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:retention.ms=86400000, DEFAULT:x=1}
  cleanup.policy=compact,delete sensitive=false synonyms={}
  min.insync.replicas=2 sensitive=false synonyms={STATIC_BROKER_CONFIG:min.insync.replicas=2}
All configs for topic log are:
  compression.type=producer sensitive=false synonyms={}
Dynamic configs for broker 3 are:
  leader.replication.throttled.rate=1000 sensitive=false synonyms={}
Default configs for brokers in the cluster are:
  min.insync.replicas=1 sensitive=false synonyms={}
"""
OLD = "Configs for topic 'pay' are retention.ms=5,cleanup.policy=compact,delete,min.insync.replicas=2\n"


def test_configs_of_topics_and_brokers():
    """Values end where the synonyms begin; configs that say nothing of placement are passed over."""
    assert recognise(NEW) == "kafka-configs --describe"
    fragment = parse(NEW, "configs.txt")
    assert fragment.topic_configs == {
        "pay": {"retention.ms": "86400000", "cleanup.policy": "compact,delete", "min.insync.replicas": "2"},
        "log": {},
    }
    assert fragment.broker_configs == {
        3: {"leader.replication.throttled.rate": "1000"},
        None: {"min.insync.replicas": "1"},
    }


def test_the_layout_before_2_5():
    """One line for a topic, values with commas in them."""
    assert recognise(OLD) == "kafka-configs --describe"
    assert parse(OLD, "configs.txt").topic_configs == {
        "pay": {"retention.ms": "5", "cleanup.policy": "compact,delete", "min.insync.replicas": "2"}
    }


def test_commas_within_values():
    """A comma parts two configs only where a config name follows."""
    text = "leader.replication.throttled.replicas=0:1,1:2,min.insync.replicas=2,cleanup.policy=compact,delete"
    assert split_configs(text) == {
        "leader.replication.throttled.replicas": "0:1,1:2",
        "min.insync.replicas": "2",
        "cleanup.policy": "compact,delete",
    }


@pytest.mark.parametrize(
    ("configs", "seconds"),
    [
        ("retention.ms=3600000", 3600),
        ("retention.ms=1500", 1.5),
        ("retention.ms=-1", math.inf),
        ("retention.ms=9223372036854775807", math.inf),
        ("retention.ms=60000,cleanup.policy=compact", math.inf),
        ("retention.ms=60000,cleanup.policy=compact,delete", math.inf),
        ("retention.ms=60000,log.cleanup.policy=compact", math.inf),
        ("retention.ms=60000,cleanup.policy=delete,log.cleanup.policy=compact", 60),
        ("retention.ms=60000,remote.storage.enable=true,local.retention.ms=5000", 5),
        ("retention.ms=60000,remote.storage.enable=true,local.retention.ms=-2", 60),
        ("retention.ms=60000,remote.storage.enable=false,local.retention.ms=5000", 60),
        ("log.retention.hours=168,log.retention.minutes=3", 180),
        ("log.retention.hours=168", 604800),
        ("retention.bytes=5", None),
        ("retention.ms=soon", None),
    ],
)
def test_retention(configs, seconds):
    """The stronger config counts, as in Kafka; -1, centuries and compaction mean for ever."""
    assert retention_s(split_configs(configs)) == seconds


def test_a_line_that_is_no_config():
    """The line is named."""
    with pytest.raises(FormatError) as error:
        parse("Dynamic configs for topic pay are:\n  what is this\n", "configs.txt")
    assert str(error.value) == 'configs.txt, line 2: "what is this" is no name=value'
