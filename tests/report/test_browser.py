"""The page in a real browser: it opens from a file, and asks for nothing."""

import os
from pathlib import Path

import pytest
from veilmix.report.make import make
from veilmix.scenarios.play import run
from veilmix.scenarios.runs import save

CHROMIUM = Path("/usr/bin/chromium")
SWITCHES = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
REQUIRED = os.environ.get("VEILMIX_BROWSER") == "required"


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser")
    made = make(save(run("blood-type", 7, worst_case_seconds=1), folder), 0.2)
    file = folder / "report.html"
    file.write_text(made.html, "utf-8")
    return file


@pytest.fixture(scope="module")
def browser():
    if not CHROMIUM.exists():
        if REQUIRED:
            pytest.fail(f"no browser at {CHROMIUM}")
        pytest.skip(f"no browser at {CHROMIUM}: install Debian's chromium to run this")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=str(CHROMIUM), args=list(SWITCHES))
        yield opened
        opened.close()


@pytest.mark.slow
def test_the_report_opens_without_a_request_or_a_word_on_the_console(browser, page_file) -> None:
    page = browser.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    page.on("console", lambda one: said.append(one.text))
    page.on("pageerror", lambda one: said.append(str(one)))
    page.goto(page_file.as_uri())
    assert page.locator("h1").inner_text() == "Thirty people, three antigens"
    assert page.locator("#verdict .answer").count() == 3
    assert page.locator("svg").count() >= 6
    assert page.locator("body").evaluate("e => getComputedStyle(e).maxWidth") == "960px"
    for width in (1200, 360):
        page.set_viewport_size({"width": width, "height": 800})
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, "the page itself never scrolls sideways"
    with page.expect_download() as download:
        page.locator("a.take", has_text="exposure.csv").click()
    assert Path(download.value.path()).read_text("utf-8").startswith("k,truth_people")
    assert said == []
    assert [url for url in asked if not url.startswith(("file://", "data:"))] == []
    assert [url for url in asked if url.startswith("file://")] == [page_file.as_uri()]
    page.close()


@pytest.mark.slow
def test_it_prints(browser, page_file, tmp_path: Path) -> None:
    page = browser.new_page()
    page.goto(page_file.as_uri())
    printed = page.pdf(path=str(tmp_path / "report.pdf"), format="A4")
    assert printed.startswith(b"%PDF")
    assert 2 <= printed.count(b"/Type /Page\n") <= 12
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    page.close()
