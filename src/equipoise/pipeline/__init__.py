"""The fleet pipeline on Spark: the only room that imports PySpark."""
