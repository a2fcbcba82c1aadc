"""The picture of an attack matrix on its page: a sign for every cell, and its words."""

from veilmix.analysis.figures.attack_matrix import MEANING, HeatTable, Sign
from veilmix.presentation.text_blocks import PageNumbers
from veilmix.report.heat_map import figure

SIGNS = (
    Sign("works", 1.0, 0.0, withheld=False, named=False, is_baseline=False),
    Sign("stopped", 0.0, 0.5, withheld=True, named=True, is_baseline=False),
    Sign("works", 1.0, 1.0, withheld=True, named=False, is_baseline=True),
)
TABLE = HeatTable("a title", ("none", "order", "pad"), (("forward<", SIGNS),))


def test_every_cell_has_its_sign_and_its_words() -> None:
    svg = figure(TABLE, PageNumbers("n", (), ())).svg
    assert svg.count('<g class="heat') == 3
    assert svg.count('<g class="heat pale">') == 1
    words = f"forward&lt;, order: {MEANING['stopped']}, an alarm in 50% of the runs"
    assert f"<title>{words}, nothing was released</title>" in svg
    assert svg.count('class="framed"') == 2  # the cell, and the key
    for verdict in MEANING:
        assert f'class="heat-{verdict}"' in svg  # the key tells all
    assert "forward<" not in svg


def test_no_heading_is_cut() -> None:
    wide = HeatTable("t", tuple(f"defence_{i}" for i in range(30)), (("a", SIGNS[:1] * 30),))
    svg = figure(wide, PageNumbers("n", (), ())).svg
    assert all(f">defence_{i}</text>" in svg for i in range(30))
