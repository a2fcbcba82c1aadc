# Two commands do everything: `make demo` and `make test`. Each prepares the environment it needs.
PYTHON ?= python3
RUN := .venv/bin/

.PHONY: demo test lint types docs lock clean

demo:
	@$(PYTHON) tools/environment.py core
	@$(RUN)veilmix run titanic

test:
	@$(PYTHON) tools/environment.py dev
	@$(RUN)python -m pytest -n 2 --dist worksteal

lint:
	@$(PYTHON) tools/environment.py dev
	@$(RUN)ruff check .
	@$(RUN)ruff format --check .

types:
	@$(PYTHON) tools/environment.py dev
	@$(RUN)mypy
	@$(RUN)pyright

# The site, in docs/_build. It is made anew, so that every warning is an error every time.
docs:
	@$(PYTHON) tools/environment.py dev
	@$(RUN)sphinx-build -q -W --keep-going -E -a -b html docs docs/_build

# Pin anew what requirements/*.in ask for: for Python 3.11 and newer, on every platform.
lock:
	@$(PYTHON) tools/environment.py dev
	@for level in core dev; do \
	  $(RUN)uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
	    --no-header --no-emit-index-url --upgrade \
	    requirements/$$level.in -o requirements/$$level.txt || exit 1; done

clean:
	rm -rf docs/_build .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis
