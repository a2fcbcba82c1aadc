"""Every set of columns of a run: its bound on exposure, its true exposure, and its entropy.

    promised   upper bound on exposed people by the policy's rule (a method that proves such bounds)
               from the marginals, as the curator could compute it
    truth      people in an equivalence class smaller than k, if these columns were released
    entropy    bits per person in the joint counts of the columns

Truth is counted in the people's rows (`verification.population`), or in the release if only that is
known. The rule `worst-case`, or `margins` with many cells, is too slow for every set. All sets but
the released set then have the coverage bound, computed fast from the counts of rare
and common values.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from ....analysis.exposure import joint_counts, users_below
from ....protocol.rounds.tallying import marginals
from ...lab.scoring.result import WrittenDecision
from ...programs.capabilities import RuleDecision
from ...programs.curated.rules import bound, listed, listing_rule, named_rule
from ...programs.dropped_columns import UnreleasedColumn
from ...programs.evidence import NoGround
from ...programs.registry import capability
from ...programs.weights import column_weights
from ...records.result_file import Run
from ...records.verification.evidence import RecordEvidence
from ...records.verification.population import people as recollected

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ....protocol.wire.schema import Schema

# largest number of columns for which all sets are scored; with more, single columns, the released
# set with one more column, and all columns
EVERY = 6
SLOW = "worst-case"


@dataclass(frozen=True, slots=True)
class ColumnSet:
    """A set of columns of a run, with its exposure if it were released.

    Numbers of people are whole; None is a number that the run does not determine.

    Attributes:
        columns: the names of the columns.
        promised: upper bound on exposed people, among `bound_population` people.
        bound_population: the number of people that `promised` is about.
        rule: the name of the rule, the method that proves `promised`.
        truth: the true number of exposed people, among `counted` people.
        counted: the number of people in the joint counts of these columns.
        entropy: bits a person in the joint counts of these columns.
        weight: the sum of the columns' weights.
        safe: whether `promised`, as a share of the people, is within max_exposure.
        released: whether this set was released.
    """

    columns: tuple[str, ...]
    promised: int
    bound_population: int
    rule: str
    truth: int | None
    counted: int
    entropy: float | None
    weight: float
    safe: bool
    released: bool


@dataclass(frozen=True, slots=True)
class Choices:
    """The sets of columns that the curator could release, and the suppressed columns.

    Attributes:
        sets: the sets of columns, the smallest first.
        dropped: each column that is not released, with the limits that would admit it.
        every: whether `sets` holds all sets. With more than 6 columns it holds only single columns,
            the released set with a further column, and the set of all columns.
    """

    sets: tuple[ColumnSet, ...]
    dropped: tuple[UnreleasedColumn, ...]
    every: bool


def choices(run: Run) -> Choices | None:
    """Return the sets of columns that the curator of a run could release.

    None if no marginals were counted, or if persons have several rows: then the counts do not show
    which rows belong to the same person.
    """
    decision = run.result.decision
    if run.result.several_rows:
        return None
    if not run.result.marginals or not decision:
        return None
    try:
        schema = RecordEvidence(run, None).schema
    except NoGround:
        return None
    return _Chooser(run, schema, decision).choices()


def counts_as_decided(run: Run, schema: "Schema") -> tuple[list[list[int]], int]:
    """Return the counts of every column and the number of people, as they were for the decision.

    If messages were lost, columns differ in their totals. Each missing answer then counts as a
    value of its own (protocol/rounds/tallying.py).
    """
    counts_by_column = [run.result.marginals[name] for name in run.result.features]
    counts, people = marginals(
        [{(value,): n for value, n in cells.items()} for cells in counts_by_column]
    )
    return listed(schema, counts), people


class _Chooser:
    """The computation of the bound, exposure and entropy of a run's sets of columns."""

    def __init__(self, run: Run, schema: "Schema", decision: WrittenDecision) -> None:
        """Compute the counts of the columns, and the rule (method) that bounds exposure for sets.

        decision: the decision of the run, as result.json has it.
        """
        self.run = run
        self.decided = decision.certificate
        self.schema = schema
        self.policy = run.scenario.policy
        self.names: Sequence[str] = run.result.features
        self.counts, people = counts_as_decided(run, schema)
        fixed = run.scenario.population.setting == "fixed"
        other_people = None if fixed else decision.certificate.n
        self.rule = named_rule(self.policy, other_people, schema)
        self.bound_population = other_people or people
        self.weights = column_weights(self.policy, self.names)
        self.table = recollected(run)
        self.released_columns = self._numbers(decision.kept)

    def choices(self) -> Choices:
        """Return the scored sets of columns: all sets, or with more than 6 columns only some."""
        takes_all = len(self.names) <= EVERY
        sets = tuple(self._score(columns) for columns in self._column_sets(takes_all=takes_all))
        return Choices(sets, tuple(self._dropped()), takes_all)

    def _numbers(self, names: Sequence[str]) -> tuple[int, ...]:
        """Return the indices of columns by their names, in ascending order."""
        return tuple(sorted(list(self.names).index(name) for name in names))

    def _column_sets(self, *, takes_all: bool) -> Iterator[tuple[int, ...]]:
        """Yield the sets of columns to score, by index: all sets, or only the most important.

        The most important sets are single columns, the released set, the released set with one more
        column, and all columns. takes_all: whether to yield all sets.
        """
        columns = range(len(self.names))
        if takes_all:
            for size in range(1, len(self.names) + 1):
                yield from combinations(columns, size)
            return
        sets: set[tuple[int, ...]] = {(column,) for column in columns}
        sets |= {tuple(sorted({*self.released_columns, column})) for column in columns}
        yield from sorted(
            sets | {tuple(columns)}, key=lambda column_set: (len(column_set), column_set)
        )

    def _score(self, columns: tuple[int, ...]) -> ColumnSet:
        """Return a set of columns with its bound, its true exposure and its entropy."""
        promised, rule = self._promise(columns)
        cells = self._cells(columns)
        cells_counted = int(sum(cells)) if cells is not None else 0
        return ColumnSet(
            tuple(self.names[column] for column in columns),
            promised,
            self.bound_population,
            rule,
            users_below(cells, self.policy.k) if cells is not None else None,
            cells_counted,
            _entropy(cells) if cells is not None else None,
            sum(self.weights[column] for column in columns),
            promised / self.bound_population <= self.policy.max_exposure,
            columns == self.released_columns and self.run.result.release is not None,
        )

    def _promise(self, columns: tuple[int, ...]) -> tuple[int, str]:
        """Return the upper bound on exposed people for a set of columns, and the name of its rule.

        The released set has the decision's bound; for any other set the bound is computed.
        """
        if columns == self.released_columns:
            return self.decided.people, self.decided.rule
        rule: Any = "coverage" if self.policy.rule == SLOW else self.rule
        rule = listing_rule(rule, self.counts, self.policy.k)
        proof = bound(rule, [self.counts[column] for column in columns], self.policy.k)
        return int(proof.people), str(proof.rule)

    def _cells(self, columns: tuple[int, ...]) -> "npt.NDArray[np.int64] | list[int] | None":
        """Return the joint counts of some columns, from the people's rows or else from the release.

        None if neither the rows nor the release have them.
        """
        if self.table is not None:
            return joint_counts(self.table, columns)
        release = self.run.result.release
        names = [self.names[column] for column in columns]
        if release is None or not set(names) <= set(release.columns):
            return None
        places = [release.columns.index(name) for name in names]
        counts: Counter[tuple[str, ...]] = Counter()
        for values, people in release.cells:
            counts[tuple(values[place] for place in places)] += people
        return list(counts.values())

    def _dropped(self) -> Iterator[UnreleasedColumn]:
        """Yield each suppressed column, with the limits under which it would be released.

        Empty if no rule of the policy chose the columns, or if the rule is too slow to be repeated.
        """
        decision = capability(self.run.scenario, RuleDecision)
        if decision and self.policy.rule != SLOW:
            yield from decision.unreleased(self.policy, self.rule, self.schema, self.counts)


def _entropy(cells: Any) -> float:
    """Return the entropy, in bits, of the combination of values of a person drawn at random.

    cells: the number of people with each combination.
    """
    import numpy as np

    from ....analysis.estimation import entropy

    counts = np.asarray(cells, dtype=float)
    return entropy(counts / counts.sum(), "bits")
