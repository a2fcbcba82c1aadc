"""docs/attack-search.md is written from the recorded search."""

import make_search as TOOL
from veilmix.scenarios.attacks.catalogue.registry import ATTACKS, GUARDS
from veilmix.scenarios.studies.search.search_table import shipped


def test_the_page_is_written_from_the_record() -> None:
    """If this fails: python tools/make_search.py --page."""
    page = TOOL.PAGE.read_text("utf-8")
    assert TOOL.page(shipped()) == page
    for name in (*ATTACKS, *GUARDS):
        assert f"`{name}`" in page


def test_each_coalition_is_in_the_line_of_its_set() -> None:
    """With its find, with its strategies, or not at all: then it contains one with a find."""
    for known, (name, found, harmless) in zip(
        shipped().sets, TOOL.rows(shipped().sets), strict=True
    ):
        assert name == known.name
        for result in known.result.coalitions:
            if result.find:
                assert result.name in found
                assert result.find.words in found
            elif result.watching:
                assert f"{result.name}: " in found
            elif not result.part:
                assert result.played == result.due
                assert f"{result.due:,}" in harmless
                assert result.name.removesuffix(f" + {TOOL.PERSON}") in harmless
