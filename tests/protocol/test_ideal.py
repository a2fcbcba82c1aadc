"""The ideal functionality counts what is there, however many cells there could be."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.protocol.ideal import (
    PeopleTable,
    answer,
    count_cells,
    two_round,
)
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Rules, Setting
from veilmix.protocol.wire.messages import Call, Decision, DecisionCertificate
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.schema import Feature, Schema


@st.composite
def tables(draw: Any) -> tuple[PeopleTable, list[tuple[str, ...]]]:
    sizes = draw(st.lists(st.sampled_from([1, 2, 3, 300, 5_000]), min_size=1, max_size=6))
    people = draw(st.integers(1, 12))
    codes = [[draw(st.integers(0, size - 1)) for size in sizes] for _ in range(people)]
    values = tuple(tuple(f"v{i}" for i in range(size)) for size in sizes)
    rows = [tuple(values[j][code] for j, code in enumerate(row)) for row in codes]
    return PeopleTable(values, np.array(codes, dtype=np.int64)), rows


@settings(max_examples=100, deadline=None)
@given(tables(), st.data())
def test_cells_are_counted(case: Any, data: Any) -> None:
    """Up to 5,000 ** 6 possible cells, which is more than 64 bits number."""
    table, rows = case
    all_of_them = st.integers(0, len(table.values) - 1)
    columns = sorted(data.draw(st.sets(all_of_them, min_size=1)))
    cells = count_cells(table, columns)
    assert cells == Counter(tuple(row[column] for column in columns) for row in rows)
    assert all(type(count) is int for count in cells.values())


def test_a_table_of_many_columns_is_counted() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 100, size=(500, 40))
    table = PeopleTable(tuple(tuple(map(str, range(100))) for _ in range(40)), codes)
    cells = count_cells(table, range(40))
    assert sum(cells.values()) == 500
    assert len(cells) == 500


def test_a_call_is_answered_column_set_by_column_set() -> None:
    table = PeopleTable((("a", "b"), ("x", "y")), np.array([[0, 0], [0, 1], [1, 1]]))
    call = Call(1, Role.CURATOR, ((1,), (0, 1)))
    assert answer(table, call) == (
        {("x",): 1, ("y",): 2},
        {("a", "x"): 1, ("a", "y"): 1, ("b", "y"): 1},
    )


SCHEMA = Schema((Feature("one", ("a", "b")),))


def play(
    first: int,
    second: int,
    policy: AnnouncedPolicy,
    promised: int = 0,
    kept: tuple[int, ...] = (0,),
) -> Any:
    tables = tuple(PeopleTable((("a", "b"),), np.zeros((n, 1), dtype=int)) for n in (first, second))

    def decide(_: Any, marginals: Any, n: int) -> Decision:
        return Decision(kept, DecisionCertificate("coverage", policy.k, n, promised))

    return two_round(SCHEMA, (tables[0], tables[1]), policy, Rules(min_dropout=5), decide)


FIXED, DIVIDED = (
    AnnouncedPolicy(3, 0.2),
    AnnouncedPolicy(3, 0.2, setting=Setting.STATISTICAL, delta=0.1),
)


@pytest.mark.parametrize(
    ("first", "second", "policy", "promised", "burned"),
    [
        (20, 20, FIXED, 0, None),
        (20, 15, FIXED, 0, "15 people came where the promise was made for 20"),
        (20, 15, AnnouncedPolicy(3, 0.7), 0, None),
        (20, 15, AnnouncedPolicy(3, 0.2, "all"), 0, None),
        (20, 16, FIXED, 0, "4 of 20 people are missing"),
        (1, 1, FIXED, 0, "1 people took part"),
        (20, 1, FIXED, 0, "1 people took part"),
        (20, 20, DIVIDED, 4, None),
        (20, 30, DIVIDED, 0, "30 people came where the promise was made for 20"),
        (20, 25, DIVIDED, 0, None),
        (20, 19, DIVIDED, 4, "19 people came where the promise was made for 20"),
        (20, 19, DIVIDED, 1, None),
    ],
)
def test_what_burns_the_second_round(
    first: int, second: int, policy: AnnouncedPolicy, promised: int, burned: str | None
) -> None:
    outcome = play(first, second, policy, promised)
    assert (outcome.burned or "").startswith(burned or "")
    assert (outcome.burned is None) is (burned is None)
    assert (outcome.release is None) is (burned is not None)
    if burned is None:
        assert outcome.release == {("a",): second}


def test_nothing_kept_is_not_asked_for() -> None:
    outcome = play(20, 0, FIXED, kept=())
    assert (outcome.release, outcome.burned, len(outcome.tallies)) == (None, None, 1)
