"""Without a browser, or without recorded data, something goes untested: said, an error in CI."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
ASKED = "theatre/test_browser.py::test_a_narrow_window_has_no_sideways_scroll[classroom]"


@pytest.mark.slow
@pytest.mark.parametrize(("required", "code", "said"), [(False, 0, "skipped"), (True, 1, "error")])
def test_tests_without_a_browser_skip_or_fail_as_required(
    required: bool, code: int, said: str, tmp_path: Path
) -> None:
    given = {name: value for name, value in os.environ.items() if name != "VEILMIX_BROWSER"}
    given |= {"PATH": str(tmp_path)} | ({"VEILMIX_BROWSER": "required"} if required else {})
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-n",
        "0",
        "-rs",
        "-o",
        "addopts=--import-mode=importlib",
    ]
    run = subprocess.run(
        [*command, str(TESTS / ASKED)], env=given, cwd=TESTS.parent, capture_output=True, text=True
    )
    assert run.returncode == code, run.stdout
    assert f"1 {said}" in run.stdout
    assert "no Chromium here" in run.stdout


@pytest.mark.parametrize(("required", "code", "said"), [(False, 0, "skipped"), (True, 1, "error")])
@pytest.mark.slow
def test_tests_without_recorded_data_skip_or_fail_as_required(
    required: bool, code: int, said: str, tmp_path: Path
) -> None:
    """In a folder that has nothing beside it."""
    folder = tmp_path / "checkout" / "tests"
    folder.mkdir(parents=True)
    (folder / "conftest.py").write_text((TESTS / "conftest.py").read_text("utf-8"), "utf-8")
    marked = "import pytest\n\n@pytest.mark.data('adult')\ndef test_it(): pass\n"
    (folder / "test_data.py").write_text(marked, "utf-8")
    (folder.parent / "pytest.ini").write_text("[pytest]\ntimeout = 60\nmarkers = data(*paths): x\n")
    given = {name: value for name, value in os.environ.items() if name != "VEILMIX_DATA"}
    given |= {"VEILMIX_DATA": "required"} if required else {}
    command = [sys.executable, "-m", "pytest", "-n", "0", "-rs", "-p", "no:cacheprovider"]
    run = subprocess.run(command, env=given, cwd=folder.parent, capture_output=True, text=True)
    assert run.returncode == code, run.stdout
    assert f"1 {said}" in run.stdout
    assert "recorded data are not here" in run.stdout


def test_ci_requires_both() -> None:
    script = (TESTS.parent / ".ci" / "run").read_text("utf-8")
    assert "export VEILMIX_BROWSER=required\n" in script
    assert "if [ -d ../shared/data ]; then export VEILMIX_DATA=required; fi\n" in script
