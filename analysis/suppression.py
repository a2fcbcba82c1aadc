"""Which columns to keep: the heaviest set whose bound on exposed people stays within a target.

Global suppression (paper 000, Section 5.1): the curator, seeing only the marginals, keeps whole
columns or redacts them. No bound rises when a column is dropped:

* Theorem 2: a dropped t_j <= 1 raises the product, and the sum loses terms (a dropped pivot's place
  is taken by a column that then costs nothing);  Theorem 3: the product rises, the sum loses Q_j.
* refined: R and P both fall (N_j >= 1 where the bound says anything);  coverage: see coverage.py.
* one column left: its exposure is exact, and at most what any valid bound of the larger set says.

So safe sets are downward closed: a set that holds an unsafe set is unsafe. The choice is exact: the
largest total weight; of equal weights the most columns, then the lowest bound, then the first set
in lexicographic order.

A bound rises with k: so a dropped column is explained by the LARGEST k that would admit it at this
target, and by the SMALLEST target that would admit it at this k.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, lcm
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ParameterError
from .breakpoints import Integers, Steps, as_integer, as_marginals
from .cells import as_columns
from .certificate import Certificate, Rule
from .composition import RULES, RuleName, best_bound
from .coverage import least_coverage
from .packing import MAX_COLUMNS, Packing
from .set_bounds import bounds_of_all_sets

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN = {"coverage": 10, "refined": 10, "theorem2": 4, "theorem3": 8, "printed": 4}  # columns
DIGITS = 2**52  # a total weight is at most this many units


class Promise(Protocol):
    """What a rule returns: a bound on the share of exposed people."""

    @property
    def value(self) -> float:
        """At most this share of the people is exposed."""
        ...


RuleFunction = Callable[[list[Integers], int], Promise]


@dataclass(frozen=True, slots=True)
class Considered:
    """A set of columns, the share its bound allows to be exposed, and whether that is safe."""

    columns: tuple[int, ...]
    value: float
    safe: bool


@dataclass(frozen=True, slots=True)
class Dropped:
    """A column that is not kept: what keeping it besides the kept ones would take.

    `value` is the bound with it at this k, which is also `smallest_target`, the smallest target
    that admits it. `largest_k` is the largest k >= 1 that admits it at this target (at k = 1 nobody
    is exposed); None when the rule is a function, which is not asked about other k.
    """

    column: int
    value: float
    largest_k: int | None
    forbidden: bool

    @property
    def smallest_target(self) -> float:
        """The smallest target that would admit the column at this k: the bound with it."""
        return self.value


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """The kept columns with the certificate of their bound, and why the others were dropped.

    `certificate` is a `Certificate`, or what the caller's rule returned. `considered` holds every
    non-empty set where there are few columns, otherwise the kept set and it with one more column.
    """

    kept: tuple[int, ...]
    weight: float
    certificate: Promise
    k: int
    target: float
    dropped: tuple[Dropped, ...]
    considered: tuple[Considered, ...]

    def __repr__(self) -> str:
        total = len(self.kept) + len(self.dropped)
        if not self.kept:
            return (
                f"<ColumnChoice of {total} columns: nothing is safe at k = {self.k}, "
                f"target {self.target:.4g}; no column is kept>"
            )
        return (
            f"<ColumnChoice of {total} columns: keep {', '.join(map(str, self.kept))}; at most "
            f"{self.certificate.value:.4g} exposed at k = {self.k}, target {self.target:.4g}>"
        )

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the bound of each considered set against the target on `ax` or a new figure."""
        if ax is None:
            from matplotlib import pyplot as plt

            ax = plt.subplots()[1]
        names = [" ".join(map(str, one.columns)) for one in self.considered]
        colours = ["tab:green" if one.safe else "tab:red" for one in self.considered]
        ax.barh(names, [one.value for one in self.considered], color=colours)
        ax.axvline(self.target, color="black", linestyle="--")
        ax.set(xlabel=f"share that may be exposed at k = {self.k}", ylabel="columns", xlim=(0, 1))
        return ax


def choose_columns(
    marginals: Sequence[ArrayLike],
    k: int,
    target: float,
    weights: Sequence[float] | None = None,
    rule: RuleName | str | RuleFunction = "coverage",
    required: Sequence[int] = (),
    forbidden: Sequence[int] = (),
) -> ColumnChoice:
    """The set of columns of the largest total weight whose bound is at most `target`; exact.

    Args:
        marginals: count arrays with one total n >= 1, one per column.
        k: an integer; a person in a cell of fewer than k people is exposed.
        target: the share of people that may be exposed, in [0, 1].
        weights: a finite number of at least 0 per column, 1 each by default. They are compared as
            the decimal numbers they are written as, to 2^52 units of the total.
        rule: as in `best_bound`, or a function of (marginals, k) that returns something with a
            `value` and never allows less when a column is added.
        required: columns that are kept in any case.
        forbidden: columns that are dropped in any case.

    Raises:
        ParameterError: for arguments outside these ranges, and when the required columns alone
            exceed the target.
    """
    problem = _Problem.of(marginals, k, target, weights, rule, required, forbidden)
    kept = problem.solve()
    return ColumnChoice(
        kept=kept,
        weight=float(sum((problem.exact[j] for j in kept), Fraction(0))),
        certificate=problem.promise(kept),
        k=problem.k,
        target=problem.target,
        dropped=tuple(problem.dropped(kept)),
        considered=tuple(problem.considered(kept)),
    )


@dataclass(slots=True)
class _Problem:
    columns: list[Integers]
    k: int
    target: float
    exact: list[Fraction]  # weights
    gains: list[int]  # the same in integers, and one unit per column for the first tie
    rule: str | RuleFunction
    required: tuple[int, ...]
    forbidden: frozenset[int]
    memory: dict[tuple[int, ...], Promise]

    @classmethod
    def of(
        cls,
        marginals: Sequence[ArrayLike],
        k: int,
        target: float,
        weights: Sequence[float] | None,
        rule: str | RuleFunction,
        required: Sequence[int],
        forbidden: Sequence[int],
    ) -> "_Problem":
        columns = as_marginals(marginals)
        if not (isinstance(target, (int, float, Fraction, np.floating)) and 0 <= target <= 1):
            raise ParameterError(f"target: found {target!r}; a share in [0, 1] is accepted")
        if not callable(rule) and rule not in RULES:
            raise ParameterError(
                f"rule: found {rule!r}; {', '.join(RULES)} or a function are accepted"
            )
        must, never = (tuple(sorted(as_columns(c, len(columns)))) for c in (required, forbidden))
        if set(must) & set(never):
            raise ParameterError(f"required: {sorted(set(must) & set(never))} are also forbidden")
        if len(columns) - len(never) > MAX_COLUMNS:
            raise ParameterError(
                f"marginals: {len(columns) - len(never)} columns to choose from; "
                f"at most {MAX_COLUMNS} are accepted (forbid some)"
            )
        exact = _weights(weights, len(columns))
        wanted = as_integer(k, "k")
        gains = _gains(exact)
        return cls(columns, wanted, float(target), exact, gains, rule, must, frozenset(never), {})

    @property
    def n(self) -> int:
        return int(self.columns[0].sum())

    @property
    def most(self) -> int:
        """The largest number of people whose share, as a float, is at most the target."""
        people = int(self.target * self.n)
        while people < self.n and (people + 1) / self.n <= self.target:
            people += 1
        while people / self.n > self.target:
            people -= 1
        return people

    def promise(self, chosen: tuple[int, ...]) -> Promise:
        """What the rule says about a set of columns; nobody is exposed by nothing."""
        if not chosen:
            return Certificate(Rule.EXACT, self.k, self.n, 0, ())
        if chosen not in self.memory:
            marginals = [self.columns[j] for j in chosen]
            self.memory[chosen] = (
                self.rule(marginals, self.k)
                if callable(self.rule)
                else best_bound(marginals, self.k, self.rule)
            )
        return self.memory[chosen]

    def safe(self, chosen: tuple[int, ...]) -> bool:
        return self.promise(chosen).value <= self.target

    def solve(self) -> tuple[int, ...]:
        """The best safe set."""
        if not self.safe(self.required):
            raise ParameterError(
                f"required: columns {list(self.required)} alone allow "
                f"{self.promise(self.required).value:.4g} exposed at k = {self.k}, above the "
                f"target {self.target:.4g}; require fewer, lower k or raise the target"
            )
        free = [j for j in range(len(self.columns)) if j not in self.forbidden]
        if self.target >= 1 or self.safe(tuple(free)):
            return tuple(free)
        if self.rule in ("coverage", "refined") and self.k <= self.n:
            return self._pack(free)
        return self._walk(free)

    def _pack(self, free: list[int]) -> tuple[int, ...]:
        """Refined and coverage bounds: all sets at once (packing.py), single columns exactly."""
        packing = Packing(
            steps=[Steps.of(self.columns[j]) for j in free],
            gains=[self.gains[j] for j in free],
            required=frozenset(free.index(j) for j in self.required),
            scale=self.k if self.rule == "refined" else self.k - 1,
            most=self.most,
            best=(-1, 0, 0),
        )
        if not self.required:
            packing.best = (0, 0, 0)
        for j, column in enumerate(free):
            if set(self.required) <= {column} and self.safe((column,)):
                people = packing.steps[j].at(self.k)[0]
                packing.best = max(packing.best, (self.gains[column], -people, packing.bit(j)))
        if self.rule == "refined":
            packing.refined()
        else:
            packing.coverage()
        member = packing.best[2]
        return tuple(column for j, column in enumerate(free) if member & packing.bit(j))

    def _walk(self, free: list[int]) -> tuple[int, ...]:
        """Any rule: keep or drop, heaviest first; no set that holds an unsafe set is asked."""
        order = sorted((j for j in free if j not in self.required), key=lambda j: -self.gains[j])
        start = sum(self.gains[j] for j in self.required)
        best = self._key(self.required)
        stack = [(0, start, self.required)]
        while stack:
            position, gain, chosen = stack.pop()
            if gain + sum(self.gains[j] for j in order[position:]) < best[0]:
                continue
            best = max(best, self._key(chosen))
            if position == len(order):
                continue
            stack.append((position + 1, gain, chosen))
            j = order[position]
            wider = tuple(sorted((*chosen, j)))
            if self.safe(wider):
                stack.append((position + 1, gain + self.gains[j], wider))
        return tuple(-j for j in best[2])

    def _key(self, chosen: tuple[int, ...]) -> tuple[int, float, tuple[int, ...]]:
        """Larger is better: gain, then lower bound, then the lexicographically first set."""
        gain = sum(self.gains[j] for j in chosen)
        return gain, -self.promise(chosen).value, tuple(-j for j in chosen)

    def dropped(self, kept: tuple[int, ...]) -> list[Dropped]:
        """The explanation of every column that is not kept."""
        found = []
        for j in range(len(self.columns)):
            if j not in kept:
                wider = tuple(sorted((*kept, j)))
                largest = None if callable(self.rule) else self._largest_k(wider)
                value = self.promise(wider).value
                found.append(Dropped(j, value, largest, j in self.forbidden))
        return found

    def _largest_k(self, chosen: tuple[int, ...]) -> int:
        """The largest k up to n for which the rule allows at most the target; by halving."""
        marginals = [self.columns[j] for j in chosen]
        low, high = 1, self.n + 1  # low is safe; at n + 1 everybody is exposed
        if self.target >= 1:
            return self.n
        while high - low > 1:
            middle = min((low + high) // 2, 4 * low)
            low, high = (middle, high) if self._meets(marginals, middle) else (low, middle)
        return low

    def _meets(self, marginals: list[Integers], k: int) -> bool:
        if self.rule == "coverage" and len(marginals) > 1:
            steps = [Steps.of(values) for values in marginals]
            return least_coverage(steps, k, self.most + 1) is not None
        return best_bound(marginals, k, str(self.rule)).people <= self.most

    def considered(self, kept: tuple[int, ...]) -> list[Considered]:
        """Every set of a few columns; of many, the kept set and its neighbours above."""
        if isinstance(self.rule, str) and len(self.columns) <= SHOWN[self.rule]:
            people = bounds_of_all_sets(self.columns, self.k, self.rule)
            return [Considered(s, p / self.n, p <= self.most) for s, p in people.items()]
        if callable(self.rule):
            asked = sorted(self.memory, key=lambda s: (len(s), s))
        else:
            others = (j for j in range(len(self.columns)) if j not in kept)
            asked = [kept] if kept else []
            asked += [tuple(sorted((*kept, j))) for j in others]
        return [Considered(s, self.promise(s).value, self.safe(s)) for s in asked]


def _weights(weights: Sequence[float] | None, columns: int) -> list[Fraction]:
    """The weights as the decimal numbers they are written as."""
    given: Sequence[Any] = [1] * columns if weights is None else list(weights)
    if len(given) != columns:
        raise ParameterError(f"weights: found {len(given)} for {columns} columns")
    exact = []
    for weight in given:
        number = isinstance(weight, (int, float, Fraction, np.integer, np.floating))
        if not number or isinstance(weight, bool) or not isfinite(weight) or weight < 0:
            raise ParameterError(
                f"weights: found {weight!r}; finite numbers of at least 0 are accepted"
            )
        exact.append(weight if isinstance(weight, Fraction) else Fraction(str(weight)))
    return exact


def _gains(weights: list[Fraction]) -> list[int]:
    """Integers with the same order of sums, plus one a column so that more columns break ties.

    Exact when the total is at most 2^52 of the smallest common unit; rounded to that many units of
    the total otherwise.
    """
    total = sum(weights, Fraction(0))
    unit = Fraction(1, lcm(*(weight.denominator for weight in weights)))
    if total > DIGITS * unit:
        unit = total / DIGITS
    return [round(weight / unit) * (len(weights) + 1) + 1 for weight in weights]
