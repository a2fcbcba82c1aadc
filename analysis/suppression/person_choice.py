"""Choose the columns to keep, if persons may have several rows; exact.

The bound on exposed persons is that of `composition.person_bound`, R + (k - 1) prod N_j for any
threshold t. N_j is the number of values of column j that t persons or more have. R is the sum, over
columns and their other values, of the persons with the value.

The bound never falls when a column is added. At a fixed t, R grows. The product grows too, unless
the new column has no value of t persons; then R is at least all persons. A set of a single column
has a better bound, the persons R_j(k) with values of fewer than k persons. No larger set is below
it: if t >= k, R_j(t) >= R_j(k); if t < k, the values with t to k - 1 persons have at most (k - 1)
N_j(t) persons. So every set that contains an unsafe set is unsafe, and the search of
`column_suppression.py` is valid.
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
    """An upper bound on the exposed persons, if persons may have several rows.

    A person is exposed by a row that fewer than k persons have.

    Attributes:
        people: upper bound on the exposed persons.
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
    """The problem of choosing columns, if persons may have several rows.

    Attributes:
        source: the bounds on exposed persons for any set of columns.
    """

    source: PersonBounds | None = field(default=None, kw_only=True)

    def promise(self, chosen: tuple[int, ...]) -> PersonPromise:
        """Return the bound on exposed persons for a set of columns; 0 without columns."""
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
    """Return the columns to keep, if persons may have several rows: largest total weight; exact.

    The bound on the share of exposed persons is within `target`.

    Args:
        counts: for each column, the number of persons with each value; a person with several values
            is counted for each.
        k: an integer of at least 1; a person with a row that fewer than k persons have is exposed.
        people: number of all persons, at least 1.
        target: the share of persons that may be exposed, in [0, 1].
        weights: a finite number of at least 0 per column, 1 each by default.
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
        # The search treats the bound as a function, because none of the named rules fits. This
        # function is never called: `promise` computes the bound by `source`.
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
