"""The party that receives most, where some are known from one side alone."""

import pytest
from veilmix.analysis.trust.side import Side
from veilmix.scenarios.studies.comparison.result import Learnt, Trust

EXACT, LEAST, MOST = Side.EXACT, Side.AT_LEAST, Side.AT_MOST


def party(name: str, bits: float, side: Side) -> Learnt:
    return Learnt((name,), 0, 0, bits, side, reports=False, verdict="")


@pytest.mark.parametrize(
    ("figures", "name", "bits", "side"),
    [
        ({"curator": (1.0, EXACT), "analyst": (2.0, EXACT)}, "analyst", 2.0, EXACT),
        ({"curator": (1.0, LEAST), "analyst": (2.0, EXACT)}, "analyst", 2.0, LEAST),
        ({"curator": (3.0, LEAST), "analyst": (2.0, EXACT)}, "curator", 3.0, LEAST),
        ({"curator": (1.0, LEAST), "analyst": (2.0, MOST)}, "curator", 1.0, LEAST),
        ({"curator": (1.0, EXACT), "analyst": (2.0, MOST)}, "analyst", 2.0, MOST),
        ({"curator": (3.0, EXACT), "analyst": (2.0, MOST)}, "curator", 3.0, EXACT),
    ],
)
def test_one_sided_figures_are_not_ranked_by_size(figures, name, bits, side) -> None:
    everybody = Learnt(("analyst", "curator"), 0, 0, 9.0, EXACT, reports=False, verdict="")
    parties = [party(who, *figure) for who, figure in figures.items()]
    most = Trust((*parties, everybody), ()).largest_party_leakage
    assert (most.parties, most.bits_per_person, most.bits_are) == ((name,), bits, side)
