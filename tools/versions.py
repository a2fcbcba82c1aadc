"""Try the newest and the oldest libraries that pyproject.toml allows: `python tools/versions.py`.

Resolves both (`uv pip compile --resolution highest` and `lowest-direct`), makes an environment of
each outside the checkout, installs the wheel, and runs there every command with a machine format
(tools/machine_formats.py), a session between processes (tools/served_session.py), and the fast
tests of `analysis`. Versions that pass are recorded in requirements/newest.txt and oldest.txt.

    --recorded     try the record, with a fixed part of the tests: `part` (CI)
    --record       resolve and record, without a trial (`make lock`)
    --python PATH  another Python; the record is for Python 3.11 and newer, and tried with 3.11

Commands with a machine format load the libraries of three extras. The other extras are Dask's
cluster, marimo's lessons and Intel's sealing.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import machine_formats
import served_session

ROOT = Path(__file__).resolve().parent.parent
RESOLUTIONS = {"newest": "highest", "oldest": "lowest-direct"}
EXTRAS = ("data", "report", "web")
TESTING = (  # in the extra `dev`
    *("hypothesis", "pytest", "pytest-rerunfailures", "pytest-timeout", "pytest-trio"),
)
OLDEST_PYTHON = "3.11"
PORTS = {"newest": 10_000, "oldest": 11_000}  # below the ports of tests and of the system
FAST = ("-p", "no:cacheprovider", "-m", "not slow and not long")
# Most of the time of the fast tests: not of the part.
LONG = (
    "tests/analysis/figures/test_noise_families.py",
    "tests/analysis/shuffled/test_erased_response.py",
    "tests/analysis/shuffled/test_two_values.py",
    "tests/analysis/trust/test_certain_cells.py",
)
ROOMS = "tests/analysis"
SHARE = 8  # of the files of these tests, one of so many is in the part of either kind
# Old libraries call newer ones and cause warnings: only warnings about our lines are errors there.
WARNINGS = {"newest": "error", "oldest": "default\nerror:::veilmix"}
# Variables that are set for other tests, or for the checkout's own environment.
FOREIGN = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "VEILMIX_BROWSER", "VEILMIX_DATA")
WHEEL = "import sys; from setuptools import build_meta as b; b.build_wheel(sys.argv[1])"


class Failed(Exception):
    """A command ended badly: uv, the build or the tests; the text has its output."""


def run(*command: object, cwd: Path = ROOT, text: str | None = None) -> str:
    """Run a command; returns its output. Failed for another exit code than 0."""
    words = list(map(str, command))
    done = subprocess.run(words, cwd=cwd, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


def uv(*arguments: object, text: str | None = None) -> str:
    """Run the uv of the developers' environment."""
    return run(sys.executable, "-m", "uv", *arguments, text=text)


def allowed() -> str:
    """Return the requirements of pyproject.toml for a trial, a line each."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    tests = [line for line in extras["dev"] if re.split(r"[<>=!~\[; ]", line)[0] in TESTING]
    lines = [*project["dependencies"], *(line for name in EXTRAS for line in extras[name]), *tests]
    return "\n".join(lines) + "\n"


def resolve(kind: str, python: str = "") -> str:
    """Return the pins of today. python: a version; else every supported one, on any system."""
    whose = ("--universal", "--python-version", OLDEST_PYTHON)
    if python:  # older libraries have no wheel for newer Pythons
        whose = ("--python-version", python, "--only-binary", ":all:")
    quiet = ("--quiet", "--no-annotate", "--no-header", "--no-emit-index-url")
    how = ("--resolution", RESOLUTIONS[kind], "--generate-hashes")
    return uv("pip", "compile", *quiet, *how, *whose, "-", text=allowed())


def record(kind: str) -> Path:
    """Return the file of the recorded pins."""
    return ROOT / "requirements" / f"{kind}.txt"


@dataclass(frozen=True)
class Trial:
    """The newest or the oldest libraries, to be tried.

    Attributes:
        kind: `newest` or `oldest`.
        pins: the text of the pinned versions.
        home: the folder of its environment.
    """

    kind: str
    pins: str
    home: Path

    @property
    def python(self) -> Path:
        """The environment's Python."""
        return self.home / "environment" / ("Scripts" if os.name == "nt" else "bin") / "python"

    @property
    def veilmix(self) -> Path:
        """The command that the wheel brings."""
        return self.python.with_name("veilmix")

    def install(self, python: str, wheel: Path) -> None:
        """Make the environment: libraries with the recorded hashes, and the wheel."""
        self.home.mkdir()
        pins = self.home / "pins.txt"
        pins.write_text(self.pins, "utf-8")
        run(python, "-m", "venv", "--without-pip", self.home / "environment")
        into = ("--quiet", "--python", self.python)
        uv("pip", "sync", *into, "--require-hashes", pins)
        uv("pip", "install", *into, "--no-deps", "--offline", wheel)
        uv("pip", "check", *into)

    def faults(self, tests: Path, chosen: Sequence[str]) -> Iterator[str]:
        """Run all commands, a session beside them, and the tests; yields the faults."""
        folders = [self.home / name for name in ("commands", "session")]
        for folder in folders:
            folder.mkdir()
        with ThreadPoolExecutor(1) as beside:  # a session waits for its processes
            session = beside.submit(
                lambda: list(served_session.play(self.veilmix, folders[1], PORTS[self.kind]))
            )
            yield from machine_formats.play(self.veilmix, folders[0])
            yield from self._tested(tests, chosen)
            yield from session.result()

    def _tested(self, tests: Path, chosen: Sequence[str]) -> Iterator[str]:
        options = ("-o", f"filterwarnings={WARNINGS[self.kind]}", *FAST)
        try:
            # -P: the working folder has no modules to import.
            said = run(self.python, "-P", "-m", "pytest", *options, *chosen, cwd=tests)
        except Failed as wrong:
            yield str(wrong)
            return
        self.say(next(line for line in reversed(said.splitlines()) if " passed" in line))

    def say(self, text: str) -> None:
        """Print a line about these libraries."""
        print(f"{self.kind}: {text}", flush=True)


def copied(home: Path) -> tuple[Path, Path]:
    """Build the wheel in a copy of the checkout; returns it, and a folder with the tests alone."""
    copy, built, tests = home / "checkout", home / "wheel", home / "tests"
    run(sys.executable, ROOT / "tools" / "clone.py", copy)
    run(sys.executable, "-c", WHEEL, built, cwd=copy)
    tests.mkdir()
    for name in ("pyproject.toml", "tests", "tools", "benchmarks", "docs"):
        (copy / name).rename(tests / name)
    (wheel,) = built.glob("*.whl")
    return wheel, tests


def part(kind: str) -> list[str]:
    """Return the files of tests that CI runs with the recorded newest or oldest libraries.

    Either kind has every SHARE-th file: those of the one are not those of the other.
    """
    files = [
        path.relative_to(ROOT).as_posix() for path in sorted((ROOT / ROOMS).rglob("test_*.py"))
    ]
    return [name for name in files if name not in LONG][[*RESOLUTIONS].index(kind) :: SHARE]


def try_all(pins: dict[str, str], python: str, *, whole: bool) -> list[str]:
    """Try each kind of libraries, side by side; returns the faults of all."""
    for name in FOREIGN:
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory(prefix="veilmix-versions-") as folder:
        home = Path(folder).resolve()
        wheel, tests = copied(home)
        trials = [Trial(kind, pinned, home / kind) for kind, pinned in pins.items()]

        def one(trial: Trial) -> list[str]:
            try:
                trial.install(python, wheel)
                found = list(trial.faults(tests, [ROOMS] if whole else part(trial.kind)))
            except Failed as wrong:
                found = [str(wrong)]
            trial.say(f"{len(machine_formats.LINES)} commands and a session, {len(found)} faults")
            return [f"{trial.kind}: {fault}" for fault in found]

        with ThreadPoolExecutor(len(trials)) as both:
            return [fault for faults in both.map(one, trials) for fault in faults]


def chosen(kinds: Sequence[str], version: str, *, recorded: bool) -> dict[str, str]:
    """Return the pins to try with a Python of this version."""
    pins = {}
    for kind in kinds:
        # Older libraries have no wheel for newer Pythons, so each Python has its own oldest.
        own = kind == "oldest" and version != OLDEST_PYTHON
        known = recorded and not own
        pins[kind] = record(kind).read_text("utf-8") if known else resolve(kind, version * own)
    return pins


def main(arguments: Sequence[str] | None = None) -> int:
    """Resolve, try and record, or part of it; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--recorded", action="store_true", help="try the record, not today's")
    parser.add_argument("--record", action="store_true", help="record today's, and try nothing")
    parser.add_argument("--python", default=sys.executable, metavar="PATH", help="another Python")
    parser.add_argument("kinds", nargs="*", metavar="newest|oldest", help="[default: both]")
    given = parser.parse_args(arguments)
    kinds = given.kinds or [*RESOLUTIONS]
    if not {*kinds} <= {*RESOLUTIONS}:
        parser.error(f"found {' '.join(kinds)}; accepted: {', '.join(RESOLUTIONS)}")
    try:
        return _obeyed(kinds, given)
    except Failed as wrong:
        print(wrong, file=sys.stderr)
        return 1


def _obeyed(kinds: Sequence[str], given: argparse.Namespace) -> int:
    ask = "import sys; print('{}.{}'.format(*sys.version_info))"
    version = OLDEST_PYTHON if given.record else run(given.python, "-c", ask).strip()
    pins = chosen(kinds, version, recorded=given.recorded)
    whole = not given.recorded
    if not given.record and (faults := try_all(pins, given.python, whole=whole)):
        print("\n\n".join(faults), file=sys.stderr)
        return 1
    if not given.recorded and version == OLDEST_PYTHON:
        for kind, pinned in pins.items():
            record(kind).write_text(pinned, "utf-8")
            print(f"recorded {record(kind).relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
