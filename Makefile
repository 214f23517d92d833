# `make help` lists what there is. Everything happens in .venv; nothing else on the machine changes.
PYTHON ?= python3
BIN := .venv/bin
EXAMPLE := resources/example

PYTEST :=

.PHONY: help demo setup test spark check lint types layers stale bench docs dist clean
.DEFAULT_GOAL := help

help:  ## this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1|\2/' | column -t -s '|' 2>/dev/null || grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST)

demo: .venv/run  ## set up .venv and evaluate the bundled example
	$(BIN)/fairtrec eval $(EXAMPLE)/qrels.txt $(EXAMPLE)/bm25.run $(EXAMPLE)/neural.run $(EXAMPLE)/fair.run --groups gender-en --docs $(EXAMPLE)/collection.tsv \
	    --background $(EXAMPLE)/background.run -m 'nDCG@10 P@5 NFaiRR@10 ARaB(mag=tf)@10 TExFAIR@10' -f table

setup: .venv/dev  ## set up .venv with all that development needs

test: .venv/dev  ## set up .venv and pass the tests
	$(BIN)/python -m pytest $(PYTEST)

spark: .venv/spark  ## the tests of the Spark engine, which need Java and 400 MB more
	$(BIN)/python -m pytest -m spark

check: lint types layers stale  ## everything that CI checks, the tests included
	FAIRTREC_FUZZ=10000 $(MAKE) test PYTEST="--cov=fairtrec/measures --cov-report=term-missing:skip-covered --cov-fail-under=100"

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/dev
	$(BIN)/mypy

stale: .venv/dev
	$(BIN)/python docs/build.py --check

layers: .venv/dev
	$(BIN)/lint-imports --no-cache

bench: .venv/dev  ## the benchmarks: ratios against other programs, a few minutes
	$(BIN)/python -m benchmarks

docs: .venv/dev  ## rebuild the pages in docs/ that are made from the code
	$(BIN)/python docs/build.py

dist: .venv/dev  ## a wheel and a source distribution in dist/
	$(BIN)/pip install -q build && $(BIN)/python -m build

clean:  ## remove .venv and all that was built
	rm -rf .venv dist .bench .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "fairtrec needs Python 3.11 or later; name one with make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv

.venv/run: pyproject.toml | .venv/bin/python
	$(BIN)/pip install -q --disable-pip-version-check -e .
	@touch $@

.venv/spark: .venv/dev

.venv/dev .venv/spark: .venv/run
	$(BIN)/python -c 'import sys, tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"][sys.argv[1]], sep="\n")' $(@F) > $@.txt
	$(BIN)/pip install -q --disable-pip-version-check -r $@.txt
	@touch $@
