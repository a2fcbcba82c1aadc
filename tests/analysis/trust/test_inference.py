"""The posterior, against adding up every labelled table."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, product
from math import comb, fsum, isclose, log2, prod
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.trust.best_guesses import Method
from veilmix.analysis.trust.evidence import AllowedCells, Crowd, CrowdCount, Evidence, uniform
from veilmix.analysis.trust.fiber import Nats, listed
from veilmix.analysis.trust.inference import infer
from veilmix.analysis.trust.side import Side
from veilmix.errors import ParameterError

Row = tuple[int, ...]
SIZES = (2, 3, 2)
LAWS = ((0.5, 0.5), (0.2, 0.3, 0.5), (0.9, 0.1))


def cells(table: Sequence[Row], people: Sequence[int], columns: Sequence[int]) -> Counter[Row]:
    return Counter(tuple(table[person][column] for column in columns) for person in people)


def said(counted: Counter[Row], labels: Sequence[Row]) -> Counter[Row]:
    """Counts of what is said instead of the states counted."""
    counts: Counter[Row] = Counter()
    for cell, people in counted.items():
        key = tuple(label[s] for label, s in zip(labels, cell, strict=True)) if labels else cell
        counts[key] += people
    return counts


class Everything:
    """All labelled tables that agree with what is known, each with its prior probability."""

    def __init__(self, evidence: Evidence) -> None:
        self.crowd_of = [
            place for place, crowd in enumerate(evidence.crowds) for _ in range(crowd.people)
        ]
        rows = list(product(*(range(len(law)) for law in evidence.laws)))
        choices = [
            [row for row in rows if agrees(row, evidence.crowds[crowd])] for crowd in self.crowd_of
        ]
        members = [
            [person for person, crowd in enumerate(self.crowd_of) if crowd in group.crowds]
            for group in evidence.groups
        ]
        self.tables = [
            (table, prod(evidence.laws[c][v] for row in table for c, v in enumerate(row)))
            for table in product(*choices)
            if all(
                said(cells(table, some, group.columns), group.labels) == Counter(group.counts)
                for some, group in zip(members, evidence.groups, strict=True)
            )
        ]
        self.whole = fsum(share for _, share in self.tables)

    def row(self, crowd: int, row: Row) -> float:
        person = self.crowd_of.index(crowd)
        return fsum(share for table, share in self.tables if table[person] == row) / self.whole

    def possible(self, crowd: int, column: int) -> set[int]:
        person = self.crowd_of.index(crowd)
        return {table[person][column] for table, _ in self.tables}


def agrees(row: Row, crowd: Crowd) -> bool:
    return all(row[column] == value for column, value in crowd.known_values) and all(
        tuple(row[column] for column in some.columns) in some.cells for some in crowd.allowed
    )


def evidence_of(
    table: Sequence[Row],
    crowd_of: Sequence[int],
    groups: Sequence[tuple[tuple[int, ...], frozenset[int]]],
    crowds: Sequence[Crowd],
    laws: Any = LAWS,
) -> Evidence:
    """What is true of a table, put as evidence."""
    counts = []
    for columns, some in groups:
        people = [person for person, crowd in enumerate(crowd_of) if crowd in some]
        counts.append(CrowdCount(columns, cells(table, people, columns), some))
    return Evidence(laws, tuple(crowds), tuple(counts))


@st.composite
def cases(draw: Any) -> Evidence:
    people = draw(st.integers(1, 4))
    rows = list(product(*map(range, SIZES)))
    table = sorted(draw(st.sampled_from(rows)) for _ in range(people))
    crowd_of = sorted(draw(st.integers(0, 1)) for _ in range(people))
    crowd_of = [crowd - crowd_of[0] for crowd in crowd_of]
    crowds = []
    for crowd in range(max(crowd_of) + 1):
        mine = [table[p] for p in range(people) if crowd_of[p] == crowd]
        known = tuple(
            (column, mine[0][column])
            for column in range(3)
            if len({row[column] for row in mine}) == 1 and draw(st.booleans())
        )
        allowed = ()
        if draw(st.booleans()):
            columns = draw(st.sampled_from([(0,), (0, 1), (1, 2)]))
            held = {tuple(row[c] for c in columns) for row in mine}
            more = set(draw(st.lists(st.sampled_from(rows), max_size=3)))
            held |= {tuple(row[c] for c in columns) for row in more}
            allowed = (AllowedCells(columns, frozenset(held)),)
        crowds.append(Crowd(len(mine), known, allowed))
    some = st.sampled_from([(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)])
    sets = st.sets(st.integers(0, len(crowds) - 1), min_size=1).map(frozenset)
    groups = draw(st.lists(st.tuples(some, sets), max_size=4))
    laws = draw(st.sampled_from([LAWS, uniform(SIZES)]))
    evidence = evidence_of(table, crowd_of, groups, crowds, laws)
    if draw(st.booleans()):
        return evidence
    return replace(evidence, groups=tuple(map(draw, map(labelled, evidence.groups))))


@st.composite
def labelled(draw: Any, group: CrowdCount) -> CrowdCount:
    """The same people, counted by what they say instead of their states."""
    kinds = {2: [(0, 1), (7, 7)], 3: [(0, 1, 2), (0, 9, 9), (9, 1, 9)]}
    labels = tuple(draw(st.sampled_from(kinds[SIZES[column]])) for column in group.columns)
    return CrowdCount(
        group.columns, said(Counter(dict(group.counts)), labels), group.crowds, labels
    )


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(cases())
def test_the_posterior_is_that_of_all_labelled_tables(evidence: Evidence) -> None:
    truth, posterior = Everything(evidence), infer(evidence)
    assert posterior.method is Method.EXACT
    assert posterior.bits == pytest.approx(-log2(truth.whole), abs=1e-9)
    for crowd in range(len(evidence.crowds)):
        for row in product(*map(range, SIZES)):
            assert posterior.probability(crowd, row) == pytest.approx(
                truth.row(crowd, row), abs=1e-9
            )
        for column in range(3):
            assert posterior.certain(crowd, column) == (len(truth.possible(crowd, column)) == 1)
    best = [
        max(truth.row(crowd, row) for row in product(*map(range, SIZES)))
        for crowd in truth.crowd_of
    ]
    assert posterior.rows_guessed == pytest.approx(fsum(best), abs=1e-9)


def test_counts_of_one_column_give_shares() -> None:
    posterior = infer(
        Evidence(uniform((2,)), (Crowd(4),), (CrowdCount((0,), {(0,): 3, (1,): 1}, {0}),))
    )  # type: ignore[arg-type]
    assert posterior.values(0, 0) == {0: 0.75, 1: 0.25}
    assert posterior.bits == pytest.approx(4 - log2(4))
    assert posterior.cells_guessed == pytest.approx(3)
    assert posterior.cells_guessed_before == pytest.approx(2)


def test_who_left_is_known_by_the_difference() -> None:
    """One person left: the counts of two rounds say what it holds."""
    crowds = (Crowd(5), Crowd(1))
    table = [(0, 0, 0), (0, 1, 0), (1, 1, 0), (1, 2, 1), (0, 2, 1), (1, 0, 1)]
    both, stayed = frozenset({0, 1}), frozenset({0})
    groups = [((0,), both), ((1,), both), ((2,), both), ((0, 1), stayed)]
    posterior = infer(evidence_of(table, [0] * 5 + [1], groups, crowds, uniform(SIZES)))
    assert posterior.certain(1, 0)
    assert posterior.certain(1, 1)
    assert not posterior.certain(1, 2)
    assert posterior.values(1, 2) == {0: 0.5, 1: 0.5}
    assert posterior.probability(1, (1, 0, 1)) == pytest.approx(0.5)
    assert posterior.sets == ((1, 1), (5, 1))


def test_a_pool_mixes_those_who_stayed_and_who_left() -> None:
    both, stayed = frozenset({0, 1}), frozenset({0})
    groups = (
        CrowdCount((0,), {(0,): 3, (1,): 1}, both),
        CrowdCount((0,), {(0,): 3}, stayed),
    )
    known = infer(Evidence(uniform((2,)), (Crowd(3), Crowd(1)), groups))
    pooled = infer(Evidence(uniform((2,)), (Crowd(3), Crowd(1)), groups, (both,)))
    assert (known.cells_certain, pooled.cells_certain) == (4, 0)
    assert pooled.bits == known.bits
    assert pooled.values(0, 0) == pytest.approx({0: 0.75, 1: 0.25})
    assert pooled.rows_guessed == pytest.approx(3)
    assert (known.sets, pooled.sets) == (((1, 1), (3, 1)), ((4, 1),))


def pairs(table: Sequence[Row], laws: Any) -> Evidence:
    everybody = frozenset({0})
    columns = combinations(range(len(laws)), 2)
    groups = [(some, everybody) for some in columns]
    return evidence_of(table, [0] * len(table), groups, [Crowd(len(table))], laws)


def test_all_pair_counts_of_three_questions_leave_one_number_free() -> None:
    table = [row for row in product(range(2), repeat=3) for _ in range(3)]
    posterior = infer(pairs(table, uniform((2, 2, 2))))
    assert posterior.method is Method.EXACT
    # N[0,0,0] = t fixes the rest: 4 cells of t and 4 of 6 - t, so weights 24!/(t!(6-t)!)^4.
    weights = [comb(6, t) ** 4 for t in range(7)]
    mean = fsum(t * w for t, w in enumerate(weights)) / sum(weights)
    assert posterior.probability(0, (0, 0, 0)) == pytest.approx(mean / 24)


@pytest.mark.slow
def test_sampled_shares_are_within_their_error_of_the_exact_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import numpy as np
    from veilmix.analysis.trust import fiber as fibre

    rng = np.random.default_rng(3)
    table = [tuple(int(v) for v in (rng.random(3) < (0.3, 0.5, 0.6))) for _ in range(60)]
    evidence = pairs(table, uniform((2, 2, 2)))
    exact = infer(evidence)
    assert exact.method is Method.EXACT
    monkeypatch.setattr(fibre.listed, "__defaults__", (3,))
    posterior = infer(evidence)
    assert posterior.method is Method.SAMPLED
    assert 0 < posterior.error < 0.005
    assert posterior.agreement < 1.05
    assert posterior.bits <= exact.bits
    for row in product(range(2), repeat=3):
        assert abs(posterior.probability(0, row) - exact.probability(0, row)) < 5 * posterior.error


@pytest.mark.slow
def test_the_walk_agrees_with_the_list_where_crowds_are_told_apart() -> None:
    from veilmix.analysis.trust.evidence import components, simplified
    from veilmix.analysis.trust.fiber import enumerated, fibre
    from veilmix.analysis.trust.fiber_sampling import sampled

    table = [(0, 0, 0), (0, 1, 0), (1, 1, 0), (1, 2, 1), (0, 2, 1), (1, 0, 1), (1, 1, 1), (0, 0, 1)]
    crowds = (Crowd(4, allowed=(AllowedCells((1,), frozenset({(0,), (1,), (2,)})),)), Crowd(4))
    both = frozenset({0, 1})
    evidence = evidence_of(table, [0] * 4 + [1] * 4, [((0, 1), both), ((1, 2), both)], crowds)
    (component,) = components(evidence, simplified(evidence))
    tables = fibre(evidence, component)
    assert tables is not None
    exact = enumerated(tables, component.columns, evidence)
    walked = sampled(tables, component.columns, Nats.exactly(0.0))
    assert walked.agreement < 1.05
    for crowd, shares in exact.shares.items():
        for cell, share in shares.items():
            assert abs(walked.shares[crowd].get(cell, 0.0) - share) < 5 * walked.error


def test_of_too_many_moves_some_are_drawn_and_still_lead_everywhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """4 x 4 x 4 cells and all pair counts: of 6^3 small moves, 100 span all 27 directions."""
    import numpy as np
    from veilmix.analysis.trust import fiber_sampling as walk
    from veilmix.analysis.trust.evidence import components, simplified
    from veilmix.analysis.trust.fiber import fibre

    evidence = pairs(list(product(range(4), repeat=3)), uniform((4, 4, 4)))
    (component,) = components(evidence, simplified(evidence))
    tables = fibre(evidence, component)
    assert tables is not None
    start = np.ones(len(tables.cells), dtype=np.int64)

    def moves() -> list[tuple[int, ...]]:
        rows = []
        for cells, steps in walk._moves(
            tables, component.columns, [start], np.random.default_rng(1)
        ):
            row = np.zeros(len(tables.cells), dtype=np.int64)
            row[cells] = steps
            assert not (walk._matrix(tables) @ row).any()
            rows.append(tuple(row.tolist()))
        return rows

    every = moves()
    monkeypatch.setattr(walk, "MOST_MOVES", 100)
    some = moves()
    assert len(every) == 6**3
    assert (len(some), len(set(some))) == (100, 100)
    assert set(some) < set(every)
    assert np.linalg.matrix_rank(np.array(some)) == np.linalg.matrix_rank(np.array(every)) == 27


def test_the_search_lists_every_table_once() -> None:
    from veilmix.analysis.trust.evidence import components, simplified
    from veilmix.analysis.trust.fiber import fibre

    evidence = pairs([(0, 0, 0), (1, 1, 1), (1, 2, 1), (0, 1, 0)], uniform(SIZES))
    (component,) = components(evidence, simplified(evidence))
    tables = fibre(evidence, component)
    assert tables is not None
    members, _ = listed(tables)
    assert len(members) == len(set(members))
    for table in members:
        for place, total in enumerate(tables.totals):
            assert total == sum(n for n, s in zip(table, tables.sums, strict=True) if place in s)


def test_too_large_a_question_is_answered_at_least() -> None:
    """1,200 cells in three overlapping counts: the walk would not end, and it says so."""
    table = [(i % 12, i % 10, i // 60 % 10) for i in range(600)]
    posterior = infer(pairs(table, uniform((12, 10, 10))))
    assert posterior.method is Method.BOUNDED
    assert posterior.leakage.side is Side.AT_LEAST
    assert posterior.bits > 0
    total = fsum(posterior.values(0, 0).values())
    assert isclose(total, 1, abs_tol=1e-9)


def test_revealed_people_are_certain_though_nobody_recorded_them() -> None:
    crowd = Crowd(4, revealed=frozenset({0}), linked=True)
    counts = CrowdCount((0,), {(0,): 3, (1,): 1}, frozenset({0}))
    posterior = infer(Evidence(((0.5, 0.5), (0.25, 0.75)), (crowd,), (counts,)))
    assert posterior.cells_certain == 4
    assert posterior.bits == pytest.approx(4)
    assert posterior.rows_guessed == pytest.approx(3)
    assert posterior.sets == ((1, 4),)


def test_the_worst_person_is_somebody_else() -> None:
    crowds = (Crowd(1, ((0, 1),), linked=True, is_member=True), Crowd(3))
    counts = CrowdCount((0,), {(0,): 2, (1,): 2}, frozenset({0, 1}))
    posterior = infer(Evidence(uniform((2,)), crowds, (counts,)))
    truth = {0: {(1,): 1}, 1: {(0,): 2, (1,): 1}}
    worst = posterior.worst_row(truth)
    assert worst is not None
    assert (worst.prior, worst.posterior) == pytest.approx((0.5, 2 / 3))
    assert posterior.worst_value(truth) == worst
    assert posterior.worst_row({0: truth[0]}) is None


@pytest.mark.parametrize(
    ("evidence", "why"),
    [
        (lambda: Evidence(((0.5, 0.4),), (Crowd(1),)), "sum to 1"),
        (
            lambda: Evidence(uniform((2,)), (Crowd(1),), (CrowdCount((0,), {(0,): 2}, {0}),)),
            "counts sum to 2",
        ),
        (
            lambda: Evidence(uniform((2,)), (Crowd(1),), (CrowdCount((0,), {(0,): 1}, {1}),)),
            "unknown crowd",
        ),
        (
            lambda: Evidence(uniform((2,)), (Crowd(1),), (CrowdCount((0,), {(): 1}, {0}),)),
            "for each column",
        ),
    ],
)
def test_evidence_that_makes_no_sense_is_refused(evidence: Any, why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        evidence()


def test_evidence_that_contradicts_itself_is_refused() -> None:
    crowds = (Crowd(1, ((0, 1),)), Crowd(1))
    groups = (CrowdCount((0,), {(0,): 2}, frozenset({0, 1})),)
    with pytest.raises(ParameterError, match="fewer were counted"):
        infer(Evidence(uniform((2,)), crowds, groups))
