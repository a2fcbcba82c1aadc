"""A random walk (Markov chain) through the consistent tables, if they are too many to be listed.

A table has the number of people in each cell. A move is a table of small integers that can be added
to a table without changing a known sum. A step chooses a move, looks at all tables that differ from
the current table by a multiple of this move (hit and run), and draws the next table by weight. So
the distribution of the walk is given by the weights of `fiber.py`, which are prior probabilities.
Some moves exchange values between two people; others also keep all counts of pairs of columns. If
these moves do not span all directions in which tables differ, differences of distant tables are
added as moves.

Chains start from distant tables, found by integer programs with random weights. The reported share
is the mean of all chains after their first fifth. Its standard error comes from batches of each
chain. Gelman and Rubin's ratio of variances is near 1 if the chains agree.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, islice, product
from math import sqrt

import numpy as np
import numpy.typing as npt

from ..optimization import Constraint, solve_integer, solve_linear
from .evidence import Cell
from .fiber import CrowdPosterior, Fibre, Nats, NoTable

CHAINS = 4  # number of independent random walks through the consistent tables
STEPS = 4_000  # steps of each chain (random walk)
BATCHES = 8  # parts of each chain; the spread of their means gives the standard error
# most moves from which a walk chooses; of more moves found, a random selection is taken
MOST_MOVES = 4_000
# Most branch-and-bound nodes of the integer program that finds the first table of a chain. If no
# table is found with so many nodes, the evidence is treated as contradictory.
NODES = 1_000
SEED = 5  # a fixed seed of the random walks, so that the same evidence gives the same figures

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Move = tuple[Integers, Integers]  # indices of cells, and the number of people added to each cell


def sampled(
    tables: Fibre,
    columns: dict[int, tuple[int, ...]],
    leakage: Nats,
    steps: int = STEPS,
) -> CrowdPosterior:
    """Return the posterior of a component, estimated by random walks through its consistent tables.

    A component is an independent part of the evidence.

    Args:
        tables: the sums that consistent tables must meet.
        columns: the columns of each crowd (people with equal evidence) in the component.
        leakage: bounds on the leakage (nats), which the walks do not compute.
        steps: steps of each walk.

    Raises:
        NoTable: no table is consistent, or none was found within `NODES` nodes.
    """
    rng = np.random.default_rng(SEED)
    starts = [_random_table(tables, rng) for _ in range(CHAINS)]
    moves = _moves(tables, columns, starts, rng)
    people = np.array([tables.people[crowd] for crowd, _ in tables.cells], dtype=float)
    if not moves:
        chain_tables = np.array([[start] for start in starts], dtype=float)
    else:
        chain_tables = np.stack([_walk(tables, start, moves, steps, rng) for start in starts])
    shares = chain_tables / people  # shape: chains, steps after the first fifth, cells
    mean = shares.mean(axis=(0, 1))
    error, agreement = _diagnosed(shares)
    result: dict[int, dict[Cell, float]] = {crowd: {} for crowd in tables.people}
    for (crowd, cell), share in zip(tables.cells, mean.tolist(), strict=True):
        if share:
            result[crowd][cell] = share
    proven = frozenset(_proven(tables, columns, result))
    return CrowdPosterior(columns, result, leakage, False, error, agreement, proven)


def _proven(
    tables: Fibre, columns: dict[int, tuple[int, ...]], shares: dict[int, dict[Cell, float]]
) -> Iterator[tuple[int, int]]:
    """Yield (crowd, column) pairs in which the walk found a single value and no other is possible.

    A crowd is the people with equal evidence. A linear program bounds the number of people of the
    crowd with another value: fewer than 1. shares: the posterior of each crowd, estimated by the
    walk.
    """
    matrix = _matrix(tables)
    for crowd, crowd_columns in columns.items():
        for place, column in enumerate(crowd_columns):
            values_found = {cell[place] for cell in shares[crowd]}
            if len(values_found) != 1:
                continue
            objective = [
                -float(cell_crowd == crowd and cell[place] not in values_found)
                for cell_crowd, cell in tables.cells
            ]
            other_cells = solve_linear(objective, A_eq=matrix, b_eq=tables.totals)
            if other_cells.fun > -1 + 1e-6:
                yield crowd, column


def _walk(
    tables: Fibre,
    start: Integers,
    moves: Sequence[Move],
    steps: int,
    rng: np.random.Generator,
) -> Floats:
    """Return the tables of a Markov chain from `start`, without its first fifth.

    Shape (steps, cells). tables: the sums that consistent tables must meet. moves: the changes that
    keep these sums.
    """
    from scipy.special import gammaln

    factorial = gammaln(np.arange(max(tables.people.values()) + 1) + 1.0)
    logs = np.array(tables.logs)
    gains = [float(step @ logs[cells]) for cells, step in moves]
    table = start.copy()
    burnt = steps // 5
    kept_tables = np.empty((steps - burnt, len(table)))
    for number, choice in enumerate(rng.integers(len(moves), size=steps).tolist()):
        cells, step = moves[choice]
        current = table[cells]
        up, down = step > 0, step < 0
        low = -int((current[up] // step[up]).min())
        high = int((current[down] // -step[down]).min())
        if low < high:
            times = np.arange(low, high + 1)
            candidates = current + times[:, None] * step
            weight = times * gains[choice] - factorial[candidates].sum(axis=1)
            weight = np.exp(weight - weight.max()).cumsum()
            choice_index = int(weight.searchsorted(rng.random() * weight[-1], side="right"))
            table[cells] = candidates[min(choice_index, len(times) - 1)]
        if number >= burnt:
            kept_tables[number - burnt] = table
    return kept_tables


def _diagnosed(shares: Floats) -> tuple[float, float]:
    """Return the largest standard error of a mean share, and the largest Gelman-Rubin ratio.

    shares: share of people in each cell, at each step of each Markov chain; shape (chains, steps,
    cells).
    """
    chains, steps, cells = shares.shape
    if steps < BATCHES:
        return 0.0, 1.0
    size = steps // BATCHES
    batches = shares[:, : size * BATCHES].reshape(chains * BATCHES, size, cells).mean(axis=1)
    error = batches.std(axis=0, ddof=1) / sqrt(chains * BATCHES)
    within_chains = shares.var(axis=1, ddof=1).mean(axis=0)
    between_chains = shares.mean(axis=1).var(axis=0, ddof=1)
    moving = within_chains > 0
    disagrees = bool((between_chains[~moving] > 0).any())
    ratio = np.sqrt(1 + between_chains[moving] / within_chains[moving])
    return float(error.max()), float("inf") if disagrees else float(ratio.max(initial=1.0))


def _matrix(tables: Fibre) -> Integers:
    """Return a 0/1 matrix, shape (sums, cells): 1 if the known sum includes the cell."""
    matrix = np.zeros((len(tables.totals), len(tables.cells)), dtype=np.int64)
    for cell, sums in enumerate(tables.sums):
        matrix[list(sums), cell] = 1
    return matrix


def _random_table(tables: Fibre, rng: np.random.Generator) -> Integers:
    """Return a random consistent table, shape (cells,): the solution of an integer program.

    The program minimizes random weights of the cells, under the known sums.

    Raises:
        NoTable: no table exists, or the limit of nodes was reached before a table was found.
    """
    matrix = _matrix(tables)
    totals = np.array(tables.totals)
    solution = solve_integer(
        rng.normal(size=(matrix.shape[1],)),
        [Constraint(matrix, totals, totals)],
        np.ones(matrix.shape[1], dtype=np.int64),
        node_limit=NODES,
    )
    if solution.x is None:
        raise NoTable
    table = np.rint(solution.x).astype(np.int64)
    if (matrix @ table != totals).any() or (table < 0).any():
        raise NoTable
    return table


def _moves(
    tables: Fibre,
    columns: dict[int, tuple[int, ...]],
    starts: Sequence[Integers],
    rng: np.random.Generator,
) -> list[Move]:
    """Return the moves of the walk: changes of a table that keep all known sums.

    The moves span all directions in which consistent tables differ, if such moves are found.
    starts: the first tables of the chains.
    """
    matrix = _matrix(tables)
    free = len(tables.cells) - int(np.linalg.matrix_rank(matrix))
    known_moves: set[tuple[tuple[int, int], ...]] = set()
    moves: list[Move] = []
    limit = 50 * MOST_MOVES
    for move in (*_cubes(tables, columns, limit), *_exchanges(tables, columns, limit, rng)):
        plain = {cell: step for cell, step in sorted(move.items()) if step}
        if not plain:
            continue
        sign = 1 if next(iter(plain.values())) > 0 else -1
        key = tuple((cell, sign * step) for cell, step in plain.items())
        if key in known_moves or not _preserves_sums(tables, plain):
            continue
        known_moves.add(key)
        moves.append((np.array(list(plain)), np.array(list(plain.values()))))
    if len(moves) > MOST_MOVES:
        order = rng.permutation(len(moves))
        moves = [moves[place] for place in order[:MOST_MOVES]]
    whole = np.zeros((len(moves), len(tables.cells)), dtype=np.int64)
    for place, (cells, step) in enumerate(moves):
        whole[place, cells] = step
    if free and (not moves or int(np.linalg.matrix_rank(whole)) < free):
        moves += list(_differences(tables, starts, rng))
    return moves


def _preserves_sums(tables: Fibre, move: dict[int, int]) -> bool:
    """Whether a move (cell -> change) keeps every sum of cells that the evidence fixes."""
    change: dict[int, int] = {}
    for cell, step in move.items():
        for total in tables.sums[cell]:
            change[total] = change.get(total, 0) + step
    return not any(change.values())


def _cubes(
    tables: Fibre, columns: dict[int, tuple[int, ...]], limit: int
) -> Iterator[dict[int, int]]:
    """Yield moves that change the cells at the corners of a box by +1 and -1 in turn.

    A move is a change of a table that keeps the known sums. A box has two values in each of two or
    more columns, and fixed values in the other columns. All cells of a move are of the same crowd,
    the people with equal evidence. limit: largest number of boxes that are tried.
    """
    place = {cell: number for number, cell in enumerate(tables.cells)}
    for crowd, corners in islice(_boxes(tables, columns), max(limit, 0)):
        # A table has only possible cells, so a box with another cell at a corner gives no move.
        numbers = [place.get((crowd, cell)) for cell, _ in corners]
        if None not in numbers:
            signs = (sign for _, sign in corners)
            yield {
                number: sign
                for number, sign in zip(numbers, signs, strict=True)
                if number is not None
            }


# a crowd (people with equal evidence), and the cells at the corners of a box with their signs
_Box = tuple[int, list[tuple[Cell, int]]]


def _boxes(tables: Fibre, columns: dict[int, tuple[int, ...]]) -> Iterator[_Box]:
    """Yield boxes of cells, with two values in each of two or more columns, small boxes first.

    Values of other columns are fixed. A corner has the sign -1 if it has the second value in an odd
    number of columns, else +1. So the signs of two corners that differ in one column add up to 0,
    and the move that adds the signs keeps sums over a column.
    """
    for crowd, crowd_columns in columns.items():
        width = len(crowd_columns)
        cells = [cell for cell_crowd, cell in tables.cells if cell_crowd == crowd]
        domains = [sorted({cell[j] for cell in cells}) for j in range(width)]
        for size in range(2, width + 1):
            for axes in combinations(range(width), size):
                rest = [j for j in range(width) if j not in axes]
                sides = [list(combinations(domains[axis], 2)) for axis in axes]
                for fixed in product(*(domains[j] for j in rest)):
                    for corner in product(*sides):
                        yield (
                            crowd,
                            _corners(width, dict(zip(rest, fixed, strict=True)), axes, corner),
                        )


def _corners(
    width: int,
    fixed: dict[int, int],
    axes: Sequence[int],
    sides: Sequence[tuple[int, int]],
) -> list[tuple[Cell, int]]:
    """Return the cells at the corners of a box, each with its sign (+1 or -1).

    The box has two values in some columns. The sign is -1 for an odd number of second values.

    width: number of columns of a cell. fixed: column -> value in the other columns. axes: columns
    with two values. sides: the two values of each of these columns.
    """
    corners = []
    for ends in product((0, 1), repeat=len(axes)):
        cell = fixed | {a: side[end] for a, side, end in zip(axes, sides, ends, strict=True)}
        corners.append((tuple(cell[j] for j in range(width)), (-1) ** sum(ends)))
    return corners


def _exchanges(
    tables: Fibre,
    columns: dict[int, tuple[int, ...]],
    limit: int,
    rng: np.random.Generator,
) -> Iterator[dict[int, int]]:
    """Yield moves in which two people exchange their values of some columns.

    A move is a change of a table: cell -> number of people added. The two people may be of
    different crowds, sets of people with equal evidence. At most `limit` moves are tried, of random
    pairs of cells if there are too many.
    """
    place = {cell: number for number, cell in enumerate(tables.cells)}
    size = len(tables.cells)
    pairs: Iterator[tuple[int, int]] = combinations(range(size), 2)
    if size * size > limit:
        random_pairs = rng.integers(size, size=(limit, 2)).tolist()
        pairs = ((first, second) for first, second in random_pairs if first != second)
    shared: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    for first, second in pairs:
        (k, x), (m, y) = tables.cells[first], tables.cells[second]
        if (k, m) not in shared:
            common = [column for column in columns[k] if column in columns[m]]
            shared[k, m] = [
                column_subset
                for n in range(1, len(common) + 1)
                for column_subset in combinations(common, n)
            ]
        for column_subset in shared[k, m]:
            limit -= 1
            if limit < 0:
                return
            new_x, new_y = list(x), list(y)
            for column in column_subset:
                i, j = columns[k].index(column), columns[m].index(column)
                new_x[i], new_y[j] = y[j], x[i]
            to = place.get((k, tuple(new_x))), place.get((m, tuple(new_y)))
            if to[0] is None or to[1] is None:
                continue
            move: dict[int, int] = {}
            for number, step in ((first, -1), (second, -1), (to[0], 1), (to[1], 1)):
                move[number] = move.get(number, 0) + step
            yield move


def _differences(
    tables: Fibre, starts: Sequence[Integers], rng: np.random.Generator
) -> Iterator[Move]:
    """Yield moves of the walk: differences of distant consistent tables.

    Each difference is divided by the greatest common divisor of its entries. starts: the first
    tables of the chains.
    """
    ends = [*starts, *(_random_table(tables, rng) for _ in range(2 * CHAINS))]
    for first, second in combinations(ends, 2):
        step = first - second
        cells = np.flatnonzero(step)
        if len(cells):
            yield cells, step[cells] // np.gcd.reduce(step[cells])
