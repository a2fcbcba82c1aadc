"""The fewest blanks with which every released row looks like k - 1 others: an integer program.

A person whose row is r may be released as r with the columns outside T blanked. With n_r people who
have row r, and y = 1 where a released row (T, v) is used at all,

    minimise   sum over r, T of (d - |T|) x[r, T]
    such that  sum over T of x[r, T] = n_r                      everybody is released once
               sum over r of x[r, T] >= k y[T, v]               in a crowd of k that looks alike
               x[r, T] <= n_r y[T, v],   y in {0, 1}            for the r that show v on T

For fixed y it is a flow, so x is whole where y is. A released row that fewer than k people could
show is left out before. HiGHS gives the optimum, or what it found and a proven lower bound.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from math import ceil
from typing import Any

import numpy as np

from ..optimization import Constraint, Solution, solve_integer
from .cell_patterns import BLANK, Classes, Flow, Pattern, crowds

CHOICES = 20_000  # variables x; with more the program is not tried
VARIABLES = 1_000  # of more, the search tree has proportionally fewer nodes
SLACK = 1e-6  # of a bound that a solver states in floats


@dataclass(frozen=True, slots=True)
class _Program:
    """The variables: for each x, its row, its number of blanks and the released row it shows."""

    row: Any
    blanks: Any
    shows: Any
    patterns: list[Pattern]

    @classmethod
    def of(cls, classes: Classes, k: int) -> "_Program":
        width = classes.rows.shape[1]
        row, empty, shows = [], [], []
        place: dict[Pattern, int] = {}
        for size in range(width + 1):
            for columns in combinations(range(width), size):
                for r in np.flatnonzero(crowds(classes, columns) >= k).tolist():
                    codes = classes.rows[r].tolist()
                    pattern = tuple(code if j in columns else BLANK for j, code in enumerate(codes))
                    row.append(r)
                    empty.append(width - size)
                    shows.append(place.setdefault(pattern, len(place)))
        return cls(np.array(row), np.array(empty), np.array(shows), list(place))


def optimum(classes: Classes, k: int, nodes: int) -> tuple[Flow | None, int]:
    """The best release found, and a number of blanks that all releases have.

    nodes: of the search tree, at most, of a program of `VARIABLES`; a larger one has proportionally
    fewer, and one at least. (None, 0) where the program is too large to be tried.
    """
    if len(classes.rows) << classes.rows.shape[1] > CHOICES:
        return None, 0
    program = _Program.of(classes, k)
    limit = max(1, nodes * VARIABLES // max(VARIABLES, len(program.row)))
    solution = _solve(program, classes, k, limit)
    bound = solution.mip_dual_bound
    lower = 0 if bound is None or not np.isfinite(bound) else ceil(bound - SLACK * max(1, bound))
    return (None if solution.x is None else _flow(program, classes, k, solution.x)), lower


def _solve(program: _Program, classes: Classes, k: int, nodes: int) -> Solution:
    from scipy.sparse import coo_array, identity

    many, crowd, rows = len(program.row), len(program.patterns), len(classes.rows)
    each = np.arange(many)
    ones = np.ones(many)
    whose = coo_array((ones, (program.row, each)), (rows, many))
    shown = coo_array((ones, (program.shows, each)), (crowd, many))
    own = classes.people[program.row].astype(float)
    used = coo_array((-own, (each, program.shows)), (many, crowd))
    constraints = [
        Constraint(_beside(whose, coo_array((rows, crowd))), classes.people, classes.people),
        Constraint(_beside(shown, -float(k) * identity(crowd)), np.zeros(crowd), np.inf),
        Constraint(_beside(identity(many), used), -np.inf, np.zeros(many)),
    ]
    return solve_integer(
        np.concatenate([program.blanks.astype(float), np.zeros(crowd)]),
        constraints,
        np.concatenate([np.zeros(many), np.ones(crowd)]),
        (0, np.concatenate([own, np.ones(crowd)])),
        node_limit=nodes,
        mip_rel_gap=0.0,
    )


def _beside(left: Any, other: Any) -> Any:
    """Two sparse matrices side by side, by columns."""
    from scipy.sparse import hstack

    return hstack([left, other]).tocsc()


def _flow(program: _Program, classes: Classes, k: int, x: Any) -> Flow | None:
    """The solution in whole people; None if it is none once it is whole."""
    people = np.rint(x[: len(program.row)]).astype(np.int64)
    flow: Counter[tuple[int, Pattern]] = Counter()
    for row, shows, some in zip(program.row, program.shows, people.tolist(), strict=True):
        if some:
            flow[int(row), program.patterns[shows]] += some
    return flow if _whole(flow, classes, k) else None


def _whole(flow: Flow, classes: Classes, k: int) -> bool:
    kept = np.zeros(len(classes.rows), np.int64)
    crowd: Counter[Pattern] = Counter()
    for (row, pattern), people in flow.items():
        kept[row] += people
        crowd[pattern] += people
    return bool((kept == classes.people).all()) and min(crowd.values()) >= k
