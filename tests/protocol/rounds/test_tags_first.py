"""Counting tags first against the reader (decision 96): a listing of small sessions.

In round 1 each user sends the oblivious function of its row, the tag: the curator sees the sizes of
all tags and posts those that stay open. In round 2 a user with another tag sends a cover. The
curator's view: the sizes before, the release of round 2, and how many rows were covers there.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from crowds_kit import Table, is_crowd_known, tables
from veilmix.protocol.rounds.exclusion import is_unsafe


def open_rows(sizes: Table, k: int) -> frozenset[int]:
    """The rows that stay open, decided from sizes alone."""
    open_ = {row for row, people in enumerate(sizes) if people >= k}
    closed = [people for row, people in enumerate(sizes) if row not in open_ and people]
    if open_ and is_unsafe(closed, len(sizes) - len(open_), k):
        least = min(sizes[row] for row in open_)
        open_ -= {row for row in open_ if sizes[row] == least}
    return frozenset(open_)


def losses(sizes: Table, leavers: int) -> Iterator[Table]:
    """All ways in which so many users leave."""
    if not sizes:
        yield from [()] * (not leavers)
        return
    for gone in range(min(sizes[0], leavers) + 1):
        for rest in losses(sizes[1:], leavers - gone):
            yield (gone, *rest)


def sessions(n: int, rows: int, k: int, leavers: int) -> dict[Any, list[tuple[Table, Table]]]:
    """Released sessions by the curator's view: the sizes after, and who left of each row.

    Burned: fewer than k covers, or an open row that fewer than k still have.
    """
    views: dict[Any, list[tuple[Table, Table]]] = defaultdict(list)
    for before in tables(n, rows):
        open_ = open_rows(before, k)
        for gone in losses(before, leavers):
            after = tuple(had - left for had, left in zip(before, gone, strict=True))
            covers = sum(people for row, people in enumerate(after) if row not in open_)
            if not open_ or 0 < covers < k or any(after[row] < k for row in open_):
                continue
            tags = Counter((people, row in open_) for row, people in enumerate(before) if people)
            release = frozenset((row, after[row]) for row in open_), covers
            views[release, frozenset(tags.items())].append((after, gone))
    return views


def known(rows: int, k: int, leavers: int) -> tuple[int, int, int]:
    """Released sessions of up to nine users; with a known small crowd who stayed, or who left."""
    released = stayed = left = 0
    for n in range(k + 1, 10):
        for alike in sessions(n, rows, k, leavers).values():
            released += len(alike)
            stayed += len(alike) * is_crowd_known([after for after, _ in alike], k)
            left += len(alike) * is_crowd_known([gone for _, gone in alike], k)
    return released, stayed, left


@pytest.mark.parametrize(("rows", "k"), [(2, 2), (2, 3), (3, 2), (3, 3), (4, 2)])
def test_where_all_come_again_the_curator_knows_no_small_crowd(rows: int, k: int) -> None:
    released, stayed, _ = known(rows, k, 0)
    assert released > 10
    assert stayed == 0


@pytest.mark.parametrize(
    ("rows", "k", "leavers", "expected"),
    [
        (2, 2, 2, (42, 0, 6)),
        (3, 2, 2, (258, 0, 93)),
        (3, 2, 3, (223, 0, 97)),
        (3, 3, 3, (54, 0, 36)),
    ],
)
def test_where_some_leave_the_difference_tells_of_them(
    rows: int, k: int, leavers: int, expected: tuple[int, int, int]
) -> None:
    """The check of the covers protects users who stayed; of k leavers a smaller crowd is known."""
    assert known(rows, k, leavers) == expected
