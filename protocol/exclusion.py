"""What is known of people whose rows stayed closed, and which further groups are closed for it.

A value opens whole or not at all and domains are announced, so a blank person has none of the
opened values. A set of closed rows is a KNOWN SMALL CROWD if every table that gives the same view
has 1 to k - 1 people in it: of 28 "no" and 2 "yes" at k = 5 everybody knows that two said yes.

Who sees the sizes s of all closed rows of the domain (zeros included, z of them, L people):

    unsafe  if 0 < L < k, or if the z + 1 largest sizes sum to less than k

since rows that stay closed can be exchanged: of a rows the a smallest sizes are the least that they
can hold, the a largest the most, and z + 1 rows are the fewest that cannot all be empty. If that is
so and something is open, the smallest open group is closed too, and all others of its size; then L
and the second sum are at least k. (To close the first of equal groups by the order of the domain
would tell which one it was.) With prefixes the same holds at every open prefix, for the values that
may come next, and what is closed is that continuation of which least is lost: its people and all
cells open below it. If no continuation is open nothing can be closed: these people are exposed to
who sees the sizes.

Whoever sees the release alone knows only L, the number R of closed rows, and the rule:

    rule            known small crowd
    nothing more    0 < L < k, or L > (k - 1) (R - 1): each closed row holds somebody
    closed          none, but where nothing is open, R = 2 and L = k: each of the two holds somebody

The second line is what a listing of all small tables leaves (tests/protocol/test_exclusion.py). A
domain without end has no last row: there only 0 < L < k counts, and whoever has a list of values to
guess from knows more.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from .announcement import Policy
from .hiding import BLANK
from .messages import Counts
from .opened_prefixes import (
    Cell,
    by_prefixes,
    cell,
    closes_further,
    crowds,
    opened,
    prefix_of,
)
from .schema import Schema

Domains = Sequence[int | None]  # values of each column; None: without end
Sizes = Mapping[Cell, Sequence[int]]  # per open prefix, people in each closed group behind it


@dataclass(frozen=True, slots=True)
class Excluded:
    """What is known by exclusion of people whose rows stayed closed.

    Attributes:
        people: in known small crowds.
        cells: values of blank people that only one closed row, or value, leaves.
    """

    people: int
    cells: int


def domains_of(schema: Schema) -> Domains:
    """The number of values of each column; None where any text may be said."""
    return [None if feature.values is None else len(feature.values) for feature in schema.features]


def is_unsafe(sizes: Sequence[int], rows: int | None, k: int) -> bool:
    """Whether these closed rows hold a known small crowd, for a party that sees their sizes.

    Args:
        sizes: people in each closed row that somebody has.
        rows: closed rows of the domain, empty ones included; None: without end.
        k: people who open a group.
    """
    people = sum(sizes)
    if not people:
        return False
    if people < k:
        return True
    empty = None if rows is None else rows - len(sizes)
    return empty is not None and sum(sorted(sizes)[-empty - 1 :]) < k


def sizes_behind(rows: Counts, k: int, *, prefixes: bool) -> dict[Cell, list[int]]:
    """The sizes of closed groups behind each open prefix. rows: people by whole row."""
    shared = crowds(rows)
    sizes: dict[Cell, list[int]] = defaultdict(list)
    columns = len(next(iter(rows), ()))
    for prefix, people in shared.items():
        end = len(prefix)
        if end and people < k and (prefixes or end == columns):
            before = prefix[:-1] if prefixes else ()
            if not before or shared[before] >= k:
                sizes[before].append(people)
    return dict(sizes)


def close_further(
    released: Counts, sizes: Sizes, k: int, domains: Domains, *, prefixes: bool
) -> dict[Cell, int]:
    """Reader: what is published of the cells that opened.

    Args:
        released: people by what is open of their rows.
        sizes: people in each group that stayed closed, by the open prefix before it.
        k: people who open a group.
        domains: values of each column.
        prefixes: whether prefixes open, and not whole rows alone.
    """
    columns = len(domains)
    if prefixes:
        tree = _Tree(released, sizes, k, domains)
        tree.close((), 0)
        shut = tree.shut
    else:
        open_ = {shown: people for shown, people in released.items() if BLANK not in shown}
        closed = sizes.get((), ())
        unsafe = is_unsafe(closed, _rows_left(domains, len(open_)), k)
        least = min(open_.values(), default=0)
        shut = {shown for shown, people in open_.items() if unsafe and people == least}
    published: Counter[Cell] = Counter()
    for shown, people in released.items():
        said = prefix_of(shown)
        if not prefixes:
            said = () if said in shut else said
        else:
            ends = (end for end in range(1, len(said) + 1) if said[:end] in shut)
            said = said[: next(ends, len(said) + 1) - 1] if said else said
        published[cell(said, columns)] += people
    return dict(published)


def published_rows(rows: Counts, policy: Policy, schema: Schema) -> dict[Cell, int]:
    """Anybody who sees the table: what the reader publishes of it, by the announced rule."""
    prefixes = by_prefixes(policy.rule)
    cells = opened(rows, policy.k, prefixes=prefixes)
    if not closes_further(policy.rule):
        return cells
    sizes = sizes_behind(rows, policy.k, prefixes=prefixes)
    return close_further(cells, sizes, policy.k, domains_of(schema), prefixes=prefixes)


class _Tree:
    """The open prefixes of a release, closed from the leaves up where exclusion is unsafe."""

    def __init__(self, released: Counts, sizes: Sizes, k: int, domains: Domains) -> None:
        self.shared, self.sizes, self.k, self.domains = crowds(released), sizes, k, domains
        self.shut: set[Cell] = set()
        self.after: dict[Cell, list[Cell]] = defaultdict(list)
        for prefix in self.shared:
            if prefix:
                self.after[prefix[:-1]].append(prefix)

    def close(self, prefix: Cell, depth: int) -> int:
        """Return the cells that stay open behind a prefix, having closed what must be."""
        if depth == len(self.domains):
            return 0
        losses = {
            longer: self.shared[longer] + self.close(longer, depth + 1)
            for longer in self.after[prefix]
        }
        rows = _rows_left(_next(self.domains, depth), len(losses))
        if losses and is_unsafe(self.sizes.get(prefix, ()), rows, self.k):
            least = min(losses.values())
            self.shut |= {longer for longer, loss in losses.items() if loss == least}
        return sum(loss for longer, loss in losses.items() if longer not in self.shut)


def excluded(
    released: Counts, k: int, domains: Domains, *, prefixes: bool, closed: bool
) -> Excluded:
    """Anybody: what a release tells by exclusion. closed: whether its reader closes further groups.

    Cells count whatever the crowd: if all closed rows agree in a column, who is blank has it.
    """
    people = cells = 0
    for before, blank, open_ in _stops(released, prefixes=prefixes):
        rows = _rows_closed(domains, before, open_, prefixes=prefixes)
        if _is_known(blank, rows, k, opens=bool(open_), inner=bool(before), closed=closed):
            people += blank
        cells += blank * _columns_left(domains, len(before), open_, prefixes=prefixes)
    return Excluded(people, cells)


def known_to_reader(
    sizes: Sizes, released: Counts, k: int, domains: Domains, *, prefixes: bool
) -> int:
    """Reader: people in known small crowds, for a party that sees the sizes of closed groups.

    Of fewer than k people in all only their number is known: they count as nobody.

    released: what opened, before anything further is closed.
    """
    found = 0
    for before, _, open_ in _stops(released, prefixes=prefixes):
        rows = _rows_closed(domains, before, open_, prefixes=prefixes)
        closed = sizes.get(before, ())
        if (open_ or before or sum(closed) >= k) and is_unsafe(closed, rows, k):
            found += sum(closed)
    return found


def _stops(released: Counts, *, prefixes: bool) -> list[tuple[Cell, int, set[Cell]]]:
    """Where rows end short: the open prefix, people who end there, what is open behind it."""
    stops: Counter[Cell] = Counter()
    for shown, people in released.items():
        if BLANK in shown:
            stops[prefix_of(shown) if prefixes else ()] += people
    if not prefixes:
        open_ = {shown for shown in released if BLANK not in shown}
        return [((), stops[()], open_)] if stops[()] else []
    behind: dict[Cell, set[Cell]] = defaultdict(set)
    for prefix in crowds(released):
        if prefix:
            behind[prefix[:-1]].add(prefix)
    return [(before, people, behind[before]) for before, people in stops.items()]


def _is_known(
    blank: int, rows: int | None, k: int, *, opens: bool, inner: bool, closed: bool
) -> bool:
    """Whether everybody knows a small crowd among people who end at one prefix."""
    if 0 < blank < k and (opens or inner):
        return True
    if rows is None or (rows == 1 and not (opens or inner)):
        return False  # a domain without end, or of one value, which was known before
    if closed:
        return not opens and rows == 2 and blank == k
    return blank > (k - 1) * (rows - 1)


def _rows_left(domains: Domains, open_: int) -> int | None:
    """Rows of the domain that are not open; None: without end."""
    sizes = [size for size in domains if size is not None]
    return prod(sizes) - open_ if len(sizes) == len(domains) else None


def _next(domains: Domains, depth: int) -> Domains:
    """The domain of the one column that follows so many."""
    return domains[depth : depth + 1]


def _rows_closed(domains: Domains, before: Cell, open_: set[Cell], *, prefixes: bool) -> int | None:
    """Rows, or next values, that are not open behind a prefix; None: without end."""
    return _rows_left(_next(domains, len(before)) if prefixes else domains, len(open_))


def _columns_left(domains: Domains, start: int, open_: set[Cell], *, prefixes: bool) -> int:
    """Columns of which all closed rows have one value, of those that have more than one."""
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
        each = Counter(shown[column] for shown in open_)
        full = sum(rows == total // domain for rows in each.values())
        certain += domain - full == 1
    return certain
