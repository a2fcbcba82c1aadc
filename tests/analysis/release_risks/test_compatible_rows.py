"""Rows that fit each person, beside comparing every row with every person; copies; distances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.release_risks.compatible_rows import CompatibleColumn, match_rows
from veilmix.analysis.release_risks.copied_rows import copied_rows, record_distances
from veilmix.errors import ParameterError

VALUES = 4  # original codes of each column
meanings = st.lists(
    st.one_of(st.none(), st.sets(st.integers(0, VALUES - 1))), min_size=1, max_size=6
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(meanings, min_size=1, max_size=3), st.data())
def test_every_row_beside_every_person(columns: list[list[set[int] | None]], data) -> None:
    codes = st.lists(
        st.tuples(*[st.integers(0, VALUES - 1)] * len(columns)), min_size=1, max_size=12
    )
    people = data.draw(codes)
    rows = data.draw(
        st.lists(st.tuples(*(st.integers(0, len(c) - 1) for c in columns)), min_size=1, max_size=12)
    )
    fits = [
        [
            all(
                columns[j][b] is None or a in columns[j][b]
                for j, (a, b) in enumerate(zip(who, row, strict=True))
            )
            for row in rows
        ]
        for who in people
    ]
    compatible = [
        CompatibleColumn.from_values(
            [None if c is None else np.array(sorted(c), np.int64) for c in column], VALUES
        )
        for column in columns
    ]
    found = match_rows(np.array(people), np.array(rows), compatible)
    assert found.rows.tolist() == [sum(row) for row in fits]
    assert found.people.tolist() == [sum(row[b] for row in fits) for b in range(len(rows))]
    single = [row.index(True) for row in fits if sum(row) == 1]
    assert found.pairs == sum(found.people[b] == 1 for b in single)


def test_too_many_combinations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from veilmix.analysis.release_risks import compatible_rows

    column = CompatibleColumn.from_values([np.array([0]), None], 1)
    assert match_rows([[0], [0]], [[0], [1]], [column]).rows.tolist() == [2, 2]
    monkeypatch.setattr(compatible_rows, "CELLS", 3)
    with pytest.raises(ParameterError, match="2 combinations of generalization levels"):
        match_rows([[0], [0]], [[0], [1]], [column])
    with pytest.raises(ParameterError, match="the same number is accepted"):
        match_rows([[0]], [[0, 0]], [column])


def test_copies_of_unique_rows_are_told_apart() -> None:
    people = [[0, 0], [0, 0], [1, 1], [2, 2]]
    copies = copied_rows(people, [[0, 0], [1, 1], [1, 1], [3, 3]])
    assert (copies.rows, copies.of_unique, copies.people) == (3, 2, 1)


def test_a_copying_release_is_nearer_to_the_original() -> None:
    rng = np.random.default_rng(5)
    people, outside = rng.integers(0, 1000, (2, 200, 3))
    numbers = [np.arange(1000.0)] * 3
    copied = record_distances(people, people[:100], outside, numbers)
    assert (copied.zero, copied.median) == (1, 0)
    assert copied.nearer is not None
    assert copied.nearer.share == 1
    fresh = record_distances(people, rng.integers(0, 1000, (200, 3)), outside, numbers)
    assert fresh.nearer is not None
    assert fresh.nearer.interval().low < 0.5 < fresh.nearer.interval().high
    assert record_distances(people, people[:5]).nearer is None


def test_a_distance_is_gowers() -> None:
    near = record_distances([[0, 0], [10, 1]], [[4, 1]], numbers=[np.arange(11.0), None])
    assert near.median == pytest.approx(0.6 / 2)  # |4 - 10| / 10 of the number, same category
