"""A table is released without a terminal: by keys alone, on a phone, in another language."""

from pathlib import Path
from typing import Any

import pytest
from workbench_server import workbench
from workbench_walk import PEOPLE, STEPS, Walk, write_patients

pytestmark = pytest.mark.slow


def test_all_six_steps_by_keys_alone(tab: Any, tmp_path: Path) -> None:
    """Each patient comes twice; a doubt, k, l and another choice than the advised one."""
    table = write_patients(tmp_path / "visits.csv", visits=2)
    with workbench(tmp_path, table) as asker:
        walk = Walk(tab.open(asker.bench.address))
        walk.at("file")
        walk.look()
        walk.tab_to("doubt-yes-0")
        walk.press("Enter")
        walk.until(lambda: walk.page.input_value("#option-missing_text") == "-1")

        walk.go_on("persons")
        assert walk.focus() == "H1"
        walk.look()
        assert walk.page.is_disabled("#next")
        walk.tab_to("way-0")
        walk.press("ArrowDown")
        walk.page.wait_for_selector("#next:enabled")
        assert walk.page.inner_text(".pick:has(:checked) .big") == walk.say("said-people", n=PEOPLE)

        walk.go_on("columns")
        walk.look()
        assert walk.page.locator("tbody tr").count() == 6
        walk.tab_to("role-4")
        walk.press(walk.say("role-sensitive")[0])
        walk.until(lambda: walk.page.input_value("#role-4") == "sensitive")

        walk.go_on("goal")
        walk.look()
        walk.tab_to("option-k")
        walk.press("Control+a", "6", "Tab")
        assert walk.focus() == "option-max_exposure"
        walk.press("Control+a", "5", "Tab")
        walk.until(lambda: walk.page.locator(".dots i").count() == 6)
        walk.tab_to("option-l-0")
        walk.press("2", "Tab")

        walk.go_on("choices")
        walk.look()
        advised = walk.page.get_attribute("[role=radio][aria-checked=true]", "id")
        walk.tab_to(advised)
        walk.press("ArrowLeft")
        other = walk.focus()
        assert other != advised
        walk.press("Enter")
        walk.page.wait_for_selector(f"#{other}[aria-checked=true]", state="attached")
        walk.at("choices")
        assert walk.focus() == other

        walk.go_on("result")
        walk.look()
        assert walk.focus() == "H1"
        walk.tab_to("download")
        with walk.page.expect_download() as download:
            walk.press("Enter")
        released = Path(download.value.path()).read_text("utf-8")
        assert "P1000" not in released
        assert "Name" not in released
        assert asker.state()["options"]
        walk.tab_to("done")
        walk.press("Enter")
        walk.page.wait_for_selector(f"h1:has-text('{walk.say('ended-title')}')")
        walk.until(asker.bench.ended.is_set)


@pytest.mark.parametrize(
    ("tag", "width", "scheme"), [("de", 390, "dark"), ("en", 390, "light"), ("de", 1280, "light")]
)
def test_no_step_breaks_a_rule(
    new_tab: Any, tmp_path: Path, tag: str, width: int, scheme: str
) -> None:
    table = write_patients(tmp_path / "patients.csv")
    with workbench(tmp_path, table, language=tag) as asker:
        tab = new_tab(color_scheme=scheme)
        tab.page.set_viewport_size({"width": width, "height": 844})
        asker.settled()
        asker.change(scored=True, counts_tables=["sex,diagnosis", "age"], release=str(table))
        walk = Walk(tab.open(asker.bench.address), tag)
        for step, after in zip(STEPS, (*STEPS[1:], None), strict=True):
            walk.at(step)
            asker.settled()
            folded = walk.page.locator("details:not([open]) > summary")
            while folded.count():
                folded.first.click()
            walk.look()
            if step == "goal":
                walk.page.select_option("#option-suppress", "0.1")
                walk.page.wait_for_selector("#next:enabled")
            if after:
                walk.page.click("#next")
        walk.leave()
