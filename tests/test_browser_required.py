"""Where there is no browser, pages go untested: said here, an error in CI."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
ASKED = "theatre/test_browser.py::test_a_narrow_window_has_no_sideways_scroll"


@pytest.mark.slow
@pytest.mark.parametrize(("required", "code", "said"), [(False, 0, "skipped"), (True, 1, "error")])
def test_without_a_browser(required: bool, code: int, said: str, tmp_path: Path) -> None:
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
