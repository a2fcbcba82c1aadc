"""A test of a browser, a process or TLS is retried once if the machine failed it, and listed."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

CONFTEST = Path(__file__).with_name("conftest.py")
TRIED = '''
import errno
import urllib.error
from pathlib import Path

import pytest

RUNS = Path(__file__).with_name("runs")
RESET = ConnectionResetError("reset by peer")
BUSY = OSError(errno.EADDRINUSE, "in use")
MIXED = ExceptionGroup("parties", [RESET, AssertionError("4 people were released")])


def tried(name, *errors):
    """Note a run, and raise the error of this one."""
    with RUNS.open("a") as runs:
        runs.write(f"{name}\\n")
    print(f"what {name} said")
    run = RUNS.read_text().split().count(name)
    if run <= len(errors):
        raise errors[run - 1]


@pytest.fixture
def connected(request):
    tried("fixture", RESET)


@pytest.mark.tls
@pytest.mark.parametrize("error", [RESET, BUSY, urllib.error.URLError(RESET)])
def test_steady_again(error):
    tried(type(error).__name__, error)


@pytest.mark.process
def test_fixture(connected):
    pass


def test_of_a_process(started):
    tried("process", ExceptionGroup("parties", [RESET, BUSY]))


@pytest.mark.tls
def test_twice():
    tried("twice", RESET, RESET)


@pytest.mark.tls
@pytest.mark.parametrize("error", [AssertionError("5 == 4"), MIXED, KeyError("release")])
def test_verdict(error):
    tried(type(error).__name__, error)


@pytest.mark.tls
def test_verdict_on_an_error():
    try:
        raise RESET
    except ConnectionResetError:
        tried("assertion", AssertionError("the board refused an honest party"))


def test_unmarked():
    tried("unmarked", RESET)
'''


@pytest.mark.slow
def test_only_errors_of_the_machine_are_tried_once_more_and_all_are_shown(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST.read_text("utf-8"), "utf-8")
    (tmp_path / "test_tried.py").write_text(TRIED, "utf-8")
    command = (sys.executable, "-m", "pytest", "-n", "0", "-q", "-c", os.devnull, str(tmp_path))
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    retried = {"ConnectionResetError": 2, "OSError": 2, "URLError": 2, "fixture": 2, "process": 2}
    once = {"AssertionError": 1, "ExceptionGroup": 1, "KeyError": 1, "assertion": 1, "unmarked": 1}
    assert done.returncode == 1, f"{done.stdout}{done.stderr}"
    assert Counter((tmp_path / "runs").read_text().split()) == {**retried, "twice": 2, **once}
    told, _, listed = done.stdout.partition("= unsteady: 6 =")
    assert "6 failed, 5 passed" in listed
    assert listed.count("UNSTEADY") == 6
    first = told[told.index("first failure of") :]
    assert all(f"what {name} said" in first for name in retried)
    assert first.count("first failure of") == 6
    assert first.count("raise errors[run - 1]") >= 6
