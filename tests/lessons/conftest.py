"""Pages of lessons in a browser, opened from a file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

WIDE = {"width": 1280, "height": 900}
Opened = Callable[..., Any]


@pytest.fixture
def opened(tmp_path: Path, new_tab: Any) -> Opened:
    """Open a page of a lesson from a file, as from a memory stick."""

    def open_(text: str, size: Any = WIDE, **how: Any) -> Any:
        path = tmp_path / "page.html"
        path.write_text(text, "utf-8")
        tab = new_tab(**how)
        tab.page.set_viewport_size(size)
        return tab.open(path)

    return open_
