"""No page of the theatre breaks a rule of axe, in no language: each stage, all eyes, a way."""

from pathlib import Path

import pytest
from axe_kit import violations
from veilmix.languages.language import languages
from veilmix.theatre.page import render
from veilmix.theatre.show import outcome_data

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("tag", sorted(languages()))
@pytest.mark.parametrize("name", ["classroom", "village", "verified", "tagged"])
def test_no_page_breaks_a_rule(name: str, tag: str, shown, tab, tmp_path: Path) -> None:
    path, language = tmp_path / "page.html", languages()[tag]
    path.write_text(render(outcome_data(shown(name).outcome, language), language), "utf-8")
    page = tab.open(path)
    assert violations(page) == []
    last = page.get_attribute("#scrub", "max")
    for at in (0, int(last) // 2, int(last)):
        page.evaluate(f"location.hash = '#eyes=everything&at={at}&way=1'")
        page.wait_for_selector("#way", state="visible")
        assert violations(page) == []
    page.click("#help")
    page.wait_for_selector("#keys", state="visible")
    assert violations(page) == []
