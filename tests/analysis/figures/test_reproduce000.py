"""Figures 2 and 3 of paper 000: their numbers, and files that are the same every time."""

import re
from pathlib import Path

import numpy as np
import pytest
from veilmix.analysis import drawing
from veilmix.analysis.estimation.statistical import statistical_exposure
from veilmix.analysis.exposure import users_below
from veilmix.analysis.figures import Redrawn
from veilmix.analysis.figures import paper000_exposure as figure2
from veilmix.analysis.figures.paper000 import PAPER
from veilmix.analysis.figures.paper000_estimates import draw, estimates
from veilmix.analysis.figures.paper000_exposure import panel
from veilmix.analysis.figures.registry import Material
from veilmix.errors import LocalError, StorageError
from veilmix.installation import missing
from veilmix.scenarios.populations.tables import shipped


def redrawn(figure: str, nodes: int = 0) -> Redrawn:
    return PAPER.figures[figure][1](Material(0, nodes, lambda _: None))


@pytest.fixture(scope="module")
def second() -> Redrawn:
    patch = pytest.MonkeyPatch()
    patch.setattr(figure2, "WORST", (1000,))
    figure = redrawn("2", nodes=20)
    patch.undo()
    return figure


@pytest.mark.slow
def test_figure_2_agrees_with_the_known_values(second: Redrawn) -> None:
    judged = {check.subject: check.agrees for check in second.checks}
    assert judged.pop("four columns, k = 200: worst") is None  # not asked for here
    assert len(judged) == 12
    assert all(judged.values())


@pytest.mark.slow
def test_figure_2_numbers_are_those_of_the_table(second: Redrawn) -> None:
    truth, bounds = second.numbers
    assert {row[0] for row in truth.rows} >= {"sex", "sex x income x race x workclass"}
    counts = np.unique(shipped("census").codes, axis=0, return_counts=True)[1]
    for name, k, _, exposed, *_ in bounds.rows:
        if name == "sex x income x race x workclass":
            assert exposed == users_below(counts, int(str(k)))
    place = bounds.headings.index("worst_at_least")
    worst = {row[0]: row[place:] for row in bounds.rows if row[1] == 1000}
    assert worst["sex x income x race x workclass"] == (17_607, 17_607)


@pytest.mark.slow
def test_figure_2_shows_truth_bounds_and_worst_case_on_a_logarithmic_axis(second: Redrawn) -> None:
    axes = second.draw().axes
    assert [ax.get_title(loc="left") for ax in axes] == [
        "single columns",
        "sex × income",
        "sex × income × race",
        "sex × income × race × workclass",
    ]
    assert {ax.get_xscale() for ax in axes} == {"log"}
    labels = axes[3].get_legend_handles_labels()[1]
    assert labels == [
        *figure2.LABELS.values(),
        "truth",
        "worst table with these marginals (bar: bracket)",
    ]


def test_a_panel_of_a_small_table() -> None:
    table = np.array([[0, 0]] * 4 + [[1, 1]] * 4)
    small_panel = panel(table, ("a", "b"), 5, worst_at=(3, 99), points=10)
    assert [(case.k, case.people, case.upper) for case in small_panel.worst] == [(3, 8, 8)]
    assert small_panel.at(3) == {"truth": 0, "printed": 8, "refined": 8, "coverage": 8, "worst": 8}


def test_figure_3_estimates_against_a_direct_count() -> None:
    p, n = (0.6, 0.3, 0.1), 12
    simulation = estimates(p, n, 40, rng=3)
    counts = np.random.default_rng(3).multinomial(n, p, size=40)
    for k in (1, 2, 5, 12):
        plug_in = np.array([users_below(row, k) / n for row in counts])
        smooth = np.array([statistical_exposure(row / n, n, k) for row in counts])
        assert simulation.plug_in[k - 1] == pytest.approx(plug_in.mean())
        assert simulation.plug_in_sd[k - 1] == pytest.approx(plug_in.std(ddof=1))
        assert simulation.statistical[k - 1] == pytest.approx(smooth.mean())
        assert simulation.statistical_sd[k - 1] == pytest.approx(smooth.std(ddof=1))
    assert simulation.target[4] == pytest.approx(statistical_exposure(p, n, 5))


def test_figure_3_repeats_and_has_the_known_deviations() -> None:
    first, again = estimates(rng=0), estimates(rng=0)
    assert np.array_equal(first.plug_in, again.plug_in)
    assert first.plug_in_sd.mean() == pytest.approx(0.0645, abs=0.002)
    assert first.statistical_sd.mean() == pytest.approx(0.0447, abs=0.002)
    assert first.larger() > first.larger(0.001) > 0
    # The plug-in estimate has no bias: its mean over databases is the expected exposure.
    error = first.plug_in_sd / np.sqrt(first.simulations)
    assert (np.abs(first.plug_in - first.target) <= 5 * error + 1e-3).all()


def test_figure_3_says_what_does_not_agree() -> None:
    checks = redrawn("3").checks
    assert [check.agrees for check in checks] == [None, True, False, False]


def test_an_svg_is_the_same_every_time(tmp_path: Path) -> None:
    simulation = estimates(n=20, simulations=5, rng=1)
    for name in ("a.svg", "b.svg", "a.png", "b.png"):
        drawing.save(draw(simulation, "databases"), tmp_path / name)
    for ending in drawing.FORMATS:
        first, second = ((tmp_path / f"{name}{ending}").read_bytes() for name in "ab")
        assert first == second
    assert b"<dc:date>" not in (tmp_path / "a.svg").read_bytes()


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"found \.gif; \.png and \.svg"):
        drawing.check_path(Path("x.gif"))
    figure = drawing.new(2, 2)[0]
    with pytest.raises(StorageError, match="cannot be written"):
        drawing.save(figure, tmp_path / "nowhere" / "x.png")


def test_matplotlib_is_named_when_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(LocalError, match=re.escape(missing("report", "drawing"))):
        drawing.require()


def test_lines_differ_in_colour_or_style() -> None:
    assert len(set(drawing.styles(64))) == 64
