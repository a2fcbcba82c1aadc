"""The figures of paper 003: their numbers, what agrees with the paper, and drawing them."""

from pathlib import Path

import numpy as np
import pytest
from veilmix.analysis import drawing
from veilmix.analysis.figures import paper003_attacks as attack_figures
from veilmix.analysis.figures import paper003_loss as loss_figures
from veilmix.analysis.figures import paper003_pie as pie_figures
from veilmix.analysis.figures.paper003 import PAPER
from veilmix.analysis.figures.registry import Material, Redrawn

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.slow


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Material:
    """The same figures from fewer people and places."""
    for module, sizes in {
        attack_figures: {"PEOPLE": 120, "PLACES": 400, "EVENTS": 60, "ITEMS": 300, "RATINGS": 12},
        pie_figures: {"PEOPLE": 120, "HERE": 200, "EVENTS": 40, "HASHES": 1 << 8, "KEYS": 4},
        loss_figures: {
            "FEWER": 5000, "SMALLER": 20_000, "HASHES": 1 << 16, "USERS": 40_000, "PLACES": 90_000,
            "SIZES": (8, 12, 16),
        },
    }.items():  # fmt: skip
        for name, value in sizes.items():
            monkeypatch.setattr(module, name, value)

    def people(_: str) -> tuple[np.ndarray, tuple[str, ...]]:
        return np.random.default_rng(1).integers(0, 4, (200, 3)), ("a", "b", "c")

    return Material(people, 3, 0, lambda _: None)


def agreeing(redrawn: Redrawn) -> dict[str, bool | None]:
    return {check.what: check.agrees for check in redrawn.checks}


@pytest.mark.parametrize("name", list(PAPER.figures))
def test_every_figure_has_numbers_and_can_be_drawn(
    name: str, small: Material, tmp_path: Path
) -> None:
    redrawn = PAPER.figures[name][1](small)
    for numbers in redrawn.numbers:
        assert numbers.rows
        assert all(len(row) == len(numbers.headings) for row in numbers.rows)
    assert redrawn.checks
    for ending in drawing.FORMATS:
        path = tmp_path / f"{redrawn.name}{ending}"
        drawing.save(redrawn.draw(), path)
        assert path.stat().st_size > 5000


def test_figure_4_agrees_where_the_paper_is_right(small: Material) -> None:
    verdicts = agreeing(pie_figures.figure4(small))
    assert sum(value is True for value in verdicts.values()) == 7
    assert verdicts["Theorem 4.2 at eps = 0.1"] is False
    assert verdicts["Theorem 4.2 at eps = 1"] is False


def test_figures_8_and_9_respect_every_bound(small: Material) -> None:
    verdicts = agreeing(pie_figures.figure8(small)) | agreeing(pie_figures.figure9(small))
    assert verdicts.pop("error rate is the proportion of") is False
    assert verdicts.pop("Theorem 4.2 on generated traces") is None
    assert all(verdicts.values())


def test_figure_5_shows_that_the_divergence_is_no_bound(small: Material) -> None:
    verdicts = agreeing(attack_figures.figure5(small))
    assert verdicts == {
        "D is a lower bound on the PIE of n people": False,
        "the value for n people is at most log2 n": True,
    }


def test_figure_12_falls_and_the_promise_is_less_than_said(small: Material) -> None:
    verdicts = agreeing(loss_figures.figure12(small))
    assert verdicts == {
        "the loss falls as g grows": True,
        "theta = 0.5 promises an error above": False,
    }


def test_the_same_seed_gives_the_same_numbers(small: Material) -> None:
    once, again = (loss_figures.figure10(small).numbers[0].rows for _ in range(2))
    assert once == again
