"""The independent reader, run from its path: a folder of tests is not a package."""

import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest


@pytest.fixture(scope="session")
def reader() -> Any:
    path = Path(__file__).with_name("independent_reader.py")
    return SimpleNamespace(**runpy.run_path(str(path)))
