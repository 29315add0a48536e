"""The id of a cluster, as Kafka's tool prints it and as a snapshot keeps it."""

import pytest

from equipoise.formats import FormatError, parse, recognise


@pytest.mark.parametrize(
    "text", ["Cluster ID: 4f0Xu2mQ-y6Z_8bq0m1vXw\n", '{"cluster_id": "4f0Xu2mQ-y6Z_8bq0m1vXw"}']
)
def test_cluster_id(text):
    """Both ways give the id."""
    assert recognise(text) == "kafka-cluster cluster-id"
    assert parse(text, "id").cluster_id == "4f0Xu2mQ-y6Z_8bq0m1vXw"


@pytest.mark.parametrize(
    ("facts", "place"),
    [
        ('"cluster_id": 7', "cluster_id: '7' is no text"),
        ('"cluster_id": "x", "warnings": 7', "warnings: '7' is no list"),
    ],
)
def test_a_snapshot_that_is_none(facts, place):
    """The key that is wrong is named."""
    with pytest.raises(FormatError, match=rf"^c\.json, {place}\. Take the snapshot again"):
        parse(f'{{"format": "equipoise snapshot", {facts}}}', "c.json")
