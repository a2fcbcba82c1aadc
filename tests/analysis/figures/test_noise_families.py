"""The picture of docs/noise.md: its formulas, its measured points, and the tables made of it."""

import re
from math import sqrt

import make_noise as TOOL
import pytest
from generated import block
from sample_kit import sampled
from veilmix.analysis.figures.noise import (
    CROWDS,
    PAIRS,
    TASKS,
    NoisePoint,
    curve,
    figure,
    measured,
    point,
)
from veilmix.analysis.randomizers import Memoized, PckvUE, UnaryEncoding
from veilmix.analysis.shuffled.amplification import report_epsilon


def test_a_point_is_the_formula_and_the_bound() -> None:
    shares_point = point("shares", "oue", 1000, 1.0)
    oue = UnaryEncoding.oue(32, 1.0)
    assert shares_point.error == pytest.approx(sqrt(oue.noise() / 1000))
    assert shares_point.shuffled == report_epsilon(1000, oue, 1e-6).high


def test_the_error_of_a_key_is_that_of_its_share() -> None:
    """Of a bit, by hand: 3 of 31 texts have the key, who say it with 1/2, others with b."""
    randomizer = PckvUE(PAIRS, 2.0)
    f, b = 3 / 31, randomizer.other_key_chance
    by_hand = (f / 4 + (1 - f) * b * (1 - b)) / (0.5 - b) ** 2
    assert point("keys", "pckv-ue", 1000, 2.0).error == pytest.approx(sqrt(by_hand / 1000))
    assert randomizer.noise_of("key-values") == randomizer.noise() != randomizer.noise_of("keys")


@pytest.mark.slow
@pytest.mark.parametrize("task", sampled(TASKS, 0))
def test_what_is_measured_is_what_is_computed(task: str) -> None:
    for family, make in TASKS[task].families.items():
        exact = point(task, family, 1000, 3.0).error
        assert measured(task, make(3.0, 1000), 1000) == pytest.approx(exact, rel=0.25), family


def lines(task: str) -> dict[tuple[str, str, int], tuple[NoisePoint, ...]]:
    return {
        (name, family, people): tuple(
            NoisePoint(local, local / people**0.5, 1 / local, 1.1 / local) for local in (1.0, 3.0)
        )
        for name in TASKS
        for family in TASKS[name].families
        for people in CROWDS
        if name == task or task == ""
    }


def test_every_line_is_drawn_and_named() -> None:
    picture = figure(lines(""))
    assert len(picture.axes) == len(TASKS) * len(CROWDS)
    for ax, (task, _) in zip(
        picture.axes, ((task, n) for task in TASKS for n in CROWDS), strict=True
    ):
        named = {text.get_text().strip() for text in ax.texts}
        assert named == set(TASKS[task].families)


def test_errors_between_two_budgets_are_read_off_straight() -> None:
    line = (NoisePoint(1, 0.1, 0.4, None), NoisePoint(2, 0.4, 0.1, None))
    assert TOOL.error_at(line, 0.2) == pytest.approx(0.2)
    assert TOOL.error_at(line, 0.5) is None


@pytest.mark.slow
def test_the_page_says_what_the_formulas_say() -> None:
    """If this fails, the page is to be written again: python tools/make_noise.py."""
    page = TOOL.PAGE.read_text("utf-8")
    assert "images/noise.png" in page
    assert TOOL.PICTURE.stat().st_size < 200_000
    for task, family in (("shares", "grr"), ("mean", "duchi"), ("keys", "pckv-ue")):
        part = page[page.index(f"<!-- {task} -->") :]
        row = re.search(rf"\| `{family}` \|(.*)", part)
        assert row is not None
        cells = [cell.strip(" *") for cell in row[1].split("|")[0].split(",")]
        points = curve(task, family, 1000)
        for cell, epsilon in zip(cells, TOOL.ASKED, strict=True):
            error = TOOL.error_at(points, epsilon)
            assert cell == ("-" if error is None else f"{100 * error:.2g}")


@pytest.mark.slow
def test_texts_that_nobody_listed_are_in_a_table() -> None:
    """If this fails: python tools/make_noise.py."""
    page = TOOL.PAGE.read_text("utf-8")
    assert block(page, "texts") == TOOL.texts()


def test_noise_that_is_kept_has_the_lines_of_fresh_noise() -> None:
    for kept, fresh in (
        (Memoized.from_epsilon(32, 1.0), UnaryEncoding.oue(32, 1.0)),
        (Memoized.rappor(32, 1.0), UnaryEncoding.rappor(32, 1.0)),
    ):
        assert (kept.kappa, kept.lam) == pytest.approx((fresh.kappa, fresh.lam))
        assert kept.noise_of("shares") == pytest.approx(fresh.noise_of("shares"))
    prices = [f"{Memoized.from_epsilon(32, 1.0).epsilon_after(times):.2f}" for times in (1, 2, 3)]
    assert prices == ["1.00", "1.64", "1.90"]
    page = TOOL.PAGE.read_text("utf-8")
    said = "so 1 nat becomes 1.64 nats after two reports, 1.90 after three"
    assert f"`memoized` keeps part of a person's noise, {said}" in page
