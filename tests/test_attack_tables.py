"""docs/attacks.md says what the records of attacks and guards say."""

from pathlib import Path

import make_attack_tables as TOOL
import pytest
from veilmix.scenarios.attacks.catalogue.registry import ATTACKS, GUARDS

ROOT = Path(__file__).parent.parent


def test_the_page_is_as_the_records_say() -> None:
    """If this fails, the page is to be written again: python tools/make_attack_tables.py."""
    page = TOOL.PAGE.read_text("utf-8")
    assert TOOL.written(page) == page


def test_every_attack_and_every_guard_has_its_row() -> None:
    page = TOOL.PAGE.read_text("utf-8")
    assert [name for name in ATTACKS if f"\n| `{name}`: " not in page] == []
    assert [name for name in GUARDS if f"\n* `{name}`" not in page] == []


def test_an_older_page_is_found_out() -> None:
    page = TOOL.PAGE.read_text("utf-8")
    assert TOOL.written(page.replace("| `stuff`:", "| `stuffs`:")) == page


@pytest.mark.parametrize("name", list(GUARDS))
def test_a_guard_names_the_files_that_hold_it(name: str) -> None:
    held = GUARDS[name].held_in
    assert held
    assert [file for file in held if not (ROOT / file).is_file()] == []
