"""The cheapest suppressed cells with which every class meets its targets: an integer program.

A class is the rows with an equal released row. Its targets are k people, and the number (l), the
entropy (entropy-l, with h = ln entropy-l) and the distance (t) of its sensitive values. A unit u is
n_u rows with equal values in all columns, sensitive columns included. If persons have several rows,
the rows of a unit belong to one person. A released row P is the set of suppressed columns and the
values in all other columns.

Variables: x[u, P] rows of u are released as P, and y[P] = 1 if P is used at all. v is a sensitive
value, law(v) its share among all people, c a cost:

    minimise   sum over u, P of c(suppressed columns of P) x[u, P]
    such that  sum over P of x[u, P] = n_u,   x[u, P] <= n_u y[P]
               people[P] >= k y[P]
               sum over v of z[v, P] >= l y[P],         z[v, P] <= min(1, rows of P with v)
               sum over v of d[v, P] <= t people[P],    d[v, P] >= |people with v - law(v) people|
               sum over v of -(ln q(v) + h) people with v >= 0        for some distributions q

z[v, P] is 1 if value v occurs in P. d[v, P] counts only people above law(v). For ordered values, d
is the gap of cumulated shares, and t is multiplied by the number of values less one.

If each row is a person's own, people are rows. Else a person i counts once in people[P]: w[i, P] is
at most 1 and at most the person's rows. Person i also counts once for each value: a[i, v, P] = 1 if
a row of the person with v is released as P. If l or entropy-l ask for two values, no value may be
common to all persons of P: sum over i of a[i, v, P] <= people[P] - y[P].

The entropy of a distribution p is at most -sum p ln q for every q, so each q gives a valid linear
constraint. A constraint is added for each class found that misses entropy-l, with q close to the
distribution of this class. Until then the program is a relaxation; its lower bound on the cost
holds all the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exposure.counts import Integers
from ..optimization import Constraint, Solution, solve_integer
from ..validation import Floats
from .class_targets import ROUNDING, ClassTargets, ValueTarget

# most pairs of a unit of equal rows and a set of suppressed columns; larger programs are not tried
CHOICES = 1_500
# programs with more variables get fewer nodes of the search tree, in inverse proportion
VARIABLES = 1_000
SLACK = 1e-6  # share by which the solver's lower bound, a rounded float, is lowered
# Most rounds in which linear constraints for the entropy target are added; if the target is still
# missed, only a lower bound on the cost is returned.
PLANES = 12
# Largest share of the uniform distribution that is mixed into the distribution at which an entropy
# constraint is tangent, so that the logarithms of its shares are finite.
MIXED = 1e-3

# suppressed columns, and the values in all other columns
Pattern = tuple[tuple[int, ...], tuple[int, ...]]


def cheapest_for_targets(
    codes: NDArray[np.integer],
    fixed_cells: Integers,
    targets: ClassTargets,
    prices: Floats,
    nodes: int,
) -> tuple[NDArray[np.bool_] | None, float]:
    """Return the suppressed cells of the cheapest release found, and a lower bound on the cost.

    Every class of equal released rows meets its targets. (None, 0) if the integer program is too
    large.

    Args:
        codes: the table, codes of shape (n, d).
        fixed_cells: for each row, a number for its values in columns that are never suppressed.
        targets: the targets of every class.
        prices: cost of a suppressed cell in each column.
        nodes: limit of the solver's search tree. A program of more than `VARIABLES` variables gets
            proportionally fewer nodes, at least 1.
    """
    columns = [codes, fixed_cells[:, None], *(column.values[:, None] for column in targets.columns)]
    if targets.owner is not None:
        columns.append(targets.owner[:, None])
    units, unit = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
    unit = unit.ravel()
    if len(units) << codes.shape[1] > CHOICES:
        return None, 0.0
    scale = float(prices.mean())
    first = np.zeros(len(units), np.int64)
    first[unit] = np.arange(len(unit))
    program = _TargetProgram(codes, fixed_cells, targets, prices / scale, unit, first)
    if not program.choices:
        return None, 0.0
    lower, mask = 0.0, None
    for _ in range(PLANES):
        limit = max(1, nodes * VARIABLES // max(VARIABLES, program.width))
        solution = program.solve(limit)
        bound = solution.mip_dual_bound
        if bound is not None and np.isfinite(bound):
            lower = max(lower, bound - SLACK * max(1, bound))
        if solution.x is None:
            break
        mask = program.mask(solution.x)
        if mask is None or not program.add_planes(solution.x):
            break
        mask = None
    return mask, max(0.0, lower) * scale


@dataclass(slots=True)
class _Rows:
    """The constraints of a linear program while the program is built.

    Attributes:
        entries: (constraint, variable, factor) of the matrix.
        low, high: lower and upper bound of each constraint.
    """

    entries: list[tuple[int, int, float]] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)

    def add(self, parts: dict[int, float], low: float, high: float) -> None:
        """Add a constraint: low <= sum of factors times variables <= high.

        `parts` is the factor of each variable, by the variable's number.
        """
        self.entries += [(len(self.low), at, factor) for at, factor in parts.items() if factor]
        self.low.append(low)
        self.high.append(high)


class _TargetProgram:
    """The integer program for the cheapest suppressed cells: variables, costs and constraints.

    A unit is a set of rows with equal values, sensitive values included, and of an equal person if
    persons have several rows.

    Attributes:
        codes: the table.
        fixed_cells: for each row, a number for its values in columns that are never suppressed.
        targets: the targets of every class of equal released rows.
        unit: the unit of each row.
        first: a row of each unit.
        sizes: number of rows of each unit.
        costs: cost of each variable.
        whole: 1 for variables that are whole numbers, else 0.
        upper_bounds: upper bound of each variable.
        rows: the constraints.
        laws: for each class and entropy target, the target and the number of people with each value
            as a sum of variables.
        choices: (unit, released row, variable); the variable is the number of rows of the unit that
            are released so.
    """

    def __init__(
        self,
        codes: NDArray[np.integer],
        fixed_cells: Integers,
        targets: ClassTargets,
        prices: Floats,
        unit: Integers,
        first: Integers,
    ) -> None:
        """Build the program for all released rows whose class could meet the targets.

        Args:
            codes: the table.
            fixed_cells: for each row, a number for its values in columns that are never suppressed.
            targets: the targets of every class of equal released rows.
            prices: cost of a suppressed cell in each column.
            unit: the unit of each row; rows of a unit are equal for the program.
            first: a row of each unit.
        """
        self.codes, self.fixed_cells, self.targets = codes, fixed_cells, targets
        self.unit, self.first = unit, first
        self.sizes = np.bincount(unit)
        self.costs: list[float] = []
        self.whole: list[int] = []
        self.upper_bounds: list[float] = []
        self.rows = _Rows()
        self.laws: list[tuple[ValueTarget, list[dict[int, float]]]] = []
        # (unit of equal rows, released row, number of the variable)
        self.choices: list[tuple[int, Pattern, int]] = []
        patterns = self._patterns()
        by_unit: dict[int, dict[int, float]] = {u: {} for u in range(len(first))}
        for pattern, members in patterns.items():
            cost = float(prices[list(pattern[0])].sum())
            used = self.variable(0.0, 1, whole=True)
            x = {u: self.variable(cost, float(self.sizes[u]), whole=True) for u in members}
            for u, at in x.items():
                by_unit[u][at] = 1.0
                self.choices.append((u, pattern, at))
                self.rows.add({at: 1.0, used: -float(self.sizes[u])}, -np.inf, 0.0)
            self._add_class(x, used)
        for u, parts in by_unit.items():
            self.rows.add(parts, float(self.sizes[u]), float(self.sizes[u]))

    @property
    def width(self) -> int:
        """The number of variables of the program."""
        return len(self.costs)

    def variable(self, cost: float, upper_bound: float, *, whole: bool = False) -> int:
        """Add a variable of at least 0 to the program, and return its number.

        Args:
            cost: the factor of the variable in the minimised sum.
            upper_bound: the largest value.
            whole: whether the value must be a whole number.
        """
        self.costs.append(cost)
        self.upper_bounds.append(upper_bound)
        self.whole.append(int(whole))
        return len(self.costs) - 1

    def _patterns(self) -> dict[Pattern, list[int]]:
        """Return the released rows whose class could meet the targets, each with its units.

        A unit is a set of rows that are equal for the program. A released row has the units with
        its visible values. The released row is kept if all rows of these units together have enough
        people and enough different sensitive values.
        """
        width, rows_by_pattern = self.codes.shape[1], dict[Pattern, list[int]]()
        for size in range(width + 1):
            for suppressed_columns in combinations(range(width), size):
                open_columns = [j for j in range(width) if j not in suppressed_columns]
                groups: dict[Pattern, list[int]] = {}
                for u, row in enumerate(self.first.tolist()):
                    values = (*self.codes[row, open_columns].tolist(), int(self.fixed_cells[row]))
                    groups.setdefault((suppressed_columns, values), []).append(u)
                for pattern, members in groups.items():
                    rows = np.flatnonzero(np.isin(self.unit, members))
                    if self.targets.reached(np.zeros(len(rows), np.int64), rows).all():
                        rows_by_pattern[pattern] = members
        return rows_by_pattern

    def _add_class(self, x: dict[int, int], used: int) -> None:
        """Add the constraints for the targets of the class of rows that share a released row.

        Args:
            x: for each unit of equal rows, the variable that counts its rows with this released
                row.
            used: the variable that is 1 if the released row is used.
        """
        people = self._people(x)
        self.rows.add({**people, used: -float(self.targets.k)}, 0.0, np.inf)
        for column in self.targets.columns:
            of_value: dict[int, list[int]] = {}
            for u in x:
                of_value.setdefault(int(column.values[self.first[u]]), []).append(u)
            laws = {v: self._having(x, of_value[v]) for v in of_value}
            if column.fewest > 1:
                self._add_values(x, used, of_value, column.fewest)
                if self.targets.owner is not None:
                    for counts in laws.values():
                        parts = dict.fromkeys(counts, 1.0)
                        for at, factor in people.items():
                            parts[at] = parts.get(at, 0.0) - factor
                        parts[used] = parts.get(used, 0.0) + 1.0
                        self.rows.add(parts, -np.inf, 0.0)
            if column.t < 1:
                self._add_distance(laws, column)
            if column.entropy_l > 1:
                every = [laws.get(v, {}) for v in range(len(column.law))]
                self.laws.append((column, every))

    def _people(self, x: dict[int, int]) -> dict[int, float]:
        """Return the terms of a sum of variables that is at most the number of people in a class.

        The result is the factor of each variable, by the variable's number.

        `x` is, for each unit of equal rows, the variable that counts its rows in the class.
        """
        owner = self.targets.owner
        if owner is None:
            return dict.fromkeys(x.values(), 1.0)
        people: dict[int, float] = {}
        by_person: dict[int, list[int]] = {}
        for u, at in x.items():
            by_person.setdefault(int(owner[self.first[u]]), []).append(at)
        for ats in by_person.values():
            present = self.variable(0.0, 1)
            self.rows.add({present: 1.0, **dict.fromkeys(ats, -1.0)}, -np.inf, 0.0)
            people[present] = 1.0
        return people

    def _having(self, x: dict[int, int], units: list[int]) -> dict[int, float]:
        """Return the terms of a sum of variables: the people in a class with a certain value.

        The result is the factor of each variable, by the variable's number.

        Args:
            x: for each unit of equal rows, the variable that counts its rows in the class.
            units: the units of rows that have the value.
        """
        owner = self.targets.owner
        if owner is None:
            return {x[u]: 1.0 for u in units}
        having: dict[int, float] = {}
        by_person: dict[int, list[int]] = {}
        for u in units:
            by_person.setdefault(int(owner[self.first[u]]), []).append(u)
        for of_person in by_person.values():
            has = self.variable(0.0, 1, whole=True)
            for u in of_person:
                self.rows.add({x[u]: 1.0, has: -float(self.sizes[u])}, -np.inf, 0.0)
            self.rows.add({has: 1.0, **{x[u]: -1.0 for u in of_person}}, -np.inf, 0.0)
            having[has] = 1.0
        return having

    def _add_values(
        self, x: dict[int, int], used: int, of_value: dict[int, list[int]], fewest: int
    ) -> None:
        """Add constraints that a used class has at least `fewest` different sensitive values.

        Args:
            x: for each unit of equal rows, the variable that counts its rows in the class.
            used: the variable that is 1 if the class is used.
            of_value: the units of rows that have each value.
            fewest: the least number of values.
        """
        parts: dict[int, float] = {used: -float(fewest)}
        for units in of_value.values():
            present = self.variable(0.0, 1)
            self.rows.add({present: 1.0, **{x[u]: -1.0 for u in units}}, -np.inf, 0.0)
            parts[present] = 1.0
        self.rows.add(parts, 0.0, np.inf)

    def _add_distance(self, laws: dict[int, dict[int, float]], column: ValueTarget) -> None:
        """Add constraints that a class's distribution of a sensitive column is within distance t.

        The distance is from the distribution of all people, as t-closeness measures it.

        Args:
            laws: for each value, the number of people of the class as a sum of variables.
            column: the column's values and targets.
        """
        total: dict[int, float] = {}
        for counts in laws.values():
            for at in counts:
                total[at] = total.get(at, 0.0) + 1.0
        m, share = len(column.law), column.law
        limit = {at: -(column.t + ROUNDING) * factor for at, factor in total.items()}
        if column.ordered:
            limit = {at: factor * (m - 1) for at, factor in limit.items()}
        up_to: dict[int, float] = {}
        above = 0.0
        for v in range(m):
            own_law = laws.get(v, {})
            if column.ordered:
                up_to = {at: up_to.get(at, 0.0) + own_law.get(at, 0.0) for at in {*up_to, *own_law}}
                above += float(share[v])
                own_law, part = dict(up_to), above
            else:
                part = float(share[v])
            gap = self.variable(0.0, np.inf)
            far = {at: own_law.get(at, 0.0) - part * factor for at, factor in total.items()}
            self.rows.add({gap: 1.0, **{at: -factor for at, factor in far.items()}}, 0.0, np.inf)
            if column.ordered:
                self.rows.add({gap: 1.0, **far}, 0.0, np.inf)
            limit[gap] = 1.0
        self.rows.add(limit, -np.inf, 0.0)

    def solve(self, nodes: int) -> Solution:
        """Solve the program; `nodes` limits the search tree of the solver."""
        from scipy.sparse import coo_array

        rows, columns, factors = zip(*self.rows.entries, strict=True)
        shape = (len(self.rows.low), self.width)
        matrix: Any = coo_array((factors, (rows, columns)), shape).tocsc()
        return solve_integer(
            np.array(self.costs),
            [Constraint(matrix, np.array(self.rows.low), np.array(self.rows.high))],
            np.array(self.whole),
            (0, np.array(self.upper_bounds)),
            node_limit=nodes,
            mip_rel_gap=0.0,
        )

    def mask(self, x: Floats) -> NDArray[np.bool_] | None:
        """Return whether each cell is suppressed in a solution x of the program, shape (n, d).

        None if rounding to whole rows makes the solution invalid.
        """
        unplaced_rows = [list(np.flatnonzero(self.unit == u)) for u in range(len(self.first))]
        mask = np.zeros(self.codes.shape, bool)
        for u, (suppressed_columns, _), at in self.choices:
            for _ in range(round(float(x[at]))):
                if not unplaced_rows[u]:
                    return None
                mask[unplaced_rows[u].pop(), list(suppressed_columns)] = True
        return None if any(unplaced_rows) else mask

    def add_planes(self, x: Floats) -> bool:
        """Add a linear constraint for each class that misses the entropy target.

        `x` is a solution of the program. Returns whether a constraint was added.
        """
        added = False
        for column, laws in self.laws:
            counts = np.array([sum(float(x[at]) for at in parts) for parts in laws])
            if counts.sum() < 0.5:
                continue
            law = counts / counts.sum()
            present = law > 0
            entropy = -float((law[present] * np.log(law[present])).sum())
            min_entropy = log(column.entropy_l - ROUNDING)
            if np.exp(entropy) >= column.entropy_l - ROUNDING:
                continue
            added = True
            uniform_part = min(MIXED, (min_entropy - entropy) / 2)
            mixed = (1 - uniform_part) * law + uniform_part / len(law)
            planes = -np.log(mixed) - min_entropy
            parts = {at: float(planes[v]) for v, value_law in enumerate(laws) for at in value_law}
            self.rows.add(parts, -SLACK, np.inf)
        return added
