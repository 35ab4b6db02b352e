PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test test-oldest lint docs pages release clean

# A marker file per install, so that a second `make` starts at once.
$(VENV)/.demo: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	touch $@

$(VENV)/.test: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) torch --editable '.[test]'
	touch $@ $(VENV)/.demo

$(VENV)/.docs: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) torch --editable '.[docs]'
	touch $@ $(VENV)/.demo

demo: $(VENV)/.demo
	$(BIN)/lukewarm demo

test: $(VENV)/.test
	$(BIN)/python -m pytest --numprocesses=2 --dist=worksteal

# numba 0.59 needs Python 3.12 or older.
test-oldest:
	$(PYTHON) -m venv $(VENV)-oldest
	$(VENV)-oldest/bin/python -m pip install --quiet --constraint constraints-oldest.txt \
		--editable '.[catboost,lightgbm,xgboost,polars]' pytest pytest-xdist
	$(VENV)-oldest/bin/python -m pytest --numprocesses=2 --dist=worksteal tests

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Warnings are errors, and so is a page that loads anything from elsewhere. A first build runs the
# examples; later ones only those that changed.
docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -b html -W --keep-going docs docs/_build/html
	@! grep -rlE '<(script|link|img)[^>]+(src|href)="(https?:)?//' docs/_build/html --include='*.html'
	@echo "docs/_build/html/index.html"

# Every page and figure that is made of measured numbers, from benchmarks/results and docs/results. The
# first script runs the example of the README; the last fills in what the others have written.
pages: $(VENV)/.test
	$(BIN)/python docs/start_output.py
	$(BIN)/python docs/badges.py
	$(BIN)/python docs/choosing_figure.py
	$(BIN)/python docs/paper_page.py
	$(BIN)/python docs/trust_page.py
	$(BIN)/python docs/peers_page.py
	$(BIN)/python docs/full_models_page.py
	$(BIN)/python -P benchmarks/readme_figure.py --redraw
	$(BIN)/python tests/learners/test_contract.py
	$(BIN)/python docs/measured.py

# What would be published: a wheel and an sdist, each installed and used in an environment that has
# nothing else. -I keeps the checkout off the path.
release: $(VENV)/.test
	rm -rf dist $(VENV)-release
	$(BIN)/python -m hatchling build -d dist
	$(PYTHON) -m venv $(VENV)-release
	$(VENV)-release/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	$(VENV)-release/bin/python -I tests/installed.py
	$(VENV)-release/bin/python -m pip uninstall --quiet --yes lukewarm
	$(VENV)-release/bin/python -m pip install --quiet --disable-pip-version-check dist/*.tar.gz
	$(VENV)-release/bin/python -I tests/installed.py

clean:
	rm -rf $(VENV) $(VENV)-oldest $(VENV)-release dist lukewarm-demo docs/_build docs/_generated docs/api docs/auto_gallery
