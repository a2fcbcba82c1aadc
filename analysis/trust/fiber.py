"""All the contingency tables that some counts allow, each with its weight: exact where few.

N[k, x] is the number of people of crowd k in cell x. The counts and the sizes of the crowds are
sums of some of the N. Under a prior that draws every cell by itself, the labelled tables behind one
N have together the probability

    w(N) = prod_k n_k! prod_x p(x)^N[k, x] / N[k, x]!

so P(evidence) = sum_N w(N), and a person of crowd k is in cell x with probability E[N[k, x]] / n_k.
The tables are listed by a search that fixes one cell after the other; a cell that is the last of a
sum is forced. Cells are in the order of their columns, which leaves few cells free (of 2 x 2 x 2
with all pair counts, one).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, product
from math import exp, fsum, isfinite, lgamma, log, prod

from .evidence import Cell, Component, Count, Evidence, Law
from .side import Side

MOST_CELLS = 4_096  # cells of one fibre
MOST_STEPS = 60_000  # cells fixed in a search, about 0.3 s


@dataclass(frozen=True, slots=True)
class Fibre:
    """The tables of one component.

    Attributes:
        cells: cells[v]: crowd and cell of N[v].
        sums: sums[v]: the sums that N[v] is in, the one of its crowd first.
        totals: what each sum comes to. logs[v]: log p of its cell.
        logs: logs[v]: natural log of p of its cell.
        people: of each crowd.
    """

    cells: tuple[tuple[int, Cell], ...]
    sums: tuple[tuple[int, ...], ...]
    totals: tuple[int, ...]
    logs: tuple[float, ...]
    people: dict[int, int]


@dataclass(frozen=True, slots=True)
class Nats:
    """Information received about people's values, in nats: between low and high, both >= 0.

    The same where it is known; high is infinite where nothing bounds it from above.

    Attributes:
        low: at least 0.
        high: infinite where nothing bounds it from above.
    """

    low: float
    high: float

    @property
    def side(self) -> Side:
        """What `bits` is to the truth."""
        if self.low == self.high:
            return Side.EXACT
        return Side.AT_MOST if isfinite(self.high) else Side.AT_LEAST

    @property
    def bits(self) -> float:
        """In bits: at most so many where that is known, else at least so many."""
        return (self.high if isfinite(self.high) else self.low) / log(2)

    @classmethod
    def known(cls, nats: float) -> "Nats":
        """So many and no others."""
        return cls(nats, nats)


@dataclass(frozen=True, slots=True)
class Posterior:
    """What one component says of a person of each crowd.

    Attributes:
        columns: columns[k]: of which columns the cells of crowd k are.
        shares: shares[k]: probability of each cell that is possible.
        told: what is learnt of people's values here; `exact` is about the shares.
        exact: whether the shares are.
        error: largest standard error of a share, 0.0 where they are exact.
        agreement: Gelman and Rubin's ratio of the chains (1 if they agree), nan where nothing was
            sampled.
        proven: where sampled, the (crowd, column) in which only one value is possible; None: those
            in which `shares` holds only one.
    """

    columns: dict[int, tuple[int, ...]]
    shares: dict[int, dict[Cell, float]]
    told: Nats
    exact: bool = True
    error: float = 0.0
    agreement: float = float("nan")
    proven: frozenset[tuple[int, int]] | None = None

    @property
    def sampled(self) -> bool:
        """Whether shares are estimates."""
        return self.proven is not None


def fibre(evidence: Evidence, component: Component) -> Fibre | None:
    """The tables that a component's counts allow; None if they have too many cells."""
    cells: list[tuple[int, Cell]] = []
    for crowd, columns in component.columns.items():
        room = MOST_CELLS - len(cells)
        some = possible(evidence, component, crowd, columns, room)
        if some is None:
            return None
        cells += [(crowd, cell) for cell in some]
    number: dict[tuple[int, Cell], int] = {}
    totals: list[int] = []
    people = {crowd: evidence.crowds[crowd].people for crowd in component.columns}
    for crowd, size in people.items():
        number[-1 - crowd, ()] = len(totals)
        totals.append(size)
    for place, count in enumerate(component.counts):
        for cell, size in count.left.items():
            number[place, cell] = len(totals)
            totals.append(size)
    sums = []
    for crowd, cell in cells:
        at = component.columns[crowd]
        held = dict(zip(at, cell, strict=True))
        sums.append(
            (
                number[-1 - crowd, ()],
                *(
                    number[place, count.cell([held[column] for column in count.columns])]
                    for place, count in enumerate(component.counts)
                    if crowd in count.crowds
                ),
            )
        )
    logs = tuple(log_prior(evidence.laws, component.columns[crowd], cell) for crowd, cell in cells)
    return Fibre(tuple(cells), tuple(sums), tuple(totals), logs, people)


def log_prior(laws: tuple[Law, ...], columns: tuple[int, ...], cell: Cell) -> float:
    """Log of the prior share of a cell; -inf if it has none."""
    shares = [laws[column][value] for column, value in zip(columns, cell, strict=True)]
    return fsum(map(log, shares)) if min(shares, default=1) > 0 else -float("inf")


def possible(
    evidence: Evidence, component: Component, crowd: int, columns: tuple[int, ...], most: int
) -> list[Cell] | None:
    """The cells that people of a crowd may be in, in order; None if more than `most`."""
    allowed = evidence.crowds[crowd].allowed
    counted = [count for count in component.counts if crowd in count.crowds]
    domains = [_domain(evidence, counted, crowd, column) for column in columns]
    if prod(map(len, domains)) > 64 * MOST_CELLS:
        return None
    # A column by itself has been looked at; what is left are counts and rows of several together.
    sums = [([columns.index(column) for column in count.columns], count) for count in counted]
    tests = [
        ([columns.index(column) for column in some.columns], some.cells)
        for some in allowed
        if set(some.columns) <= set(columns)
    ]
    fitting = (
        cell
        for cell in product(*domains)
        if all(tuple(cell[place] for place in places) in held for places, held in tests)
        and all(
            count.cell([cell[place] for place in places]) in count.left for places, count in sums
        )
    )
    within = list(islice(fitting, most + 1))
    return within if len(within) <= most else None


def _domain(evidence: Evidence, counted: Iterable[Count], crowd: int, column: int) -> list[int]:
    """The values of one column that a crowd may have, by what is known of that column alone."""
    about = evidence.crowds[crowd]
    known = dict(about.known)
    if column in known:
        values = {known[column]}
    else:
        values = {value for value, share in enumerate(evidence.laws[column]) if share > 0}
    for count in counted:
        if column in count.columns:
            place = count.columns.index(column)
            labels = {cell[place] for cell in count.left}
            values = {value for value in values if count.label(place, value) in labels}
    for some in about.allowed:
        if column in some.columns:
            place = some.columns.index(column)
            values &= {cell[place] for cell in some.cells}
    return sorted(values)


def listed(tables: Fibre, steps: int = MOST_STEPS) -> tuple[list[tuple[int, ...]], list[float]]:
    """Every table and the log of its weight; TooManyTables if the search takes more steps."""
    whole = fsum(lgamma(size + 1) for size in tables.people.values())
    solutions: list[tuple[int, ...]] = []
    weights: list[float] = []
    for table in _search(tables, steps):
        weight = whole + fsum(
            n * p - lgamma(n + 1) for n, p in zip(table, tables.logs, strict=True) if n
        )
        solutions.append(table)
        weights.append(weight)
    return solutions, weights


def log_multinomial(counts: Iterable[int]) -> float:
    """Log of n! / (c_1! c_2! ...), the number of ways to deal people into cells; 0.0 for one."""
    held = sorted(number for number in counts if number > 0)  # the same digits in every order
    if len(held) < 2:
        return 0.0
    return lgamma(sum(held) + 1) - fsum(lgamma(number + 1) for number in held)


class TooManyTables(Exception):
    """There are more tables than can be listed."""


def _search(tables: Fibre, steps: int) -> Iterator[tuple[int, ...]]:
    """Yield every table, by fixing cell after cell and going back where a sum does not come out."""
    size = len(tables.cells)
    left = list(tables.totals)
    open_ = [0] * len(left)  # cells of a sum that are not fixed yet
    for sums in tables.sums:
        for margin in sums:
            open_[margin] += 1
    if any(total and not cells for total, cells in zip(left, open_, strict=True)):
        return
    table = [-1] * size
    least = [0] * size
    at = 0
    while at >= 0:
        if at == size:
            yield tuple(table)
            at -= 1
            continue
        steps -= 1
        if steps < 0:
            raise TooManyTables
        sums = tables.sums[at]
        if table[at] < 0:  # first time here: the largest value that fits, down to the least
            for margin in sums:
                open_[margin] -= 1
            value = min(left[margin] for margin in sums)
            least[at] = max((left[margin] for margin in sums if not open_[margin]), default=0)
        else:
            for margin in sums:
                left[margin] += table[at]
            value = table[at] - 1
        if value < least[at]:
            for margin in sums:
                open_[margin] += 1
            table[at] = -1
            at -= 1
            continue
        table[at] = value
        for margin in sums:
            left[margin] -= value
        at += 1


def enumerated(tables: Fibre, columns: dict[int, tuple[int, ...]], evidence: Evidence) -> Posterior:
    """The exact posterior from all tables; TooManyTables if they are too many."""
    solutions, weights = listed(tables)
    if not solutions:
        raise NoTable
    top = max(weights)
    shares = [exp(weight - top) for weight in weights]
    whole = fsum(shares)
    result: dict[int, dict[Cell, float]] = {crowd: {} for crowd in tables.people}
    for place, (crowd, cell) in enumerate(tables.cells):
        people = tables.people[crowd]
        held = [(share, table[place]) for share, table in zip(shares, solutions, strict=True)]
        if any(n for _, n in held):
            result[crowd][cell] = (
                1.0
                if all(n == people for _, n in held)
                else fsum(share * n for share, n in held) / whole / people
            )
    told = -top - log(whole)
    if evidence.coined.intersection(column for some in columns.values() for column in some):
        told = _of_values(tables, columns, evidence, solutions, [share / whole for share in shares])
    return Posterior(columns, result, Nats.known(max(told, 0.0)))


def _of_values(
    tables: Fibre,
    columns: dict[int, tuple[int, ...]],
    evidence: Evidence,
    solutions: list[tuple[int, ...]],
    shares: list[float],
) -> float:
    """What the tables tell of values, where several states have one: people's coins are not values.

    The divergence of posterior from prior of the table V[k, values], sums of N[k, x]:

        sum_V P(V) log( P(V) / w(V) ),    w(V) = prod_k n_k! prod_v p(v)^V[k, v] / V[k, v]!
    """
    places: dict[tuple[int, Cell], int] = {}
    at = [
        places.setdefault((crowd, evidence.held(columns[crowd], cell)), len(places))
        for crowd, cell in tables.cells
    ]
    logs = [log_prior(evidence.shares, columns[crowd], cell) for crowd, cell in places]
    likely: dict[tuple[int, ...], float] = {}
    for table, share in zip(solutions, shares, strict=True):
        held = [0] * len(places)
        for place, people in zip(at, table, strict=True):
            held[place] += people
        key = tuple(held)
        likely[key] = likely.get(key, 0.0) + share
    whole = fsum(lgamma(size + 1) for size in tables.people.values())

    def before(held: tuple[int, ...]) -> float:
        return whole + fsum(n * p - lgamma(n + 1) for n, p in zip(held, logs, strict=True) if n)

    return fsum(p * (log(p) - before(held)) for held, p in likely.items() if p)


class NoTable(Exception):
    """No table agrees with all that is known."""
