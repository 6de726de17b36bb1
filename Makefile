# Every target does its own set-up. `make` lists them.
VENV   := .venv
PY     := $(VENV)/bin/python
PIP    := $(PY) -m pip --disable-pip-version-check --quiet
STAMP  := $(VENV)/.ready
PYTHON ?= python3

.DEFAULT_GOAL := help
.PHONY: help setup demo test bench unit lint format cluster cluster-down examples docs clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

setup: $(STAMP) ## Virtual environment with the tool, and Helm where none is on PATH

$(STAMP): pyproject.toml tests/support/clients.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; set PYTHON=…" >&2; exit 1; }
	@echo "setting up $(VENV) …"
	@test -x $(PY) || $(PYTHON) -m venv $(VENV)
	@$(PIP) install --upgrade 'pip>=25.1'
	@$(PIP) install --editable . --group test --group lint
	@command -v helm >/dev/null || ln -sf "$$($(PY) -m tests.support.clients helm-4.3)" $(VENV)/bin/helm
	@touch $@

demo: setup ## Plan the first example, then hold, place and cancel a gang on a real control plane
	@$(PY) -m tests.cluster.demo

test: export PYTHONDONTWRITEBYTECODE := # four processes compile 300 modules, unless each may keep its part for the others
test: setup ## Everything that this machine can test
	@$(PY) -m tests.cluster.binaries --if-possible
	@$(PY) -m pytest --numprocesses 4 --dist loadfile --no-loadscope-reorder

bench: setup ## What composition and the post-renderer cost; long, so choose: make bench ARGS="--helm 4 --groups 13 100"
	@$(PY) -m bench.composition
	@$(PY) -m bench $(ARGS)

unit: setup ## What needs no cluster and is done in a minute
	@$(PY) -m pytest tests/unit

lint: setup ## ruff, mypy, import-linter, size gates
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/mypy
	@$(VENV)/bin/lint-imports
	@$(PY) tools/size_gates.py

format: setup ## Format the Python code
	@$(VENV)/bin/ruff format .
	@$(VENV)/bin/ruff check --fix .

cluster: setup ## A real control plane with 12 simulated nodes, for a person; also: make cluster WITH="volcano kai kueue lws"
	@$(PY) -m tests.cluster up --nodes 12 --gpus 1 $(if $(WITH),--with $(WITH))

cluster-down: setup ## End it
	@$(PY) -m tests.cluster down

examples: setup ## Write anew what the examples and the presets are expected to become
	@$(PY) -m tests.test_examples
	@$(PY) -m tests.chart.library

docs: setup ## Write the generated parts of the docs anew
	@$(PY) tools/docs.py

clean: ## Remove the virtual environment and caches of this checkout
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
