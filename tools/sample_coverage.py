"""Compare the coverage of sampled lists of cases with the coverage of the whole lists.

python tools/sample_coverage.py [FILES]

`make test` tries a sample of the long lists of cases (`sampled`, the mark `long`), `make long` the
other cases. Each test file with such a list is run twice here, with coverage.py and branches: the
sample, and then the other cases. A line or branch of veilmix that only the other cases reach is
looked for in the tests of its own room, without their long cases. If none of them reaches it, it is
printed: the case that reaches it belongs in the sample. Exit code 1 if there is one. Lines that run
in processes of their own count too. Needs coverage.py (`.venv/bin/uv pip install coverage`).
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONG = re.compile(r"from sample_kit import sampled|mark\.long\b")
SAMPLE, OTHERS = "not long", "long"
NOTHING = 5  # pytest's exit code where no test was chosen
SETTINGS = """
[run]
branch = true
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
data_file = {folder}/{name}
"""

Reached = frozenset[str]


def files() -> list[str]:
    """Return the test files with a long list."""
    tests = sorted((ROOT / "tests").rglob("test_*.py"))
    return [str(path.relative_to(ROOT)) for path in tests if LONG.search(path.read_text("utf-8"))]


def reached(tests: Sequence[str], choice: str) -> Reached:
    """Run the chosen cases of tests; return the lines and branches of veilmix that they reach."""
    with tempfile.TemporaryDirectory() as folder:
        return _reached(tests, choice, Path(folder))


def _reached(chosen: Sequence[str], choice: str, folder: Path) -> Reached:
    name = choice.replace(" ", "-")
    settings = folder / f"{name}.ini"
    settings.write_text(SETTINGS.format(root=ROOT, folder=folder, name=f"data-{name}"), "utf-8")
    coverage = (sys.executable, "-m", "coverage")
    tests = ("-m", "pytest", "-n", "0", "-q", "-p", "no:cacheprovider", "-m", choice, *chosen)
    environment = {**os.environ, "CI": "true"}  # property tests try the same examples every time
    done = subprocess.run(
        [*coverage, "run", f"--rcfile={settings}", *tests],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode == NOTHING:
        return frozenset()
    if done.returncode:
        files_ = " ".join(chosen)
        raise SystemExit(f"{files_}, {choice}: the tests fail\n{done.stdout}{done.stderr}")
    for step in (("combine", "-q"), ("json", "-q", "-o", str(folder / f"{name}.json"))):
        subprocess.run(
            [*coverage, step[0], f"--rcfile={settings}", *step[1:]], cwd=ROOT, check=True
        )
    return frozenset(_places(json.loads((folder / f"{name}.json").read_text("utf-8"))))


def _places(report: dict[str, dict[str, dict[str, list[object]]]]) -> Iterator[str]:
    """Yield `file:line` of each line, and `file:line -> line` of each branch, in a report."""
    for file, found in report["files"].items():
        for line in found["executed_lines"]:
            yield f"{file}:{line}"
        for begin, end in found["executed_branches"]:  # type: ignore[misc]
            yield f"{file}:{begin} -> {end}"


def rooms(places: Iterable[str]) -> list[str]:
    """Return the folders of tests that mirror the files of some lines."""
    folders = {Path("tests") / Path(place.partition(":")[0]).parent for place in places}
    return sorted(str(folder) for folder in folders if (ROOT / folder).is_dir())


def main(chosen: list[str]) -> int:
    """Print, for each test file, the places that only the cases outside the sample reach."""
    lost = 0
    for file in chosen or files():
        sample, others = (reached([file], choice) for choice in (SAMPLE, OTHERS))
        alone = others - sample
        missing = sorted(alone - reached(rooms(alone), SAMPLE)) if alone else []
        lost += len(missing)
        print(
            f"{file}: sample {len(sample):,}, others alone {len(alone):,},"
            f" of these in no test of their room {len(missing):,}",
            flush=True,
        )
        print("".join(f"    only outside the sample: {place}\n" for place in missing), end="")
    print(f"{lost} lines and branches of veilmix are reached outside the sample alone")
    return int(lost > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
