# The handful of commands. Each builds what it needs first, in .venv, with nothing but Python and make.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
EXAMPLES ?= few
TESTS ?= not slow

.DEFAULT_GOAL := help

help:  ## show this
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11, 5))' \
		|| { echo "heedful needs Python 3.11.5 or newer; try: make PYTHON=python3.12 …"; exit 1; }
	@echo "building .venv (once; it takes about half a minute)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $(READY)

demo: $(READY)  ## play one turn of the loop with sample data, then look at it in a browser
	@$(BIN)/heedful demo

# A browser for the tests of the pages, from Debian's packages where that is possible; elsewhere they are skipped.
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
		|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && echo "installing chromium (once)" \
			&& { apt-get install -y -qq --no-install-recommends chromium >/dev/null 2>&1 \
				|| { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } >/dev/null 2>&1; }; } \
		|| echo "no browser: install chromium to test the pages too"

test: $(READY) browser  ## run the tests, on a real SQLite and a real PostgreSQL
	@$(BIN)/python -m pytest --hypothesis-profile $(EXAMPLES) -m '$(TESTS)'

lint: $(READY)  ## check style, types and import rules
	@$(BIN)/ruff format --check --quiet && $(BIN)/ruff check --quiet && $(BIN)/mypy && $(BIN)/lint-imports --no-logo

check: lint  ## everything CI runs: the slow tests too, and more made-up examples
	@$(MAKE) --no-print-directory test EXAMPLES=many TESTS=

bench: $(READY)  ## measure speed, with the raw driver and the bare web framework beside it
	@$(BIN)/python benchmarks/capture.py
	@$(BIN)/python benchmarks/http.py
	@$(BIN)/python benchmarks/suggestions.py
	@$(BIN)/python benchmarks/learnings.py
	@$(BIN)/python benchmarks/context.py
	@$(BIN)/python benchmarks/review.py --records 100000
	@$(BIN)/python benchmarks/documents.py --events 1000000

quality: $(READY)  ## measure how good detecting, finding, applying, calibrating, mining and extracting are, on the data in HEEDFUL_DATA
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[training]'
	@$(BIN)/python benchmarks/correct_it_once.py
	@$(BIN)/python benchmarks/applying.py
	@$(BIN)/python benchmarks/retrieval.py
	@$(BIN)/python benchmarks/calibration.py
	@$(BIN)/python benchmarks/sanitising.py
	@$(BIN)/python benchmarks/duplicates.py
	@$(BIN)/python benchmarks/mining.py
	@$(BIN)/python benchmarks/lift.py
	@$(BIN)/python benchmarks/replay.py
	@$(BIN)/python benchmarks/review.py
	@$(BIN)/python benchmarks/documents.py --cases benchmarks/cases/documents

models: $(READY)  ## train the embedder and the reader (needs torch; HEEDFUL_DATA names more conversations) and count letters and words anew
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[training]'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check torch
	@$(BIN)/python -m training.rarity
	@$(BIN)/python -m training.moments
	@$(BIN)/python -m training.reader
	@$(BIN)/python -m training.statements
	@$(BIN)/python -m training.bearings
	@$(BIN)/python -m training.pairs
	@$(BIN)/python -m training.mattering
	@$(BIN)/python training/letters.py

clean:  ## remove what was built
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build

.PHONY: help demo browser test lint check bench quality models clean
