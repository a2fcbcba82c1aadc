"""Every set of columns of a run: what could be promised of it, what is true, what it is worth.

    promised   by the policy's rule from the marginals, as the curator could
    truth      people in a crowd smaller than k, were these columns released
    entropy    bits per person that the joint counts of the columns hold

Truth is counted in the people (`verification.population`), or in the release where only that is
known. Where the rule is `worst-case`, or `margins` and there are many cells, sets that were not
decided on are promised by the coverage bound: either would take long for every set.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from ...analysis.exposure import joint_counts, users_below
from ...protocol.tallying import marginals
from ..programs.dropped import Dropped
from ..programs.evidence import NoGround
from ..programs.registry import program_of
from ..programs.two_round.rules import bound, choose, listed, listing_rule, named_rule
from ..programs.weights import column_weights
from ..records.result_file import Run
from ..scoring.result import WrittenDecision
from ..verification.evidence import Evidence
from ..verification.population import people as recollected

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ...protocol.schema import Schema

EVERY = 6  # columns; with more, only singles, the kept set, and it with one column more
SLOW = "worst-case"


@dataclass(frozen=True, slots=True)
class ColumnSet:
    """A set of columns. People are whole numbers; None is what cannot be known from the run.

    Attributes:
        columns: their names.
        promised: at most so many of `asked` people are exposed, by `rule`.
        asked: people who are promised something.
        rule: by which that is known.
        truth: so many of `counted` are.
        counted: people who are in the table.
        entropy: bits a person that the columns tell.
        weight: the sum of the columns' weights.
        safe: whether the promise is within max_exposure.
        released: whether this set was.
    """

    columns: tuple[str, ...]
    promised: int
    asked: int
    rule: str
    truth: int | None
    counted: int
    entropy: float | None
    weight: float
    safe: bool
    released: bool


@dataclass(frozen=True, slots=True)
class Choices:
    """The sets, smallest first, and why each column that is not released is not.

    Attributes:
        sets: the smallest first.
        dropped: one for each column that is not released.
        every: whether all sets are there.
    """

    sets: tuple[ColumnSet, ...]
    dropped: tuple[Dropped, ...]
    every: bool


def choices(run: Run) -> Choices | None:
    """Look at the sets of columns of a run; None where no marginals were read."""
    decision = run.result.decision
    if not run.result.marginals or not decision:
        return None
    try:
        schema = Evidence(run, None).schema
    except NoGround:
        return None
    return _Chooser(run, schema, decision).choices()


def counts_as_decided(run: Run, schema: "Schema") -> tuple[list[list[int]], int]:
    """The counts of every column and the people n, as the curator read them when it decided.

    Where messages were lost columns differ in their totals: each missing answer is a value that
    nobody else has (protocol/tallying.py).
    """
    read = [run.result.marginals[name] for name in run.result.features]
    counts, people = marginals([{(value,): n for value, n in counted.items()} for counted in read])
    return listed(schema, counts), people


class _Chooser:
    """A run, and the counts of its columns as a rule wants them."""

    def __init__(self, run: Run, schema: "Schema", decision: WrittenDecision) -> None:
        self.run = run
        self.decided = decision.certificate
        self.schema = schema
        self.policy = run.scenario.policy
        self.names: Sequence[str] = run.result.features
        self.counts, people = counts_as_decided(run, schema)
        fixed = run.scenario.population.setting == "fixed"
        others = None if fixed else decision.certificate.n
        self.rule = named_rule(self.policy, others, schema)
        self.asked = others or people
        self.weights = column_weights(self.policy, self.names)
        self.table = recollected(run)
        self.kept = self._numbers(decision.kept)

    def choices(self) -> Choices:
        every = len(self.names) <= EVERY
        sets = tuple(self._score(columns) for columns in self._wanted(every=every))
        return Choices(sets, tuple(self._dropped()), every)

    def _numbers(self, names: Sequence[str]) -> tuple[int, ...]:
        return tuple(sorted(list(self.names).index(name) for name in names))

    def _wanted(self, *, every: bool) -> Iterator[tuple[int, ...]]:
        columns = range(len(self.names))
        if every:
            for size in range(1, len(self.names) + 1):
                yield from combinations(columns, size)
            return
        sets: set[tuple[int, ...]] = {(column,) for column in columns}
        sets |= {tuple(sorted({*self.kept, column})) for column in columns}
        yield from sorted(sets | {tuple(columns)}, key=lambda own: (len(own), own))

    def _score(self, columns: tuple[int, ...]) -> ColumnSet:
        promised, rule = self._promise(columns)
        cells = self._cells(columns)
        counted = int(sum(cells)) if cells is not None else 0
        return ColumnSet(
            tuple(self.names[column] for column in columns),
            promised,
            self.asked,
            rule,
            users_below(cells, self.policy.k) if cells is not None else None,
            counted,
            _entropy(cells) if cells is not None else None,
            sum(self.weights[column] for column in columns),
            promised / self.asked <= self.policy.max_exposure,
            columns == self.kept and self.run.result.release is not None,
        )

    def _promise(self, columns: tuple[int, ...]) -> tuple[int, str]:
        """People and rule: of the kept set as decided, of others as the rule would have."""
        if columns == self.kept:
            return self.decided.people, self.decided.rule
        rule: Any = "coverage" if self.policy.rule == SLOW else self.rule
        rule = listing_rule(rule, self.counts, self.policy.k)
        proof = bound(rule, [self.counts[column] for column in columns], self.policy.k)
        return int(proof.people), str(proof.rule)

    def _cells(self, columns: tuple[int, ...]) -> "npt.NDArray[np.int64] | list[int] | None":
        """The joint counts of some columns, from the people or else from the release."""
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

    def _dropped(self) -> Iterator[Dropped]:
        """What it would take to keep each column; nothing where the policy does not choose."""
        if not program_of(self.run.scenario).by_rule or self.policy.rule == SLOW:
            return
        for dropped in choose(self.policy, self.rule, self.schema, self.counts).dropped:
            name = self.names[dropped.column]
            yield Dropped(
                name, dropped.smallest_target, dropped.largest_k, name in self.policy.forbidden
            )


def _entropy(cells: Any) -> float:
    """Bits per person: the entropy of the cell of a person drawn at random."""
    import numpy as np

    from ...analysis.estimation import entropy

    counts = np.asarray(cells, dtype=float)
    return entropy(counts / counts.sum(), "bits")
