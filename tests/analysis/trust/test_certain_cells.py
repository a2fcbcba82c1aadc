"""How many people a curator can be certain of, beside a listing of every table of small cases.

The listing takes nothing from the code it checks: n people choose rows in all possible ways, those
that give other answers than were given are struck out, and cells are counted one by one.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_kit import sampled
from veilmix.analysis.composition.group_counts import GroupCounts
from veilmix.analysis.composition.known_groups import GroupKnowledge
from veilmix.analysis.trust.certain_cells import Certainty

Row = tuple[int, ...]
Group = tuple[int, ...]


def every_table(n: int, sizes: Sequence[int]) -> Iterator[tuple[Row, ...]]:
    """All tables of n people, who do not differ but in their rows."""
    return combinations_with_replacement(list(product(*map(range, sizes))), n)


def answers(rows: Sequence[Row], groups: Sequence[Group]) -> list[Counter[Row]]:
    """The counts of some groups of columns."""
    return [Counter(tuple(row[j] for j in group) for row in rows) for group in groups]


def naive(tables: Sequence[Sequence[Row]], columns: int, k: int) -> int:
    """The least people, over these tables, in cells of 1 to k - 1 people in every one of them."""
    sets = list(chain.from_iterable(combinations(range(columns), s + 1) for s in range(columns)))
    counts = [answers(rows, sets) for rows in tables]
    sure = {
        (at, cell)
        for at in range(len(sets))
        for cell in counts[0][at]
        if all(1 <= count[at][cell] < k for count in counts)
    }
    return min(
        sum(any((at, tuple(row[j] for j in s)) in sure for at, s in enumerate(sets)) for row in t)
        for t in tables
    )


def knowing(rows: Sequence[Row], groups: Sequence[Group], k: int) -> GroupKnowledge:
    """What a curator knows who has asked for single columns and these groups, nothing masked.

    Values are numbered as round 1 shows them: those that somebody has, in order.
    """
    columns = list(zip(*rows, strict=True))
    values = [sorted(set(column)) for column in columns]
    singles = tuple(
        np.array([c.count(v) for v in v_], dtype=np.int64)
        for c, v_ in zip(columns, values, strict=True)
    )
    tables = {}
    for group in groups:
        count = np.zeros([len(values[j]) + 1 for j in group], dtype=np.int64)
        for row in rows:
            count[tuple(values[j].index(row[j]) for j in group)] += 1
        tables[group] = GroupCounts(
            group, tuple(tuple(range(len(values[j]))) for j in group), count
        )
    return GroupKnowledge(k, singles, tables)


PAIRS = ((0, 1), (0, 2), (1, 2))
SINGLES = ((0,), (1,), (2,))


@pytest.mark.long
def test_three_safe_pairs_can_leave_one_table() -> None:
    """Five people, k = 2: each pair shows few alone, all three together show all five."""
    tables = []
    for rows in every_table(5, (2, 2, 2)):
        if any(len(set(column)) < 2 for column in zip(*rows, strict=True)):
            continue
        after = Certainty.from_knowledge(knowing(rows, PAIRS, 2))
        assert after.now.exact
        assert after.tables is not None
        if len(after.tables.counts) == 1 and after.now.low == 5:
            tables.append(rows)
            assert all(max(answers(rows, [pair])[0].values()) > 1 for pair in PAIRS)
    assert tables  # five of five are certain, though no pair shows all of them alone


@pytest.mark.parametrize(
    ("n", "k", "asked"),
    sampled([(*size, asked) for size in ((3, 2), (4, 3), (4, 2)) for asked in range(4)], *range(6)),
)
def test_the_number_is_what_a_listing_of_all_tables_gives(n: int, k: int, asked: int) -> None:
    """Of 2 x 2 x 2 cells, every table; after single columns, and none to three pairs."""
    groups = PAIRS[:asked]
    kinds: dict[str, list[tuple[Row, ...]]] = {}
    for rows in every_table(n, (2, 2, 2)):
        kinds.setdefault(repr([sorted(a.items()) for a in answers(rows, SINGLES + groups)]), [])
        kinds[repr([sorted(a.items()) for a in answers(rows, SINGLES + groups)])].append(rows)
    for tables in kinds.values():
        known = Certainty.from_knowledge(knowing(tables[0], groups, k))
        assert known.now.exact
        assert known.tables is not None
        assert len(known.tables.counts) == len(tables)
        assert known.now.low == naive(tables, 3, k)


@pytest.mark.parametrize("n", sampled([3, 4], 0))
def test_before_a_question_the_worst_answer_is_known(n: int) -> None:
    """What is said before asking is the most that any answer then makes certain."""
    kinds: dict[str, list[tuple[Row, ...]]] = {}
    for rows in every_table(n, (2, 2, 2)):
        kinds.setdefault(repr([sorted(a.items()) for a in answers(rows, SINGLES)]), []).append(rows)
    for tables in kinds.values():
        before = Certainty.from_knowledge(knowing(tables[0], (), 2))
        columns = [sorted({row[j] for row in tables[0]}) for j in range(3)]
        said = {j: tuple(range(len(values))) for j, values in enumerate(columns)}
        worst = max(Certainty.from_knowledge(knowing(rows, PAIRS, 2)).now.low for rows in tables)
        assert before.certain_people_after(PAIRS, said) == worst


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_band_holds_the_number(seed: int) -> None:
    """Where tables are not listed, at least and at most are right of the number that is exact."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(3, 12)), int(rng.integers(2, 4))
    rows = [tuple(int(v) for v in rng.integers(0, 3, 3)) for _ in range(n)]
    known = knowing(rows, PAIRS[: int(rng.integers(0, 4))], k)
    exact = Certainty.from_knowledge(known)
    if exact.tables is None:
        return
    from veilmix.analysis.trust import certain_cells

    band = certain_cells._band(known, exact.promised)
    assert band.low <= exact.now.low <= band.high


def test_too_many_cells_are_a_band() -> None:
    rows = [(i % 9, i % 8, i // 7) for i in range(40)]
    certainty = Certainty.from_knowledge(knowing(rows, PAIRS[:1], 2))
    assert certainty.tables is None
    assert 0 < certainty.now.low <= certainty.now.high <= 40
    assert certainty.certain_people_after(PAIRS, {}) == certainty.now.high
