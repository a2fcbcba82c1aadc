"""Leakage of a view where persons have several rows.

Every table of persons is equally likely before: each person has 1 to S different rows, of V
possible rows. With

    all(V)      log2 of the sum of C(V, s) over s = 1 .. S: the sets of rows of one person
    linked      a person whose sets of values A_j are known has at most all(prod |A_j|) left
    counts      c_r of n persons have the combination r of some columns, which W rows share:
                at most prod C(n, c_r) ways to deal the combinations, and all(S W) for each person

so that bits received are at least the difference. Bits are exact without any observation and where
nothing is left open. Certain cells are those of linked persons, and of columns in which all have
one value; there may be more.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import lgamma, log, log2, prod
from typing import TYPE_CHECKING

from ...protocol.record import SEVERAL, CountsSeen
from ...protocol.several_rows import people_among, without_dummies
from .best_guesses import Method
from .received_view import Received
from .view_arguments import as_sizes, as_view

if TYPE_CHECKING:
    from ...protocol.transcript import Row
    from ...protocol.view import View


def received_of_persons(view: "View", sizes: Sequence[int], rows: int) -> Received:
    """Compute the leakage of a view about persons with up to `rows` rows each.

    Args:
        view: observations of a coalition.
        sizes: the number of values of each column, at least 1.
        rows: the largest number of different rows of a person, at least 2.
    """
    view, sizes = as_view(view), as_sizes(sizes, view)
    n, columns, counted = view.users, len(sizes), (*view.counted,)
    known = view.pinned
    everybody = {column for columns_of in view.everybody.values() for column in columns_of}
    certain, largest = _certain_columns(counted, rows, n), prod(sizes)
    linked = n if everybody else len(known)
    cells = sum(len({*row, *certain}) for row in known.values()) + (n - len(known)) * len(
        everybody | certain
    )
    before = n * _log2_sets(largest, rows)
    by_links = sum(
        before / n - _log2_sets(min(largest, _possible_rows(row, sizes)), rows)
        for row in known.values()
    )
    bits = max([0.0, by_links, *(_bits(seen, sizes, rows, n) for seen in counted)])
    nothing = not known and not everybody and not counted
    crowds = _crowds(view, linked)
    return Received(
        tuple(sorted(view.parties)),
        n,
        n * columns,
        linked,
        cells,
        bits,
        nothing,
        min(crowds, default=n),
        sets=tuple(sorted(Counter(crowds).items())),
        method=Method.EXACT if nothing else Method.BOUNDED,
    )


def _possible_rows(row: "Row", sizes: Sequence[int]) -> int:
    """Return the number of rows with the known values of a person; unknown columns are open."""
    return prod(
        row[column].count(SEVERAL) + 1 if column in row else size
        for column, size in enumerate(sizes)
    )


def _certain_columns(counted: Sequence[CountsSeen], rows: int, n: int) -> set[int]:
    """Return the columns in which all n persons have the one value that occurs."""
    certain = set[int]()
    for seen in counted:
        cells = without_dummies(seen.counts)
        for place, column in enumerate(seen.columns):
            people = people_among(sum(seen.counts.values()), rows)
            values = {cell[place] for cell in cells}
            if len(values) == 1 and people == n:
                certain.add(column)
    return certain


def _bits(seen: CountsSeen, sizes: Sequence[int], rows: int, n: int) -> float:
    """Return a lower bound on the bits that counts tell about all persons."""
    people = people_among(sum(seen.counts.values()), rows)
    shared = prod(size for column, size in enumerate(sizes) if column not in seen.columns)
    dealt = sum(_log2_choose(people, many) for many in without_dummies(seen.counts).values())
    left = dealt + people * (_log2_sets(rows * shared, rows) if shared > 1 else 0.0)
    return min(people, n) * _log2_sets(prod(sizes), rows) - left


def _log2_choose(n: int, k: int) -> float:
    return (lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)) / log(2)


@lru_cache(maxsize=1 << 12)
def _log2_sets(possible: int, most: int) -> float:
    """Return log2 of the number of sets of 1 to `most` of so many rows."""
    total, ways = 0, 1
    for size in range(1, min(most, possible) + 1):
        ways = ways * (possible - size + 1) // size
        total += ways
    return log2(total)


def _crowds(view: "View", linked: int) -> list[int]:
    """Return the sizes of the anonymity sets: linked persons are alone, the rest by attendance."""
    if linked == view.users:
        return [1] * linked
    others = [person for person in range(view.users) if person not in view.pinned]
    if not view.sees_who or not view.came:
        return [1] * linked + ([len(others)] if others else [])
    rounds = sorted(view.came)
    alike = Counter(tuple(person in view.came[at] for at in rounds) for person in others)
    return [1] * linked + list(alike.values())
