# Every target does its own set-up; see tools/setup. Variables: OUT (make demo), SITE (make docs), TESTS (every test target),
# ROOMS, NUMBER (of each room) and SEED (make mutants), NUMBER and SEED (make fuzz), KILLS, MINUTES, SEED and TIMES (make test-long).
PYTHON := .venv/bin/python
OUT ?= demo-out
SITE ?= site
TESTS ?= tests
ROOMS ?= cluster judge goals
NUMBER ?= 60
CASES ?= $(if $(filter file,$(origin NUMBER)),500,$(NUMBER))
SEED ?= 1
KILLS ?= 100
MINUTES ?= 30
TIMES ?= 5

# Tests and bench start hundreds of processes: each would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

# What a test needs is said by its marks (pyproject.toml); without them it needs nothing but Python and lp_solve.
FAST := not kafka and not browser and not spark and not slow and not long

.PHONY: help setup demo test test-setup test-fast test-long coverage mutants fuzz lint bench docs clean distclean

help:
	@echo "make demo       plan the example fleet on Spark, into $(OUT)/"
	@echo "make test       every test; brings Chromium, lp_solve and Kafka for them"
	@echo "make test-fast  those that need no broker, no Spark, no browser and little time"
	@echo "make test-long  those that take many minutes, and more random cases (KILLS=100 MINUTES=30 SEED=1 TIMES=5)"
	@echo "make coverage   what tests run of each room, but those on brokers, on Spark and in the browser"
	@echo "make mutants    small changes to the code that no test notices (ROOMS='cluster ...')"
	@echo "make fuzz       what nobody would write, and what comes of it (NUMBER=10000 SEED=1)"
	@echo "make lint       ruff, and mypy --strict"
	@echo "make bench      the speed table"
	@echo "make docs       the site of the docs, into $(SITE)/"
	@echo "make clean      remove what the others made (distclean: the environment too)"

setup:
	@tools/setup .venv

demo: setup
	@.venv/bin/equipoise demo --out $(OUT)

test-setup: setup
	@tools/chromium
	@tools/lp-solve

# Tests on brokers and in the browser get a second try: docs/decisions/0011-second-try.md
test: test-setup
	@tools/all-tests $(PYTHON) $(TESTS)

test-fast: setup
	@tools/lp-solve
	$(PYTHON) -m pytest $(TESTS) -m "$(FAST)" -n auto

test-long: setup
	KILLS=$(KILLS) MINUTES=$(MINUTES) SEED=$(SEED) $(PYTHON) -m pytest $(TESTS) -m long -s
	EQUIPOISE_TIMES=$(TIMES) $(PYTHON) -m pytest $(TESTS) -m "slow and not kafka and not browser and not spark and not long" -n auto

# Of the tests that need no broker, no Spark and no browser, room by room; fails below the floor in pyproject.toml.
coverage: setup
	@tools/lp-solve
	@rm -rf .coverage && mkdir .coverage
	$(PYTHON) -m coverage run -m pytest $(TESTS) -m "not kafka and not browser and not spark and not long" -n auto
	@$(PYTHON) -m coverage combine --quiet
	@$(PYTHON) -m tools.coverage_by_room

# Changes that no test of these rooms notices; rooms and reasons are in tools/mutants.toml.
mutants: setup
	$(PYTHON) -m tools.mutants $(ROOMS) --number $(NUMBER) --seed $(SEED)

# Command lines, files and plan folders that nobody would write: 500 of them, or NUMBER.
fuzz: setup
	$(PYTHON) -m tools.fuzz --number $(CASES) --seed $(SEED)

lint: setup
	$(PYTHON) -m ruff check src tests bench examples tools
	$(PYTHON) -m mypy

bench: setup
	$(PYTHON) -m bench

# In an environment of its own, so that the usual one stays as it is locked.
docs:
	@tools/setup .venv-docs requirements/docs.txt
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/python -m mkdocs build --strict --quiet --site-dir $(SITE)

clean:
	rm -rf site demo-out bench/out build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	find . -name __pycache__ -type d -not -path './.venv*' -exec rm -rf {} +

distclean: clean
	rm -rf .venv .venv-docs .venv-store
