# Everything runs in a virtual environment of its own; a machine with Python 3.10 or later is all it takes.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help venv demo test lint format types bench fuzz e2e e2e-pods docs proof release clean

help: ## show the targets
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## (.*)/  \1\t\2/' | expand -t 12

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[render,dev]'
	@touch $@

venv: $(VENV)/.ready ## make the virtual environment and install everything into it

demo: $(VENV)/.ready ## convert a fixture for Flux and show the folder and the report
	@rm -rf build/demo
	$(BIN)/istio-convert fixtures/web-shop/input.yaml --to 1.25.3 -o build/demo
	@echo && echo "build/demo:" && cd build/demo && find . -type f | sort | sed 's|^\./|  |'
	@echo && sed -n '1,40p' build/demo/REPORT.md

test: $(VENV)/.ready ## run the tests
	$(BIN)/python -m pytest

lint: $(VENV)/.ready ## check format, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/.ready ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.ready ## run the benchmarks
	$(BIN)/python -m pytest tests/benchmarks -o addopts="-p no:cloudcoil" --benchmark-only --benchmark-columns=min,median,max,rounds

SEED  ?= 1
COUNT ?= 100000
fuzz: $(VENV)/.ready ## convert 100,000 random inputs (SEED=… COUNT=…) and say what breaks; findings go to build/fuzz
	$(BIN)/python -m tests.fuzz --seed $(SEED) --count $(COUNT) --render 60

release: $(VENV)/.ready ## support Istio releases: make release ISTIO=~/istio/1.32.0 (unpacked; several, or a folder of them)
	$(BIN)/istio-convert catalog add $(ISTIO)
	set -e; for folder in $(ISTIO); do $(BIN)/istio-convert charts add $$folder; done
	$(BIN)/python -m tests.docs.generate

proof: $(VENV)/.ready ## prove every operator of ISTIO_CONVERT_CORPUS at the versions of the chart cache, write docs/reference/fidelity.md
	$(BIN)/python -m tests.corpus.fidelity docs/reference/fidelity.md

e2e: $(VENV)/.ready ## run the migration scripts against a real API server (needs Go and etcd)
	$(BIN)/python tests/e2e/run.py

e2e-pods: $(VENV)/.ready ## judge every gateway's pod by a real istiod and API server, where they are built (ISTIO_CONVERT_CORPUS=… for more)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tests/e2e/pods.py

docs: $(VENV)/.ready ## build the documentation
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	$(BIN)/mkdocs build --strict

clean: ## remove what the targets made
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .hypothesis
