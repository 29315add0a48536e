"""A cluster that is not there: Kafka's wire protocol on loopback over a model, for stories that real
brokers cannot be made to tell, and for sizes that they cannot be given."""

from fake.model import Model, Partition
from fake.server import FakeKafka

__all__ = ["FakeKafka", "Model", "Partition"]
