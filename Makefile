# Toolbuilder. `make help` lists the targets; nothing but Python >= 3.11 and make is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV_VERSION := 0.13.8
TOOLS := tests/clients/node_modules/.installed
MARIADB := tests/gateways/mysql/.mariadb/.installed
# The agent has an environment of its own: it is another program, with another framework's pins.
AGENT_VENV := .venv-agent
AGENT_BIN := $(AGENT_VENV)/bin
# And the programs of examples/ another: a package of theirs is named as our folder is.
EXAMPLES_VENV := .venv-examples

BROWSER_TESTS = $(BIN)/python -m pytest tests/browser -n 3 --dist loadfile --no-loadscope-reorder --output .data/browser-tests
AGENT_TESTS = $(AGENT_BIN)/python -m pytest -c agents/pytest.ini --rootdir . --confcutdir tests/agents
# What runs side by side prints one after the other, where make knows how (4.0 and later).
IN_ORDER := $(if $(filter output-sync,$(.FEATURES)),--output-sync)
# Further targets for the agent's tests to run beside, which wait for servers more than they compute.
BESIDE =
DJADE = find templates -name '*.html' -print0 | xargs -0 $(BIN)/djade --target-version 5.2
COMPILE = $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --quiet

.DEFAULT_GOAL := help
.PHONY: help install run stop agent agent-eval agent-web test test-many test-alone test-setup test-fast test-agent test-agent-parts test-agent-whole browser pictures check lint types types-server types-agent migrations translations format lock bench bench-load release docs clean

help:  ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

install: $(VENV)/.installed  ## Make .venv and install the pinned packages

run: install  ## Start everything and say where it is (ARGS="--port-mcp 3103" passes options)
	@exec $(BIN)/python manage.py up $(ARGS)

stop:  ## Stop what `make run` started
	@$(BIN)/python manage.py up --stop $(ARGS)

agent: export QUESTION = $(value Q)
agent: export ATTACHED = $(value FILE)
agent: $(AGENT_VENV)/.installed  ## Ask the data-search agent about the database of `make run` (Q="..." FILE=table.csv)
	@$(AGENT_BIN)/python -m agents.data_search $${ATTACHED:+--file "$$ATTACHED"} $${QUESTION:+"$$QUESTION"}

agent-eval: $(AGENT_VENV)/.installed  ## Measure the data-search agent's answers with the model of LLM_BASE_URL (ARGS="--only ko")
	@$(AGENT_BIN)/python -m agents.data_search.evaluation $(ARGS)

agent-web: $(AGENT_VENV)/.installed  ## Chat with the data-search agent in the browser (ADK's pages)
	@exec $(AGENT_BIN)/adk web agents $(ARGS)

# Hundreds of processes are started: none of them should have to compile the project again.
test: export PYTHONDONTWRITEBYTECODE :=
test:  ## Run the whole suite on real services
	@$(MAKE) $(VENV)/.installed-dev $(TOOLS)
	-@$(BIN)/python -m tests.compiled
	@echo "1 of 2: the many tests, beside them those that start whole process trees. Each part prints when it has ended."
	@$(MAKE) --jobs 3 $(IN_ORDER) test-many test-alone test-setup
	@echo "2 of 2: the tests in a real browser, beside them those of the agent."
	@$(MAKE) --jobs 2 $(IN_ORDER) browser test-agent $(BESIDE)

test-many: $(VENV)/.installed-dev $(TOOLS) $(MARIADB)
	$(BIN)/python -m pytest -p no:playwright -n 3 --dist loadfile --no-loadscope-reorder -m "not alone"

# They wait most of the time: for a fault to pass, for a server to come back.
test-alone: $(VENV)/.installed-dev
	TOOLBUILDER_TEST_NUMBER=3 $(BIN)/python -m pytest -p no:playwright -p no:cacheprovider -n 2 --dist loadfile --no-loadscope-reorder -m alone

test-setup: $(VENV)/.installed-dev $(AGENT_VENV)/.installed-dev $(EXAMPLES_VENV)/.installed $(TOOLS) $(VENV)/.chromium $(MARIADB)

test-fast: $(VENV)/.installed-dev $(MARIADB)  ## Run all but the tests that start whole process trees
	$(BIN)/python -m pytest -m "not slow"

# The tests of one room, in seconds to two minutes: make test-core, test-gateways, test-tools and so on.
ROOMS := core gateways access catalog tools toolbuilder mcp_runtime config
$(addprefix test-,$(ROOMS)): test-%: $(VENV)/.installed-dev $(MARIADB)
	$(BIN)/python -m pytest -p no:playwright -n auto --dist loadfile -m "not alone" tests/$*

test-agent: test-agent-parts test-agent-whole  ## Run the agent's tests

test-agent-parts: $(AGENT_VENV)/.installed-dev
	$(AGENT_TESTS) -p no:cacheprovider tests/agents/data_search tests/agents/demo_llm

test-agent-whole: $(VENV)/.installed-dev $(AGENT_VENV)/.installed-dev $(EXAMPLES_VENV)/.installed $(VENV)/.chromium
	$(AGENT_TESTS) tests/agents/e2e tests/agents/examples

browser: $(VENV)/.installed-dev $(TOOLS) $(VENV)/.chromium  ## Run the tests in a real browser
	$(BROWSER_TESTS)

pictures: $(VENV)/.installed-dev $(AGENT_VENV)/.installed-dev $(VENV)/.chromium  ## Take the pictures of docs/images
	$(BIN)/python -m tests.browser.pictures
	$(AGENT_BIN)/python -m tests.agents.e2e.pictures

check: lint types migrations test  ## Everything that a commit must pass

lint: $(VENV)/.installed-dev  ## Style, house rules and import directions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(DJADE) --check
	$(BIN)/lint-imports

types:  ## mypy, strict
	@$(MAKE) --jobs 2 $(IN_ORDER) types-server types-agent

types-server: $(VENV)/.installed-dev
	$(BIN)/mypy .

types-agent: $(AGENT_VENV)/.installed-dev
	$(AGENT_BIN)/mypy --config-file agents/mypy.ini agents tests/agents

migrations: $(VENV)/.installed-dev  ## Models and migrations agree
	@$(BIN)/python -W ignore manage.py makemigrations --check --dry-run

translations: $(VENV)/.installed-dev  ## Take the texts of the code into locale/, compile it, and list the codes of errors
	PYTHONPATH=. $(BIN)/pybabel --quiet extract --mapping locale/babel.cfg --sort-output --no-wrap --add-location file \
		--keyword "gettext_lazy ngettext_lazy:1,2 pgettext_lazy:1c,2 npgettext_lazy:1c,2,3" \
		--keyword "message:2 refused:2 warning:2 ok:2 counted:1,2 problem:2 suggestion:2" \
		--output $(VENV)/django.pot access catalog config core gateways mcp_runtime toolbuilder tools templates docs/reference
	$(BIN)/pybabel --quiet update --domain django --input-file $(VENV)/django.pot --output-dir locale \
		--no-wrap --no-fuzzy-matching --ignore-obsolete --ignore-pot-creation-date
	$(BIN)/pybabel --quiet compile --domain django --directory locale
	$(BIN)/python -m tests.error_codes

format: $(VENV)/.installed-dev  ## Put the code into form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	-@$(DJADE)

lock: $(VENV)/.installed-dev  ## Compile requirements*.in into pins for Python 3.11 to 3.14
	$(COMPILE) requirements.in -o requirements.txt
	$(COMPILE) requirements-server.in -c requirements.txt -o requirements-server.txt
	$(COMPILE) requirements-dev.in -o requirements-dev.txt
	$(COMPILE) requirements-release.in -o requirements-release.txt
	$(COMPILE) requirements-agent.in -o requirements-agent.txt
	$(COMPILE) requirements-agent-dev.in -o requirements-agent-dev.txt
	$(COMPILE) requirements-examples.in -o requirements-examples.txt

bench: $(VENV)/.installed-dev  ## Measure calls beside other servers into docs/benchmarks.md, queries beside bare ones
	$(BIN)/python -m benchmarks.calls
	$(BIN)/python -m benchmarks.execution

bench-load: $(VENV)/.installed-dev  ## Measure many callers at once, and what they do to each other
	$(BIN)/python -m benchmarks.load

docs: $(VENV)/.installed-release  ## Make a site of docs/ with search in dist/site; a link that leads nowhere is an error
	@$(BIN)/python -m release.site

release: $(VENV)/.installed-release  ## Build wheel and source archive into dist/, and try them in an empty environment
	@$(BIN)/python -m release

clean:  ## Remove the environments and caches; .data, the databases, stays
	rm -rf $(VENV) $(AGENT_VENV) $(EXAMPLES_VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis tests/clients/node_modules .debian tests/gateways/mysql/.mariadb

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; say which: make install PYTHON=python3.12"; exit 1; }
	@echo "Making $(VENV)..."
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

# uv installs in seconds what takes pip a minute; where it cannot be had, pip does it.
$(VENV)/.installed: requirements.txt | $(BIN)/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION) || true
	@$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python -r requirements.txt || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt $(VENV)/.installed
	@$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python -r requirements-dev.txt || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

$(VENV)/.installed-release: requirements-release.txt $(VENV)/.installed-dev
	@$(BIN)/uv pip install --quiet --python $(BIN)/python -r requirements-release.txt || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-release.txt
	@touch $@

$(AGENT_BIN)/python: | $(VENV)/.installed
	@$(BIN)/uv venv --quiet --python $(BIN)/python $(AGENT_VENV) || $(BIN)/python -m venv $(AGENT_VENV)

$(AGENT_VENV)/.installed: requirements-agent.txt | $(AGENT_BIN)/python
	@$(BIN)/uv pip install --quiet --python $(AGENT_BIN)/python -r requirements-agent.txt || \
		$(AGENT_BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-agent.txt
	@touch $@

$(AGENT_VENV)/.installed-dev: requirements-agent-dev.txt $(AGENT_VENV)/.installed
	@$(BIN)/uv pip install --quiet --python $(AGENT_BIN)/python -r requirements-agent-dev.txt || \
		$(AGENT_BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-agent-dev.txt
	@touch $@

$(EXAMPLES_VENV)/.installed: requirements-examples.txt | $(VENV)/.installed
	@test -x $(EXAMPLES_VENV)/bin/python || $(BIN)/uv venv --quiet --python $(BIN)/python $(EXAMPLES_VENV) || \
		$(BIN)/python -m venv $(EXAMPLES_VENV)
	@$(BIN)/uv pip install --quiet --python $(EXAMPLES_VENV)/bin/python -r requirements-examples.txt || \
		$(EXAMPLES_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-examples.txt
	@touch $@

# A path in CHROMIUM or a Chromium in PATH will do; else apt-get or Playwright brings one.
$(VENV)/.chromium: tests/browser/install_chromium.sh | $(VENV)/.installed-dev
	@sh tests/browser/install_chromium.sh $(BIN)/playwright
	@touch $@

# MCP clients that nobody here wrote, and axe-core, run by the Node.js of requirements-dev.
$(TOOLS): tests/clients/package-lock.json $(VENV)/.installed-dev
	@cd tests/clients && PATH="$(abspath $(BIN)):$$PATH" npm ci --ignore-scripts --no-audit --no-fund --silent
	@touch $@

# A server of the engine MariaDB for its tests: one in PATH will do; else Debian's, unpacked and not installed.
$(MARIADB): tests/gateways/mysql/get_mariadb.sh
	@sh tests/gateways/mysql/get_mariadb.sh $(@D)
	@mkdir -p $(@D) && touch $@
