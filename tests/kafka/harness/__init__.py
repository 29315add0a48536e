"""Real Kafka brokers on loopback for the tests, and Kafka's own tools as witnesses."""
