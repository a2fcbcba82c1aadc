"""Figures 2 and 3 of paper 002: numbers, where the paper's reading is wrong, pictures."""

import re
from pathlib import Path

import numpy as np
import pytest
from veilmix.analysis import drawing
from veilmix.analysis.figures import paper002_privacy as privacy_figure
from veilmix.analysis.figures import paper002_tradeoff as tradeoff_figure
from veilmix.analysis.figures.paper002 import PAPER
from veilmix.analysis.figures.registry import Material
from veilmix.analysis.information.average import average_privacy
from veilmix.analysis.information.channel_matrix import jeffreys
from veilmix.analysis.randomizers.unary import UnaryEncoding


def material(told: list[str]) -> Material:
    return Material(seed=0, nodes=0, progress=told.append)


@pytest.mark.slow
def test_figure_2_agrees_where_the_paper_is_right(tmp_path: Path) -> None:
    told: list[str] = []
    made = PAPER.figures["2"][1](material(told))
    assert told
    assert [check.agrees for check in made.checks] == [True, True, None]
    assert "GRR from a = 15 on" in made.checks[1].result
    numbers = made.numbers[0]
    row = next(row for row in numbers.rows if row[0] == 10)
    oue = row[numbers.headings.index("OUE")]
    assert oue == pytest.approx(average_privacy(UnaryEncoding.oue(10, 2.0).matrix, jeffreys(10)))
    drawing.save(made.draw(), tmp_path / "figure2.png")
    assert (tmp_path / "figure2.png").stat().st_size > 10_000


@pytest.mark.slow
def test_figure_3_names_another_best_at_high_privacy(tmp_path: Path) -> None:
    made = PAPER.figures["3"][1](material([]))
    by_what = {check.subject: check for check in made.checks}
    high = by_what["best at high average privacy"]
    assert high.agrees is False
    level = re.search(r"GRR above S = ([\d.]+)", high.result)
    assert level
    assert float(level[1]) == pytest.approx(0.912, abs=1e-3)
    assert "GRR 0.01606, OUE 0.01570, basic RAPPOR 0.01535" in by_what["F at S = 0.95"].result
    assert by_what["best at given worst-case privacy"].agrees
    drawing.save(made.draw(), tmp_path / "figure3.svg")
    assert "average privacy" in (tmp_path / "figure3.svg").read_text(encoding="utf-8")


def test_lines_of_figure_3_end_where_they_should() -> None:
    lines = tradeoff_figure.tradeoff(epsilons=tradeoff_figure.geometric(5))
    for name in ("GRR", "basic RAPPOR"):
        assert lines.privacy[name][-1] < 0.005
        assert lines.factor[name][-1] > 0.98
    for name in lines.factor:
        assert lines.privacy[name][0] > 0.999
        assert lines.factor[name][0] < 1e-3
        assert (np.diff(lines.factor[name]) > 0).all()
    assert tradeoff_figure.factor_at("OUE", 0.4) == 0.0


def test_figure_2_of_few_inputs_has_its_best_curve() -> None:
    curves = privacy_figure.by_inputs((2, 3), epsilon=1.0)
    assert curves.best(0) in ("OUE", "BLH")
    assert curves.worst_case == pytest.approx(np.exp(-1))
