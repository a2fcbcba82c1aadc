"""The independent reader of the vectors (tests/kits), which imports nothing of veilmix."""

from types import ModuleType

import independent_reader
import pytest


@pytest.fixture(scope="session")
def reader() -> ModuleType:
    return independent_reader
