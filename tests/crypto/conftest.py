"""The independent reader of the vectors (tests/kits), which imports nothing of veilmix."""

from collections.abc import Iterator
from types import ModuleType

import independent_reader
import pytest
from veilmix.crypto import multibuffer


@pytest.fixture(scope="session")
def reader() -> ModuleType:
    return independent_reader


@pytest.fixture(params=["libsodium", "auto"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Both ways to work on many keys: one after the other, and eight at a time if that can be."""
    monkeypatch.setenv(multibuffer.SWITCH, request.param)
    multibuffer.multibuffer.cache_clear()
    if request.param == "auto" and multibuffer.multibuffer() is None:
        pytest.skip("eight keys at a time: no AVX-512 IFMA here, or no library (make fast)")
    yield request.param
    multibuffer.multibuffer.cache_clear()
