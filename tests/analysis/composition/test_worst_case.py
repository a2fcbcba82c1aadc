"""The exact worst case: against enumeration, against known values, and its honest bracket."""

import csv
import io
from collections import Counter

import numpy as np
import pytest
from census_kit import CENSUS, marginals_of
from every_table import all_tables
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_kit import sampled
from slow_machine import slow_down
from veilmix.analysis.composition import best_bound
from veilmix.analysis.composition.check_cases import proved_by_cases
from veilmix.analysis.composition.exact_worst_case import WorstCase, worst_case
from veilmix.analysis.composition.margins_bound import margins_bound
from veilmix.analysis.composition.worst_bracket import SearchStep
from veilmix.analysis.contingency import integer_program
from veilmix.analysis.contingency.cuts import Cuts
from veilmix.analysis.contingency.descent import climb
from veilmix.analysis.contingency.frechet import frechet_class, staircase
from veilmix.analysis.contingency.heuristic import heuristic_table
from veilmix.analysis.contingency.integer_program import FrechetProgram, relax
from veilmix.analysis.contingency.narrow import narrow
from veilmix.analysis.contingency.swaps import swap
from veilmix.errors import ParameterError, VerificationError

# A worst case that a few nodes leave open, at k = 5: 87 to 90 people.
OPEN = [np.array(each) for each in ([97, 54, 49], [101, 59, 40], [102, 64, 34])]
HARD = [np.array(each) for each in ([90, 40, 12, 3], [70, 50, 25], [80, 44, 21])]


def tables_of(*shapes: tuple[int, ...], people: int = 12) -> st.SearchStrategy[np.ndarray]:
    """Tables of 2 to `people` people over one of the shapes."""

    def people_in(shape: tuple[int, ...]) -> st.SearchStrategy[np.ndarray]:
        size = int(np.prod(shape))
        cells = st.lists(st.integers(0, size - 1), min_size=2, max_size=people)
        return cells.map(lambda codes: np.bincount(codes, minlength=size).reshape(shape))

    return st.sampled_from(shapes).flatmap(people_in)


@pytest.mark.slow
@given(tables_of((2, 2), (2, 3), (3, 3), (2, 2, 2)), st.integers(0, 6))
@settings(max_examples=40, deadline=None)
def test_worst_case_equals_enumeration_of_all_tables(table: np.ndarray, k: int) -> None:
    marginals = marginals_of(table)
    worst = max(int(other[other < k].sum()) for other in all_tables(marginals))
    witness = worst_case(marginals, k)
    assert (witness.people, witness.upper, witness.proven) == (worst, worst, True)
    witness.verify(marginals)
    assert witness.people <= best_bound(marginals, k).people
    if witness.proof is not None:
        assert proved_by_cases([counts.tolist() for counts in marginals], k, witness.proof) == worst


@pytest.mark.slow
@given(tables_of((2, 2, 2)), st.integers(2, 5))
@settings(max_examples=25, deadline=None)
def test_worst_case_with_known_pairs_equals_enumeration(table: np.ndarray, k: int) -> None:
    marginals, known = marginals_of(table), {(0, 1): table.sum(axis=2), (2, 1): table.sum(axis=0).T}
    consistent = [
        int(other[other < k].sum())
        for other in all_tables(marginals)
        if np.array_equal(other.sum(axis=2), known[0, 1])
        and np.array_equal(other.sum(axis=0).T, known[2, 1])
    ]
    witness = worst_case(marginals, k, known_joints=known)
    assert witness.proven
    assert witness.people == max(consistent)
    witness.verify(marginals, known)


@pytest.mark.slow
@given(tables_of((3, 3), (2, 2, 2), (2, 3, 2), people=40), st.integers(2, 6))
@settings(max_examples=25, deadline=None)
def test_the_ladder_alone_finds_the_worst_case(table: np.ndarray, k: int) -> None:
    marginals = marginals_of(table)
    program = FrechetProgram(frechet_class(marginals, k), k)
    cuts, value = relax(program, int(table.sum()))
    top = climb(program, cuts, -1, int(value + 1e-6))
    expected = worst_case(marginals, k)
    assert expected.proven
    assert top.ceiling == expected.people
    assert top.people is not None
    assert program.tables.table(top.people).exposed(k) == top.ceiling


@given(
    st.lists(st.lists(st.integers(0, 30), min_size=2, max_size=5), min_size=1, max_size=3),
    st.integers(2, 12),
)
@settings(max_examples=15, deadline=None)
def test_truth_never_exceeds_the_worst_case(codes: list[list[int]], k: int) -> None:
    rng, n = np.random.default_rng(sum(map(sum, codes))), 60
    weights = [(np.array(c) + 1) / (np.array(c) + 1).sum() for c in codes]
    rows = np.stack([rng.choice(len(w), n, p=w) for w in weights], axis=1)
    marginals = [np.bincount(rows[:, j], minlength=len(w)) for j, w in enumerate(weights)]
    cells = np.unique(rows, axis=0, return_counts=True)[1]
    witness = worst_case(marginals, k, nodes=100)
    assert cells[cells < k].sum() <= witness.upper <= best_bound(marginals, k).people
    assert max(c[c < k].sum() for c in marginals) <= witness.people


def test_census_with_three_columns_is_117() -> None:
    witness = worst_case(CENSUS[:3], 10)
    assert (witness.people, witness.proven) == (117, True)
    witness.verify(CENSUS[:3])
    assert witness.value == 117 / 32561
    assert str(witness) == "at worst 117 of 32561 people exposed at k = 10 (proven)"


@pytest.mark.slow
@pytest.mark.parametrize(("k", "people"), [(1000, 17607), (200, 9741)])
def test_census_with_four_columns(k: int, people: int) -> None:
    witness = worst_case(CENSUS, k)
    assert (witness.people, witness.proven) == (people, True)
    witness.verify(CENSUS)


def test_what_few_nodes_do_not_prove_is_an_interval() -> None:
    witness = worst_case(OPEN, 5, nodes=1)
    witness.verify(OPEN)
    assert witness.people < witness.upper
    assert witness.why == "5 rounds of swaps and 1 nodes of every search tree were not enough"
    assert not witness.timed


def test_a_limit_in_seconds_is_read_between_steps_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's speed decides where it stops: the bracket is true, and marked as such."""
    whole, told = worst_case(OPEN, 5, nodes=1), list[SearchStep]()
    slow_down(monkeypatch, 1e9)
    late = worst_case(OPEN, 5, 60, nodes=1, progress=told.append)
    assert (late.timed, whole.timed) == (True, False)
    assert {step.doing for step in told} == {"tables made at once", "relaxation"}
    assert late.people <= whole.people <= whole.upper <= late.upper
    assert late.why == "60 s were over, which depends on the machine; nodes and rounds do not"
    assert str(late).endswith(f"exposed at k = 5 (not closed: {late.why})")


def test_what_is_close_enough_at_once_is_not_sought_further() -> None:
    """1,164 people in a table made at once; coverage proves 1,218 at most: 0.17 % of 32,561."""
    told = list[SearchStep]()
    close = worst_case(CENSUS, 10, enough=0.002, progress=told.append)
    assert (close.people, close.upper, close.why) == (1164, 1218, "closer was not sought")
    assert {step.doing for step in told} == {"tables made at once"}
    few = worst_case(CENSUS, 10, enough=0.002 - 0.0004, most_cells=100, progress=told.append)
    assert few.why == "180 cells are more than the 100 that are searched"
    worst_case(HARD, 9, nodes=1, enough=0.001, progress=told.append)
    assert "relaxation" in {step.doing for step in told}
    with pytest.raises(ParameterError, match="enough: found 2; needs a share"):
        worst_case(CENSUS, 10, enough=2)


def test_k_0_exposes_nobody_and_k_above_n_everybody() -> None:
    for k, people in ((0, 0), (1, 0), (32562, 32561)):
        witness = worst_case(CENSUS, k)
        assert (witness.people, witness.proven) == (people, True)
    single = worst_case([np.array([3, 0, 9, 5])], 6)
    assert (single.people, single.proven) == (8, True)
    constant = worst_case([np.array([50]), np.array([20, 30])], 10)
    assert (constant.people, constant.proven) == (0, True)


def test_the_papers_example_of_section_6() -> None:
    """Two binary columns, each n/2-anonymous; one person can be alone: also at worst, for k = 2."""
    witness = worst_case([np.array([50, 51])] * 2, 2)
    assert witness.proven
    assert witness.people == 2  # two people off the diagonal or one in the middle: 2 is the most


def test_exchangeable_values_do_not_slow_the_proof() -> None:
    witness = worst_case([np.full(6, 12), np.full(8, 9)], 4, 20)
    assert witness.proven
    assert witness.people == 72


def test_a_column_of_unique_ids_is_merged() -> None:
    marginals = [np.ones(5000, dtype=int), np.array([4000, 1000]), np.array([2500, 2500])]
    assert frechet_class(marginals, 5).shape == (1, 2, 2)
    witness = worst_case(marginals, 5)
    assert (witness.people, witness.proven) == (5000, True)
    witness.verify(marginals)


def test_merged_values_are_split_again_in_the_witness() -> None:
    marginals = [np.array([3, 2, 0, 45]), np.array([1, 2, 20, 27]), np.array([25, 25])]
    witness = worst_case(marginals, 4)
    assert frechet_class(marginals, 4).shape == (2, 3, 2)
    witness.verify(marginals)
    assert witness.table is not None
    assert witness.table.counts.sum() == 50


def test_too_many_cells_give_bounds_and_a_table() -> None:
    marginals = [np.full(50, 40)] * 4
    witness = worst_case(marginals, 30)
    witness.verify(marginals)
    assert witness.upper == best_bound(marginals, 30).people
    assert witness.people <= witness.upper


def test_known_counts_that_contradict_are_refused() -> None:
    marginals = [np.array([5, 5]), np.array([5, 5]), np.array([5, 5])]
    diagonal, anti = np.array([[5, 0], [0, 5]]), np.array([[0, 5], [5, 0]])
    with pytest.raises(ParameterError, match="differ from marginals"):
        worst_case(marginals, 3, known_joints={(0, 1): np.array([[6, 0], [0, 4]])})
    with pytest.raises(ParameterError, match="no table has all"):
        worst_case(marginals, 3, known_joints={(0, 1): diagonal, (1, 2): diagonal, (0, 2): anti})
    triple = np.zeros((2, 2, 2), dtype=int)
    triple[0, 0, 0] = triple[1, 1, 1] = 5
    with pytest.raises(ParameterError, match="contradict"):
        worst_case(marginals, 3, known_joints={(0, 1, 2): triple, (0, 1): anti})


def test_tampered_results_do_not_verify() -> None:
    witness = worst_case(CENSUS[:3], 10)
    other = [CENSUS[0][::-1], *CENSUS[1:3]]
    with pytest.raises(VerificationError, match="differs from the given counts of columns"):
        witness.verify(other)
    from dataclasses import replace

    with pytest.raises(VerificationError, match="does not expose"):
        replace(witness, people=118).verify(CENSUS[:3])
    with pytest.raises(VerificationError, match="no table"):
        replace(witness, table=None).verify(CENSUS[:3])


def test_the_witness_as_csv() -> None:
    witness = worst_case(CENSUS[:2], 10)
    stream = io.StringIO(newline="")
    witness.write_csv(stream, ["sex", "income"], [["F", "M"], ["<=50K", ">50K"]])
    lines = list(csv.DictReader(io.StringIO(stream.getvalue())))
    assert sum(int(line["count"]) for line in lines) == 32561
    assert sum(int(line["count"]) for line in lines if line["exposed"] == "1") == witness.people
    assert sum(int(line["count"]) for line in lines if line["sex"] == "F") == 10771
    plain = io.StringIO(newline="")
    witness.write_csv(plain)
    assert plain.getvalue().startswith("column 0,column 1,count,exposed")


@given(tables_of((2, 3), (3, 3), (2, 2, 2), people=40), st.integers(1, 6))
def test_a_filled_table_has_its_marginals(table: np.ndarray, k: int) -> None:
    marginals = marginals_of(table)
    filled_table = heuristic_table(frechet_class(marginals, k), k)
    for j, counts in enumerate(marginals):
        assert np.array_equal(filled_table.margin((j,), (len(counts),)), counts)


def test_a_filled_table_is_near_the_worst_where_nothing_is_searched() -> None:
    witness = worst_case(CENSUS, 10, most_cells=0)
    witness.verify(CENSUS)
    assert 1000 < witness.people <= 1191 <= witness.upper <= 1218


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(any), st.integers(1, 4))
def test_staircase_has_its_marginals(counts: list[int], copies: int) -> None:
    marginals = [np.roll(np.array(counts), i) for i in range(copies)]
    table = staircase(marginals)
    for j, given_counts in enumerate(marginals):
        assert np.array_equal(table.margin((j,), (len(counts),)), given_counts)


@given(tables_of((2, 2, 2), (2, 3, 2), people=60), st.integers(2, 5))
@settings(max_examples=40, deadline=None)
def test_no_table_violates_a_cut(table: np.ndarray, k: int) -> None:
    """Every inequality that a wholly exposed relaxation violates holds for the real table."""
    marginals, pairs = marginals_of(table), {(0, 1): table.sum(axis=2), (1, 2): table.sum(axis=0)}
    for known in ({}, pairs):
        tables = frechet_class(marginals, 0, known)
        kept = [labels.unmerged for labels in tables.labels]
        here = table[np.ix_(*kept)].ravel()
        covered = (here >= k).astype(float)
        cuts = Cuts(tables, k)
        for cut in [*cuts.margin_cuts(), *cuts.violated(np.zeros(tables.cells), 200)]:
            assert covered[cut.cells].sum() >= cut.need


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: worst_case([], 2), "marginals:"),
        (lambda: worst_case([[1, 2]], 2.5), "k:"),
        (lambda: worst_case([[1, 2]], 2, 0), "time_limit:"),
        (lambda: worst_case([[1, 2], [3]], 2, known_joints={(0, 0): [[1, 2]]}), "known_joints:"),
        (lambda: worst_case([[1, 2], [3]], 2, known_joints={(0, 2): [[1, 2]]}), "known_joints:"),
        (lambda: worst_case([[1, 2], [3]], 2, known_joints={(0, 1): [1, 2]}), "known"),
    ],
)
def test_bad_arguments_are_named(call: object, name: str) -> None:
    with pytest.raises(ParameterError, match=f"^{name}"):
        call()  # type: ignore[operator]


@pytest.mark.parametrize("slower", sampled([1, 10, 1_000_000], 1))
def test_where_nodes_limit_the_search_no_clock_does(
    slower: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same on a machine so many times slower: every look at its clock is so much later."""
    plain = worst_case(OPEN, 5, nodes=2)
    slow_down(monkeypatch, slower)
    late = worst_case(OPEN, 5, nodes=2)
    assert (late.people, late.upper) == (plain.people, plain.upper)
    assert late.people < late.upper <= margins_bound(OPEN, 5).people
    assert late.why == "10 rounds of swaps and 2 nodes of every search tree were not enough"


def counted(witness: WorstCase, marginals: list[np.ndarray], k: int) -> int:
    """Exposed people of a witness, counted person by person from what is written to a file."""
    stream = io.StringIO()
    witness.write_csv(stream)
    head, *lines = csv.reader(io.StringIO(stream.getvalue()))
    people = [tuple(map(int, line[:-2])) for line in lines for _ in range(int(line[-2]))]
    assert len({tuple(line[:-2]) for line in lines}) == len(lines)
    for j, counts in enumerate(marginals):
        met = Counter(row[j] for row in people)
        assert [met[value] for value in range(len(counts))] == list(counts), head[j]
    crowds = Counter(people)
    return sum(crowds[person] < k for person in people)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_swaps_find_what_took_two_minutes_of_another_solver(seed: int) -> None:
    """A table of the census that exposes 1,186 people at k = 10, by proposals that are counted."""
    program = FrechetProgram(frechet_class(CENSUS, 10), 10)
    start = heuristic_table(program.tables, 10)
    outcome = swap(program, start, 1_186, 5_000, seed)
    again = swap(program, start, 1_186, 5_000, seed)
    assert start.exposed(10) < outcome.exposed
    assert outcome.exposed == 1_186
    assert (again.exposed, again.rounds) == (outcome.exposed, outcome.rounds)
    worst = WorstCase(outcome.exposed, 1_200, 32_561, 10, 0.0, outcome.table, "")
    assert counted(worst, CENSUS, 10) == 1_186


@pytest.mark.slow
def test_the_worst_table_of_the_census_is_met_before_it_is_proved() -> None:
    told: list[str] = []

    def stop(step: SearchStep) -> None:
        told.append(str(step))
        if step.doing.endswith("of swaps"):
            raise KeyboardInterrupt

    witness = worst_case(CENSUS, 10, keep=True, progress=stop)
    witness.verify(CENSUS)
    assert (witness.people, witness.proven) == (1_191, False)
    assert any(line.startswith("1,191 to ") and "supports that match" in line for line in told)


@pytest.mark.long
def test_census_at_k_10_exposes_1191_people_at_worst() -> None:
    told: list[str] = []
    witness = worst_case(CENSUS, 10, nodes=1_000, progress=lambda step: told.append(str(step)))
    witness.verify(CENSUS)
    assert (witness.people, witness.proven) == (1_191, True)
    assert counted(witness, CENSUS, 10) == 1_191
    assert any("tables with at most 9 unexposed cells" in line for line in told)


@pytest.mark.slow
@given(tables_of((3, 3), (2, 2, 2), (2, 3, 2), people=40), st.integers(2, 6))
@settings(max_examples=15, deadline=None)
def test_swaps_meet_tables_only_and_none_above_the_worst(table: np.ndarray, k: int) -> None:
    marginals = marginals_of(table)
    worst = worst_case(marginals, k, nodes=200, rounds=0)
    program = FrechetProgram(frechet_class(marginals, k), k)
    outcome = swap(program, None, int(table.sum()), 100)
    if outcome.table is not None:
        met = WorstCase(outcome.exposed, worst.upper, int(table.sum()), k, 0.0, outcome.table, "")
        assert counted(met, marginals, k) == outcome.exposed <= worst.upper


@pytest.mark.slow
@given(tables_of((3, 3), (2, 2, 2), (2, 3, 2), people=40), st.integers(2, 6), st.data())
@settings(max_examples=25, deadline=None)
def test_a_narrowed_program_has_every_table_sought(
    table: np.ndarray, k: int, data: st.DataObject
) -> None:
    """So a table that exposes more than asked is in it, with as many unexposed cells."""
    program = FrechetProgram(frechet_class(marginals_of(table), k), k)
    exposed, most = int(table[table < k].sum()), int((table >= k).sum())
    more_than = data.draw(st.integers(-1, exposed - 1)) if exposed else -1
    small = narrow(program, [], int(table.sum()), more_than, most)
    solution = integer_program.solve(
        small, [], int(table.sum()), whole_numbers=True, covered=(0, most)
    )
    assert solution.x is not None
    assert round(-solution.fun) >= exposed


def test_what_was_found_is_kept_when_somebody_stops_the_search() -> None:
    def stop(step: SearchStep) -> None:
        if step.doing == "first search tree":
            raise KeyboardInterrupt

    witness = worst_case(HARD, 9, nodes=1, keep=True, progress=stop)
    assert witness.why == "stopped by Ctrl-C"
    assert witness.stopped
    assert counted(witness, HARD, 9) == witness.people < witness.upper
    with pytest.raises(KeyboardInterrupt):
        worst_case(HARD, 9, nodes=1, progress=stop)
