"""The metrics that samples may tell of: our names, and the exporters' names that say the same."""

from __future__ import annotations

SIZE, BYTES_IN, BYTES_OUT, OFFSETS = "size_bytes", "bytes_in_per_s", "bytes_out_per_s", "offsets_per_s"

GAUGES = {
    "size_bytes": SIZE,
    "kafka_log_log_size": SIZE,
    'kafka_log_log_value{name="size"}': SIZE,
    "partition_size": SIZE,
    "kminion_kafka_topic_log_dir_size_total_bytes": SIZE,
    "kminion_kafka_broker_log_dir_size_total_bytes": SIZE,
    "bytes_in_per_s": BYTES_IN,
    'kafka_server_brokertopicmetrics_oneminuterate{name="bytesinpersec"}': BYTES_IN,
    "all_topic_bytes_in": BYTES_IN,
    "topic_bytes_in": BYTES_IN,
    "bytes_out_per_s": BYTES_OUT,
    'kafka_server_brokertopicmetrics_oneminuterate{name="bytesoutpersec"}': BYTES_OUT,
    "all_topic_bytes_out": BYTES_OUT,
    "topic_bytes_out": BYTES_OUT,
}
"""Names whose values are taken as they are, and the metric that each is."""

COUNTERS = {
    "bytes_in_total": BYTES_IN,
    "kafka_server_brokertopicmetrics_bytesin_total": BYTES_IN,
    "kafka_server_brokertopicmetrics_bytesinpersec_total": BYTES_IN,
    'kafka_server_brokertopicmetrics_count{name="bytesinpersec"}': BYTES_IN,
    "bytes_out_total": BYTES_OUT,
    "kafka_server_brokertopicmetrics_bytesout_total": BYTES_OUT,
    "kafka_server_brokertopicmetrics_bytesoutpersec_total": BYTES_OUT,
    'kafka_server_brokertopicmetrics_count{name="bytesoutpersec"}': BYTES_OUT,
    "log_end_offset": OFFSETS,
    "kafka_log_log_logendoffset": OFFSETS,
    'kafka_log_log_value{name="logendoffset"}': OFFSETS,
    "kafka_topic_partition_current_offset": OFFSETS,
    "kminion_kafka_topic_partition_high_water_mark": OFFSETS,
}
"""Names whose values only rise until they are reset, and the metric that is the rate of each."""

NAMES = GAUGES | COUNTERS
"""All of them in small letters: exporters differ in those."""
NAMED = (
    "kafka_log_log_value",
    "kafka_server_brokertopicmetrics_oneminuterate",
    "kafka_server_brokertopicmetrics_count",
)
"""Names of the JMX exporter without rules: what they tell of is in the label ``name``."""
INFOS = ("kafka_broker_info", "kminion_kafka_broker_info")
"""Metrics that tell the address of a broker."""
TOTALS = (
    "kminion_kafka_topic_log_dir_size_total_bytes",
    "kminion_kafka_broker_log_dir_size_total_bytes",
)
"""Sizes of all replicas of a topic, or of a broker."""
OF_THE_CLUSTER = (
    "kafka_topic_partition_current_offset",
    "kminion_kafka_topic_partition_high_water_mark",
    *TOTALS,
)
"""Metrics of exporters that ask the whole cluster: the address beside them is the exporter's own."""
OF_PARTITIONS = (SIZE, OFFSETS)
"""Metrics that say nothing without a partition, but for `TOTALS`; others may be a topic's or a broker's."""
