"""The score of a table of people: true exposure, and the bounds that marginals certify.

There is no protocol: the scoring party has the table. `truth` is counted in the table. `promised`
is the bound that a curator could prove from the counts of each column (composition/bounds.py). The
difference is the cost of not seeing the joint counts.

Missing cells have one meaning throughout, which the caller chooses. As a CATEGORY, missing is a
value like any other. As a WILDCARD it matches any value, and a person's class ("crowd") is the
people with compatible rows (wildcards.py). Upper bounds are always computed with missing as a
value: a class with wildcards is never smaller, so they hold for wildcards too. The lower bound with
wildcards is the number of people exposed by the most exposing single column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...deprecated import keeps_old
from ...errors import ParameterError
from ..composition import best_bound, fewest_exposed, worst_case
from ..composition.margins_bound import margins_bound
from ..composition.person_bound import PersonBounds
from ..exposure import Crowds, Risk, joint_counts, risk
from ..exposure.cells import as_table, cells_of
from ..exposure.counts import Integers
from ..exposure.persons import Persons
from ..exposure.sampled_population import sampled_risk
from ..exposure.unrelated_columns import UnrelatedExposure, unrelated_exposure
from ..exposure.wildcards import Wildcards
from ..release_risks import EVERY, TableColumns, TableRisks, table_risks
from ..validation import whole
from .parts import Bounds, ScoredPart
from .set_scores import CrowdSource, Sets, score_sets

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# cells (rows x columns) from which a second thread for privacy risks saves time
LARGE_TABLE = 2_000_000
# names of bounds on exposure, the largest bound first: "printed" is the paper's
RULES = ("printed", "refined", "coverage")


class Missing(StrEnum):
    """The meaning of a missing cell: a value of its own (CATEGORY), or any value (WILDCARD)."""

    CATEGORY = "category"
    WILDCARD = "wildcard"


@keeps_old(most="people_limit")
@dataclass(frozen=True, slots=True)
class TableScore:
    """The disclosure risk of a table; the result of `score_table`.

    People are whole numbers, shares are in [0, 1].

    Attributes:
        n: people: rows of the table, or persons if these have several rows.
        k: the smallest equivalence class that counts as safe.
        max_exposure: the accepted share of people in smaller classes.
        missing: the meaning of an empty cell.
        columns: the score of each column alone.
        joint: the score of all columns together.
        bounds: bounds on the joint exposure from the counts of single columns.
        risk: re-identification risk from an attacker that links records.
        sets: sets of columns that are safe, by truth and by bound.
        questions: singling out, linkability and inference; k-anonymity, l-diversity and
            t-closeness.
        unrelated: an estimate of the joint exposure if the columns were independent; None for a
            single column, for large tables, if missing cells match any value, and if persons have
            several rows.
        rows: number of rows of the table; more than `n` if persons have several.
        quasi: the score of the quasi-identifiers together; None if they are all or no columns.
    """

    n: int
    k: int
    max_exposure: float
    missing: Missing
    columns: tuple[ScoredPart, ...]
    joint: ScoredPart
    bounds: Bounds
    risk: Risk
    sets: Sets
    questions: TableRisks
    unrelated: UnrelatedExposure | None
    rows: int
    quasi: ScoredPart | None = None

    @property
    def people_limit(self) -> int:
        """The largest number of people that a safe set of columns may expose."""
        return allowed(self.max_exposure, self.n)

    @property
    def safe(self) -> bool:
        """Whether all columns together expose at most `people_limit` people."""
        return self.joint.crowds.users_below(self.k) <= self.people_limit

    def __repr__(self) -> str:
        """Return the numbers of people, columns and exposed people."""
        below = self.joint.crowds.users_below(self.k)
        return (
            f"<TableScore of {self.n:,} people, {len(self.columns)} columns, missing as "
            f"{self.missing}: {below:,} people ({below / self.n:.4g}) below k = {self.k}>"
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the exposure of each column and of all together against k, and return the axes.

        ax: the axes to draw on; a new figure if not given.
        """
        from .figure import draw

        return draw(self, ax)


def score_table(
    table: ArrayLike,
    names: Sequence[str],
    k: int = 5,
    max_exposure: float = 0.01,
    *,
    missing: Missing | str = Missing.CATEGORY,
    missing_codes: Sequence[int | None] | None = None,
    factor: float = 1.0,
    worst_case_nodes: int | None = None,
    column_roles: TableColumns = EVERY,
    persons: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    progress: Callable[[str], None] | None = None,
) -> TableScore:
    """Measure the disclosure risk of a table of people: exposure, bounds, attacks, safe columns.

    Args:
        table: n x d integer codes of at least 0; n >= 2, d >= 1.
        names: the names of the columns.
        k: an integer of at least 1; people with a crowd smaller than k are exposed.
        max_exposure: the share of people that may be exposed, in [0, 1].
        missing: the meaning of missing cells.
        missing_codes: for each column the code of a missing cell, or None if it has none.
        factor: people in the population for each person in the table (exposure/attacker_risk.py).
        worst_case_nodes: most nodes of each search tree for the worst table with these marginals;
            None: no search. Ctrl-C ends the search; the score has the bounds found by then.
        column_roles: the columns for singling out, linkability and inference.
        persons: an integer for each row, equal for rows of one person, who is as exposed as the
            most exposed of these rows; None: each row is a person.
        weights: the people of the population that each row stands for, for journalist and marketer
            risk (exposure/sampled_population.py), instead of a factor; None: no weights.
        progress: called with the name of each stage as it begins.
    """
    # in column order in memory, because columns are read one at a time
    codes = np.asfortranarray(as_table(table))
    lacking = _checked(codes, names, missing_codes, k, max_exposure)
    meaning, report = _meaning(missing), progress or (lambda _stage: None)
    owned = _owned(codes, persons, meaning, worst_case_nodes)
    _check_weights(weights, owned, meaning, factor)
    n = len(codes) if owned is None else owned.n
    source = Wildcards.from_table(codes, lacking) if meaning is Missing.WILDCARD else owned
    report("columns one by one")
    marginals, lacks, columns = _columns(codes, names, lacking, owned, source)
    report("all columns together")
    joint = _joint(codes, source, lacks)
    report("bounds from the marginals")
    bounds = _bounds(marginals, k, columns if source else (), worst_case_nodes, owned, report)
    questions = _start_risks(codes, column_roles, owned)
    report("columns permuted")
    unrelated = None if source else unrelated_exposure(marginals, k)
    sets = score_sets(codes, marginals, k, allowed(max_exposure, n), source, report)
    report("singling out, linkability, inference")
    risks = _risk(codes, joint, k, factor, weights)
    parts = (columns, joint, bounds, risks, sets, questions(), unrelated)
    return TableScore(
        n, k, max_exposure, meaning, *parts, len(codes), _quasi(codes, source, column_roles)
    )


def _start_risks(
    codes: NDArray[np.integer], column_roles: TableColumns, persons: Persons | None
) -> Callable[[], TableRisks]:
    """Return a function that returns the attack results (`TableRisks`) of a table.

    For a large table a thread computes them while sets of columns are counted.

    persons: the persons of the rows; None: each row is a person's own.
    """
    answer: Callable[[], TableRisks] = partial(table_risks, codes, column_roles, persons)
    return _start_parallel(answer) if codes.size >= LARGE_TABLE else answer


def _start_parallel(call: Callable[[], TableRisks]) -> Callable[[], TableRisks]:
    """Start a call in a thread; the returned function waits for its result, or raises its error.

    The thread is a daemon, so a process that stops early ends without waiting for it.
    """
    risks = Future[TableRisks]()

    def run() -> None:
        """Run the call, and hand its result or its error to the function that waits for it."""
        try:
            risks.set_result(call())
        except BaseException as wrong:
            risks.set_exception(wrong)

    Thread(target=run, daemon=True).start()
    return risks.result


def _owned(
    codes: NDArray[np.integer], persons: ArrayLike | None, missing: Missing, nodes: int | None
) -> Persons | None:
    """Return the persons of the rows; None if each person has one row.

    persons: a number for each row, equal for rows of one person.
    missing: the meaning of missing cells.
    nodes: most nodes of a search for the worst table; None: no search.

    Raises:
        ParameterError: one person only, or persons with several rows together with missing cells
            that match any value or with a search for the worst table.
    """
    owned = None if persons is None else Persons.from_table(codes, persons)
    if owned is None or not owned.repeated:
        return None
    if owned.n < 2:
        raise ParameterError("persons: all rows belong to one person; at least two are accepted")
    if missing is Missing.WILDCARD:
        raise ParameterError(
            "missing: found wildcard, and persons with several rows; category is accepted then"
        )
    if nodes is not None:
        raise ParameterError(
            "worst_case_nodes: the worst table can be searched only if each person has one row; "
            "leave it out, or take one row of each person"
        )
    return owned


def _check_weights(
    weights: ArrayLike | None, owned: Persons | None, missing: Missing, factor: float
) -> None:
    """Raise a ParameterError if sampling weights are used with options that do not allow them.

    The options are a factor other than 1, missing cells as wildcards, and persons with several
    rows.

    weights: people of the population that each row stands for; None: no weights.
    owned: the persons of the rows if some have several, else None.
    factor: people of the population for each person in the table.
    """
    if weights is None:
        return
    if factor != 1:
        raise ParameterError(
            f"factor, weights: found both a factor of {factor:g} (people of the population for "
            "each person of the table) and weights of the rows; one of the two is accepted"
        )
    if owned is not None or missing is Missing.WILDCARD:
        conflict = "wildcard cells" if owned is None else "persons with several rows"
        raise ParameterError(
            f"weights: found {conflict}; one row a person, and missing cells as a category, are "
            "accepted"
        )


def _risk(
    codes: NDArray[np.integer],
    joint: ScoredPart,
    k: int,
    factor: float,
    weights: ArrayLike | None,
) -> Risk:
    """Return the re-identification risk in a population given by a factor or by weights.

    codes: the table's codes.
    joint: the score of all columns together.
    factor: people of the population for each person in the table; used without weights.
    weights: people of the population that each row stands for, or None.
    """
    if weights is None:
        return risk(joint.crowds, k, factor)
    return sampled_risk(cells_of(codes, range(codes.shape[1])), weights, k)


def _columns(
    codes: NDArray[np.integer],
    names: Sequence[str],
    lacking: Sequence[int | None],
    owned: Persons | None,
    source: CrowdSource | None,
) -> tuple[list[Integers], int, tuple[ScoredPart, ...]]:
    """Return the counts of each column, the total of missing cells, and each column's score.

    lacking: for each column the code of a missing cell, or None.
    owned: the persons of the rows if some have several, else None.
    source: the classes if missing cells match any value or persons have several rows; else None.
    """
    marginals = [_people(codes, owned, j) for j in range(len(names))]
    lacks = [_cells(codes[:, j], code) for j, code in enumerate(lacking)]
    columns = (_column(name, marginals[j], lacks[j], source, j) for j, name in enumerate(names))
    return marginals, sum(lacks), tuple(columns)


def _people(codes: NDArray[np.integer], owned: Persons | None, j: int) -> Integers:
    """Return the number of people with each value of column j.

    codes: n x d codes of the table. owned: the persons of the rows if some have several, else None.
    """
    return joint_counts(codes[:, j : j + 1], [0]) if owned is None else owned.by_cell([j])


def allowed(share: float, n: int) -> int:
    """Return the largest number of people whose share of n, a float, is at most `share`."""
    people = min(n, int(share * n) + 1)
    while people / n > share:
        people -= 1
    return people


def _checked(
    codes: NDArray[np.integer],
    names: Sequence[str],
    missing_codes: Sequence[int | None] | None,
    k: int,
    max_exposure: float,
) -> list[int | None]:
    """Check the arguments of `score_table`; return each column's code of a missing cell or None.

    Raises:
        ParameterError: an argument is out of range, or there is not one name or one code of a
            missing cell for each column.
    """
    n, d = codes.shape
    lacking: list[int | None] = [None] * d if missing_codes is None else list(missing_codes)
    if n < 2 or d < 1:
        raise ParameterError(
            f"table: found {n} people and {d} columns; at least two people and one column are "
            "accepted, because a single person is never hidden among others"
        )
    if len(names) != d or len(lacking) != d:
        raise ParameterError(
            f"names, missing_codes: found {len(names)} and {len(lacking)} for {d} columns; one for "
            "each is accepted"
        )
    if whole(k, "k") < 1:
        raise ParameterError(f"k: found {k}; an integer of at least 1 is accepted")
    if not 0 <= max_exposure <= 1:
        raise ParameterError(
            f"max_exposure: found {max_exposure}; a share of the people, 0 to 1, is accepted"
        )
    return lacking


def _meaning(missing: Missing | str) -> Missing:
    """Return the meaning of a missing cell from its name, "category" or "wildcard".

    Raises:
        ParameterError: an unknown name.
    """
    try:
        return Missing(missing)
    except ValueError:
        raise ParameterError(
            f"missing: found {missing!r}; {' and '.join(Missing)} are accepted"
        ) from None


def _cells(column: NDArray[np.integer], code: int | None) -> int:
    """Return the number of missing cells of a column.

    code: the code of a missing cell; None: no cell is missing.
    """
    return 0 if code is None else int(np.count_nonzero(column == code))


def _column(
    name: str, counts: Integers, lacks: int, source: CrowdSource | None, j: int
) -> ScoredPart:
    """Return the score of column j.

    counts: people with each value.
    lacks: number of missing cells.
    source: the classes if missing cells match any value or persons have several rows; else None.
    """
    if source is None:
        return ScoredPart(name, counts.size, lacks, Crowds.from_cells(counts))
    # missing cells that match any value are not counted as a value
    wild = isinstance(source, Wildcards) and lacks > 0
    return ScoredPart(name, counts.size - wild, lacks, source.crowds((j,)))


def _quasi(
    codes: NDArray[np.integer], source: CrowdSource | None, selection: TableColumns
) -> ScoredPart | None:
    """Return the score of the quasi-identifiers together; None if they are all or no columns.

    codes: n x d codes of the table.
    source: the classes if missing cells match any value or persons have several rows; else None.
    selection: the roles of the columns.
    """
    known_columns = range(codes.shape[1]) if selection.quasi is None else selection.quasi
    if not 0 < len(known_columns) < codes.shape[1]:
        return None
    cells = joint_counts(codes, known_columns)
    crowds = Crowds.from_cells(cells) if source is None else source.crowds(tuple(known_columns))
    return ScoredPart("quasi-identifiers", cells.size, 0, crowds)


def _joint(codes: NDArray[np.integer], source: CrowdSource | None, lacks: int) -> ScoredPart:
    """Return the score of all columns together.

    source: the classes if missing cells match any value or persons have several rows; else None.
    lacks: number of missing cells of the table.
    """
    all_columns = tuple(range(codes.shape[1]))
    cells = joint_counts(codes, all_columns)
    crowds = Crowds.from_cells(cells) if source is None else source.crowds(all_columns)
    return ScoredPart("all columns", cells.size, lacks, crowds)


def _bounds(
    marginals: list[Integers],
    k: int,
    singles: Sequence[ScoredPart],
    nodes: int | None,
    owned: Persons | None,
    progress: Callable[[str], None],
) -> Bounds:
    """Return the bounds on the people that all columns together expose at k, from the marginals.

    marginals: the counts of each column.
    singles: the score of each column if equivalence classes overlap, because missing cells match
    any value or persons have several rows; else (). The most exposing column is then the lower
    bound.
    nodes: most nodes of each search tree for the worst table; None: no search.
    owned: the persons of the rows if some have several, else None.
    progress: called with the name of each stage.
    """
    forced = max((column.crowds.users_below(k) for column in singles), default=None)
    if owned is not None and forced is not None:
        people_bound = PersonBounds(marginals, k, owned.n).max_exposed(range(len(marginals)))
        return Bounds(forced, None, None, None, None, None, people_bound)
    lower = fewest_exposed(marginals, k) if forced is None else forced
    printed, refined, coverage = (best_bound(marginals, k, rule).people for rule in RULES)
    worst = None
    if nodes is not None:
        worst = worst_case(
            marginals,
            k,
            nodes=nodes,
            keep=True,
            progress=lambda step: progress(f"the worst table: {step}"),
        )
    return Bounds(lower, printed, refined, coverage, margins_bound(marginals, k).people, worst)
