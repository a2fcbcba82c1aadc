"""Tests run in copies of one process that has loaded what all tests need: they start in no time.

    prepare()                   loads the test runner and libraries, and nothing of this package
    for done in runs(jobs, 2, root):  each job in a copy of its own, so many at a time

A copy loads the package anew, so it can be given a file of it as if it read otherwise: the loader
is told, and nothing on the disk is touched. What a test starts in another process reads the disk;
a change shows in the copy alone.
"""

import importlib
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, Generic, NoReturn, TypeVar

PASSED, FAILED = 0, 1  # exit codes of pytest; any other says that it could not run
LOADED = (
    *("pytest", "hypothesis.strategies", "pytest_trio.plugin", "pytest_timeout", "xdist.plugin"),
    "pytest_rerunfailures",
    *("numpy", "numpy.random", "scipy.stats", "scipy.special", "scipy.optimize", "msgspec"),
    *("click", "rich.console", "trio.testing", "nacl.bindings", "nacl.signing", "tomllib"),
    *("cryptography.hazmat.primitives.asymmetric.x25519", "concurrent.futures.thread"),
)
OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header")
QUIET = ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # plugins are loaded before pytest is
TAIL = 800  # characters of what pytest said that are kept

Name = TypeVar("Name")


@dataclass(frozen=True, slots=True)
class Job(Generic[Name]):
    """Tests to run, and the files that read otherwise while they do.

    Attributes:
        name: whatever tells this job from others.
        tests: as pytest takes them.
        otherwise: the source of a file, by its path, in place of what is on the disk.
        options: of pytest, besides OPTIONS.
    """

    name: Name
    tests: Sequence[str]
    otherwise: Mapping[Path, str] = field(default_factory=dict)
    options: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class JobResult(Generic[Name]):
    """What came of a job: the first test that failed, None if none did; seconds of CPU time.

    Attributes:
        name: of the job.
        failed: the test; None: all passed.
        wrong: why the tests could not be run; empty: they were.
        seconds: of CPU time.
    """

    name: Name
    failed: str | None
    wrong: str
    seconds: float


def prepare() -> None:
    """Load what all tests need; what is not installed is not needed."""
    for name in LOADED:
        with suppress(ImportError):
            importlib.import_module(name)


def runs(jobs: Iterable[Job[Name]], many: int, root: Path) -> Iterator[JobResult[Name]]:
    """Run each job in a copy of this process, so many at a time; yields them as they end."""
    waiting, at_work = iter(jobs), dict[int, tuple[Job[Name], Path]]()
    with tempfile.TemporaryDirectory() as folder:
        number = 0
        while True:
            while len(at_work) < many and (job := next(waiting, None)) is not None:
                place = Path(folder, str(number))
                at_work[_started(job, place, root)] = job, place
                number += 1
            if not at_work:
                return
            child, _, used = os.wait4(-1, 0)
            job, place = at_work.pop(child)
            yield _done(job, place, used.ru_utime + used.ru_stime)


def _done(job: Job[Name], place: Path, seconds: float) -> JobResult[Name]:
    """Read what a copy has left."""
    said = place.read_text("utf-8", errors="replace") if place.exists() else ""
    result = place.with_suffix(".json")
    if not result.exists():
        return JobResult(
            job.name, None, f"the tests ended before their time: {said[-TAIL:]}", seconds
        )
    code, failed = json.loads(result.read_text("utf-8"))
    if code not in (PASSED, FAILED):
        return JobResult(job.name, None, f"the tests do not run: {said[-TAIL:]}", seconds)
    return JobResult(job.name, failed, "", seconds)


def _started(job: Job[Any], place: Path, root: Path) -> int:
    """Start a copy of this process that runs a job's tests; gives its number."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _live(job, place, root)
    return child


def _live(job: Job[Any], place: Path, root: Path) -> NoReturn:
    """What a copy does with its life: run the tests, leave what came of them, be gone."""
    try:
        said = os.open(place, os.O_WRONLY | os.O_CREAT)
        for stream in (1, 2):
            os.dup2(said, stream)
        os.chdir(root)
        os.environ["CI"] = "1"  # the same examples every time
        _read_otherwise({os.path.realpath(path): source for path, source in job.otherwise.items()})
        import pytest

        watcher = _Watcher()
        code = int(pytest.main([*OPTIONS, *QUIET, *job.options, *job.tests], plugins=[watcher]))
        sys.stdout.flush()
        place.with_suffix(".json").write_text(json.dumps([code, watcher.failed]), "utf-8")
    finally:
        os._exit(0)  # nothing of the parent's is tidied up twice


def _read_otherwise(sources: Mapping[str, str]) -> None:
    """Let these files be loaded from these sources, and all others from the disk."""
    from_disk = SourceFileLoader.get_code

    def code(self: SourceFileLoader, name: str) -> CodeType | None:
        source = sources.get(os.path.realpath(self.path))
        return from_disk(self, name) if source is None else self.source_to_code(source, self.path)

    SourceFileLoader.get_code = code  # type: ignore[method-assign]


class _Watcher:
    """Hears from pytest which test failed first."""

    def __init__(self) -> None:
        self.failed: str | None = None

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and self.failed is None:
            self.failed = report.nodeid
