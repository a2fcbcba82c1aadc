"""Where the ledger of a test lies."""

from pathlib import Path

import pytest


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return tmp_path / "book.json"
