"""The standard errors that a table shows say what they are of."""

import numpy as np
import pytest
from veilmix.analysis.randomizers import (
    Duchi,
    Hybrid,
    PckvGRR,
    PckvUE,
    Piecewise,
    PrivKV,
    Randomizer,
    SplitMix,
    SquareWave,
)
from veilmix.presentation.presenters.noise_tables import error_meaning

NUMBERS, PAIRS = (0.0, 1.0), ("a=0", "a=1", "b=0", "b=1")


@pytest.mark.parametrize(
    ("name", "randomizer"),
    [
        ("duchi", Duchi(NUMBERS, 25.0)),
        ("piecewise", Piecewise(NUMBERS, 25.0)),
        ("hybrid", Hybrid(NUMBERS, 25.0)),
        ("square-wave", SquareWave(NUMBERS, 25.0)),
        ("split-mix", SplitMix(NUMBERS, 25.0, 1000)),
        ("pckv-grr", PckvGRR(PAIRS, 25.0)),
        ("pckv-ue", PckvUE(PAIRS, 25.0)),
        ("privkv", PrivKV(PAIRS, 25.0)),
    ],
)
def test_an_error_counts_who_took_part_where_its_table_says_so(
    name: str, randomizer: Randomizer
) -> None:
    """With hardly any noise an error is left where it counts the people, half of whom differ."""
    x = np.arange(1000) % randomizer.inputs
    counts = randomizer.support_counts(randomizer.sample(x, 1))
    error = randomizer.measures(counts, 1000)[0].error
    counted = bool(error > 0.4 / np.sqrt(1000))
    ending = "and of who took part" if counted else "given who took part"
    assert error_meaning(name).endswith(ending)
