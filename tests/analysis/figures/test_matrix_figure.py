"""The heat table: colour is never the only sign."""

from typing import get_args

import pytest
from veilmix.analysis.figures.attack_matrix import LOOKS, MEANING, WITHHELD, HeatTable, Sign, draw
from veilmix.scenarios.studies.matrix.matrix_result import Verdict


def test_every_outcome_has_a_mark_and_a_colour_of_its_own() -> None:
    assert set(LOOKS) == set(MEANING) == set(get_args(Verdict))
    assert len({mark for mark, _ in LOOKS.values()}) == len(LOOKS)
    assert len({colour for _, colour in LOOKS.values()}) == len(LOOKS)


@pytest.mark.slow
def test_what_is_drawn_is_what_was_found() -> None:
    signs = (
        Sign("works", 1.0, 0.0, withheld=False, named=False, is_baseline=False),
        Sign("stopped", 0.0, 0.5, withheld=True, named=True, is_baseline=False),
        Sign("works", 1.0, 1.0, withheld=True, named=False, is_baseline=True),
    )
    figure = draw(HeatTable("a title", ("none", "order", "pad"), (("forward", signs),)))
    (axes,) = figure.axes
    texts = [text.get_text() for text in axes.texts]
    assert texts == [
        LOOKS["works"][0],
        LOOKS["stopped"][0],
        "!" + WITHHELD,
        "50%",
        LOOKS["works"][0],
    ]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["none", "order", "pad"]
    framed = [patch for patch in axes.patches if not patch.get_fill()]
    assert len(framed) == 1
