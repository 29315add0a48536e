"""The id of a cluster, as Kafka's tool prints it and as a snapshot keeps it."""

import pytest

from equipoise.formats import parse, recognise


@pytest.mark.parametrize(
    "text", ["Cluster ID: 4f0Xu2mQ-y6Z_8bq0m1vXw\n", '{"cluster_id": "4f0Xu2mQ-y6Z_8bq0m1vXw"}']
)
def test_cluster_id(text):
    """Both ways give the id."""
    assert recognise(text) == "kafka-cluster cluster-id"
    assert parse(text, "id").cluster_id == "4f0Xu2mQ-y6Z_8bq0m1vXw"
