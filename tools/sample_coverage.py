"""Compare the coverage of the usual tests with the coverage of the cases outside their samples.

    python tools/sample_coverage.py [--lines] [FILES]

`make test` tries a sample of the long lists of cases (`sampled`, the mark `long`), `make long` the
other cases. The whole usual run is played here with coverage.py, and then the other cases (of all
test files, or of FILES). A line or branch of veilmix that only the other cases reach is printed:
the case that reaches it belongs in the sample. Exit code 1 if there is one, or if a test failed.
Lines that run in processes of their own count too. Needs coverage.py
(`.venv/bin/uv pip install coverage`).

--lines measures lines without branches, with `sys.monitoring` (Python 3.12 or newer): nearly as
fast as without measuring.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
WORKERS = "3"  # of pytest
SAMPLE, OTHERS = "not long", "long"
SETTINGS = """
[run]
{how}
source = {root}
omit =
    {root}/tests/*
    {root}/tools/*
    {root}/benchmarks/*
    {root}/notebooks/*
    {root}/docs/*
parallel = true
patch =
    _exit
    subprocess
data_file = {folder}/data
"""
BY_LINES, BY_BRANCHES = "core = sysmon", "branch = true"


def reached(tests: Sequence[str], choice: str, how: str) -> tuple[frozenset[str], bool]:
    """Run the chosen cases of tests.

    Returns the lines and branches of veilmix that they reach, and whether all of them passed.
    """
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "settings.ini"
        settings.write_text(SETTINGS.format(root=ROOT, folder=folder, how=how), "utf-8")
        passed = not _coverage(
            "run", settings, "-m", "pytest", "-n", WORKERS, "--dist", "worksteal", "-q",
            "-p", "no:cacheprovider", "-m", choice, *tests,
        )  # fmt: skip
        _coverage("combine", settings, "-q")
        report = Path(folder) / "report.json"
        _coverage("json", settings, "-q", "-o", str(report))
        return frozenset(_places(json.loads(report.read_text("utf-8")))), passed


def _coverage(step: str, settings: Path, *words: str) -> int:
    """Run a step of coverage.py; returns its exit code."""
    environment = {**os.environ, "CI": "true"}  # property tests try the same examples every time
    command = (sys.executable, "-m", "coverage", step, f"--rcfile={settings}", *words)
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def _places(report: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield `file:line` of each line, and `file:line -> line` of each branch, in a report."""
    for file, found in report["files"].items():
        for line in found["executed_lines"]:
            yield f"{file}:{line}"
        for begin, end in found.get("executed_branches", ()):
            yield f"{file}:{begin} -> {end}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the places that only the cases outside the samples reach; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--lines", action="store_true", help="lines alone, with sys.monitoring")
    parser.add_argument("files", nargs="*", metavar="FILES", help="of the other cases [all]")
    given = parser.parse_args(arguments)
    how = BY_LINES if given.lines else BY_BRANCHES
    usual, usual_passed = reached(["tests"], SAMPLE, how)
    others, others_passed = reached(given.files or ["tests"], OTHERS, how)
    lost = sorted(others - usual)
    for file, places in groupby(lost, lambda place: place.partition(":")[0]):
        print(f"{file}: {', '.join(place.partition(':')[2] for place in places)}")
    print(
        f"the usual tests reach {len(usual):,} lines and branches, the others {len(others):,},"
        f" of these alone {len(lost):,}"
    )
    return int(bool(lost) or not (usual_passed and others_passed))


if __name__ == "__main__":
    sys.exit(main())
