"""Command lines, files and plan folders that nobody would write, and what the product makes of each.

``python -m tools.fuzz --number 10000 --seed 1`` tries so many and prints a table of what should never be:
tracebacks, hangs, memory, exit codes that are none, messages without a place, raw control characters, and
contradictions without a word. ``--only N`` shows the case of a number in full.
"""
