"""Fleets and runs where Hadoop's file systems have them."""
