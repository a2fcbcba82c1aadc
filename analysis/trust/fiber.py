"""The fiber: all contingency tables consistent with some counts, each with its weight, if few.

A crowd is the people with equal evidence in a coalition's view. N[k, x] is the number of people of
crowd k in cell x, and n_k the size of the crowd. The counts, and the sizes of the crowds, are sums
over some N[k, x]. The prior draws every cell independently; p(x) is the prior probability of cell
x. All labelled tables (a row for each named person) with the same N have together the probability

    w(N) = prod_k n_k! prod_x p(x)^N[k, x] / N[k, x]!

so P(evidence) = sum_N w(N), and a person of crowd k is in cell x with probability E[N[k, x]] / n_k.

A search lists the tables N. It fixes the number of people in cell after cell; the last cell of a
sum is forced. Cells are in the order of their columns, which leaves few cells free: a single cell
of 2 x 2 x 2, given all pair counts.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, product
from math import exp, fsum, isfinite, lgamma, log, prod

from ...deprecated import keeps_old
from .evidence import Cell, Component, Evidence, Law, OpenCount
from .side import Side

# most cells of a fiber (the set of tables consistent with the evidence); else bounds only
MOST_CELLS = 4_096
# Most steps of the search for consistent tables, each of which fixes a cell: about 0.3 s. If the
# search takes more steps, tables are sampled instead.
MOST_STEPS = 60_000


@dataclass(frozen=True, slots=True)
class Fibre:
    """The sums that every table of a fiber must meet, and the cells of these tables.

    A fiber is the set of tables consistent with a part of the evidence. A crowd is the people with
    equal evidence. N[v] is the number of people of one crowd in one cell.

    Attributes:
        cells: cells[v]: crowd and cell of N[v].
        sums: sums[v]: indices of the sums that include N[v], first the size of its crowd.
        totals: the total of each sum.
        logs: logs[v]: natural log of the prior probability of the cell of N[v].
        people: number of people of each crowd.
    """

    cells: tuple[tuple[int, Cell], ...]
    sums: tuple[tuple[int, ...], ...]
    totals: tuple[int, ...]
    logs: tuple[float, ...]
    people: dict[int, int]


@dataclass(frozen=True, slots=True)
class Nats:
    """Leakage about people's values, in nats: between low and high, both >= 0.

    Attributes:
        low: lower bound; equal to `high` if the leakage is known exactly.
        high: upper bound; infinite if there is no upper bound.
    """

    low: float
    high: float

    @property
    def side(self) -> Side:
        """Relation of `bits` to the true leakage: exact, an upper bound or a lower bound."""
        if self.low == self.high:
            return Side.EXACT
        return Side.AT_MOST if isfinite(self.high) else Side.AT_LEAST

    @property
    def bits(self) -> float:
        """The leakage in bits: the upper bound if it is finite, else the lower bound."""
        return (self.high if isfinite(self.high) else self.low) / log(2)

    @classmethod
    def exactly(cls, nats: float) -> "Nats":
        """Return an exactly known leakage."""
        return cls(nats, nats)


@keeps_old(told="leakage")
@dataclass(frozen=True, slots=True)
class CrowdPosterior:
    """The posterior of a person's cell, for each crowd of a component.

    A crowd is the people with equal evidence, a component an independent part of the evidence.

    Attributes:
        columns: columns[k]: the columns of the cells of crowd k.
        shares: shares[k]: posterior probability of each possible cell.
        leakage: leakage about people's values in this component.
        exact: whether these probabilities are exact.
        error: largest standard error of a probability, 0.0 if they are exact.
        agreement: Gelman and Rubin's ratio of the Markov chains (1 if they agree), nan without
            sampling.
        proven: if sampled, the (crowd, column) pairs with only one possible value; None: not
            sampled, so `shares` holds all possible values.
    """

    columns: dict[int, tuple[int, ...]]
    shares: dict[int, dict[Cell, float]]
    leakage: Nats
    exact: bool = True
    error: float = 0.0
    agreement: float = float("nan")
    proven: frozenset[tuple[int, int]] | None = None

    @property
    def sampled(self) -> bool:
        """Whether the posterior probabilities are estimates from Markov chains.

        Then `proven` is set: the pairs of a crowd and a column with only one possible value.
        """
        return self.proven is not None


def fibre(evidence: Evidence, component: Component) -> Fibre | None:
    """Return the sums that every table consistent with a component must meet.

    A component is an independent part of the evidence. None if its tables have too many cells.
    """
    cells: list[tuple[int, Cell]] = []
    for crowd, columns in component.columns.items():
        room = MOST_CELLS - len(cells)
        cells_of_crowd = possible(evidence, component, crowd, columns, room)
        if cells_of_crowd is None:
            return None
        cells += [(crowd, cell) for cell in cells_of_crowd]
    number: dict[tuple[int, Cell], int] = {}
    totals: list[int] = []
    people = {crowd: evidence.crowds[crowd].people for crowd in component.columns}
    for crowd, size in people.items():
        number[-1 - crowd, ()] = len(totals)
        totals.append(size)
    for place, count in enumerate(component.counts):
        for cell, size in count.unexplained.items():
            number[place, cell] = len(totals)
            totals.append(size)
    sums = []
    for crowd, cell in cells:
        at = component.columns[crowd]
        cell_values = dict(zip(at, cell, strict=True))
        sums.append(
            (
                number[-1 - crowd, ()],
                *(
                    number[place, count.cell([cell_values[column] for column in count.columns])]
                    for place, count in enumerate(component.counts)
                    if crowd in count.crowds
                ),
            )
        )
    logs = tuple(log_prior(evidence.laws, component.columns[crowd], cell) for crowd, cell in cells)
    return Fibre(tuple(cells), tuple(sums), tuple(totals), logs, people)


def log_prior(laws: tuple[Law, ...], columns: tuple[int, ...], cell: Cell) -> float:
    """Return the natural log of a cell's prior probability; -inf if it is 0.

    laws: per column, the prior share of each value. cell: a value for each of the columns.
    """
    shares = [laws[column][value] for column, value in zip(columns, cell, strict=True)]
    return fsum(map(log, shares)) if min(shares, default=1) > 0 else -float("inf")


def possible(
    evidence: Evidence, component: Component, crowd: int, columns: tuple[int, ...], max_cells: int
) -> list[Cell] | None:
    """Return the cells that people of a crowd may be in, ascending.

    A crowd is the people with equal evidence. A cell is possible if the prior, known and allowed
    values, and every count of the component admit it. None if there are more than `max_cells`, or
    too many to test.
    """
    allowed_cells = evidence.crowds[crowd].allowed
    crowd_counts = [count for count in component.counts if crowd in count.crowds]
    domains = [_domain(evidence, crowd_counts, crowd, column) for column in columns]
    if prod(map(len, domains)) > 64 * MOST_CELLS:
        return None
    # _domain has tested single columns, so only statements about several columns are tested here.
    sums = [([columns.index(column) for column in count.columns], count) for count in crowd_counts]
    tests = [
        (
            [columns.index(column) for column in allowed_cells_of_columns.columns],
            allowed_cells_of_columns.cells,
        )
        for allowed_cells_of_columns in allowed_cells
        if set(allowed_cells_of_columns.columns) <= set(columns)
    ]
    fitting = (
        cell
        for cell in product(*domains)
        if all(
            tuple(cell[place] for place in places) in allowed_values
            for places, allowed_values in tests
        )
        and all(
            count.cell([cell[place] for place in places]) in count.unexplained
            for places, count in sums
        )
    )
    possible_cells = list(islice(fitting, max_cells + 1))
    return possible_cells if len(possible_cells) <= max_cells else None


def _domain(
    evidence: Evidence, crowd_counts: Iterable[OpenCount], crowd: int, column: int
) -> list[int]:
    """Return a crowd's possible values of a column, from evidence on that column alone.

    A crowd is the people with equal evidence. crowd_counts: the counts that include the crowd.
    """
    about = evidence.crowds[crowd]
    known_values = dict(about.known_values)
    if column in known_values:
        values = {known_values[column]}
    else:
        values = {value for value, share in enumerate(evidence.laws[column]) if share > 0}
    for count in crowd_counts:
        if column in count.columns:
            place = count.columns.index(column)
            labels = {cell[place] for cell in count.unexplained}
            values = {value for value in values if count.label(place, value) in labels}
    for allowed_cells in about.allowed:
        if column in allowed_cells.columns:
            place = allowed_cells.columns.index(column)
            values &= {cell[place] for cell in allowed_cells.cells}
    return sorted(values)


def listed(tables: Fibre, steps: int = MOST_STEPS) -> tuple[list[tuple[int, ...]], list[float]]:
    """Return every consistent table and the natural log of its weight (prior probability).

    tables: the sums that consistent tables must meet. steps: limit of the search.

    Raises:
        TooManyTables: the search takes more steps.
    """
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
    """Return the natural log of n! / (c_1! c_2! ...), the ways to deal n people into cells.

    counts: the numbers c_1, c_2, ... of people in the cells; n is their sum.
    """
    # sorted, so that the order of the counts does not change the last digits of the sum
    positive = sorted(number for number in counts if number > 0)
    if len(positive) < 2:
        return 0.0
    return lgamma(sum(positive) + 1) - fsum(lgamma(number + 1) for number in positive)


class TooManyTables(Exception):
    """Raised if there are more consistent tables than can be listed."""


def _search(tables: Fibre, steps: int) -> Iterator[tuple[int, ...]]:
    """Yield every consistent table: fix cell after cell, and backtrack if a sum cannot be met.

    tables: the sums that consistent tables must meet. steps: limit of the search.

    Raises:
        TooManyTables: the search takes more steps.
    """
    size = len(tables.cells)
    totals_left = list(tables.totals)
    open_ = [0] * len(totals_left)  # number of cells of each sum that are not fixed yet
    for sums in tables.sums:
        for margin in sums:
            open_[margin] += 1
    if any(total and not cells for total, cells in zip(totals_left, open_, strict=True)):
        return
    # The last cell of a sum must take all people that the total of the sum still lacks;
    # `lower_limits` holds this number for each cell. No cell takes more people than any of its sums
    # lacks. So each complete table meets every sum.
    table = [-1] * size
    lower_limits = [0] * size
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
        if table[at] < 0:  # first visit of the cell: the largest value that fits is tried first
            for margin in sums:
                open_[margin] -= 1
            value = min(totals_left[margin] for margin in sums)
            lower_limits[at] = max(
                (totals_left[margin] for margin in sums if not open_[margin]), default=0
            )
        else:
            for margin in sums:
                totals_left[margin] += table[at]
            value = table[at] - 1
        if value < lower_limits[at]:
            for margin in sums:
                open_[margin] += 1
            table[at] = -1
            at -= 1
            continue
        table[at] = value
        for margin in sums:
            totals_left[margin] -= value
        at += 1


def enumerated(
    tables: Fibre, columns: dict[int, tuple[int, ...]], evidence: Evidence
) -> CrowdPosterior:
    """Return the exact posterior of a component by listing all its consistent tables.

    A component is an independent part of the evidence. columns: the columns of each crowd (people
    with equal evidence) in it.

    Raises:
        TooManyTables: there are more tables than can be listed.
        NoTable: no table is consistent.
    """
    solutions, weights = listed(tables)
    if not solutions:
        raise NoTable
    top = max(weights)
    shares = [exp(weight - top) for weight in weights]
    whole = fsum(shares)
    result: dict[int, dict[Cell, float]] = {crowd: {} for crowd in tables.people}
    for place, (crowd, cell) in enumerate(tables.cells):
        people = tables.people[crowd]
        weighted_people = [
            (share, table[place]) for share, table in zip(shares, solutions, strict=True)
        ]
        if any(n for _, n in weighted_people):
            result[crowd][cell] = (
                1.0
                if all(n == people for _, n in weighted_people)
                else fsum(share * n for share, n in weighted_people) / whole / people
            )
    leakage = -top - log(whole)
    if evidence.coined.intersection(
        column for crowd_columns in columns.values() for column in crowd_columns
    ):
        leakage = _value_leakage(
            tables, columns, evidence, solutions, [share / whole for share in shares]
        )
    return CrowdPosterior(columns, result, Nats.exactly(max(leakage, 0.0)))


def _value_leakage(
    tables: Fibre,
    columns: dict[int, tuple[int, ...]],
    evidence: Evidence,
    solutions: list[tuple[int, ...]],
    shares: list[float],
) -> float:
    """Return the leakage about values alone (nats), if values may be suppressed at random.

    Whether a value is suppressed does not reveal the value. The leakage is the divergence of
    posterior from prior of the table V[k, values], the people of crowd k with each combination of
    values:

        sum_V P(V) log( P(V) / w(V) ),    w(V) = prod_k n_k! prod_v p(v)^V[k, v] / V[k, v]!

    P is the posterior, w the prior probability of a table, p(v) the prior share of values v, and
    n_k the number of people of crowd k, a set of people with equal evidence.

    solutions: all consistent tables. shares: the posterior probability of each table.
    """
    places: dict[tuple[int, Cell], int] = {}
    at = [
        places.setdefault((crowd, evidence.state_values(columns[crowd], cell)), len(places))
        for crowd, cell in tables.cells
    ]
    logs = [log_prior(evidence.shares, columns[crowd], cell) for crowd, cell in places]
    likely: dict[tuple[int, ...], float] = {}
    for table, share in zip(solutions, shares, strict=True):
        state_counts = [0] * len(places)
        for place, people in zip(at, table, strict=True):
            state_counts[place] += people
        key = tuple(state_counts)
        likely[key] = likely.get(key, 0.0) + share
    whole = fsum(lgamma(size + 1) for size in tables.people.values())

    def log_prior_of(state_counts: tuple[int, ...]) -> float:
        """Return the log prior probability of a table of values (nats)."""
        return whole + fsum(
            n * p - lgamma(n + 1) for n, p in zip(state_counts, logs, strict=True) if n
        )

    return fsum(
        p * (log(p) - log_prior_of(state_counts)) for state_counts, p in likely.items() if p
    )


class NoTable(Exception):
    """Raised if no table is consistent with the evidence, or if none is found within a limit."""
