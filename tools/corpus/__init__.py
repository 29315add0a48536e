"""Seeded clusters and requests of every kind, planned by one version of the product and by another.

``python -m tools.corpus plan --out FILE`` plans them, ``summary FILE`` tells what came of it, and
``compare BEFORE AFTER`` says what is better and what is worse.
"""
