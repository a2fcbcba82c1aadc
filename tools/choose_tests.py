"""Choose the tests that CI leaves to `make long`, so that the same lines are reached without them.

    python tools/choose_tests.py measure FOLDER [WORDS OF PYTEST]
    python tools/choose_tests.py choose FOLDER

`measure` runs the usual tests with tools/reached_lines.py, in a process of Python 3.12 or newer,
and adds to FOLDER which lines of veilmix each test reaches and its processor time. `choose` writes
tests/outside_ci.txt. Every line that any measured test reaches is still reached. These tests stay:

* tests of the checkout (`tests/test_*.py`): documents and packages are more than lines;
* tests that take at most CHEAP seconds of processor time;
* tests that a row of a `guards.toml` names: the same removals of guards are noticed;
* of each test function its cheapest case, if that takes at most ONE_CASE seconds;
* of the others, the tests that reach most of the remaining lines in a second, until none remains.

The first test of a file pays for what its tests share, so the time that is saved is less than the
sum of the times of the tests in the list.
"""

import argparse
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from sysconfig import get_path

import reached_lines

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests" / "outside_ci.txt"
HEAD = """\
# `make long` runs these tests; CI and `make test` do not, for the others reach the same lines.
# Written by tools/choose_tests.py. A line is a test function with all its cases, or a single case.
"""
CHEAP, ONE_CASE = 0.1, 0.5  # seconds of processor time


@dataclass
class Measured:
    """A test that was measured: its processor time in seconds, and its lines as bits of a number.

    Attributes:
        seconds: with the processes that it started and waited for.
        lines: bit i is line i of those that any test reached.
    """

    seconds: float = 0.0
    lines: int = 0

    def gain(self, reached: int) -> float:
        """Return the number of lines beyond the reached ones, by second."""
        return (self.lines & ~reached).bit_count() / (self.seconds + 0.05)


@dataclass
class Measurements:
    """All measured tests.

    Attributes:
        tests: by name.
        places: file and number of each line that any test reached -> its bit.
    """

    tests: dict[str, Measured] = field(default_factory=lambda: defaultdict(Measured))
    places: dict[tuple[str, int], int] = field(default_factory=dict)

    def add(self, test: str, seconds: float | None, lines: Mapping[str, Iterable[int]]) -> None:
        """Add a record. seconds: None for a process that the test started."""
        bits = 0
        for file, numbers in lines.items():
            for number in numbers:
                bits |= 1 << self.places.setdefault((file, number), len(self.places))
        measured = self.tests[test]
        measured.lines |= bits
        measured.seconds = max(measured.seconds, seconds or 0.0)

    def reached(self, names: Iterable[str]) -> int:
        """Return the lines that these tests reach, as bits."""
        lines = 0
        for name in names:
            lines |= self.tests[name].lines
        return lines


def function(test: str) -> str:
    """Return the name of a test without its case."""
    return test.partition("[")[0]


def names_in_guards() -> frozenset[str]:
    """Return the tests that rows of guards name: test functions, or single cases."""
    names: set[str] = set()
    for table in ROOT.rglob("guards.toml"):
        if ".venv" not in table.parts:
            names.update(re.findall(r"tests/[\w/]+\.py::[^\"']+", table.read_text("utf-8")))
    return frozenset(names)


def chosen(measured: Measurements, named: frozenset[str]) -> set[str]:
    """Return the tests that CI runs, by the rules above. named: tests that rows of guards name."""
    tests = measured.tests
    functions = {function(name) for name in named}
    kept = {
        name
        for name, test in tests.items()
        if test.seconds <= CHEAP or name.startswith("tests/test_") or function(name) in functions
    }
    cases = defaultdict(list)
    for name in tests:
        cases[function(name)].append(name)
    for names in cases.values():
        cheapest = min(names, key=lambda name: tests[name].seconds)
        if kept.isdisjoint(names) and tests[cheapest].seconds <= ONE_CASE:
            kept.add(cheapest)
    reached, everything = measured.reached(kept), measured.reached(tests)
    others = tests.keys() - kept
    while reached != everything:
        best = max(sorted(others), key=lambda name: tests[name].gain(reached))
        others.remove(best)
        kept.add(best)
        reached |= tests[best].lines
    return kept


def listed(tests: Iterable[str], kept: set[str]) -> list[str]:
    """Return the names of the other tests: a function if all its cases are out, else its cases."""
    whole = {function(name) for name in kept}
    out = {function(name) if function(name) not in whole else name for name in {*tests} - kept}
    return sorted(out)


def measure(folder: Path, words: Sequence[str]) -> int:
    """Run the usual tests, and record in a folder what each reaches; returns pytest's exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    hook = Path(get_path("purelib")) / "reached_lines.pth"
    tools = str(ROOT / "tools")
    hook.write_text(f"import sys; sys.path.append({tools!r}); {reached_lines.START}\n", "utf-8")
    (package,) = import_module("veilmix").__path__
    environment = {
        **os.environ,
        "CI": "true",  # property tests try the same examples every time
        "REACHED_FOLDER": str(folder.resolve()),
        "REACHED_ROOT": package,
    }
    line = [sys.executable, "-m", "pytest", "-p", "reached_lines", *words]
    try:
        return subprocess.run(line, cwd=ROOT, env=environment, check=False).returncode
    finally:
        hook.unlink()


def read(folder: Path) -> Measurements:
    """Return what was measured in a folder."""
    measured = Measurements()
    for file in sorted(folder.glob("*.records")):
        for record in reached_lines.records(file.read_bytes()):
            measured.add(record["test"], record["seconds"], record["lines"])
    return measured


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure or choose; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("step", choices=("measure", "choose"))
    parser.add_argument("folder", type=Path)
    given, words = parser.parse_known_args(arguments)
    if given.step == "measure":
        return measure(given.folder, words)
    measured = read(given.folder)
    kept = chosen(measured, names_in_guards())
    names = listed(measured.tests, kept)
    LIST.write_text(HEAD + "".join(f"{name}\n" for name in names), "utf-8")
    seconds = {
        name: sum(measured.tests[test].seconds for test in tests)
        for name, tests in (("all", measured.tests), ("kept", kept))
    }
    print(
        f"{len(measured.tests):,} tests reach {len(measured.places):,} lines in"
        f" {seconds['all']:,.0f} s of processor time; {len(kept):,} tests reach as many in"
        f" {seconds['kept']:,.0f} s; {len(names):,} names in {LIST.relative_to(ROOT)}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
