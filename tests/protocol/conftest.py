"""The shared session and the independent reader, run from their paths."""

import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest


@pytest.fixture(scope="session")
def independent() -> Any:
    path = Path(__file__).with_name("independent_wire.py")
    return SimpleNamespace(**runpy.run_path(str(path)))
