"""Choose the columns to keep where persons may have several rows; exact.

The bound is that of `composition.person_bound`, R + (k - 1) prod N_j, from the number of persons
with each value: N_j values of column j have t persons or more, and R is the sum of the persons of
all other values, for any threshold t. It never falls when a column is added. For a threshold t the
sum R grows, and the product of the N_j too, unless a column has no value of t persons: then R is
all persons. Against a single column, of exposure R_j(k): if t >= k, R_j(t) is no less; if t < k,
the values with t to k - 1 persons hold at most (k - 1) N_j(t). So safe sets are downward closed,
and the search of column_suppression.py holds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from numpy.typing import ArrayLike

from ...errors import ParameterError
from ..composition.person_bound import PersonBounds
from ..exposure.cells import as_columns
from ..validation import as_counts
from .column_choice import ColumnChoice
from .column_suppression import SuppressionProblem
from .packing import MAX_COLUMNS
from .weights import as_gains, as_weights

RULE = "persons"


@dataclass(frozen=True, slots=True)
class PersonPromise:
    """An upper bound on the persons in a class of fewer than k persons, if they have several rows.

    Attributes:
        people: persons exposed at most.
        n: all persons.
        rule: the name of the bound.
    """

    people: int
    n: int
    rule: str = RULE

    @property
    def value(self) -> float:
        """Upper bound on the share of exposed persons."""
        return self.people / self.n


@dataclass(slots=True)
class PersonProblem(SuppressionProblem):
    """The choice of columns by the bound for persons with several rows.

    Attributes:
        source: the bounds of all sets of columns.
    """

    source: PersonBounds | None = field(default=None, kw_only=True)

    def promise(self, chosen: tuple[int, ...]) -> PersonPromise:
        """Return the bound of a set of columns; without columns no person is exposed."""
        assert self.source is not None  # noqa: S101 - the only constructor gives it
        people = self.source.max_exposed(chosen) if chosen else 0
        self.memory[chosen] = promise = PersonPromise(people, self.source.people)
        return promise


def choose_person_columns(
    counts: Sequence[ArrayLike],
    k: int,
    people: int,
    target: float,
    weights: Sequence[float] | None = None,
    required: Sequence[int] = (),
    forbidden: Sequence[int] = (),
) -> ColumnChoice:
    """Return the columns to keep where persons have several rows: largest weight; exact.

    The bound on exposed persons is within `target`.

    Args:
        counts: for each column, the persons with each of its values; a person may be counted in
            several.
        k: an integer of at least 1; a person with a row that fewer than k persons have is exposed.
        people: all persons, at least 1.
        target: the share of persons that may be exposed, in [0, 1].
        weights: as in `choose_columns`.
        required: columns that are kept in any case.
        forbidden: columns that are dropped in any case.

    Raises:
        ParameterError: an argument is outside its range, or the required columns alone exceed the
            target.
    """
    columns = [as_counts(column, people=0) for column in counts]
    must, never = (as_columns(numbers, len(columns)) for numbers in (required, forbidden))
    if set(must) & set(never) or len(columns) - len(set(never)) > MAX_COLUMNS:
        raise ParameterError(
            f"required, forbidden: found {list(must)}, {list(never)}; accepted are different "
            f"columns, and at most {MAX_COLUMNS} to choose from"
        )
    if not 0 <= target <= 1:
        raise ParameterError(f"target: found {target!r}; a share in [0, 1] is accepted")
    exact = as_weights(weights, len(columns))
    problem = PersonProblem(
        columns=columns,
        k=k,
        target=float(target),
        exact=exact,
        gains=as_gains(exact),
        # A function in place of a rule's name: `promise` takes the bound from `source`.
        rule=lambda _counts, _k: PersonPromise(people, people),
        required=tuple(sorted(must)),
        forbidden=frozenset(never),
        memory={},
        source=PersonBounds(columns, k, people),
    )
    kept_columns = problem.solve()
    return ColumnChoice(
        kept=kept_columns,
        weight=float(sum((exact[j] for j in kept_columns), Fraction(0))),
        certificate=problem.promise(kept_columns),
        k=problem.k,
        target=problem.target,
        dropped=tuple(problem.dropped(kept_columns)),
        considered=tuple(problem.considered(kept_columns)),
    )
