"""Four skewed columns, as of the KDD census: the default against the relaxed program.

The relaxed integer program (`integer_program.relax`) knows the same blocks of cells and takes
several times as long.
"""

import csv
from pathlib import Path

import numpy as np
import pytest
from sample_kit import sampled
from veilmix.analysis.composition import best_bound
from veilmix.analysis.composition.margins_bound import margins_bound
from veilmix.analysis.contingency import certified_people, frechet_class, relaxed_weights
from veilmix.analysis.contingency.integer_program import FrechetProgram, relax
from veilmix.analysis.validation import Counts

PEOPLE = 199_523  # of the KDD census
ADULT = "adult/adult.data"
DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
TABLES = (  # values of four columns, and k
    ((2, 3, 24, 9), 100),
    ((3, 7, 8, 5), 100),
    ((5, 9, 17, 3), 1_000),
    ((2, 52, 9, 3), 1_000),
)


def skewed(seed: int, sizes: tuple[int, ...]) -> list[Counts]:
    """Columns whose v-th value is had by a share like 1 / v to the power of 1.2 to 2.2."""
    rng = np.random.default_rng(seed)
    columns = []
    for size in sizes:
        shares = np.arange(1, size + 1) ** -rng.uniform(1.2, 2.2)
        columns.append(rng.multinomial(PEOPLE, shares / shares.sum()).astype(np.int64))
    return columns


def compared(columns: list[Counts], k: int) -> tuple[int, int, int]:
    """People by the default rule, by the relaxed program, and by coverage."""
    tables = frechet_class(columns, k)
    cuts, _ = relax(FrechetProgram(tables, k), PEOPLE)
    relaxed = certified_people(tables, k, relaxed_weights(tables, k, cuts))
    return margins_bound(columns, k).people, relaxed, best_bound(columns, k).people


@pytest.mark.slow
@pytest.mark.parametrize(("sizes", "k"), sampled(TABLES, 2, 3))
def test_the_default_is_no_worse_than_the_relaxed_program(sizes: tuple[int, ...], k: int) -> None:
    default, relaxed, coverage = compared(skewed(sum(sizes), sizes), k)
    assert default <= relaxed
    assert default <= coverage


@pytest.mark.slow
@pytest.mark.data(ADULT)
@pytest.mark.parametrize(
    ("columns", "k", "people"),
    sampled(
        [((8, 9, 14, 7), 10, 1_007), ((13, 9, 8, 14), 50, 4_224), ((13, 3, 8, 9), 50, 7_730)], 1
    ),
)
def test_the_same_of_columns_of_adult(columns: tuple[int, ...], k: int, people: int) -> None:
    """Countries and education among them; the last four have 3,680 cells, 98 people fewer."""
    with (DATA / ADULT).open(newline="") as stream:
        rows = [row for row in csv.reader(stream, skipinitialspace=True) if len(row) == 15]
    counts = [np.unique([row[j] for row in rows], return_counts=True)[1] for j in columns]
    default, relaxed, coverage = compared(counts, k)
    assert default == people
    assert default <= relaxed
    assert default < coverage
