"""Functions DataFrame to DataFrame, and the two steps that run Python: once a file, once a cluster."""
