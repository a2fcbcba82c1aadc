"""The page in a real browser: it opens from a file, and asks for nothing."""

from pathlib import Path

import pytest
from veilmix.report.make import make
from veilmix.scenarios.play.run import run
from veilmix.scenarios.records.run_folder import save


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser")
    made = make(save(run("blood-type", 7, worst_case_seconds=1), folder), 0.2)
    file = folder / "report.html"
    file.write_text(made.html, "utf-8")
    return file


@pytest.mark.slow
def test_the_report_opens_without_a_request_or_a_word_on_the_console(tab, page_file) -> None:
    """The fixture fails if the page complains, or asks another computer for anything."""
    page = tab.open(page_file)
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
    assert [url for url in tab.requests if url.startswith("file:")] == [page_file.as_uri()]


@pytest.mark.slow
def test_it_prints(tab, page_file, tmp_path: Path) -> None:
    page = tab.open(page_file)
    printed = page.pdf(path=str(tmp_path / "report.pdf"), format="A4")
    assert printed.startswith(b"%PDF")
    assert 2 <= printed.count(b"/Type /Page\n") <= 12
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
