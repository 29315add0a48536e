"""The Python that runs a fleet, as one archive that Spark gives to its workers."""
