"""Advice on UCI Adult with ARX's published hierarchies, beside ARX's optimum under its loss."""

from pathlib import Path

import arx_optimum
import numpy as np
import pytest
from sample_kit import sampled
from veilmix.analysis.advice.lattice_search import search

ROOT = Path(__file__).resolve().parents[3]
ADULT = "adult/adult.data"
OPTIMUM = 0.6355438467035841  # of 12,960 nodes in order of loss: benchmarks/arx_optimum.py


@pytest.mark.slow
@pytest.mark.data(ADULT)
@pytest.mark.parametrize("k", sampled([5, 10], 0))
def test_it_loses_no_more_than_arx(k: int) -> None:
    rows = arx_optimum.adult(ROOT.parent / "shared" / "data" / ADULT)
    table, steps = arx_optimum.ladders(rows)
    assert len(table) == 30_162
    assert np.prod([len(ladder.levels) for ladder in steps]) == 12_960
    advised = search(table, steps, k, 0, charged=False)
    assert advised.exact
    assert advised.best.loss <= OPTIMUM * (1 + 1e-12)
    said = [
        ladder.levels[level].codes[table[:, j]]
        for j, (ladder, level) in enumerate(zip(steps, advised.best.levels, strict=True))
    ]
    assert np.unique(np.stack(said, axis=1), axis=0, return_counts=True)[1].min() >= k
