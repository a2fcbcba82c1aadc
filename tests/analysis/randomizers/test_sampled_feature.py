"""One feature of several: the law, estimates and limits of its reports, and what a mix leaves."""

import re
from itertools import product
from math import exp

import numpy as np
import pytest
from scipy.stats import binom, hypergeom
from veilmix.analysis.randomizers import (
    GRR,
    Channel,
    Duchi,
    Hadamard,
    LocalHash,
    ProjectiveGeometry,
    Pure,
    SampledFeature,
    SubsetSelection,
    UnaryEncoding,
    matrix_divergences,
)
from veilmix.analysis.randomizers import drawn_shares as module
from veilmix.analysis.randomizers.composite_neighbours import _is_symmetric, sampled_neighbours
from veilmix.analysis.randomizers.drawn_shares import limits_of_drawn, variance_of_drawn
from veilmix.analysis.randomizers.neighbour_laws import PairLaw
from veilmix.analysis.shuffled.bands import Band, Effort
from veilmix.analysis.shuffled.collections import every_pair
from veilmix.errors import ParameterError

FAMILIES: tuple[Pure, ...] = (
    GRR(3, 2.0),
    UnaryEncoding.oue(3, 1.0),
    UnaryEncoding.rappor(10, 1.0),
    LocalHash.olh(5, 1.0),
    Hadamard(3, 1.0),
    SubsetSelection.best(4, 1.0),
    ProjectiveGeometry.best(5, 1.0),
)
PAIRED = [SampledFeature((part, GRR(2, 1.0))) for part in FAMILIES]


def test_the_matrix_is_its_definition() -> None:
    """Enumerate rows and reports: (j, y) has the probability Q^j[y, x_j] / d."""
    parts = (GRR(3, 2.0), GRR(2, 1.0), UnaryEncoding.oue(2, 1.0))
    made = SampledFeature(parts)
    rows = list(product(*(range(part.inputs) for part in parts)))
    assert made.matrix.shape == (3 + 2 + 4, len(rows)) == (made.outputs, made.inputs)
    for number, row in enumerate(rows):
        law = [part.matrix[y, x] / 3 for part, x in zip(parts, row, strict=True)
               for y in range(part.outputs)]  # fmt: skip
        assert made.matrix[:, number] == pytest.approx(law)
    assert matrix_divergences(made.matrix).max() == pytest.approx(made.epsilon) == 2.0


@pytest.mark.parametrize("made", [made for made in PAIRED if made.outputs < 64], ids=str)
def test_reports_have_the_law_of_the_matrix(made: SampledFeature) -> None:
    """A seeded sample: every report comes as often as its probability, within five deviations."""
    people, row = 20_000, made.inputs - 1
    numbers = made.symbols(made.sample(np.full(people, row), 1))
    seen, law = np.bincount(numbers, minlength=made.outputs), made.matrix[:, row]
    assert (np.abs(seen - people * law) <= 5 * np.sqrt(people * law) + 1e-9).all()


def test_rows_and_their_numbers_are_alike() -> None:
    made = SampledFeature((GRR(3, 2.0), GRR(2, 1.0)))
    one, other = made.sample([5, 0, 3], 7), made.sample([[2, 1], [0, 0], [1, 1]], 7)
    assert made.symbols(one).tolist() == made.symbols(other).tolist()
    for wrong in ([[0, 1, 0]], [[3, 0]], [6]):
        with pytest.raises(ParameterError, match="x: "):
            made.sample(wrong, 1)


@pytest.mark.parametrize("parts", [(), (GRR(2, 1.0), Duchi((0.0, 1.0), 1.0))])
def test_other_randomizers_are_refused(parts: tuple[Pure, ...]) -> None:
    with pytest.raises(ParameterError, match="parts: found"):
        SampledFeature(parts)


@pytest.mark.parametrize("rows", [[0, 1, 4], [2, 2, 2], [5, 0, 5]])
def test_estimates_are_unbiased_and_their_variance_right(rows: list[int]) -> None:
    """Enumerate all reports of three people: given who drew a feature, mean and variance."""
    made = SampledFeature((GRR(3, 1.5), GRR(2, 1.0)))
    Q, people, codes = made.matrix, len(rows), made._rows(np.array(rows))
    cases: dict[tuple[int, int], list[tuple[float, np.ndarray]]] = {}
    for said in product(range(made.outputs), repeat=people):
        chance = float(np.prod([Q[y, x] for y, x in zip(said, rows, strict=True)]))
        counts = [sum(y < 3 for y in said), *(said.count(y) for y in range(3))]
        counts += [sum(y >= 3 for y in said), *(said.count(y) for y in (3, 4))]
        for j, each in enumerate(made.estimate_features(counts, people)):
            cases.setdefault((j, counts[(0, 4)[j]]), []).append((chance, each.shares))
    for (j, drawn), found in cases.items():
        if not drawn:
            assert all(shares == pytest.approx(1 / made.parts[j].inputs) for _, shares in found)
            continue
        part = made.parts[j]
        truth = np.bincount(codes[:, j], minlength=part.inputs) / people
        weights = np.array([chance for chance, _ in found])
        shares, total = np.array([each for _, each in found]), weights.sum()
        assert weights @ shares / total == pytest.approx(truth)
        spread = weights @ (shares - truth) ** 2 / total
        assert spread == pytest.approx(variance_of_drawn(part, truth, drawn, people))


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(("people", "drawn"), [(5, 1), (8, 3), (20, 10)])
@pytest.mark.parametrize("part", [GRR(2, 0.5), UnaryEncoding.oue(4, 2.0), GRR(4, 6.0)], ids=str)
def test_limits_hold_for_every_number_of_people(
    part: Pure, people: int, drawn: int, exact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sum over who is drawn and what they report; of a large crowd by Clopper and Pearson."""
    monkeypatch.setattr(module, "EXACT", 100_000 if exact else 0)
    known = limits_of_drawn(part, np.arange(drawn + 1), drawn, people, 0.05)
    assert 0 <= known.low.min() <= known.high.max() <= 1
    assert (known.high > known.low).all()
    for holders in range(people + 1):
        inside = (known.low - 1e-12 <= holders / people) & (holders / people <= known.high + 1e-12)
        held = 0.0
        for own in range(drawn + 1):
            law = np.convolve(
                binom.pmf(np.arange(own + 1), own, part.truth),
                binom.pmf(np.arange(drawn - own + 1), drawn - own, part.lie),
            )
            held += hypergeom.pmf(own, people, holders, drawn) * float(law[inside].sum())
        assert held >= 0.95


def test_limits_do_not_depend_on_where_the_search_begins() -> None:
    """Those of many counts together are those of each by itself."""
    part = UnaryEncoding.oue(4, 1.0)
    counts = np.array([40, 0, 17, 40, 100, 33])
    every = limits_of_drawn(part, counts, 100, 950, 0.05)
    for place, count in enumerate(counts):
        alone = module.drawn_limits(int(count), 100, 950, (part.truth, part.lie), 0.05)
        assert (every.low[place], every.high[place]) == (alone.low[0], alone.high[0])


def test_of_a_feature_that_nobody_drew_nothing_is_known() -> None:
    made = SampledFeature((GRR(2, 1.0), GRR(3, 1.0)))
    estimate = made.estimate(made.decode(["00", "01"]))
    assert estimate.people == 2
    assert estimate.interval()[0][2:].tolist() == [0.0] * 3
    assert estimate.interval()[1][2:].tolist() == [1.0] * 3
    assert estimate.errors[2:].tolist() == [1.0] * 3


@pytest.mark.parametrize("made", PAIRED, ids=str)
def test_texts_are_of_one_width_and_read_back(made: SampledFeature) -> None:
    rows = np.random.default_rng(1).integers(0, made.inputs, 200)
    reports = made.sample(rows, 2)
    texts = made.encode(reports, ())
    assert {len(text) for text in texts} == {made.text_width}
    assert all(re.fullmatch(made.text_pattern, text) for text in texts)
    again = made.decode(texts)
    assert len(again) == 200
    assert sorted(made.symbols(again)) == sorted(made.symbols(reports))
    assert (made.support_counts(again) == made.support_counts(reports)).all()


@pytest.mark.parametrize("text", ["30000", "03000", "00001", "12000", "2ffff"])
def test_texts_that_nobody_could_send_are_left_out(text: str) -> None:
    """A fourth feature, values that are not there, a sign behind a report, a bit too many."""
    made = SampledFeature((GRR(3, 1.0), GRR(2, 1.0), UnaryEncoding.oue(10, 1.0)))
    assert made.text_width == len(text)
    assert made.symbols(made.decode(["2ffc0", text, "02000"])).tolist() == [2, 5 + 1023]


@pytest.mark.parametrize("parts", [(GRR(2, 1.0), GRR(2, 1.0)), (GRR(3, 2.0), GRR(2, 0.5))])
@pytest.mark.parametrize("people", [1, 2, 3])
def test_the_band_holds_every_pair_of_collections(parts: tuple[Pure, ...], people: int) -> None:
    """Rows that differ in every feature bound all pairs: against the listed collections."""
    made = SampledFeature(parts)
    pairs, cases = every_pair(people, Channel(made.matrix)), sampled_neighbours(parts)
    assert pairs is not None
    assert cases is not None
    band = Band(cases, people, Effort())
    for epsilon in (0.05, 0.3, 0.9):
        exact = pairs.delta(epsilon)
        assert band.low(epsilon) <= exact * (1 + 1e-9) <= band.high(epsilon) * (1 + 2e-9)


@pytest.mark.parametrize("part", FAMILIES, ids=str)
def test_every_family_treats_two_values_alike(part: Pure) -> None:
    """The proof of the bound needs it; before a mix its delta is that of two different rows."""
    cases = sampled_neighbours((part, part))
    assert cases is not None
    (blanket, _), Q = cases[0], part.matrix
    for epsilon in (0.1, 0.5):
        alone = np.maximum(Q[:, 0] - exp(epsilon) * Q[:, 1], 0.0).sum()
        assert blanket.local_delta(epsilon) == pytest.approx(alone)


def test_values_that_are_not_alike_have_no_such_neighbours() -> None:
    uneven = PairLaw(1.0, np.array([0.5, 0.5]), np.array([1.5, 0.5]), np.array([0.8, 1.2]))
    assert not _is_symmetric(uneven)
    assert _is_symmetric(GRR(4, 1.0).neighbours()[0][0])
