# Every target does its own set-up; see tools/setup. Variables: OUT (make demo), TESTS (make test).
PYTHON := .venv/bin/python
OUT ?= demo-out
TESTS ?= tests

# Tests and bench start hundreds of processes: each would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo test test-setup lint bench clean distclean

help:
	@echo "make demo   plan the example fleet on Spark, into $(OUT)/"
	@echo "make test   every test; brings Chromium, lp_solve and Kafka for them"
	@echo "make lint   ruff, and mypy --strict"
	@echo "make bench  the speed table"
	@echo "make clean  remove what the others made (distclean: the environment too)"

setup:
	@tools/setup .venv

demo: setup
	@.venv/bin/equipoise demo --out $(OUT)

test-setup: setup
	@tools/chromium
	@tools/lp-solve

# What failed is run once more, alone: docs/decisions/0011-second-try.md
test: test-setup
	$(PYTHON) -m pytest $(TESTS) || $(PYTHON) -m pytest $(TESTS) --last-failed --last-failed-no-failures none

lint: setup
	$(PYTHON) -m ruff check src tests bench examples
	$(PYTHON) -m mypy

bench: setup
	$(PYTHON) -m bench

clean:
	rm -rf demo-out bench/out build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -not -path './.venv/*' -exec rm -rf {} +

distclean: clean
	rm -rf .venv
