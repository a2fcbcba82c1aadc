"""The tests do not depend on how busy the machine is, where they lie, nor on who started them."""

import os
import re
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FILES = sorted(HERE.rglob("test_*.py"))
PRESSED = "roles/network/test_instruments.py::test_a_signal_while_threads_work_ends_the_run"


@pytest.mark.place
@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell's background jobs")
def test_ctrl_c_is_heard_in_a_background_job() -> None:
    """Where the parent has SIGINT ignored, as a shell does for `make test &`."""
    pytest_ = (sys.executable, "-m", "pytest", "-n", "0", "-q", str(HERE / PRESSED))
    shell = ("sh", "-c", 'trap "" INT; exec "$@"', "sh")
    done = subprocess.run([*shell, *pytest_], capture_output=True, text=True, cwd=HERE.parent)
    assert done.returncode == 0, done.stdout


SENT = """
import signal
import pytest
@pytest.mark.parametrize("name", ["INT", "HUP", "QUIT", "TERM"])
def test_it(started, name):
    shell = started("sh", "-c", f"kill -{name} $$; echo deaf")
    assert shell.wait() == -getattr(signal, f"SIG{name}")
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell's background jobs")
def test_what_a_test_starts_hears_signals_whoever_started_the_tests(tmp_path: Path) -> None:
    """Also after `nohup make test &`."""
    (tmp_path / "test_sent.py").write_text(SENT)
    (tmp_path / "conftest.py").write_text((HERE / "conftest.py").read_text("utf-8"), "utf-8")
    pytest_ = (sys.executable, "-m", "pytest", "-n", "0", "-q", str(tmp_path))
    shell = ("sh", "-c", 'trap "" INT HUP QUIT TERM; exec "$@"', "sh")
    done = subprocess.run([*shell, *pytest_], capture_output=True, text=True, cwd=tmp_path)
    assert "4 passed" in done.stdout, done.stdout


@pytest.mark.slow
def test_a_run_stops_where_it_would_try_another_checkout(tmp_path: Path) -> None:
    """Stop with one sentence, before a worker starts."""
    tests = tmp_path / "other" / "tests"
    tests.mkdir(parents=True)
    (tests.parent / "__init__.py").write_text("")
    (tests / "conftest.py").write_text((HERE / "conftest.py").read_text("utf-8"), "utf-8")
    (tests / "test_it.py").write_text("def test_it(): pass\n")
    command = (sys.executable, "-P", "-m", "pytest", "-n", "2", "-c", os.devnull, str(tests))
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (pytest.ExitCode.USAGE_ERROR, "")
    assert done.stderr.strip() == (
        f"ERROR: these tests are of {tests.parent.resolve()}, but `import veilmix` finds"
        f" {HERE.parent.resolve()}: use this checkout's own environment (make test, or"
        f" .venv/bin/python -m pytest)"
    )


STARTS = re.compile(r"sys\.executable|_current_frames|def \w+\([^)]*\bstarted\b")
# File or folder that starts processes and has no test marked `place` -> why it needs none
ANYWHERE = {
    "analysis/exposure/test_exposure.py": "imports the package, as test_imports.py does",
    "analysis/figures/test_figure_functions.py": "imports the package, as test_imports.py does",
    "cli/commands/test_bad_input.py": "starts a command, as test_endings.py does",
    "cli/commands/test_worst.py": "starts a command, as test_endings.py does",
    "crypto/test_handing.py": "imports the package, as test_imports.py does",
    "machines/": "the others start sessions, as test_deploy.py does",
    "poll/test_threshold_class.py": "starts a command, as test_others_mix.py does",
    "roles/compute/test_spool.py": "imports the package, as test_imports.py does",
    "roles/compute/test_dask_cluster.py": "starts a library's processes, which import it so",
    "scenarios/lab/validation/test_scenario_files.py": "imports as test_imports.py does",
    "workbench/test_work.py": "starts a command, as test_endings.py does",
    "test_choose_tests.py": "starts pytest, as this file does",
    "test_environment.py": "starts commands, as test_endings.py does",
    "test_first_hour.py": "makes a clone of its own, called veilmix",
    "test_library_warnings.py": "starts a command, as test_endings.py does",
    "test_missing_libraries.py": "imports the package, as test_imports.py does",
    "test_new_package.py": "starts commands in a folder of its own, as test_endings.py does",
    "test_notebooks.py": "starts a command, as test_endings.py does",
    "test_worked_attacks.py": "starts a command, as test_endings.py does",
    "test_other_systems.py": "imports the package, as test_imports.py does",
    "test_sizes.py": "starts the linter, which reads a file",
    "test_required.py": "starts pytest, as this file does",
    "test_unsteady.py": "starts pytest, as this file does",
    "test_result_schema.py": "imports the package, as test_imports.py does",
    "test_old_names.py": "starts a command, as test_endings.py does",
    "test_passed_on.py": "makes a clone of its own, a sdist and a wheel",
}


def test_whether_the_place_matters_is_said_of_every_file_that_starts_processes() -> None:
    texts = {path.relative_to(HERE).as_posix(): path.read_text("utf-8") for path in FILES}
    starting = {name for name, text in texts.items() if STARTS.search(text)}
    marked = {name for name, text in texts.items() if "mark.place" in text}
    unmarked = starting - marked
    assert not {name for name in unmarked if not name.startswith(tuple(ANYWHERE))}
    assert not {known for known in ANYWHERE if not any(x.startswith(known) for x in unmarked)}


def test_ci_runs_what_is_marked_in_a_clone_with_an_awkward_path() -> None:
    script = (HERE.parent / ".ci" / "run").read_text("utf-8")
    assert 'odd="$clones/ein Örtchen/veilmix"' in script
    assert "pytest -n 3 -m place" in script


LEFT = """
import os
def test_that_fails(started):
    shell = started("sh", "-c", "sleep 1000 & echo $!; wait")
    os.write({pipe}, shell.stdout.readline().encode())
    raise AssertionError
"""


@pytest.mark.place
@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="looks for a process in /proc")
def test_what_a_test_started_does_not_outlive_it(tmp_path: Path) -> None:
    """Nor what that started in turn, also where the test failed."""
    heard, told = os.pipe()
    (tmp_path / "test_left.py").write_text(LEFT.format(pipe=told))
    (tmp_path / "conftest.py").write_text((HERE / "conftest.py").read_text("utf-8"), "utf-8")
    command = (sys.executable, "-m", "pytest", "-n", "0", "-q", str(tmp_path))
    done = subprocess.run(command, capture_output=True, text=True, pass_fds=(told,), cwd=tmp_path)
    os.close(told)
    with os.fdopen(heard) as pipe:
        child = int(pipe.read())
    assert "1 failed" in done.stdout
    state = Path(f"/proc/{child}/stat")
    with suppress(FileNotFoundError, ProcessLookupError):  # it has ended
        while state.read_text().split()[2] != "Z":  # or will, and no parent asks after it
            time.sleep(0.01)
