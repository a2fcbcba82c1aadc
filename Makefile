# Two commands do everything: `make demo` and `make test`. Each prepares the environment it needs.
PYTHON ?= python3
RUN := .venv/bin/

.PHONY: demo teach data cluster fast dev test long lint types mypy public-types pyright examples docs mutants versions recorded check lock clean

demo:
	@"$(PYTHON)" tools/environment.py demo
	@$(RUN)veilmix run titanic

# The eight lessons, in a browser; Ctrl-C ends it.
teach:
	@"$(PYTHON)" tools/environment.py teach
	@$(RUN)python -m marimo run notebooks $(OPTIONS)

# Libraries that only some need: Parquet files; sweeps on many computers; all that tests need; and
# faster sealing on processors with AVX-512 IFMA, some of it under Intel's own terms (docs/adr/0061).
data cluster dev fast:
	@"$(PYTHON)" tools/environment.py $@
	@echo "the environment has all of requirements/$@.in"

# What every change must pass, as CI has it.
check:
	@.ci/run

# Four at a time on two cores: with fewer, an eighth of the time both wait for pages and processes.
test:
	@"$(PYTHON)" tools/environment.py dev
	@$(RUN)python -m pytest -n 4 --dist loadfile --no-loadscope-reorder

# What CI leaves out (CONTRIBUTING.md, Tests): more tests, every weaker form of every guard, pyright on the whole package.
long: pyright
	@$(RUN)python -m pytest -n 2 -m long
	@$(RUN)python tools/mutants.py --weaker all

lint:
	@"$(PYTHON)" tools/environment.py dev
	@$(RUN)ruff check .
	@$(RUN)ruff format --check .
	@$(RUN)python tools/plain_language.py --quiet

types: mypy public-types

# The package, every Python example of the documents and docstrings as a file of a user, and the packages of
# docs/extending.md: their folders are bases, or mypy would take them for parts of the package above.
PARTS = docs/packages/rival:docs/packages/cheats
mypy: examples
	@$(RUN)mypy
	@MYPYPATH=build/examples $(RUN)mypy --strict --explicit-package-bases build/examples
	@MYPYPATH=$(PARTS) $(RUN)mypy --strict --explicit-package-bases $(subst :, ,$(PARTS))

# pyright reads as an editor of a user does: the names of the first door and the examples, and what these need.
# The whole package takes it nine times as long; `make long` has it.
public-types: examples
	@$(RUN)pyright *.py build/examples

pyright: examples
	@$(RUN)pyright

examples:
	@"$(PYTHON)" tools/environment.py dev
	@$(RUN)python tools/examples.py build/examples

# Remove each guard in turn, in a copy of a process, and weaken some (docs/adr/0090): a test named for it must fail.
# NAMES: parts of names; OPTIONS: of tools/mutants.py, such as `--weaker all`.
mutants:
	@"$(PYTHON)" tools/environment.py dev
	@$(RUN)python tools/mutants.py $(OPTIONS) $(NAMES)

# The site, in docs/_build. It is made anew, so that every warning is an error every time.
docs:
	@"$(PYTHON)" tools/environment.py dev
	@$(RUN)sphinx-build -q -W --keep-going -E -a -b html docs docs/_build

# Do the newest and the oldest libraries that pyproject.toml allows do? Resolved today, tried, and recorded;
# OPTIONS: of tools/versions.py. CI tries the record, with a fixed part of the tests.
versions:
	@"$(PYTHON)" tools/environment.py dev
	@$(RUN)python tools/versions.py $(OPTIONS)

recorded:
	@"$(PYTHON)" tools/environment.py dev
	@$(RUN)python tools/versions.py --recorded

# Pin anew what requirements/*.in ask for: for Python 3.11 and newer, on every platform. `dev` has
# all that the others have, so they take its versions: one comes on top of another.
PIN = $(RUN)uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
  --no-annotate --no-header --no-emit-index-url
lock:
	@"$(PYTHON)" tools/environment.py dev
	@$(PIN) --upgrade requirements/dev.in -o requirements/dev.txt
	@for level in core demo data teach cluster fast; do \
	  $(PIN) -c requirements/dev.txt requirements/$$level.in -o requirements/$$level.txt || exit 1; done
	@$(PIN) requirements/bench.in -o requirements/bench.txt
	@$(PIN) requirements/peers.in -o requirements/peers.txt
	@$(RUN)python tools/versions.py --record

clean:
	rm -rf build/examples docs/_build .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis
