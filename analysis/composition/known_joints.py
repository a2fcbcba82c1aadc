"""Bounds if the joint counts of some groups of columns are known (between marginals and joint).

* `partial_bound`: a known group acts as one column, so any rule of `composition` applies to any way
  of writing J as known groups; the least over all ways is taken.
* `margin_bound`: uses all known groups at once, overlapping or not, through the linear relaxation
  of the worst case with covering inequalities, and proves its result in whole numbers
  (`contingency/dual_bound.py`; docs/adr/0002-pair-tables.md has the argument).
* `pairs_bound`: the least of both, if all pair tables are known.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError, VerificationError
from ..contingency import FrechetClass, certified_people, frechet_class, relaxed_weights
from ..contingency.cuts import Cut
from ..contingency.dual_bound import Weights
from ..contingency.integer_program import FrechetProgram, relax
from ..validation import MAX_PEOPLE, Counts, as_count_table, brief, number, sequence, whole
from .bounds import smallest_bound
from .certificate import Certificate
from .exact_worst_case import MOST_CELLS
from .worst_bracket import Timer

Group = tuple[int, ...]
Groups = Mapping[Group, npt.ArrayLike]

# Limits the ways of writing J in `partial_bound`; sufficient for 9 columns with all pairs.
MOST_WAYS = 100_000


@dataclass(frozen=True, slots=True)
class PartialBound:
    """A composition bound with the groups of `partition` as columns.

    Attributes:
        partition: the groups, each ascending.
        certificate: certificate of the bound, with a column for each group.
    """

    partition: tuple[Group, ...]
    certificate: Certificate

    @property
    def people(self) -> int:
        """Upper bound on the exposed people."""
        return self.certificate.people

    @property
    def value(self) -> float:
        """Upper bound on the share of people exposed."""
        return self.certificate.value

    @property
    def rule(self) -> str:
        """The composition rule, and the partition that it was applied to."""
        return f"{self.certificate.rule} over {self.partition}"

    def __str__(self) -> str:
        return f"at most {self.people} of {self.certificate.n} people exposed ({self.rule})"

    def verify(self, groups: Groups) -> None:
        """Raise VerificationError unless these known groups prove the bound."""
        tables = _checked_joints(groups)
        if sorted(j for group in self.partition for j in group) != _columns(tables):
            raise VerificationError(f"partition {self.partition}: does not write every column once")
        self.certificate.verify([_flat(tables, group) for group in self.partition])


@dataclass(frozen=True, slots=True)
class MarginBound:
    """At most `people` of `n` are exposed at `k` in any table with the known groups' counts.

    `verify` recomputes the bound from the weights in whole numbers.

    Attributes:
        people: upper bound on the exposed people.
        n: people counted.
        k: the smallest crowd in which no person is exposed.
        weights: the proof of the bound, in whole numbers.
        rule: the name of the bound.
    """

    people: int
    n: int
    k: int
    weights: Weights
    rule: str = "margins"

    @property
    def value(self) -> float:
        """Upper bound on the share of people exposed."""
        return self.people / self.n

    def __str__(self) -> str:
        return f"at most {self.people} of {self.n} people exposed ({self.rule})"

    def verify(self, groups: Groups) -> None:
        """Raise VerificationError unless these known groups prove the bound."""
        tables = _frechet_class(_checked_joints(groups), self.k)
        proved = _trivial_bound(certified_people(tables, self.k, self.weights), self.n, self.k)
        if proved > self.people:
            raise VerificationError(f"margins: claims {self.people} people, proves {proved}")


def partial_bound(groups: Groups, k: int, rule: str = "coverage") -> PartialBound:
    """The least bound over all ways to write the columns J as groups with known joint counts.

    The bounds of `composition` hold for any columns: a group with known joint counts is one column
    with the combinations as values. A part of a known group is known too. The least over all set
    partitions of J into such groups is exact for small J.

    Args:
        groups: joint counts {(0,): counts, (0, 1): table, ...}, axes in the group's order; J is
            all columns that occur.
        k: crowd size, a whole number.
        rule: a rule of `best_bound`.

    Raises:
        ParameterError: no group, groups that contradict each other, or too many ways.
    """
    tables, k = _checked_joints(groups), whole(k, "k", 0)
    _frechet_class(tables, 0)  # contradictions between the groups surface here
    best: PartialBound | None = None
    for way, partition in enumerate(_partitions(_columns(tables), tables)):
        if way >= MOST_WAYS:
            raise ParameterError(f"groups: more than {MOST_WAYS} ways to write the columns")
        certificate = smallest_bound([_flat(tables, group) for group in partition], k, rule)
        if best is None or certificate.people < best.people:
            best = PartialBound(partition, certificate)
    assert best is not None  # noqa: S101  (every column is in a group)
    return best


def margin_bound(groups: Groups, k: int, time_limit: float | None = None) -> MarginBound:
    """Return a certified bound that uses all known groups at once; they may overlap.

    The linear relaxation of the worst case (`exact_worst_case.py`) with the covering inequalities
    of `contingency/cuts.py` gives weights, and `contingency/dual_bound.py` turns any weights into a
    bound in whole numbers. So an inaccurate solver makes the bound worse, never wrong.

    Args:
        groups: joint counts {(0,): counts, (0, 1): table, ...}, axes in the group's order.
        k: crowd size, a whole number.
        time_limit: seconds after which no further round of the search for good inequalities
            begins, > 0; the bound then depends on the machine's speed. None: only rounds limit it.

    Raises:
        ParameterError: no group, contradicting groups, or more than `MOST_CELLS` cells.
    """
    # A crowd size above the number of people is cut: its bound is the same.
    group_tables, k = _checked_joints(groups), min(whole(k, "k", 0), MAX_PEOPLE + 1)
    if time_limit is not None and not number(time_limit, "time_limit", "seconds > 0") > 0:
        raise ParameterError(f"time_limit: found {time_limit!r}; needs seconds > 0")
    tables = _frechet_class(group_tables, k)
    n = int(tables.margins[0].counts.sum())
    if tables.cells > MOST_CELLS:
        raise ParameterError(f"groups: {tables.cells} cells; at most {MOST_CELLS} are accepted")
    cuts: list[Cut] = []
    if 1 < k <= n:
        cuts, _ = relax(FrechetProgram(tables, k), n, Timer(time_limit))
    weights = relaxed_weights(tables, k, cuts)
    return MarginBound(_trivial_bound(certified_people(tables, k, weights), n, k), n, k, weights)


def pairs_bound(pair_tables: Groups, k: int) -> PartialBound | MarginBound:
    """Return the best certified bound if all pairs of columns are known: the less of two bounds.

    Never above the bound from the marginals alone. Census (sex, income, race, workclass) at k = 10:
    1,218 people by coverage from marginals, 666 here, 649 exactly (`worst_case` with `known`).

    Args:
        pair_tables: {(0, 1): table, (0, 2): table, ...}: every pair of the columns that occur.
        k: crowd size, a whole number.

    Raises:
        ParameterError: a pair is missing, or the tables contradict each other.
    """
    tables = _checked_joints(pair_tables)
    given_pairs = {tuple(sorted(group)) for group in tables}
    missing = [pair for pair in combinations(_columns(tables), 2) if pair not in given_pairs]
    if missing:
        raise ParameterError(f"pair_tables: no table of {missing[0]}; every pair is needed")
    roads: list[PartialBound | MarginBound] = [partial_bound(pair_tables, k)]
    if _frechet_class(tables, k).cells <= MOST_CELLS:
        roads.append(margin_bound(pair_tables, k))
    return min(roads, key=lambda bound: bound.people)


def _trivial_bound(people: int, n: int, k: int) -> int:
    return 0 if k <= 1 else min(people, n)


def _checked_joints(groups: Groups) -> dict[Group, Counts]:
    needs = "the counts of at least one group of columns"
    if not isinstance(groups, Mapping):
        raise ParameterError(f"groups: found {brief(groups)}; needs {needs}")
    if not groups:
        raise ParameterError(f"groups: empty; needs {needs}")
    joints = {}
    for group, table in groups.items():
        name = f"groups[{brief(group)}]"
        columns = tuple(whole(j, name, 0) for j in sequence(group, name, "a tuple of columns"))
        if not columns or len(set(columns)) < len(columns):
            raise ParameterError(f"{name}: needs different columns, at least one")
        joints[columns] = as_count_table(table, name, len(columns))
    return joints


def _columns(tables: Mapping[Group, Counts]) -> list[int]:
    return sorted({j for group in tables for j in group})


def _frechet_class(tables: Mapping[Group, Counts], k: int) -> FrechetClass:
    """Return the Frechet class over the columns that occur, renumbered 0, 1, ..."""
    columns = _columns(tables)
    marginals = [_flat(tables, (j,)) for j in columns]
    tables_by_place = {
        tuple(columns.index(j) for j in group): table for group, table in tables.items()
    }
    return frechet_class(marginals, k, tables_by_place)


def _flat(tables: Mapping[Group, Counts], group: Group) -> Counts:
    """Return the counts of a group, flattened, summed from a known group that contains it."""
    holder = next(columns for columns in tables if set(group) <= set(columns))
    summed_axes = tuple(axis for axis, j in enumerate(holder) if j not in group)
    counts = tables[holder].sum(axis=summed_axes)
    group_columns = [j for j in holder if j in group]
    return np.asarray(
        counts.transpose([group_columns.index(j) for j in group]).ravel(), dtype=np.int64
    )


def _partitions(
    columns: Sequence[int], tables: Mapping[Group, Counts]
) -> Iterator[tuple[Group, ...]]:
    """Yield all set partitions of the columns with parts inside known groups."""
    if not columns:
        yield ()
        return
    first, rest = columns[0], list(columns[1:])
    for size in range(len(rest) + 1):
        for partners in combinations(rest, size):
            part = (first, *partners)
            if any(set(part) <= set(group) for group in tables):
                for way in _partitions([j for j in rest if j not in partners], tables):
                    yield (part, *way)
