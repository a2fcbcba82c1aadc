"""Exclusion: knowledge about people with unopened rows, and how the analyst limits this knowledge.

In the program `threshold`, a row or its first values (a prefix) open for the analyst only if at
least k people share them. People of a closed (unopened) row form a group; its row is unknown.

A value opens for all its people or for no person, and domains are announced. So a person without an
opened row has none of the opened values. A set of closed rows is a KNOWN SMALL CROWD if every table
that gives the same view has 1 to k - 1 people in it. For example, let k = 5 and let the domain
be yes and no. If 28 people are known to answer no and 2 rows are unopened, two people answered yes.

The analyst sees the sizes s of all closed rows of the domain; z of them are zero, and L is their
sum. The sizes are

    unsafe  if 0 < L < k, or if the z + 1 largest sizes sum to less than k

because closed rows can be exchanged. The number of people in any a rows lies between the sums of
the a smallest and of the a largest sizes. And z + 1 is the smallest number of rows that cannot all
be empty. If the sizes are unsafe and a group is open, the smallest open groups are withheld from
the release (closed), too. Then L and the second sum are at least k. (All open groups of the
smallest size are closed. Closing only the first of them in the order of the domain would reveal
which group it was.)

If prefixes open, the same holds for the next values after every open prefix. Then the continuation
with the least loss is closed; its loss is its people, and all opened values after it. If no
continuation is open, no group can be closed: these people are exposed to the analyst.

A party that sees only the release knows L, the number R of closed rows, and whether the analyst
closes further groups:

    rule            known small crowd
    not closed      0 < L < k, or L > (k - 1) (R - 1): each closed row holds a person
    closed          none, except if no row is open, R = 2 and L = k: each row holds a person

The second line was found by enumerating all small tables (tests/protocol/rounds/test_exclusion.py).
In an infinite domain some rows are always left: there only 0 < L < k counts, and an attacker with a
list of likely values knows more.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from ..wire.announcement import AnnouncedPolicy
from ..wire.hiding_rules import BLANK
from ..wire.messages import Counts
from ..wire.schema import Schema
from .opened_prefixes import Cell, by_prefixes, cell, closes_further, crowds, opened, prefix_of

Domains = Sequence[int | None]  # number of values of each column; None: infinite
# opened first values of a row -> sizes of the groups with equal, unopened values after them
Sizes = Mapping[Cell, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Excluded:
    """The numbers of people and cells known by exclusion: decrypted values rule out other values.

    Attributes:
        people: number of people in known small crowds: 1 to k - 1 people with rows that stay
            encrypted, because fewer than k people share them.
        cells: number of cells with only one possible value left, of people without a decrypted row.
    """

    people: int
    cells: int


def domains_of(schema: Schema) -> Domains:
    """Return the number of values of each column; None if its domain is infinite."""
    return [None if feature.values is None else len(feature.values) for feature in schema.features]


def is_unsafe(sizes: Sequence[int], rows: int | None, k: int) -> bool:
    """Whether these unopened rows hold a known small crowd, for a party that sees their sizes.

    A known small crowd is a set of rows with surely 1 to k - 1 people.

    Args:
        sizes: people in each unopened row that is not empty.
        rows: number of unopened rows in the domain, with empty rows; None: an infinite domain.
        k: the number of people that opens a group.
    """
    people = sum(sizes)
    if not people:
        return False
    if people < k:
        return True
    empty = None if rows is None else rows - len(sizes)
    return empty is not None and sum(sorted(sizes)[-empty - 1 :]) < k


def sizes_behind(rows: Counts, k: int, *, prefixes: bool) -> dict[Cell, list[int]]:
    """Return, by opened prefix, the sizes of the unopened groups that continue it.

    A prefix is the first values of a row; it opens if at least k people share it. rows: people by
    whole row. prefixes: False: only whole rows open, and the only key is the empty prefix.
    """
    shared = crowds(rows)
    sizes: dict[Cell, list[int]] = defaultdict(list)
    columns = len(next(iter(rows), ()))
    for prefix, people in shared.items():
        end = len(prefix)
        if end and people < k and (prefixes or end == columns):
            parent = prefix[:-1] if prefixes else ()
            if not parent or shared[parent] >= k:
                sizes[parent].append(people)
    return dict(sizes)


def close_further(
    released: Counts, sizes: Sizes, k: int, domains: Domains, *, prefixes: bool
) -> dict[Cell, int]:
    """Analyst: return the cells to publish, with people, after withholding further groups.

    A value opens if k people share it. Without withholding some opened values, the others would
    reveal small groups by exclusion.

    Args:
        released: people by the opened part of their rows.
        sizes: by opened prefix (first values of a row), the sizes of the unopened groups after it.
        k: the number of people that opens a group.
        domains: number of values of each column.
        prefixes: whether prefixes open, and not whole rows alone.
    """
    columns = len(domains)
    if prefixes:
        tree = _Tree(released, sizes, k, domains)
        tree.close((), 0)
        shut = tree.shut
    else:
        open_ = {row: people for row, people in released.items() if BLANK not in row}
        closed = sizes.get((), ())
        unsafe = is_unsafe(closed, _rows_left(domains, len(open_)), k)
        smallest_group = min(open_.values(), default=0)
        shut = {row for row, people in open_.items() if unsafe and people == smallest_group}
    published: Counter[Cell] = Counter()
    for row, people in released.items():
        prefix = prefix_of(row)
        if not prefixes:
            prefix = () if prefix in shut else prefix
        else:
            ends = (end for end in range(1, len(prefix) + 1) if prefix[:end] in shut)
            prefix = prefix[: next(ends, len(prefix) + 1) - 1] if prefix else prefix
        published[cell(prefix, columns)] += people
    return dict(published)


def published_rows(rows: Counts, policy: AnnouncedPolicy, schema: Schema) -> dict[Cell, int]:
    """Any party that sees the table: return the counts that the analyst releases in `threshold`.

    Only values of k people or more are named. If the announced rule says so, the analyst also
    withholds values that would reveal small groups by exclusion. rows: people by whole row.
    """
    prefixes = by_prefixes(policy.rule)
    cells = opened(rows, policy.k, prefixes=prefixes)
    if not closes_further(policy.rule):
        return cells
    sizes = sizes_behind(rows, policy.k, prefixes=prefixes)
    return close_further(cells, sizes, policy.k, domains_of(schema), prefixes=prefixes)


class _Tree:
    """The tree of opened prefixes of a release, from which unsafe prefixes are withheld.

    A prefix is the first values of a row; its children are the prefixes that are one value longer.
    A prefix is withheld if the opened values would reveal that fewer than k people have some
    unopened values.
    """

    def __init__(self, released: Counts, sizes: Sizes, k: int, domains: Domains) -> None:
        """Build the tree of all opened prefixes (first values of rows).

        released: people by the opened part of their rows. sizes: by opened prefix, the sizes of the
        unopened groups after it. k: the number of people that opens a group.
        """
        self.shared, self.sizes, self.k, self.domains = crowds(released), sizes, k, domains
        self.shut: set[Cell] = set()
        self.children: dict[Cell, list[Cell]] = defaultdict(list)
        for prefix in self.shared:
            if prefix:
                self.children[prefix[:-1]].append(prefix)

    def close(self, prefix: Cell, depth: int) -> int:
        """Withhold the next values after a prefix that would reveal small groups, deepest first.

        A withheld value goes into `shut`. depth: number of values in the prefix.

        Returns:
            The number of opened (person, column) values after the prefix that are not withheld.
        """
        if depth == len(self.domains):
            return 0
        losses = {
            longer: self.shared[longer] + self.close(longer, depth + 1)
            for longer in self.children[prefix]
        }
        rows = _rows_left(_next(self.domains, depth), len(losses))
        if losses and is_unsafe(self.sizes.get(prefix, ()), rows, self.k):
            smallest_loss = min(losses.values())
            self.shut |= {longer for longer, loss in losses.items() if loss == smallest_loss}
        return sum(loss for longer, loss in losses.items() if longer not in self.shut)


def excluded(
    released: Counts, k: int, domains: Domains, *, prefixes: bool, closed: bool
) -> Excluded:
    """Any party: return the numbers of people and cells that a release reveals by exclusion.

    A person without an opened row has none of the opened values. If all rows that are left agree in
    a column, the person's cell in it is certain, whatever the size of the crowd.

    released: people by the opened part of their rows. k: the number of people that opens a value.
    closed: whether the analyst withholds further groups against exclusion. prefixes: whether rows
    open value by value.
    """
    people = cells = 0
    for open_prefix, blank, open_ in _stops(released, prefixes=prefixes):
        rows = _rows_closed(domains, open_prefix, open_, prefixes=prefixes)
        if _is_known(blank, rows, k, opens=bool(open_), inner=bool(open_prefix), closed=closed):
            people += blank
        cells += blank * _columns_left(domains, len(open_prefix), open_, prefixes=prefixes)
    return Excluded(people, cells)


def known_to_reader(
    sizes: Sizes, released: Counts, k: int, domains: Domains, *, prefixes: bool
) -> int:
    """Analyst: return the number of people in known small crowds, from sizes of closed groups.

    A known small crowd is a set of rows with surely 1 to k - 1 people. If no row is open and fewer
    than k people answered, the analyst learns only their number; they do not count.

    sizes: by opened prefix (first values of a row), the sizes of the unopened groups after it.
    released: people by the opened part of their rows, before the analyst withholds groups. k: the
    number of people that opens a row. prefixes: whether rows open value by value.
    """
    total = 0
    for open_prefix, _, open_ in _stops(released, prefixes=prefixes):
        rows = _rows_closed(domains, open_prefix, open_, prefixes=prefixes)
        closed = sizes.get(open_prefix, ())
        if (open_ or open_prefix or sum(closed) >= k) and is_unsafe(closed, rows, k):
            total += sum(closed)
    return total


def _stops(released: Counts, *, prefixes: bool) -> list[tuple[Cell, int, set[Cell]]]:
    """Return the opened prefixes after which some rows did not open further.

    A prefix is the first values of a row; it opens if k people share it.

    Returns:
        For each such prefix: the prefix, the number of people with rows that open no further, and
            the opened prefixes that are one value longer (or opened rows, if only whole rows open).
    """
    stops: Counter[Cell] = Counter()
    for row, people in released.items():
        if BLANK in row:
            stops[prefix_of(row) if prefixes else ()] += people
    if not prefixes:
        open_ = {row for row in released if BLANK not in row}
        return [((), stops[()], open_)] if stops[()] else []
    behind: dict[Cell, set[Cell]] = defaultdict(set)
    for prefix in crowds(released):
        if prefix:
            behind[prefix[:-1]].add(prefix)
    return [(open_prefix, people, behind[open_prefix]) for open_prefix, people in stops.items()]


def _is_known(
    blank: int, rows: int | None, k: int, *, opens: bool, inner: bool, closed: bool
) -> bool:
    """Whether a small crowd is known among the people whose rows open no further than one prefix.

    A prefix is the first values of a row; it opens if at least k people share it. blank: the number
    of these people. rows: number of unopened continuations; None: infinite. opens: whether a
    continuation is open. inner: whether the prefix is not empty. closed: whether the analyst
    withholds further groups.
    """
    if 0 < blank < k and (opens or inner):
        return True
    if rows is None or (rows == 1 and not (opens or inner)):
        # no value is ruled out: the domain is infinite, or its only value was known before
        return False
    if closed:
        return not opens and rows == 2 and blank == k
    return blank > (k - 1) * (rows - 1)


def _rows_left(domains: Domains, open_: int) -> int | None:
    """Return the number of possible rows that stay encrypted; None: infinite.

    The analyst can open a row only if at least k people share it. open_: the number of opened rows.
    """
    sizes = [size for size in domains if size is not None]
    return prod(sizes) - open_ if len(sizes) == len(domains) else None


def _next(domains: Domains, depth: int) -> Domains:
    """Return a list with the domain of the column number `depth`, from 0.

    The list is empty after the last column.
    """
    return domains[depth : depth + 1]


def _rows_closed(
    domains: Domains, open_prefix: Cell, open_: set[Cell], *, prefixes: bool
) -> int | None:
    """Return the number of unopened values that can follow an opened prefix; None: infinite.

    A prefix is the first values of a row. If only whole rows open, the number of unopened rows.
    open_: the opened prefixes that are one value longer, or the opened rows.
    """
    return _rows_left(_next(domains, len(open_prefix)) if prefixes else domains, len(open_))


def _columns_left(domains: Domains, start: int, open_: set[Cell], *, prefixes: bool) -> int:
    """Return the number of columns in which the unopened rows all have one value.

    Then a person without an opened row has this value for certain. Only columns with more than one
    value in their domain, from `start` on, count. open_: the opened rows, or opened continuations
    of a prefix.
    """
    if prefixes:
        domain = domains[start]
        return int(domain is not None and domain > 1 and domain - len(open_) == 1)
    total = _rows_left(domains, 0)
    if total is None:
        return 0
    certain = 0
    for column, domain in enumerate(domains):
        if domain is None or domain < 2:
            continue
        each = Counter(row[column] for row in open_)
        full = sum(rows == total // domain for rows in each.values())
        certain += domain - full == 1
    return certain
