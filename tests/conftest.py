"""What all tests share: how properties are tested, and a browser to look at pages with.

Property tests look for new examples at a developer's, and for the same ones in CI: a new failing
example is worth finding, but not on somebody else's change.

A page is tested in a real Chromium. Where there is none, these tests say so and are skipped; where
VEILMIX_BROWSER=required (CI sets it), they fail.
"""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("here", deadline=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
WITHOUT = "no Chromium here, so no page was looked at; `apt-get install chromium` has it"


@dataclass
class Tab:
    """A page of its own in the browser, and all it complained of and asked for."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def open(self, address: str | Path, place: str = "") -> Any:
        """Open a file or an address, at a place (`#...`), anew."""
        there = address.as_uri() if isinstance(address, Path) else address
        self.page.goto("about:blank")
        self.page.goto(there + place)
        return self.page


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Start a headless Chromium for all tests of a process."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        if os.environ.get("VEILMIX_BROWSER") == "required":
            pytest.fail(WITHOUT)
        pytest.skip(WITHOUT)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def new_tab(chromium: Any) -> Iterator[Any]:
    """Give tabs, each as a new visitor's; none may complain, or ask another computer."""
    tabs: list[Tab] = []
    contexts = []

    def opened(**how: Any) -> Tab:
        context = chromium.new_context(viewport={"width": 1366, "height": 768}, **how)
        contexts.append(context)
        tab = Tab(context.new_page())
        tabs.append(tab)
        tab.page.on("console", lambda said: tab.complaints.append(f"{said.type}: {said.text}"))
        tab.page.on("pageerror", lambda error: tab.complaints.append(str(error)))
        tab.page.on("request", lambda request: tab.requests.append(request.url))
        return tab

    yield opened
    for context in contexts:
        context.close()
    own = ("file:", "data:", "about:", "blob:", "http://127.0.0.1:", "http://localhost:")
    assert [one for tab in tabs for one in tab.complaints] == []
    assert [url for tab in tabs for url in tab.requests if not url.startswith(own)] == []


@pytest.fixture
def tab(new_tab: Any) -> Tab:
    """Give one tab."""
    found: Tab = new_tab()
    return found
