"""Persons with several rows beside a release, against a count person by person."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.release_risks import Inference, Linkability, ask, singling_out
from veilmix.analysis.release_risks.compatible_rows import CompatibleColumn, match_rows
from veilmix.analysis.release_risks.copied_rows import copied_rows
from veilmix.analysis.release_risks.person_matches import match_persons

VALUES = 3  # original codes of each column
meanings = st.lists(
    st.one_of(st.none(), st.sets(st.integers(0, VALUES - 1))), min_size=1, max_size=5
)
ORDERED = [np.arange(4.0), np.arange(4.0), None]


def owners_of(rows: int, data) -> np.ndarray:
    """The person of each row, from 0 without gaps."""
    drawn = data.draw(st.lists(st.integers(0, 4), min_size=rows, max_size=rows))
    return np.unique(drawn, return_inverse=True)[1]


def fewest_persons(fitting: int, own_rows: list[int]) -> int:
    """The smallest set of persons with as many rows; rows beyond all of them count each."""
    if fitting >= sum(own_rows):
        return len(own_rows) + fitting - sum(own_rows)
    return next(
        size
        for size in range(len(own_rows) + 1)
        for chosen in combinations(own_rows, size)
        if sum(chosen) >= fitting
    )


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(meanings, min_size=1, max_size=3), st.data())
def test_every_row_beside_every_person(columns: list[list[set[int] | None]], data) -> None:
    cell = st.tuples(*[st.integers(0, VALUES - 1)] * len(columns))
    people = data.draw(st.lists(cell, min_size=1, max_size=9))
    owner = owners_of(len(people), data)
    row = st.tuples(*(st.integers(0, len(c) - 1) for c in columns))
    rows = data.draw(st.lists(row, min_size=1, max_size=9))
    compatible = [
        CompatibleColumn.from_values(
            [None if c is None else np.array(sorted(c), np.int64) for c in column], VALUES
        )
        for column in columns
    ]

    def fit(who, released) -> bool:
        pairs = enumerate(zip(who, released, strict=True))
        return all(columns[j][b] is None or a in columns[j][b] for j, (a, b) in pairs)

    def level(released):
        return tuple(compatible[j].layer[b] for j, b in enumerate(released))

    found = match_persons(np.array(people), np.array(rows), compatible, owner)
    persons_of = [{owner[i] for i, who in enumerate(people) if fit(who, row)} for row in rows]
    assert found.people.tolist() == [len(persons) for persons in persons_of]
    crowds, pairs = dict[int, int](), set[int]()
    for i, who in enumerate(people):
        fitting = [b for b, row in enumerate(rows) if fit(who, row)]
        behind = []
        for kind in {level(rows[b]) for b in fitting}:
            here = [b for b in fitting if level(rows[b]) == kind]
            own = [
                sum(
                    fit(other, rows[here[0]]) and owner[j] == person
                    for j, other in enumerate(people)
                )
                for person in persons_of[here[0]]
            ]
            behind.append(fewest_persons(len(here), own))
        if behind:
            crowds[owner[i]] = min(crowds.get(owner[i], 99), max(behind))
            if all(persons_of[b] == {owner[i]} for b in fitting):
                pairs.add(owner[i])
    assert found.crowds.tolist() == [crowds.get(person, 0) for person in range(owner.max() + 1)]
    assert found.pairs == len(pairs)


def test_with_one_row_each_it_is_the_number_of_fitting_rows() -> None:
    people, rows = [[0], [0], [0], [1]], [[0], [0], [1], [1], [1]]
    values = [np.array([0]), np.array([1])]
    columns = [CompatibleColumn.from_values(values, 2)]
    rowwise = match_rows(people, rows, columns)
    found = match_persons(people, rows, columns, np.arange(4))
    assert found.crowds.tolist() == rowwise.rows.tolist() == [2, 2, 2, 3]
    assert found.people.tolist() == rowwise.people.tolist()
    several = match_persons(people, rows, columns, np.array([0, 0, 1, 2]))
    assert several.crowds.tolist() == [1, 1, 3]  # two rows of person 0 may stand there


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.data())
def test_copies_of_rows_of_one_person(data) -> None:
    cell = st.tuples(st.integers(0, 2), st.integers(0, 1))
    people = data.draw(st.lists(cell, min_size=1, max_size=8))
    rows = data.draw(st.lists(cell, min_size=1, max_size=8))
    owner = owners_of(len(people), data)
    with_row = {row: {owner[i] for i, who in enumerate(people) if who == row} for row in rows}
    found = copied_rows(people, rows, owner)
    assert found.rows == sum(len(with_row[row]) > 0 for row in rows)
    assert found.of_unique == sum(len(with_row[row]) == 1 for row in rows)
    unique = [persons for persons in with_row.values() if len(persons) == 1]
    assert found.people == len(set().union(*unique))


def predicate(rows, release, subset, row):
    """The rows that fulfil the predicate of a row of the release."""
    mask = np.ones(len(rows), bool)
    for j in subset:
        value = release[row, j]
        if ORDERED[j] is None:
            mask &= rows[:, j] == value
        elif value > np.median(release[:, j]):
            mask &= rows[:, j] >= value
        else:
            mask &= rows[:, j] <= value
    return mask


@pytest.mark.parametrize("columns", [1, 2, 3])
@pytest.mark.parametrize("cells", [1 << 22, 1])
@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.data())
def test_predicates_isolate_persons(columns: int, cells: int, data) -> None:
    from veilmix.analysis.release_risks import predicates

    row = st.tuples(*[st.integers(0, 3)] * 3)
    tables = [np.array(data.draw(st.lists(row, min_size=2, max_size=9))) for _ in range(3)]
    release, people, control = tables
    owner, outside = owners_of(len(people), data), owners_of(len(control), data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(predicates, "CELLS", cells)
        found = singling_out(release, people, columns, control, ORDERED, owners=(owner, outside))
    isolating = right = right_outside = 0
    for subset in combinations(range(3), columns):
        for place in range(len(release)):
            if predicate(release, release, subset, place).sum() == 1:
                isolating += 1
                fulfilled = predicate(people, release, subset, place)
                right += len(set(owner[fulfilled])) == 1
                fulfilled = predicate(control, release, subset, place)
                right_outside += len(set(outside[fulfilled])) == 1
    assert (found.isolating, found.right.right) == (isolating, right)
    assert found.control is not None
    assert found.control.right == right_outside


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.data())
def test_a_person_is_attacked_at_each_of_its_rows(data) -> None:
    row = st.tuples(*[st.integers(0, 2)] * 3)
    release, people, control = (
        np.array(data.draw(st.lists(row, min_size=2, max_size=8))) for _ in range(3)
    )
    owner, outside = owners_of(len(people), data), owners_of(len(control), data)
    questions = [Inference(2, (0, 1)), Linkability((0,), (1, 2))]
    found = ask(questions, release, people, control, owners=(owner, outside))
    for table, persons, name in ((people, owner, "attack"), (control, outside, "control")):
        alone = [ask(questions, release, table[[i]]) for i in range(len(table))]
        for at, attack in enumerate(found):
            expected = sum(
                np.mean([alone[i][at].attack.right for i in np.flatnonzero(persons == person)])
                for person in range(persons.max() + 1)
            )
            rate = getattr(attack, name)
            assert rate.tries == persons.max() + 1
            assert rate.right == pytest.approx(expected)
