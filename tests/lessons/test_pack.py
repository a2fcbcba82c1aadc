"""The teacher's pack: plans that add up, parts of their own, and paper that a printer takes."""

import re
from pathlib import Path
from typing import Any

import pytest
from axe_kit import violations
from lesson_kit import SPOKEN, name_of, voice_of
from veilmix.languages.language import languages
from veilmix.lessons.lesson import LESSONS, Lesson
from veilmix.lessons.pack import DOUBLE, SHORT, TITLES, PackPart, nested, pack, plan_of
from veilmix.poll.sheet import STYLE as SLIPS
from veilmix.poll.sheet import slip_sheets
from veilmix.report.cards import STYLE, cards_body
from veilmix.report.write import file_of
from veilmix.scenarios.lab.validation.load import load

CODES = tuple(f"K7M2PX4Q9RT{letter}" for letter in "ABCDEFGHJKLMNPQRSTU")  # one more than a sheet
A4 = 210 / 297
spoken = pytest.mark.parametrize(("lesson", "tag"), SPOKEN, ids=name_of)


def packed(lesson: Lesson, tag: str, *, slips: bool = True) -> str:
    """Give the pack of a lesson, as the command makes it."""
    parts = {
        "cards": PackPart(file_of(STYLE), cards_body(load(lesson.cards), 30, languages()[tag]))
    }
    if slips:
        body = slip_sheets("a class", "http://192.168.1.20:8766/", CODES, languages()[tag])
        parts["slips"] = PackPart(SLIPS.read_text("utf-8"), body)
    return pack(lesson, languages()[tag], parts, "veilmix lesson & more")


@pytest.mark.parametrize("lesson", LESSONS, ids=name_of)
@pytest.mark.parametrize("minutes", [SHORT, DOUBLE])
def test_the_steps_of_a_plan_add_up(lesson: Lesson, minutes: int) -> None:
    steps = plan_of(lesson, minutes)
    assert sum(step.minutes for step in steps) == minutes
    assert min(step.minutes for step in steps) >= 5
    assert [step.minutes for step in steps if step.activity == "plan-lesson"] == [lesson.minutes]


@spoken
def test_a_pack_holds_all_parts_in_its_language(lesson: Lesson, tag: str) -> None:
    text, voice = packed(lesson, tag), voice_of(lesson, tag)
    assert re.findall(r'<section class="(part-\w+)" id="\1">', text) == list(TITLES.values())
    assert f'<html lang="{tag}"' in text
    assert "veilmix lesson &amp; more" in text
    without = packed(lesson, tag, slips=False)
    assert 'id="part-slips"' not in without
    assert voice.common("pack-no-slips") in without


@spoken
def test_a_pack_prints_on_whole_pages(
    lesson: Lesson, tag: str, new_tab: Any, tmp_path: Path
) -> None:
    """A page across for each slide; the hand-out and the answers on a page each; on screen too."""
    path = tmp_path / "pack.html"
    path.write_text(packed(lesson, tag), "utf-8")
    tab = new_tab()
    page = tab.open(path)
    assert violations(page) == []
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    printed = page.pdf(prefer_css_page_size=True)
    boxes = re.findall(rb"/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]", printed)
    ratios = [float(width) / float(height) for width, height in boxes]
    slides = page.locator(".slide").count()
    assert [abs(ratio - 1 / A4) < 0.01 for ratio in ratios].count(True) == slides
    assert [abs(ratio - A4) < 0.01 for ratio in ratios].count(True) == len(ratios) - slides
    cards = load(lesson.cards).population.users
    sheets = 2 + 2 + (1 + -(-cards // 6) + 2) + 2  # cover and plans; hand-outs; cards; slips
    assert len(ratios) - slides == sheets


def test_the_style_of_a_part_holds_there_alone(new_tab: Any, tmp_path: Path) -> None:
    path = tmp_path / "parts.html"
    style = nested("cards", "p { color: rgb(1, 2, 3); } body { color: rgb(4, 5, 6); }")
    body = '<p id="out">a</p><section class="part-cards"><p id="in">b</p></section>'
    path.write_text(f"<!doctype html><style>{style}</style>{body}", "utf-8")
    page = new_tab().open(path)
    colours = page.evaluate(
        "['out', 'in'].map((id) => getComputedStyle(document.getElementById(id)).color)"
    )
    assert colours == ["rgb(0, 0, 0)", "rgb(1, 2, 3)"]
