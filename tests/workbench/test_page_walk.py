"""A table is released without a terminal: by keys alone, on a phone, in another language."""

from pathlib import Path
from typing import Any

import pytest
from workbench_kit import PEOPLE, STEPS, Walk, opened, write_patients

pytestmark = pytest.mark.slow


def to_result(walk: Walk) -> None:
    """Go from the file to the result, each step judged."""
    for step, after in zip(STEPS, (*STEPS[1:], None), strict=True):
        walk.at(step)
        walk.look()
        if step == "goal":
            walk.page.select_option("#option-suppress", "0.1")
            walk.at(step)
        if after:
            walk.page.click("#next")


def test_all_six_steps_by_keys_alone(tab: Any, started: Any, tmp_path: Path) -> None:
    """A table in which each patient comes twice; k, l and rows that may go; another choice."""
    table = write_patients(tmp_path / "visits.csv", visits=2)
    server = opened(started, table)
    walk = Walk(tab.open(server.address))
    walk.at("file")
    walk.look()
    walk.tab_to("doubt-yes-0")
    walk.press("Enter")
    walk.until(lambda: walk.page.input_value("#option-missing_text") == "-1")
    walk.tab_to("next")
    walk.press("Enter")

    walk.at("persons")
    assert walk.focus() == "H1"
    walk.look()
    assert walk.page.is_disabled("#next")
    walk.tab_to("way-0")
    walk.press("ArrowDown")
    walk.page.wait_for_selector("#next:enabled")
    assert f"{PEOPLE}" in walk.page.inner_text(".pick:has(:checked) .big")
    walk.tab_to("next")
    walk.press("Enter")

    walk.at("columns")
    walk.look()
    walk.tab_to("role-5")
    walk.press(walk.say("role-sensitive")[0])
    walk.until(lambda: walk.page.input_value("#role-5") == "sensitive")
    walk.tab_to("next")
    walk.press("Enter")

    walk.at("goal")
    walk.look()
    walk.tab_to("option-k")
    walk.press("Control+a", "6", "Tab")
    walk.until(lambda: walk.page.locator(".dots i").count() == 6)
    walk.tab_to("option-l-0")
    walk.press("2", "Tab")
    walk.tab_to("next")
    walk.press("Enter")

    walk.at("choices")
    walk.look()
    advised = walk.page.get_attribute("[aria-checked=true]", "id")
    walk.tab_to(advised)
    walk.press("ArrowLeft")
    other = walk.focus()
    assert other != advised
    walk.press("Enter")
    walk.page.wait_for_selector(f"#{other}[aria-checked=true]", state="attached")
    assert walk.focus() == other
    walk.tab_to("next")
    walk.press("Enter")

    walk.at("result")
    walk.look()
    assert walk.focus() == "H1"
    walk.tab_to("download")
    with walk.page.expect_download() as download:
        walk.press("Enter")
    released = Path(download.value.path()).read_text("utf-8")
    assert "P1000" not in released
    assert "Name" not in released
    walk.tab_to("done")
    walk.press("Enter")
    walk.page.wait_for_selector(f"h1:has-text('{walk.say('ended-title')}')")
    assert server.process.wait() == 0
