"""The page in a real browser: it opens from a file, and asks for nothing."""

from itertools import combinations
from pathlib import Path

import pytest
from printed_kit import headings
from veilmix.presentation.blocks import Page, Section, VerdictAnswer
from veilmix.presentation.text_blocks import Line
from veilmix.report import compare as compared
from veilmix.report.make import make
from veilmix.report.write import html
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.records.run_folder import save
from veilmix.scenarios.studies.comparison.compare import compare

A4 = 842  # points high


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser")
    made = make(save(run("blood-type", 7, worst_case_nodes=10), folder), 10)
    file = folder / "report.html"
    file.write_text(made.html, "utf-8")
    return file


@pytest.mark.slow
def test_the_report_opens_without_a_request_or_a_word_on_the_console(tab, page_file) -> None:
    """The fixture fails if the page complains, or asks another computer for anything."""
    page = tab.open(page_file)
    assert page.locator("h1").inner_text() == "Thirty people, three antigens"
    assert page.locator("#verdict .answer").count() == 5
    assert "And if parties cheat?" in page.locator("#verdict").inner_text()
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
def test_a_report_prints_on_a_few_pages(tab, page_file, tmp_path: Path) -> None:
    page = tab.open(page_file)
    printed = page.pdf(path=str(tmp_path / "report.pdf"), format="A4")
    assert printed.startswith(b"%PDF")
    assert 2 <= printed.count(b"/Type /Page\n") <= 12
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()


@pytest.mark.slow
def test_the_first_page_on_paper_stands_alone_and_no_heading_is_left_behind(tab, page_file) -> None:
    page = tab.open(page_file)
    printed = page.pdf(format="A4", prefer_css_page_size=True, outline=True, tagged=True)
    places = headings(printed)
    first = {title for title, (number, _) in places.items() if number == 1}
    sections = page.locator("nav a").all_inner_texts()
    assert {"Alerts", "Verdict", *page.locator("#verdict h3").all_inner_texts()} <= first
    assert set(page.locator("#alerts h3").all_inner_texts()) <= first
    assert first.isdisjoint(sections)
    assert places[sections[0]][0] == 2
    assert all(places[title][1] > 0.2 * A4 for title in sections), places  # something follows each
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 680, "height": 1000})  # A4 without its margins, CSS pixels
    assert page.evaluate("document.documentElement.scrollWidth") <= 680
    cut = page.evaluate(
        """[...document.querySelectorAll("figure:not(.listing), .scroll, .alert, .answer, .lead")]
            .filter((node) => getComputedStyle(node).breakInside !== "avoid")
            .map((node) => node.outerHTML.slice(0, 60))"""
    )
    assert cut == []


NAMES = """() => [...document.querySelectorAll("#frontier svg text")].map((node) => {
    const { left, top, right, bottom } = node.getBoundingClientRect();
    return [left, top, right, bottom];
})"""


@pytest.mark.slow
def test_no_name_of_the_frontier_is_cut_or_lies_on_another(tab, tmp_path: Path) -> None:
    """Measured in the browser's own fonts; labels of the axes and the key are among them."""
    comparison = compare("blood-type", 7)
    file = tmp_path / "compared.html"
    file.write_text(html(compared.page(comparison)), "utf-8")
    opened = tab.open(file)
    frame = opened.evaluate(
        "(({left, top, right, bottom}) => [left, top, right, bottom])"
        "(document.querySelector('#frontier svg').getBoundingClientRect())"
    )
    boxes = opened.evaluate(NAMES)
    assert len(boxes) > len(comparison.programs)
    for left, top, right, bottom in boxes:
        assert frame[0] - 1 <= left < right <= frame[2] + 1
        assert frame[1] - 1 <= top < bottom <= frame[3] + 1
    for box, two in combinations(boxes, 2):
        apart = box[2] <= two[0] or two[2] <= box[0] or box[3] <= two[1] + 4 or two[3] <= box[1] + 4
        assert apart, (box, two)


@pytest.mark.slow
def test_even_a_short_page_keeps_its_first_sheet_for_the_verdict(tab, tmp_path: Path) -> None:
    part = Section("part", "A short part", "It would fit below.", (Line("So short."),))
    answer = VerdictAnswer("A question", "yes", "For this reason.")
    file = tmp_path / "short.html"
    file.write_text(html(Page("Short", (), (), (answer,), (part,), "It knows.")), "utf-8")
    printed = tab.open(file).pdf(format="A4", outline=True, tagged=True)
    places = headings(printed)
    assert (places["A question"][0], places["A short part"][0]) == (1, 2)
