# make run           start the app (installs what is missing first)
# make serve         start N processes of it (2) with Caddy in front of them: make serve N=4 PORT=8500
# make test          style, types, direction of imports, all quick tests
# make test-changed  the tests that the change against main reaches, those that quote a text that it removes first
# make test-slow     large corpora, load, faults, fuzz, pages in the dark and on a phone
# make test-scale    10,000 hostile model files through every kernel, bounds checked; hostile tokens and another visitor's
#                    secrets on every page; a room of 1,000 phones; 20 workers killed; trainings of up to 1 GB; the
#                    container; Korea's tokenizers on every line (an hour and a half; needs ../shared/data)
# make bench         measurements against other libraries
# make bench-quick   the same in two minutes: every program once, without what takes long
# make models        train the models of assets/models anew (needs ../shared/data/ko_mix; seven minutes)
# make morphology    measure the shipped and public tokenizers on a treebank anew (needs ../shared/data; a minute)
# make papers        measure beside the sources' tables and figures anew (needs ../shared/data; ten minutes)
# make evidence      make the measurements of assets/evidence anew (needs ../shared/data and torch; an hour)
# make space         write the folder to push to a Hugging Face Space: build/space
# make docs          build the documentation's site with new pictures: build/docs (starts the app; needs Chromium)
# make notebooks    run the notebooks of docs/notebooks anew and store their outputs (a minute)
# make canary        the tests of the patches against the newest Streamlit, and the private names that it changed
# make release-check  the package and its sources in clean environments on every Python here, the list of components
#                    (build/components.json, CycloneDX) and their known holes, where the index answers about them
# make requirements  write requirements.txt and requirements/ from pyproject.toml, versions kept where possible, with hashes
# make clean         remove the environment and every cache in this folder

PORT ?= 8501
VENV := .venv
PY := $(VENV)/bin/python
UV_TOOL := $(PY) -m uv tool run
PIP := $(PY) -m pip install --disable-pip-version-check
# Two cores have time for a third: browsers and other processes are waited for.
JOBS ?= 3
RERUNS ?= 0

# Compiled sources are kept, whatever the shell says: every worker of pytest, of the app too, would compile them anew.
export PYTHONDONTWRITEBYTECODE =

.PHONY: run serve test test-changed lint lane-browser lane-others test-slow test-scale bench bench-quick models papers \
  morphology evidence notebooks space docs canary release-check requirements clean install install-dev environment \
  browser prepared

run: install
	@echo "Thunder-Tok Explorer: http://localhost:$(PORT)"
	@exec $(PY) -m app --server.port=$(PORT)

N ?= 2

serve: install
	@exec $(PY) -m app.serve $(N) --port=$(PORT)

# Two lanes: one server and one Chromium for all browser tests, and the other tests beside them. The checkers run
# beside both, and beside the compiler first. `make -k`: one failing lane does not stop another, so a run lists every
# failure.
LANES = $(MAKE) --no-print-directory -k -j$(JOBS)

test: install-dev
	@$(LANES) lint lane-browser lane-others SPEED="not slow"

test-changed: install-dev browser prepared
	@$(PY) -m tests.running.changed

# A failed test is not run again unless RERUNS says how often. What `lint` runs is not run twice.
lane-browser: browser prepared
	@$(PY) -m pytest tests/browser -m "$(SPEED)" --reruns $(RERUNS)

lane-others: browser prepared
	@$(PY) -m pytest --ignore=tests/browser --ignore=tests/test_structure.py -m "$(SPEED)" -n $$(( $(JOBS) - 1 )) --dist worksteal --reruns $(RERUNS)

prepared: install-dev
	@$(PY) -m engine warmup
	@$(PY) -m app.prepare

lint: install-dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports
	$(PY) -m pytest -q tests/test_structure.py

test-slow: install-dev
	@$(LANES) lane-browser lane-others SPEED="slow and not scale"

test-scale: install-dev
	NUMBA_BOUNDSCHECK=1 $(PY) -m tests.hostile_models 10000 3
	$(PY) -m tests.container
	$(PY) -m tests.load.room --students 1000
	$(PY) -m tests.load.room --students 1000 --visitor
	$(PY) -m tests.load.room --students 60 --rooms 3 --visitor
	$(PY) -m pytest -m scale
	nice -n 19 $(PY) -m tests.load.scale $(TEXTS)/ko_mix 25 --vocab-size 16000 --with local:4 --kills 20 --pause 12
	nice -n 19 $(PY) -m tests.load.scale $(TEXTS)/ko_mix 25,100,400,1000

# Peers that only the benchmark needs have a folder of their own.
PEERS = $(VENV)/peers

$(PEERS): requirements/peers.txt
	@$(PY) -m pip install --quiet --no-deps --upgrade --target $@ --requirement $<
	@touch $@

bench: install-dev $(PEERS)
	PYTHONPATH=$(PEERS) $(PY) -m tests.bench.run

bench-quick: install-dev $(PEERS)
	PYTHONPATH=$(PEERS) $(PY) -m tests.bench.run --quick

TEXTS ?= ../shared/data

models: install-dev
	$(PY) -m research.shipped.make $(TEXTS)

morphology: install-dev
	$(PY) -m research.shipped.morphology $(TEXTS)

PAPERS = worked public shipped entropy thunder_tok

papers: install-dev
	$(PY) -m research.evidence.make $(PAPERS:%=--only papers_%) $(TEXTS)

# Not for CI: an interrupted series goes on where it stopped.
evidence: install-dev
	$(PIP) -r requirements/lm.txt
	$(PY) -m research.evidence.make $(TEXTS)

# What an earlier call wrote is replaced; a repository in the folder is kept.
SPACE ?= build/space

space: environment
	@mkdir -p $(SPACE) && find $(SPACE) -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +
	$(PY) -m research.site.space $(SPACE)

docs: install-dev browser prepared
	@$(PY) install.py docs
	$(PY) -m research.site.worked
	$(PY) -m research.site.pictures docs/pictures
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict --quiet --site-dir build/docs
notebooks: install-dev
	$(PY) -m research.notebooks

# A copy of the environment, with the newest Streamlit and what that needs.
canary: install-dev
	@rm -rf build/canary && mkdir -p build && cp -a $(VENV) build/canary
	build/canary/bin/python -m pip install --quiet --upgrade streamlit
	build/canary/bin/python -m tests.running.canary

release-check: install-dev
	$(PY) -m tests.wheel.smoke
	mkdir -p build
	$(UV_TOOL) --from cyclonedx-bom==7.5.0 cyclonedx-py requirements requirements.txt -o build/components.json
	$(UV_TOOL) --from pip-audit==2.10.1 pip-audit -r requirements.txt --require-hashes --disable-pip --progress-spinner off

# Without the addresses of an index: of where packages come from nothing is written down.
COMPILE := $(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --annotation-style line \
  --no-emit-index-url --no-emit-find-links --custom-compile-command "make requirements"
LOCK := $(COMPILE) --generate-hashes

# Torch is another file for every kind of processor: lm.txt has no hashes, and not what torch needs.
requirements: environment
	$(PIP) --quiet -r requirements/uv.txt
	$(LOCK) --group uv --output-file requirements/uv.txt
	$(LOCK) pyproject.toml --extra app --output-file requirements.txt
	$(LOCK) pyproject.toml --extra cluster -c requirements.txt --output-file requirements/cluster.txt
	$(LOCK) pyproject.toml --extra postgresql -c requirements.txt --output-file requirements/postgresql.txt
	$(LOCK) --group dev -c requirements.txt -c requirements/cluster.txt --output-file requirements/dev.txt
	$(LOCK) --group docs -c requirements.txt -c requirements/dev.txt --output-file requirements/docs.txt
	$(COMPILE) pyproject.toml --extra lm --no-deps -c requirements.txt --output-file requirements/lm.txt

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Both finish at once if everything is installed.
install: environment
	@$(PY) install.py app

install-dev: environment
	@$(PY) install.py dev

browser: install-dev
	@$(PY) -m tests.browser.chromium

# Made anew if it is incomplete, or if its Python is gone or was replaced by another version. With the newest Python that
# the pinned packages are known to support, if it can make environments.
environment:
	@$(PY) -c 'import pip' 2>/dev/null && exit; \
	for python in python3.13 python3.12 python3.11 python3; do \
	  if $$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	    echo "making $(VENV) with $$($$python --version)"; exec $$python -m venv --clear $(VENV); \
	  fi; \
	done; \
	echo "Python 3.11, 3.12 or 3.13 with the venv module is needed (Debian and Ubuntu: apt-get install python3-venv)" >&2; exit 1
